#pragma once

#include "kernels/core/dual.hpp"

namespace ergode::kernels::options {

/// One asset on its path.
template <class T>
struct AssetState {
  T log_return;               ///< ln(S / S0)
  T variance;                 ///< instantaneous, of the log; what models with a variance of their own evolve
  T segment_variance;         ///< of the log over the step just made, given its ends (for Brownian bridges)
  T level;                    ///< S, where a model evolves it instead of its log
  bool scored;                ///< a likelihood ratio wants the following two
  Tangents<Scalar<T>> score;  ///< derivatives of the log density so far
  Scalar<T> first_deviation;  ///< standard deviation of the first log increment
};

/// No likelihood ratio has been taken.
template <class T>
ERGODE_HOST_DEVICE inline void clear_score(AssetState<T>& s) {
  s.score = {Scalar<T>(0), Scalar<T>(0)};
  s.first_deviation = Scalar<T>(0);
}

/// Numbers of an asset that a step reads.
template <class T>
struct AssetConstants {
  Constants<T> spot;   ///< S0
  Constants<T> model;  ///< constants of the model
  Constants<T> step;   ///< constants of this step
};

/// ln S at which a path that reached 0 is kept.
template <class T>
ERGODE_HOST_DEVICE constexpr Scalar<T> lowest_log_return() {
  return Scalar<T>(-60);
}

}  // namespace ergode::kernels::options
