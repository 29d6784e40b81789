#include "sim/runner/checkpointer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace ergode::sim {

RetryPolicy retry_policy_from_environment() {
  RetryPolicy policy;
  if (const char* text = std::getenv("ERGODE_CHECKPOINT_RETRY")) {
    double seconds = 0;
    if (std::from_chars(text, text + std::strlen(text), seconds).ec == std::errc() && seconds >= 0)
      policy.total_seconds = seconds;
  }
  return policy;
}

Checkpointer::Checkpointer(std::filesystem::path directory, io::Checkpoint header, int keep, RetryPolicy retry,
                           Surroundings surroundings, io::Log& log, const io::RunLock& lock)
    : directory_(std::move(directory)),
      checkpoint_(std::move(header)),
      keep_(keep),
      retry_(retry),
      around_(std::move(surroundings)),
      log_(log),
      lock_(lock) {}

void Checkpointer::write(io::State state, std::int64_t unit, bool finished) {
  checkpoint_.state = std::move(state);
  checkpoint_.unit = unit;
  checkpoint_.finished = finished;
  const double start = around_.now();
  double delay = retry_.first_delay;
  for (;;) {
    if (!lock_.held())
      throw io::Error(io::ExitCode::io,
                      fmt::format("{}: another run has taken this directory over (this process was silent for too "
                                  "long); nothing more is written",
                                  directory_.string()));
    try {
      bytes_ = io::write_checkpoint(directory_, checkpoint_, keep_);
      break;
    } catch (const io::Error& e) {
      if (e.code() != io::ExitCode::io) throw;
      const double left = retry_.total_seconds - (around_.now() - start);
      if (left <= 0 || around_.give_up())
        throw io::Error(io::ExitCode::io,
                        fmt::format("the checkpoint at unit {} could not be written: {}", unit, e.what()));
      log_.warning(fmt::format("{}; the checkpoint before is kept, next try in {}, for {} at most", e.what(),
                               io::duration_text(std::min(delay, left)), io::duration_text(left)));
      around_.sleep(std::min(delay, left));
      delay = std::min(2 * delay, retry_.last_delay);
    }
  }
  checkpoint_.state = {};  // as large as the simulation: not kept between checkpoints
  newest_unit_ = unit;
  ++count_;
  log_.file_only(
      fmt::format("checkpoint at unit {}: {} bytes in {}", unit, bytes_, io::duration_text(around_.now() - start)));
}

}  // namespace ergode::sim
