#!/usr/bin/env python3
"""PyTorch: gravity by blocks of bodies and the Asian step by step, as they are and through torch.compile, in float."""
import functools
import sys

import torch

import common

STEPS_A_CALL = 12  # of the compiled Asian: long enough to hide the call, short enough to compile
MEMORY = 1 << 30   # bytes of one array of pairs, of what is not fused


def block_forces(targets, position, mass):
    d = position[None, :, :] - targets[:, None, :]
    inverse = torch.rsqrt((d * d).sum(dim=2) + common.SOFTENING**2)
    return ((mass * inverse * inverse * inverse)[:, :, None] * d).sum(dim=1)


def fused_forces(targets, position, mass):
    """By components, which the compiler fuses into three sums over all pairs."""
    d = [position[None, :, c] - targets[:, None, c] for c in range(3)]
    inverse = torch.rsqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + common.SOFTENING**2)
    strength = mass * inverse * inverse * inverse
    return torch.stack([(strength * component).sum(dim=1) for component in d], dim=1)


def eager_step(z, log_spot, total):
    z.normal_()
    log_spot.add_(z, alpha=common.DIFFUSION).add_(common.DRIFT)
    total.add_(torch.exp(log_spot))


def several_steps(log_spot, total):
    for _ in range(STEPS_A_CALL):
        log_spot = log_spot + (common.DRIFT + common.DIFFUSION * torch.randn_like(log_spot))
        total = total + torch.exp(log_spot)
    return log_spot, total


def synchronize(device):
    if device == "cuda":
        torch.cuda.synchronize()


def gravity_case(arguments, variant):
    bodies = arguments.bodies or (256 if arguments.quick else 65536)
    position, mass = common.plummer(bodies)
    x = torch.tensor(position, dtype=torch.float32, device=arguments.device)
    m = torch.tensor(mass, dtype=torch.float32, device=arguments.device)
    block = max(1, min(bodies, MEMORY // (12 * bodies)))
    compiled = torch.compile(fused_forces)

    def eager():
        return torch.cat([block_forces(part, x, m) for part in x.split(block)])

    def forces():
        accelerations = eager() if variant == "eager" else compiled(x, x, m)
        synchronize(arguments.device)
        return accelerations

    timing = common.timed(forces, arguments.seconds)
    return common.gravity_row(variant, "float", position, mass, timing, forces().cpu().numpy(), 1e-4)


def asian_case(arguments, variant):
    paths = arguments.paths or (2048 if arguments.quick else 1 << 22)
    zeros = torch.zeros(paths, dtype=torch.float32, device=arguments.device)
    compiled = torch.compile(several_steps)

    def eager():
        z, log_spot, total = torch.empty_like(zeros), zeros.clone(), zeros.clone()
        for _ in range(common.STEPS):
            eager_step(z, log_spot, total)
        return total

    def fused():
        log_spot, total = zeros, zeros.clone()  # one tensor for both would be compiled apart
        for _ in range(common.STEPS // STEPS_A_CALL):
            log_spot, total = compiled(log_spot, total)
        return total

    def price():
        total = eager() if variant == "eager" else fused()
        payoff = (common.SPOT / common.STEPS * total - common.STRIKE).clamp(min=0).double()
        sums = payoff.sum(), (payoff * payoff).sum()
        synchronize(arguments.device)
        return sums

    timing = common.timed(price, arguments.seconds)
    total, squares = (float(s) for s in price())
    return common.asian_row(variant, "float", paths, timing, *common.mean_and_error(total, squares, paths))


def main():
    arguments = common.options(__doc__, ["cuda", "cpu"])
    torch.manual_seed(42)
    kinds = {"gravity": gravity_case, "Asian": asian_case}
    cases = [(f"{kind}, {variant}", functools.partial(case, variant=variant))
             for variant in ("eager", "torch.compile") for kind, case in kinds.items()]  # what compiles long comes last
    device = None if arguments.device == "cpu" else torch.cuda.get_device_name()
    return common.run(arguments, "PyTorch", torch.__version__, cases, device)


if __name__ == "__main__":
    sys.exit(main())
