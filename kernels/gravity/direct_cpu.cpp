#include "kernels/core/twin.hpp"
#include "kernels/gravity/direct_loops.hpp"
#include "kernels/gravity/over_cube.hpp"
#include "kernels/gravity/plummer.hpp"
#include "kernels/gravity/tiles.hpp"
#include "kernels/integrate/advance.hpp"

namespace ergode::kernels::ERGODE_ISA {

namespace {

/// Targets that a task holds in vectors. Divides target_tile; not part of the algorithm, since targets do not meet.
constexpr std::int64_t task_targets = 64;
static_assert(target_tile % task_targets == 0);

/// What coordinates are taken relative to. In double the differences are taken of the coordinates themselves: about a
/// centre they could only lose bits.
template <class Scalar>
ERGODE_SIMD Vec3 origin(Vec3 centre) {
  if (sizeof(Scalar) == sizeof(double)) centre.x = centre.y = centre.z = 0;
  return centre;
}

/// Sources of one partial sum, relative to the target tile's origin.
template <class Scalar>
struct SourceBlock {
  alignas(64) Scalar x[partial_length], y[partial_length], z[partial_length], mass[partial_length],
      eps2[partial_length];
};

template <class Scalar>
ERGODE_SIMD Scalar floored(double eps2) {
  return eps2 > softening_floor<Scalar>() ? static_cast<Scalar>(eps2) : softening_floor<Scalar>();
}

template <class Scalar>
ERGODE_SIMD void load_sources(const TileView& v, Vec3 c, std::int64_t first, std::int64_t n,
                              SourceBlock<Scalar>& block) {
  for (std::int64_t j = 0; j < n; ++j) {
    block.x[j] = static_cast<Scalar>(v.x[first + j] - c.x);
    block.y[j] = static_cast<Scalar>(v.y[first + j] - c.y);
    block.z[j] = static_cast<Scalar>(v.z[first + j] - c.z);
    block.mass[j] = static_cast<Scalar>(v.mass[first + j]);
    block.eps2[j] = floored<Scalar>(v.softening_squared[first + j]);
  }
}

template <class L>
ERGODE_SIMD void load(Vector<L>& v, const typename VectorTraits<L>::Scalar* at) {
  v.lanes = *reinterpret_cast<const L*>(at);
}
template <class V>
ERGODE_SIMD void load(Twin<V>& v, const typename Lanes<V>::Scalar* at) {
  load(v.a, at);
  load(v.b, at + Lanes<V>::count);
}

template <class L>
ERGODE_SIMD void add_to(double* sum, Vector<L> v) {
  for (int l = 0; l < VectorTraits<L>::count; ++l) sum[l] += static_cast<double>(v.lanes[l]);
}
template <class V>
ERGODE_SIMD void add_to(double* sum, Twin<V> v) {
  add_to(sum, v.a);
  add_to(sum + Lanes<V>::count, v.b);
}

/// For up to task_targets bodies from `first` on the sum over all sources of over_cube(m, r^2 + eps^2) d; of equal
/// masses m is left out.
template <class V, bool uniform_softening, bool equal_masses>
ERGODE_SIMD void sum_over_sources(const TileView& v, std::int64_t first, double (&sum)[3][task_targets]) {
  using Scalar = typename Lanes<V>::Scalar;
  static_assert(task_targets % Lanes<V>::count == 0);

  const Vec3 c = origin<Scalar>(v.centre[first / target_tile]);
  const std::int64_t targets = v.bodies - first < task_targets ? v.bodies - first : task_targets;
  alignas(64) Scalar px[task_targets], py[task_targets], pz[task_targets], e2[task_targets];
  for (std::int64_t i = 0; i < task_targets; ++i) {
    const std::int64_t k = first + i < v.bodies ? first + i : v.bodies - 1;
    px[i] = static_cast<Scalar>(v.x[k] - c.x);
    py[i] = static_cast<Scalar>(v.y[k] - c.y);
    pz[i] = static_cast<Scalar>(v.z[k] - c.z);
    e2[i] = floored<Scalar>(v.softening_squared[k]);
    sum[0][i] = sum[1][i] = sum[2][i] = 0;
  }
  SourceBlock<Scalar> block;
  const PlummerForce add_force{};
  for (std::int64_t s = 0; s < v.sources; s += partial_length) {
    const std::int64_t count = v.sources - s < partial_length ? v.sources - s : partial_length;
    load_sources(v, c, s, count, block);
    for (std::int64_t g = 0; g < targets; g += Lanes<V>::count) {
      V x, y, z, eps2(e2[0]), ax(0), ay(0), az(0);
      load(x, px + g);
      load(y, py + g);
      load(z, pz + g);
      if (!uniform_softening) load(eps2, e2 + g);
      for (std::int64_t j = 0; j < count; ++j) {
        const V pair_eps2 = uniform_softening ? eps2 : maximum(V(block.eps2[j]), eps2);
        const V mass = equal_masses ? V(1) : V(block.mass[j]);
        add_force(V(block.x[j]) - x, V(block.y[j]) - y, V(block.z[j]) - z, mass, pair_eps2, ax, ay, az);
      }
      add_to(sum[0] + g, ax);
      add_to(sum[1] + g, ay);
      add_to(sum[2] + g, az);
    }
  }
}

template <class V>
void forces(const TileView& v, double scale, Vec3* acceleration, int threads) {
  const bool equal_masses = v.uniform_softening && v.equal_masses;
  const double factor = scale / over_cube_factor<typename Lanes<V>::Scalar> * (equal_masses ? v.mass[0] : 1);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (v.last_target - v.first_target > task_targets)
  for (std::int64_t first = v.first_target; first < v.last_target; first += task_targets) {
    double sum[3][task_targets];
    if (equal_masses)
      sum_over_sources<V, true, true>(v, first, sum);
    else if (v.uniform_softening)
      sum_over_sources<V, true, false>(v, first, sum);
    else
      sum_over_sources<V, false, false>(v, first, sum);
    for (std::int64_t i = 0; i < task_targets && first + i < v.last_target; ++i) {
      Vec3& a = acceleration[v.order[first + i]];
      a.x = factor * sum[0][i];
      a.y = factor * sum[1][i];
      a.z = factor * sum[2][i];
    }
  }
}

void forces_mixed(const TileView& v, double scale, Vec3* acceleration, int threads) {
  forces<Twin<FloatV>>(v, scale, acceleration, threads);
}
void forces_double(const TileView& v, double scale, Vec3* acceleration, int threads) {
  forces<Twin<DoubleV>>(v, scale, acceleration, threads);
}

void potentials(const BodyView& v, double g, double* potential, int threads) {
  constexpr std::int64_t lanes = double_lanes;
  const PlummerPotential pair_potential{};
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads) if (v.last_target - v.first_target > task_targets)
  for (std::int64_t first = v.first_target; first < v.last_target; first += lanes) {
    DoubleV x{}, y{}, z{}, eps{};
    DoubleLanes index{};
    for (std::int64_t l = 0; l < lanes; ++l) {
      const std::int64_t i = first + l < v.bodies ? first + l : v.bodies - 1;
      x.lanes[l] = v.position[i].x;
      y.lanes[l] = v.position[i].y;
      z.lanes[l] = v.position[i].z;
      eps.lanes[l] = v.softening[i];
      index[l] = static_cast<double>(i);
    }
    DoubleLanes total{};
    for (std::int64_t s = 0; s < v.sources; s += partial_length) {
      DoubleLanes sum{};
      const std::int64_t end = s + partial_length < v.sources ? s + partial_length : v.sources;
      for (std::int64_t j = s; j < end; ++j) {
        const DoubleV pair_eps = maximum(broadcast<DoubleV>(v.softening[j]), eps);
        const DoubleV term =
            pair_potential(broadcast<DoubleV>(v.position[j].x) - x, broadcast<DoubleV>(v.position[j].y) - y,
                           broadcast<DoubleV>(v.position[j].z) - z, broadcast<DoubleV>(v.mass[j]), pair_eps * pair_eps);
        sum += index == static_cast<double>(j) ? DoubleLanes{} : term.lanes;
      }
      total += sum;
    }
    for (std::int64_t l = 0; l < lanes && first + l < v.last_target; ++l) potential[first + l] = -g * total[l];
  }
}

void reference(const BodyView& v, double g, const std::int64_t* targets, std::int64_t count, Vec3* acceleration,
               int threads) {
  const PlummerForce add_force{};
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (v.sources > task_targets)
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t i = targets[k];
    double total[3] = {0, 0, 0};
    for (std::int64_t s = 0; s < v.sources; s += partial_length) {
      double ax = 0, ay = 0, az = 0;
      const std::int64_t end = s + partial_length < v.sources ? s + partial_length : v.sources;
      for (std::int64_t j = s; j < end; ++j) {
        if (j == i) continue;
        const double eps = v.softening[j] > v.softening[i] ? v.softening[j] : v.softening[i];
        const double dx = v.position[j].x - v.position[i].x, dy = v.position[j].y - v.position[i].y,
                     dz = v.position[j].z - v.position[i].z;
        if (eps == 0 && dx == 0 && dy == 0 && dz == 0) continue;  // coincident bodies: no direction, no force
        add_force(dx, dy, dz, v.mass[j], eps * eps, ax, ay, az);
      }
      total[0] += ax;
      total[1] += ay;
      total[2] += az;
    }
    acceleration[k].x = g * total[0];
    acceleration[k].y = g * total[1];
    acceleration[k].z = g * total[2];
  }
}

