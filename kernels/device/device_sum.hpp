#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ergode::kernels {

/// Adds up integers over the GPUs of several processes, from one device's memory to another's. Integers, since their
/// sum does not depend on the order in which it is taken.
class DeviceSum {
 public:
  virtual ~DeviceSum() = default;
  /// values[i] becomes the sum over all processes. Asynchronous, in the order of the default stream.
  virtual void add_up(std::int64_t* device_values, std::int64_t count) = 0;
  /// Throws Error(gpu) if a sum that is on its way has failed: nothing else would tell.
  virtual void check() = 0;
};

/// The library that does it, "NCCL 2.27.3"; empty in a binary without one, and where it is not found.
std::string device_sum_library();
/// By which the processes find each other: one of them makes it and tells the others.
std::string device_sum_meeting();
/// Called by all at a time, each with the device current that its values are on, no two with the same. `watch` is
/// called again and again meanwhile, and may throw to end the wait. Throws Error(gpu).
std::unique_ptr<DeviceSum> join_device_sum(const std::string& meeting, int part, int parts,
                                           const std::function<void()>& watch);

}  // namespace ergode::kernels
