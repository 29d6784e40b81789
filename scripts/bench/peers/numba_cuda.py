#!/usr/bin/env python3
"""Numba CUDA: gravity with tiles in shared memory, the Asian with one generator a thread, both in float."""
import math
import os
import sys

import numpy

import common

BLOCK = 256

if "--device=cpu" in sys.argv or ("--device" in sys.argv and sys.argv[sys.argv.index("--device") + 1] == "cpu"):
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"  # must be said before the import
    BLOCK = 16

import numba  # noqa: E402
from numba import cuda, float32, int32  # noqa: E402
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float32  # noqa: E402

if numba.config.ENABLE_CUDASIM:
    @cuda.jit(device=True)
    def inverse_root(x):
        return float32(1) / math.sqrt(x)
else:
    from numba.cuda.libdevice import rsqrtf as inverse_root

DRIFT, DIFFUSION = numpy.float32(common.DRIFT), numpy.float32(common.DIFFUSION)
SPOT, STRIKE, STEPS = numpy.float32(common.SPOT), numpy.float32(common.STRIKE), common.STEPS


@cuda.jit(fastmath=True)
def gravity(body, acceleration, softening_squared):
    """body: (N, 4), x y z m."""
    tile = cuda.shared.array((BLOCK, 4), float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    n = body.shape[0]
    own = min(i, n - 1)
    x, y, z = body[own, 0], body[own, 1], body[own, 2]
    ax = ay = az = float32(0)
    for first in range(0, n, BLOCK):
        j = first + t
        for c in range(4):
            tile[t, c] = body[j, c] if j < n else float32(0)
        cuda.syncthreads()
        for k in range(BLOCK):
            dx, dy, dz = tile[k, 0] - x, tile[k, 1] - y, tile[k, 2] - z
            inverse = inverse_root(dx * dx + dy * dy + dz * dz + softening_squared)
            strength = tile[k, 3] * inverse * inverse * inverse
            ax += strength * dx
            ay += strength * dy
            az += strength * dz
        cuda.syncthreads()
    if i < n:
        acceleration[i, 0], acceleration[i, 1], acceleration[i, 2] = ax, ay, az


@cuda.jit(fastmath=True)
def asian(states, paths_a_thread, sums):
    """sums: (threads, 2), of payoffs and of their squares."""
    i = cuda.grid(1)
    total = squares = 0.0
    for _ in range(paths_a_thread):
        spot, average = SPOT, float32(0)
        for _ in range(STEPS):
            spot *= math.exp(DRIFT + DIFFUSION * xoroshiro128p_normal_float32(states, i))
            average += spot
        payoff = max(average / float32(STEPS) - STRIKE, float32(0))
        total += payoff
        squares += payoff * payoff
    sums[i, 0], sums[i, 1] = total, squares


def gravity_case(arguments):
    bodies = arguments.bodies or (48 if arguments.quick else 65536)
    position, mass = common.plummer(bodies)
    body = cuda.to_device(numpy.column_stack([position, mass]).astype(numpy.float32))
    acceleration = cuda.device_array((bodies, 3), numpy.float32)
    softening_squared = numpy.float32(common.SOFTENING**2)

    def forces():
        gravity[(bodies + BLOCK - 1) // BLOCK, BLOCK](body, acceleration, softening_squared)
        cuda.synchronize()

    timing = common.timed(forces, arguments.seconds)
    return common.gravity_row("shared-memory tiles", "float", position, mass, timing, acceleration.copy_to_host(), 1e-4)


def asian_case(arguments):
    paths = arguments.paths or (BLOCK if arguments.quick else 1 << 22)
    threads = min(paths // BLOCK * BLOCK, 1 << 18)
    paths = paths // threads * threads
    states = create_xoroshiro128p_states(threads, seed=42)
    sums = cuda.device_array((threads, 2), numpy.float64)

    def price():
        asian[threads // BLOCK, BLOCK](states, int32(paths // threads), sums)
        cuda.synchronize()

    timing = common.timed(price, arguments.seconds)
    found = sums.copy_to_host().sum(axis=0)
    return common.asian_row("xoroshiro128+", "float", paths, timing, *common.mean_and_error(*found, paths))


def main():
    arguments = common.options(__doc__, ["cuda", "cpu"])
    cases = [("gravity", gravity_case), ("Asian", asian_case)]
    device = None
    if arguments.device == "cuda":
        name = cuda.get_current_device().name
        device = name.decode() if isinstance(name, bytes) else name
    return common.run(arguments, "Numba", numba.__version__, cases, device)


if __name__ == "__main__":
    sys.exit(main())
