#include "sim/ranks/leader.hpp"

#include <csignal>

namespace ergode::sim {

void Leader::settle() {
  for (const Bytes& bytes : ranks_.gather(Writer().put(RankSignals{}).bytes())) {
    const auto signals = Reader(bytes).get<RankSignals>();
    if (tell_ && signals.stop != 0) tell_(signals.stop);
    if (tell_ && signals.checkpoint != 0) tell_(SIGUSR2);
  }
}

int Leader::make(const Writer& message) {
  call(message, [] {});
  return made_++;
}

void Leader::drop(int engine) noexcept {
  if (broken_) return;
  try {
    call(Writer().put(Call::drop).put(engine), [] {});
  } catch (...) {
    // What went wrong in another rank is no concern of an engine that goes; the end of the run meets it.
  }
}

void Leader::finish(io::ExitCode code) {
  if (broken_) ranks_.abort(code);
  Bytes bytes = Writer().put(Call::end).put(code).bytes();
  ranks_.broadcast(bytes);
}

}  // namespace ergode::sim
