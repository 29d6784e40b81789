#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/vec3.hpp"
#include "kernels/device/device.hpp"
#include "kernels/device/device_sum.hpp"

namespace ergode::kernels {

enum class Precision {
  mixed,    ///< pair arithmetic in float on differences relative to a tile's centre, sums in double
  float64,  ///< everything in double (`precision: double`)
};

/// N bodies in canonical order: the `sources` bodies with mass first, then the massless test particles.
/// Everything an engine needs to go on bit for bit is here; a checkpoint is this struct.
struct NbodyState {
  std::int64_t sources = 0;              ///< bodies [0, sources) attract; the rest only follow
  std::vector<Vec3> position;            ///< length unit of the run
  std::vector<Vec3> velocity;            ///< length / time
  std::vector<Vec3> acceleration;        ///< at `position`; empty before the first force pass
  std::vector<double> mass;              ///< >= 0
  std::vector<double> softening;         ///< Plummer length of each body; a pair uses the larger
  std::vector<std::uint64_t> id;         ///< unique; not read by engines
  std::vector<std::int64_t> tile_order;  ///< permutation that makes tiles compact in space; empty before the first pass
  double length_scale = 0;  ///< power of two that brings positions to order one in float; 0 before the first pass

  std::int64_t size() const { return static_cast<std::int64_t>(position.size()); }
};

/// One step of a composition integrator: kick[0], then for each stage s: drift[s], new forces, kick[s + 1].
/// Coefficients in units of the time step.
struct StepPlan {
  std::vector<double> kick;   ///< stages + 1
  std::vector<double> drift;  ///< stages
};

/// The first non-finite position or velocity met, if any.
struct BadBody {
  std::int64_t step = -1;   ///< the step (counted from the run's start) at whose end it was seen; -1: none
  std::int64_t index = -1;  ///< canonical index of the body
};

/// Processes that hold the same bodies and do a share of the work each: of targets, or of pairs of tiles.
class TargetShare {
 public:
  virtual ~TargetShare() = default;
  virtual int parts() const = 0;
  virtual int part() const = 0;  ///< of this process, from 0
  /// Of `values`, process p has [bounds[p], bounds[p + 1]); after the call each has all.
  virtual void exchange(double* values, std::span<const std::int64_t> bounds) const = 0;
  /// values[i] becomes the sum over all processes.
  virtual void add_up(std::int64_t* values, std::int64_t count) const = 0;
  /// The same between devices, where that can be had.
  virtual DeviceSum* on_devices() const { return nullptr; }
  /// Called again and again while a device works; throws to end the wait.
  virtual void watch() const {}
};

struct GravityOptions {
  double gravitational_constant = 1;  ///< in the run's units
  Precision precision = Precision::mixed;
  int block_size =
      0;  ///< CUDA threads a block: 64, 128 or 256; 0: the engine's choice. Cannot change a bit of the result.
  const TargetShare* share = nullptr;  ///< null: all work is this process's; outlives the engine
};

/// Direct-summation gravity and the composition integrators on one backend. The state lives where the backend computes
/// from upload() to download(). Results are bitwise the same for any thread count, block size, share of the targets
/// and division of the steps over calls; they may differ between backends and instruction sets. With a share, all its
/// processes make the same calls in the same order, but for download() and memory_bytes().
///
/// Tiles: at each step whose number is a multiple of `retile_interval`, before its first kick, bodies are ordered by
/// the Morton key of their position (sources and test particles apart, ties by canonical index), and that order serves
/// until the next such step: it is a pure function of checkpointed state.
class GravityEngine {
 public:
  static constexpr std::int64_t retile_interval = 16;

  virtual ~GravityEngine() = default;

  /// Takes positions, velocities, masses ... from `state`; orders tiles and computes accelerations if they are missing.
  virtual void upload(const NbodyState& state) = 0;
  /// Copies the present state into `state` (all arrays of `state` are resized).
  virtual void download(NbodyState& state) = 0;
  /// Makes `count` steps of length `timestep`, the first having number `first_step`. Stops after the step in which a
  /// non-finite value appears and says which.
  virtual BadBody integrate(const StepPlan& plan, double timestep, std::int64_t first_step, std::int64_t count) = 0;
  /// Specific potential (energy per mass) of each body in canonical order, at the present positions: -G sum_j m_j /
  /// sqrt(r^2 + max(eps_i, eps_j)^2), without the body itself. Pair arithmetic and sums in double in both precisions.
  virtual std::vector<double> potentials() = 0;
  /// Accelerations of the bodies `indices` (canonical) by an independent double-precision sum: the reference of
  /// `force_check`.
  virtual std::vector<Vec3> reference_accelerations(std::span<const std::int64_t> indices) = 0;
  /// Bytes of device (or, on a CPU, host) memory that the engine holds between calls; force checks take a little more
  /// for a moment, and a shared CUDA engine has 24 bytes a body of pinned host memory besides.
  virtual std::int64_t memory_bytes() const = 0;
  /// Force passes since the upload that were done twice, because sums over pairs could not hold them.
  virtual std::int64_t passes_done_twice() const { return 0; }
};

/// Whether an engine looks at each pair of sources once and adds up in fixed point (kernels/gravity/pairs_cuda.cu): on
/// CUDA in mixed precision, many of them, whose masses (canonical, the sources' first) are not too far apart for it.
bool sums_over_pairs(Backend backend, Precision precision, std::span<const double> mass, std::int64_t sources);

/// Bytes an engine will need for `bodies` bodies of which `sources` have mass; the largest arrays by name. With CUDA
/// the scratch memory of a sort is what the current device asks for, or about that where none answers.
struct MemoryNeed {
  std::int64_t total = 0;
  std::vector<std::pair<std::string, std::int64_t>> arrays;
};
MemoryNeed gravity_memory(std::int64_t bodies, std::int64_t sources, Precision precision, const Device& device,
                          const TargetShare* share = nullptr);

/// Makes the engine for `device`. `threads` is for the CPU (>= 1). Throws kernels::Error, and std::invalid_argument for
/// a block size that there is not.
std::unique_ptr<GravityEngine> make_gravity_engine(const Device& device, int threads, const GravityOptions& options);

}  // namespace ergode::kernels
