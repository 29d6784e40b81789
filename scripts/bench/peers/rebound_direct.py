#!/usr/bin/env python3
"""REBOUND on one CPU core: direct summation in double, whole leapfrog steps."""
import sys

import numpy
import rebound

import common


def simulation(position, mass, timestep):
    sim = rebound.Simulation()
    sim.integrator = "leapfrog"
    sim.gravity = "basic"
    sim.softening = common.SOFTENING
    sim.dt = timestep
    for (x, y, z), m in zip(position, mass):
        sim.add(m=m, x=x, y=y, z=z)
    return sim


def gravity_case(arguments):
    bodies = arguments.bodies or (256 if arguments.quick else 8192)
    position, mass = common.plummer(bodies)
    sim = simulation(position, mass, 1e-5)
    timing = common.timed(lambda: sim.steps(1), arguments.seconds)
    # The accelerations of a step so short that nothing moves.
    sim = simulation(position, mass, 1e-14)
    sim.steps(1)
    acceleration = numpy.array([[p.ax, p.ay, p.az] for p in sim.particles])
    return common.gravity_row("one core", "double", position, mass, timing, acceleration, 1e-10)


def main():
    return common.run(common.options(__doc__, ["cpu"]), "REBOUND", rebound.__version__, [("gravity", gravity_case)])


if __name__ == "__main__":
    sys.exit(main())
