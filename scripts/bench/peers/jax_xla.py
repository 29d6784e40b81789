#!/usr/bin/env python3
"""JAX: gravity as one fused reduction, the Asian as a scan over the steps, both compiled and in float."""
import sys

import jax
import jax.numpy as jnp
import numpy

import common


@jax.jit
def gravity(position, mass):
    """XLA fuses the differences into the sums; nothing of N^2 numbers is stored."""
    d = [position[None, :, c] - position[:, None, c] for c in range(3)]
    inverse = jax.lax.rsqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + common.SOFTENING**2)
    strength = mass[None, :] * inverse * inverse * inverse
    return jnp.stack([(strength * component).sum(axis=1) for component in d], axis=1)


def asian(paths):
    def price(key):
        def step(state, number):
            log_spot, total = state
            z = jax.random.normal(jax.random.fold_in(key, number), (paths,), jnp.float32)
            log_spot = log_spot + (common.DRIFT + common.DIFFUSION * z)
            return (log_spot, total + jnp.exp(log_spot)), None

        zeros = jnp.zeros(paths, jnp.float32)
        (_, total), _ = jax.lax.scan(step, (zeros, zeros), jnp.arange(common.STEPS))
        payoff = jnp.maximum(common.SPOT / common.STEPS * total - common.STRIKE, 0)
        # Sums of blocks in float, which the host adds in double.
        blocks = payoff.reshape(-1, min(paths, 1024))
        return blocks.sum(axis=1), (blocks * blocks).sum(axis=1)

    return jax.jit(price)


def gravity_case(arguments):
    bodies = arguments.bodies or (256 if arguments.quick else 65536)
    position, mass = common.plummer(bodies)
    on_device = jnp.asarray(position, jnp.float32), jnp.asarray(mass, jnp.float32)
    timing = common.timed(lambda: gravity(*on_device).block_until_ready(), arguments.seconds)
    return common.gravity_row("jit", "float", position, mass, timing, gravity(*on_device), 1e-4)


def asian_case(arguments):
    paths = arguments.paths or (2048 if arguments.quick else 1 << 22)
    price, key = asian(paths), jax.random.key(42, impl="rbg")  # the faster of its generators
    timing = common.timed(lambda: jax.block_until_ready(price(key)), arguments.seconds)
    total, squares = (numpy.asarray(s, numpy.float64).sum() for s in price(key))
    return common.asian_row("jit, scan", "float", paths, timing, *common.mean_and_error(total, squares, paths))


def main():
    arguments = common.options(__doc__, ["cuda", "cpu"])
    jax.config.update("jax_platforms", arguments.device)
    cases = [("gravity", gravity_case), ("Asian", asian_case)]
    device = None if arguments.device == "cpu" else jax.devices()[0].device_kind
    return common.run(arguments, "JAX", jax.__version__, cases, device)


if __name__ == "__main__":
    sys.exit(main())
