#!/usr/bin/env python3
"""Rates of runs that MPI ranks share, one GPU each: direct gravity and an Asian, on one rank and on several.

usage: ranks.py --ergode PROGRAM [--ranks 1 2] [--json FILE] [--launcher "mpirun -n"] [--device cuda|cpu] [--quick]

A rate is that of the time which the run spends advancing (summary.json), the median of three runs.
"""
import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

import machine

GRAVITY = """simulation: nbody
name: ranks
seed: 42
units: nbody
initial_conditions: {{type: plummer, particles: {size}, softening: 0.01}}
gravity: {{precision: mixed}}
integrator: {{scheme: leapfrog, timestep: 0.0001, end_time: {end}}}
output: {{series: {{interval: {end}}}, snapshots: {{interval: {end}}}}}
"""
ASIAN = """simulation: option_pricing
name: ranks
seed: 42
monte_carlo: {{paths: {size}, antithetic: false, control_variate: none}}
market:
  rate: 0.03
  underlyings:
    A: {{spot: 100, dividend_yield: 0.01, model: gbm, volatility: 0.2}}
options:
  - {{id: asian, product: asian, average: arithmetic, type: call, underlying: A, strike: 100, fixings: 252, maturity: 1}}
"""


def advance(arguments, config, ranks, directory):
    """The summary of one run on `ranks` ranks."""
    command = shlex.split(arguments.launcher) + [str(ranks)] if ranks > 1 else []
    command += [str(arguments.ergode), "run", str(config), "-o", str(directory), "--exists", "overwrite",
                "--device", arguments.device, "-q"]
    if arguments.device == "cpu":
        command += ["--threads", "1"]
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                                "OMPI_MCA_hwloc_base_binding_policy": "none"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"ranks.py: {shlex.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads((directory / "summary.json").read_text())


def measure(arguments, name, config, work, unit, facts, folder):
    path = folder / f"{name}.yaml"
    path.write_text(config)
    for ranks in arguments.ranks:
        summaries = [advance(arguments, path, ranks, folder / name) for _ in range(1 if arguments.quick else 3)]
        times = sorted(s["seconds_by_phase"]["advance"] for s in summaries)
        median = statistics.median(times)
        row = {"benchmark": "ranks", "name": name, "ranks": ranks, **facts, "samples": len(times), "passes": 1,
               "seconds": median, "fastest": times[0], "slowest": times[-1],
               "deviation": statistics.stdev(times) if len(times) > 1 else 0.0, "work": work, "unit": unit, "rate": work / median}
        print(f"{name}, {ranks} ranks: {row['rate']:.4g} {unit}/s", file=sys.stderr)
        yield row, summaries[0]["provenance"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ergode", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--launcher", default="mpirun -n", help="what starts several ranks, followed by their number")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it works")
    arguments = parser.parse_args()
    bodies, steps, paths = (2048, 2, 100_000) if arguments.quick else (1 << 20, 16, 20_000_000_000)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        rows = [*measure(arguments, "direct_ranks", GRAVITY.format(size=bodies, end=steps * 1e-4), float(bodies) ** 2 * steps,
                         "interactions", {"precision": "mixed", "bodies": bodies}, folder),
                *measure(arguments, "asian_ranks", ASIAN.format(size=paths), float(paths) * 252, "path steps",
                         {"precision": "float", "paths": paths, "steps": 252}, folder)]
    of = rows[0][1]
    result = {"program": "ergode", "version": of["ergode_version"], "commit": of["git_commit"], "compiler": of["compiler"],
              "cuda_compiler": of.get("cuda_compiler", ""), "date": machine.utc_now(), "quick": arguments.quick,
              "machine": {"processor": machine.processor(), "threads": machine.threads(),
                          "cuda_driver": of.get("cuda_driver", ""), "cuda_runtime": of.get("cuda_runtime", "")},
              "device": {"backend": arguments.device, "name": of["device"]}, "ceilings": [], "rows": [r for r, _ in rows],
              "left_out": []}
    text = json.dumps(result, indent=2) + "\n"
    if arguments.json:
        arguments.json.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
