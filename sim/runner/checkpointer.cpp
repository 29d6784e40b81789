#include "sim/runner/checkpointer.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "kernels/device/profile.hpp"

namespace ergode::sim {

io::DiskRetry disk_retry_from_environment() {
  io::DiskRetry retry;
  retry.seconds = 300;
  retry.interval = 1;
  retry.longest_interval = 30;
  if (const char* text = std::getenv("ERGODE_CHECKPOINT_RETRY")) {
    double seconds = 0;
    if (std::from_chars(text, text + std::strlen(text), seconds).ec == std::errc() && seconds >= 0)
      retry.seconds = seconds;
  }
  return retry;
}

io::DiskRetry disk_retry_until(const std::function<bool()>& give_up,
                               const std::function<void(const std::string&)>& warn) {
  io::DiskRetry retry = disk_retry_from_environment();
  retry.sleep = [give_up](double seconds) {
    const kernels::Scope scope(kernels::Phase::waiting, "for the disk");
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end && !give_up())
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return !give_up();
  };
  retry.warn = warn;
  return retry;
}

Checkpointer::Checkpointer(std::filesystem::path directory, io::Checkpoint header, int keep, io::DiskRetry retry,
                           std::function<double()> now, io::Log& log, const io::RunLock& lock)
    : directory_(std::move(directory)),
      checkpoint_(std::move(header)),
      keep_(keep),
      retry_(std::move(retry)),
      now_(std::move(now)),
      log_(log),
      lock_(lock) {}

void Checkpointer::write(io::State state, std::int64_t unit, bool finished) {
  checkpoint_.state = std::move(state);
  checkpoint_.unit = unit;
  checkpoint_.finished = finished;
  const double start = now_();
  lock_.require();
  io::DiskRetry retry = retry_;
  retry.sleep = [&](double seconds) {
    const bool go_on = retry_.sleep(seconds);
    lock_.require();
    return go_on;
  };
  try {
    kernels::Scope scope(kernels::Phase::files, "checkpoints");
    bytes_ = io::write_checkpoint(directory_, checkpoint_, keep_, retry);
    scope.did(static_cast<double>(bytes_), "B");
  } catch (const io::Error& e) {
    if (e.code() != io::ExitCode::io || !lock_.held()) throw;
    throw io::Error(io::ExitCode::io,
                    fmt::format("the checkpoint at unit {} could not be written: {}", unit, e.what()));
  }
  checkpoint_.state = {};  // as large as the simulation: not kept between checkpoints
  newest_unit_ = unit;
  ++count_;
  log_.file_only(fmt::format("checkpoint at unit {}: {} bytes in {}", unit, bytes_, io::duration_text(now_() - start)));
}

}  // namespace ergode::sim
