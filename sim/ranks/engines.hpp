#pragma once

#include <memory>

#include "kernels/gravity/engine.hpp"
#include "kernels/options/engine.hpp"
#include "sim/ranks/leader.hpp"
#include "sim/runner/simulation.hpp"

namespace ergode::sim {

/// The engines of a run, shared out over its ranks where it has several. A result has the same bits either way.
std::unique_ptr<kernels::GravityEngine> make_gravity_engine(const RunContext& context,
                                                            const kernels::GravityOptions& options);
std::unique_ptr<kernels::options::PathEngine> make_path_engine(const RunContext& context);

/// A rank's twin of an engine of rank 0's.
class EngineTwin {
 public:
  virtual ~EngineTwin() = default;
  /// Does this rank's part of a call.
  virtual void call(Reader& message) = 0;
};

/// As a message of Call::make_gravity or Call::make_paths says, but for this rank's device.
std::unique_ptr<EngineTwin> make_gravity_twin(Ranks& ranks, kernels::Device device, int threads, Reader& message);
std::unique_ptr<EngineTwin> make_path_twin(Ranks& ranks, kernels::Device device, int threads, Reader& message);

}  // namespace ergode::sim
