#!/usr/bin/env python3
"""CuPy: gravity and the Asian as arrays of numbers, and the Asian as one kernel with cuRAND's device functions, in float."""
import os
import sys

import cupy

import common

MEMORY = 1 << 30  # bytes of one array of pairs
DRIFT, DIFFUSION = cupy.float32(common.DRIFT), cupy.float32(common.DIFFUSION)


@cupy.fuse()
def step(log_spot, total, z):
    log_spot = log_spot + (z * DIFFUSION + DRIFT)
    return log_spot, total + cupy.exp(log_spot)


@cupy.fuse()
def strength(dx, dy, dz, mass):
    r2 = dx * dx + dy * dy + dz * dz + cupy.float32(common.SOFTENING**2)
    return mass / (r2 * cupy.sqrt(r2))


def forces(position, mass, block):
    parts = []
    for first in range(0, len(position), block):
        d = [position[None, :, c] - position[first:first + block, None, c] for c in range(3)]
        pull = strength(*d, mass)
        parts.append(cupy.stack([(pull * component).sum(axis=1) for component in d], axis=1))
    return cupy.concatenate(parts)


def gravity_case(arguments):
    bodies = arguments.bodies or (256 if arguments.quick else 65536)
    position, mass = common.plummer(bodies)
    x, m = cupy.asarray(position, cupy.float32), cupy.asarray(mass, cupy.float32)
    block = max(1, min(bodies, MEMORY // (4 * bodies)))

    def action():
        forces(x, m, block)
        cupy.cuda.Device().synchronize()

    timing = common.timed(action, arguments.seconds)
    return common.gravity_row("arrays", "float", position, mass, timing, forces(x, m, block).get(), 1e-4)


def asian_case(arguments):
    paths = arguments.paths or (2048 if arguments.quick else 1 << 22)
    generator = cupy.random.Generator(cupy.random.Philox4x3210(42))

    def price():
        log_spot, total = cupy.zeros(paths, cupy.float32), cupy.zeros(paths, cupy.float32)
        for _ in range(common.STEPS):
            log_spot, total = step(log_spot, total, generator.standard_normal(paths, dtype=cupy.float32))
        payoff = cupy.maximum(common.SPOT / common.STEPS * total - common.STRIKE, 0).astype(cupy.float64)
        sums = payoff.sum(), (payoff * payoff).sum()
        cupy.cuda.Device().synchronize()
        return sums

    timing = common.timed(price, arguments.seconds)
    total, squares = (float(s) for s in price())
    return common.asian_row("arrays", "float", paths, timing, *common.mean_and_error(total, squares, paths))


CURAND = r"""
#include <curand_kernel.h>
extern "C" __global__ void asian(int paths_a_thread, int steps, float drift, float diffusion, float spot, float strike,
                                 double* sums) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t state;
  curand_init(42, i, 0, &state);
  double total = 0, squares = 0;
  for (int path = 0; path < paths_a_thread; ++path) {
    float log_spot = 0, average = 0;
    for (int step = 0; step < steps; step += 4) {
      const float4 z = curand_normal4(&state);
      average += __expf(log_spot += drift + diffusion * z.x);
      average += __expf(log_spot += drift + diffusion * z.y);
      average += __expf(log_spot += drift + diffusion * z.z);
      average += __expf(log_spot += drift + diffusion * z.w);
    }
    const float payoff = fmaxf(spot / steps * average - strike, 0.0f);
    total += payoff;
    squares += (double)payoff * payoff;
  }
  sums[2 * i] = total;
  sums[2 * i + 1] = squares;
}
"""


def curand_case(arguments):
    """A generator a thread, four normals at a time; 252 steps are 63 times four."""
    block, threads = 256, 256 if arguments.quick else 1 << 18
    paths = (arguments.paths or (2048 if arguments.quick else 1 << 24)) // threads * threads
    include = os.path.join(cupy.cuda.get_cuda_path() or "/usr/local/cuda", "include")
    kernel = cupy.RawKernel(CURAND, "asian", options=("-I" + include,))
    sums = cupy.empty((threads, 2), cupy.float64)
    numbers = (cupy.int32(paths // threads), cupy.int32(common.STEPS), DRIFT, DIFFUSION,
               cupy.float32(common.SPOT), cupy.float32(common.STRIKE), sums)

    def price():
        kernel((threads // block,), (block,), numbers)
        cupy.cuda.Device().synchronize()

    timing = common.timed(price, arguments.seconds)
    found = sums.get().sum(axis=0)
    return common.asian_row("cuRAND device functions", "float", paths, timing, *common.mean_and_error(*found, paths))


def main():
    arguments = common.options(__doc__, ["cuda"])
    cases = [("Asian with cuRAND's device functions", curand_case), ("Asian", asian_case), ("gravity", gravity_case)]
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    return common.run(arguments, "CuPy", cupy.__version__, cases, device)


if __name__ == "__main__":
    sys.exit(main())