void advance(double* values, const double* rate, double step, std::int64_t count, int threads) {
  constexpr std::int64_t lanes = double_lanes;
  const std::int64_t whole = count / lanes * lanes;
  const Advance advanced{};
  const DoubleV step_v = broadcast<DoubleV>(step);
  typedef double Unaligned __attribute__((vector_size(8 * double_lanes), aligned(8)));
#pragma omp parallel for schedule(static) num_threads(threads) if (count > 20000)
  for (std::int64_t i = 0; i < whole; i += lanes) {
    const DoubleV v{*reinterpret_cast<const Unaligned*>(values + i)}, r{*reinterpret_cast<const Unaligned*>(rate + i)};
    *reinterpret_cast<Unaligned*>(values + i) = advanced(v, r, step_v).lanes;
  }
  DoubleV v{}, r{};
  for (std::int64_t i = whole; i < count; ++i) {
    v.lanes[i - whole] = values[i];
    r.lanes[i - whole] = rate[i];
  }
  v = advanced(v, r, step_v);
  for (std::int64_t i = whole; i < count; ++i) values[i] = v.lanes[i - whole];
}

std::int64_t first_not_finite(const Vec3* position, const Vec3* velocity, std::int64_t bodies, int threads) {
  std::int64_t first = bodies;
#pragma omp parallel for schedule(static) reduction(min : first) num_threads(threads) if (bodies > 20000)
  for (std::int64_t i = 0; i < bodies; ++i) {
    const Vec3 p = position[i], v = velocity[i];
    // x - x is 0 for a finite x and NaN for any other.
    const double sum = (p.x - p.x) + (p.y - p.y) + (p.z - p.z) + (v.x - v.x) + (v.y - v.y) + (v.z - v.z);
    if (!(sum == 0) && i < first) first = i;
  }
  return first < bodies ? first : -1;
}

}  // namespace

extern const DirectLoops direct_loops;
const DirectLoops direct_loops = {forces_mixed, forces_double, potentials, reference, advance, first_not_finite};

}  // namespace ergode::kernels::ERGODE_ISA
