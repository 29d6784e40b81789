#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "kernels/device/cuda_check.cuh"
#include "kernels/device/profile.hpp"

namespace ergode::kernels {

/// Times kernels by the device's clock, for the profile: events before and after launches, which are read when the host
/// has waited for the device anyway. Without a profile nothing is recorded.
class DeviceTimer {
  struct Interval {
    const char* name;
    double amount;
    std::string_view unit;
    cudaEvent_t begin, end;
  };

 public:
  DeviceTimer() = default;
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;
  ~DeviceTimer() {
    if (cuda_lost()) return;
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
  }

  /// What is launched into `stream` while it lives.
  class Span {
   public:
    Span(DeviceTimer* timer, const Interval& interval, cudaStream_t stream)
        : timer_(timer), interval_(interval), stream_(stream) {
      if (timer_ == nullptr) return;
      interval_.begin = timer_->event();
      interval_.end = timer_->event();
      cudaEventRecord(interval_.begin, stream_);  // a failure is that of a kernel before, which the next check tells
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;
    ~Span() {
      if (timer_ == nullptr || cuda_lost()) return;
      cudaEventRecord(interval_.end, stream_);
      timer_->pending_.push_back(interval_);
    }

   private:
    DeviceTimer* timer_;
    Interval interval_;
    cudaStream_t stream_;
  };
  /// `amount` in `unit` is the work, for a rate.
  Span span(const char* name, cudaStream_t stream = nullptr, double amount = 0, std::string_view unit = {}) {
    return {Profile::current() != nullptr ? this : nullptr, {name, amount, unit, nullptr, nullptr}, stream};
  }

  /// After a wait for all that was launched. The last kernel is taken to have ended just now, which the host cannot
  /// know better without waiting more often; where streams overlap, a moment counts once.
  void collect() {
    Profile* const profile = Profile::current();
    if (pending_.empty() || profile == nullptr) return;
    struct Placed {
      const Interval* interval;
      double begin, end;
    };
    std::vector<Placed> placed;
    double last = 0;
    for (const Interval& i : pending_) {
      placed.push_back({&i, seconds(i.begin), seconds(i.end)});
      last = std::max(last, placed.back().end);
    }
    std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    const double shift = profile->now() - last;
    for (const Placed& p : placed) {
      const double begin = std::max(shift + p.begin, covered_), end = std::max(shift + p.end, begin);
      profile->ran_on_device(p.interval->name, begin, end, p.interval->amount, p.interval->unit);
      covered_ = end;
    }
    pending_.clear();
    used_ = 0;
  }

 private:
  cudaEvent_t event() {
    if (used_ == events_.size()) {
      events_.push_back(nullptr);
      cuda_check(cudaEventCreate(&events_.back()), "cudaEventCreate");
    }
    return events_[used_++];
  }

  /// From the first event since the last collect().
  double seconds(cudaEvent_t event) const {
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, pending_.front().begin, event), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

  std::vector<cudaEvent_t> events_;
  std::size_t used_ = 0;
  std::vector<Interval> pending_;
  double covered_ = 0;  ///< what has been told reaches up to here
};

}  // namespace ergode::kernels
