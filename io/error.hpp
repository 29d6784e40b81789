#pragma once

#include <stdexcept>
#include <string>

namespace ergode::io {

/// What the process says to its caller; each error class has one.
enum class ExitCode : int {
  done = 0,
  difference = 1,  ///< `diff` found one
  command_line = 2,
  config = 3,
  input_file = 4,
  no_device = 5,
  out_of_memory = 6,
  io = 7,         ///< I/O failure, or directory in use
  numerical = 8,  ///< NaN, or a bound exceeded
  gpu = 9,
  sweep_members = 10,  ///< some members of a sweep failed
  internal = 70,
  resume_me = 75,  ///< stopped cleanly before the end
};

/// An error whose exit class is known where it is thrown. The message is complete: what, where, what to do.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

}  // namespace ergode::io
