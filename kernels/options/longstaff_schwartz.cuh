#pragma once

#include <cuda_runtime.h>

#include <optional>

#include "kernels/options/longstaff_schwartz.hpp"

namespace ergode::kernels {

/// Bytes that fit_exercise_policy_cuda needs beside the paths, or nothing where such a fit is the host's: a regression
/// of more than 63 terms or more than a block's shared memory (bytes) holds, and no path at all. Throws as
/// check_exercise_rule.
std::optional<std::int64_t> policy_fit_bytes(const TrainingPlan& plan, int underlyings, int real_bytes,
                                             int shared_memory);

/// fit_exercise_policy on paths in device memory; their `dispersion` is made here. `memory`: policy_fit_bytes of it.
/// The induction is a row of launches in one stream, and the host waits once, for the policy. The bits may differ from
/// the host's.
template <class Real>
ExercisePolicy fit_exercise_policy_cuda(const TrainingPaths<Real>& training, const TrainingPlan& plan,
                                        unsigned char* memory, cudaStream_t stream);

extern template ExercisePolicy fit_exercise_policy_cuda(const TrainingPaths<float>&, const TrainingPlan&,
                                                        unsigned char*, cudaStream_t);
extern template ExercisePolicy fit_exercise_policy_cuda(const TrainingPaths<double>&, const TrainingPlan&,
                                                        unsigned char*, cudaStream_t);

}  // namespace ergode::kernels
