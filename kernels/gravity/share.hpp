#pragma once

#include <cstdint>
#include <vector>

#include "kernels/gravity/engine.hpp"

namespace ergode::kernels {

/// Consecutive items, those of one process.
struct Range {
  std::int64_t first = 0, last = 0;
  std::int64_t count() const { return last - first; }
};

/// How `count` items are shared out: in whole blocks of `block`, or not at all where there are fewer blocks than
/// processes.
class Shares {
 public:
  Shares(const TargetShare* share, std::int64_t count, std::int64_t block) : share_(share), all_{0, count} {
    const std::int64_t blocks = (count + block - 1) / block;
    if (share == nullptr || share->parts() == 1 || blocks < share->parts()) {
      share_ = nullptr;
      return;
    }
    for (std::int64_t p = 0; p <= share->parts(); ++p) {
      const std::int64_t at = blocks * p / share->parts() * block;
      bounds_.push_back(at < count ? at : count);
    }
  }

  bool shared() const { return share_ != nullptr; }
  Range mine() const {
    if (!shared()) return all_;
    const auto p = static_cast<std::size_t>(share_->part());
    return {bounds_[p], bounds_[p + 1]};
  }
  /// `width` numbers an item, of all items; those of the others are filled in.
  void exchange(double* values, std::int64_t width) const {
    if (!shared()) return;
    std::vector<std::int64_t> bounds = bounds_;
    for (std::int64_t& b : bounds) b *= width;
    share_->exchange(values, bounds);
  }

 private:
  const TargetShare* share_;
  Range all_;
  std::vector<std::int64_t> bounds_;
};

}  // namespace ergode::kernels
