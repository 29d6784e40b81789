#pragma once

#include <cstdint>

namespace ergode::io::fs {

/// The calls that can be made to fail. `any` matches all of them.
enum class Call { open, write, fsync, rename, mkdir, fsync_directory, unlink, link, any };

/// A test hook: the `at`-th call (from 1) of a kind fails with `error` (an errno), or kills the process by SIGKILL when
/// `error` is 0. A write that fails or kills has written half of its bytes by then, as a full disk or a lost node does.
struct Fault {
  Call call = Call::any;
  std::int64_t at = 0;  ///< 0: never; calls are still counted
  int error = 0;
  bool always = false;  ///< every call from the `at`-th on
};

/// Arms a fault and sets the count of calls to zero. Without arm() the environment variable ERGODE_FAULT is read once,
/// at the first call of a file function: `CALL:K:kill` or `CALL:K:ERROR[:always]`, with ERROR one of ENOSPC, EDQUOT,
/// EIO, EACCES or a number; for example `ERGODE_FAULT=write:3:ENOSPC:always`.
void arm(const Fault& fault);
void disarm();
/// Calls that matched since arm().
std::int64_t calls_seen();

/// For the file functions: 0: go on; > 0: fail with this errno; -1: die now.
int fault_at(Call call);
[[noreturn]] void die();

}  // namespace ergode::io::fs
