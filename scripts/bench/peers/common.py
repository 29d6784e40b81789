"""What the peers' scripts share: the two problems, how they are timed and checked, and the JSON that comes of it.

A peer is another library on the same problem, written as a user who knows it would: direct gravity of a softened Plummer
sphere, and an arithmetic Asian call under geometric Brownian motion in 252 steps. A rate counts only with its accuracy.
"""
import argparse
import json
import math
import pathlib
import statistics
import sys
import time

import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import machine  # noqa: E402

SOFTENING = 0.01
SCALE_RADIUS = 3 * math.pi / 16  # of a Plummer sphere in Henon units

SPOT = STRIKE = 100.0
RATE, DIVIDEND_YIELD, VOLATILITY, MATURITY = 0.03, 0.01, 0.2, 1.0
STEPS = 252
# Price and standard error: `ergode run` in double precision with the geometric Asian as control variate.
ASIAN_PRICE, ASIAN_ERROR = 5.0162348, 0.0001003
TIMESTEP = MATURITY / STEPS
DRIFT = (RATE - DIVIDEND_YIELD - VOLATILITY**2 / 2) * TIMESTEP
DIFFUSION = VOLATILITY * math.sqrt(TIMESTEP)
DISCOUNT = math.exp(-RATE * MATURITY)


def options(description, devices):
    """The command line of a peer. `devices`: those it has, the usual one first."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--device", choices=devices, default=devices[0])
    parser.add_argument("--json", metavar="FILE", help="write the rows to FILE (default: print them)")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it works and is accurate")
    parser.add_argument("--bodies", type=int, metavar="N")
    parser.add_argument("--paths", type=int, metavar="N")
    parser.add_argument("--seconds", type=float, default=2, help="about how long one figure may take (2)")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.seconds = 0.02
    return arguments


def plummer(bodies):
    """Positions (N, 3) and masses of a Plummer sphere in Henon units, in double; Aarseth, Henon & Wielen 1974."""
    generator = numpy.random.default_rng(42)
    radius = SCALE_RADIUS / numpy.sqrt(generator.uniform(1e-6, 1, bodies) ** (-2 / 3) - 1)
    direction = generator.standard_normal((bodies, 3))
    direction /= numpy.linalg.norm(direction, axis=1)[:, None]
    return radius[:, None] * direction, numpy.full(bodies, 1 / bodies)


def force_error(position, mass, acceleration, sample=256):
    """E2 = sqrt(sum |da|^2 / sum |a|^2) of bodies spread evenly over all, against sums in double."""
    acceleration = numpy.asarray(acceleration, dtype=numpy.float64)
    chosen = numpy.linspace(0, len(position) - 1, min(sample, len(position))).astype(int)
    errors = squares = 0.0
    for i in chosen:
        d = position - position[i]
        r2 = (d * d).sum(axis=1) + SOFTENING**2
        exact = (d * (mass / (r2 * numpy.sqrt(r2)))[:, None]).sum(axis=0)
        errors += ((acceleration[i] - exact) ** 2).sum()
        squares += (exact**2).sum()
    return math.sqrt(errors / squares)


def timed(action, seconds, most=4096):
    """Median and the rest over seven samples of `action`, which returns when its work is done; three where one takes more
    than a second, and of --quick. Warmed up before, as `ergode bench` does."""
    def sample(passes):
        start = time.perf_counter()
        for _ in range(passes):
            action()
        return time.perf_counter() - start

    passes, wanted = 1, seconds / 9
    sample(passes)
    took = sample(passes)
    while took < wanted / 4 and passes < most:
        passes = min(most, 4 * passes)
        took = sample(passes)
    passes = min(most, max(1, round(wanted * passes / took)))
    count = 3 if seconds < 0.1 or took > 1 else 7
    times = [sample(passes) / passes for _ in range(count)]
    return {"samples": count, "passes": passes, "seconds": statistics.median(times), "fastest": min(times),
            "slowest": max(times), "deviation": statistics.stdev(times)}


def gravity_row(variant, precision, position, mass, timing, acceleration, allowed):
    """A row of direct gravity. `allowed`: the largest E2 that counts as the same problem solved."""
    bodies = len(position)
    e2 = force_error(position, mass, acceleration)
    return {"benchmark": "nbody", "name": "direct", "variant": variant, "precision": precision, "bodies": bodies, **timing,
            "work": float(bodies) ** 2, "unit": "interactions", "rate": float(bodies) ** 2 / timing["seconds"],
            "e2": e2, "allowed": allowed, "accurate": bool(e2 <= allowed)}


def asian_row(variant, precision, paths, timing, price, standard_error):
    """A row of the Asian call. `price` and `standard_error` are those of the paths that were timed last."""
    z = (price - ASIAN_PRICE) / math.hypot(standard_error, ASIAN_ERROR)
    steps = float(paths) * STEPS
    return {"benchmark": "options", "name": "asian", "variant": variant, "precision": precision, "paths": paths,
            "steps": STEPS, **timing, "work": steps, "unit": "path steps", "rate": steps / timing["seconds"],
            "price": price, "standard_error": standard_error, "reference": ASIAN_PRICE, "z": z,
            "accurate": bool(abs(z) <= 4)}


def mean_and_error(total, squares, paths):
    """Price and standard error from the sums of undiscounted payoffs and of their squares."""
    mean = total / paths
    variance = max(squares / paths - mean * mean, 0) * paths / (paths - 1)
    return DISCOUNT * mean, DISCOUNT * math.sqrt(variance / paths)


def result(arguments, program, version, rows, left_out, finished, device):
    """What `ergode bench --json` writes, of a peer."""
    of = {"processor": machine.processor(), "threads": machine.threads()} | ({"gpu": device} if device else {})
    return {"program": program, "version": version, "python": sys.version.split()[0], "date": machine.utc_now(),
            "quick": arguments.quick, "finished": finished, "machine": of,
            "device": {"backend": arguments.device, "name": device or of["processor"]}, "ceilings": [], "rows": rows,
            "left_out": [{"what": what} for what in left_out]}


def run(arguments, program, version, cases, device=None):
    """Measures the cases, each a name and a function of the arguments that makes a row; the file is written after each, so
    that a limit of time leaves what was measured. The exit status says whether all were measured and accurate."""
    rows, left_out = [], []
    for done, (name, case) in enumerate(cases, 1):
        try:
            row = case(arguments)
            rows.append(row)
            accuracy = f"E2 {row['e2']:.2g}" if "e2" in row else f"z {row['z']:+.2f}"
            said = f"{row['rate']:.3g} {row['unit']}/s, {accuracy}"
        except Exception as error:  # of whatever library: the other cases are still worth measuring
            said = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
            left_out.append(f"{name}: {said}")
        print(f"{program} {version}, {name}: {said}", file=sys.stderr, flush=True)
        text = json.dumps(result(arguments, program, version, rows, left_out, done == len(cases), device), indent=2) + "\n"
        if arguments.json:
            beside = pathlib.Path(arguments.json + ".tmp")
            beside.write_text(text)
            beside.replace(arguments.json)
    if not arguments.json:
        print(text, end="")
    return 0 if not left_out and all(row["accurate"] for row in rows) else 1
