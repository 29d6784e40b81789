#include "sim/ranks/serve.hpp"

#include <map>
#include <memory>

#include "kernels/device/device.hpp"
#include "sim/ranks/devices.hpp"
#include "sim/ranks/engines.hpp"
#include "sim/runner/signals.hpp"

namespace ergode::sim {
namespace {

class Server {
 public:
  explicit Server(Ranks& ranks) : ranks_(ranks) {}

  void answer(Call call, Reader& in) {
    switch (call) {
      case Call::end:
        return;
      case Call::survey: {
        std::string requested;
        in.get(requested);
        ranks_.gather(survey(requested));
        return;
      }
      case Call::assign:
        for (int r = 0; r <= ranks_.rank(); ++r) {
          device_.backend = in.get<kernels::Backend>();
          device_.index = in.get<int>();
          in.get(device_.name);
          threads_ = in.get<int>();
        }
        return;
      case Call::make_gravity:
        twins_[made_++] = make_gravity_twin(ranks_, device_, threads_, in);
        return;
      case Call::make_paths:
        twins_[made_++] = make_path_twin(ranks_, device_, threads_, in);
        return;
      case Call::drop:
        twins_.erase(in.get<int>());
        return;
      case Call::engine:
        twins_.at(in.get<int>())->call(in);
        return;
    }
  }

 private:
  Ranks& ranks_;
  kernels::Device device_;
  int threads_ = 1;
  int made_ = 0;
  std::map<int, std::unique_ptr<EngineTwin>> twins_;
};

io::ExitCode serve_calls(Ranks& ranks) {
  SignalWatcher signals({});
  Server server(ranks);
  for (;;) {
    Bytes bytes;
    ranks.broadcast(bytes);
    Reader in(bytes);
    const auto call = in.get<Call>();
    if (call == Call::end) return in.get<io::ExitCode>();
    server.answer(call, in);
    ranks.gather(Writer().put(RankSignals{signals.stop_signal(), signals.take_checkpoint_request() ? 1 : 0}).bytes());
  }
}

}  // namespace

io::ExitCode serve(Ranks& ranks) {
  ignore_write_signals();
  Failure failure;
  try {
    return serve_calls(ranks);
  } catch (...) {
    failure = explain(std::current_exception());
  }
  ranks.fail(failure);
  return failure.code;
}

}  // namespace ergode::sim
