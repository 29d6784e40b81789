#!/usr/bin/env python3
"""Draws the error of an Asian option against the number of paths, Philox beside Sobol points: root mean square error over
several seeds, from runs that it starts, and the fitted slope."""
import argparse
import csv
import os
import subprocess
import sys
import tempfile

CONFIG = """\
simulation: option_pricing
name: convergence
seed: {seed}
device: cpu
monte_carlo: {{paths: {paths}, rng: {rng}, precision: double, control_variate: none, antithetic: false}}
market:
  rate: 0.05
  underlyings: {{A: {{spot: 100, model: gbm, volatility: 0.3}}}}
options:
  - {{id: arithmetic, product: asian, average: arithmetic, type: call, underlying: A, strike: 100, fixings: 12, maturity: 1}}
  - {{id: geometric, product: asian, average: geometric, type: call, underlying: A, strike: 100, fixings: 12, maturity: 1}}
"""
# The arithmetic average by quadrature of its density, row gbm-asian_arithmetic-003 of tests/options/reference/options.csv;
# of the geometric one the run itself knows the closed form.
ARITHMETIC = 8.47428953698


def run(program, folder, rng, paths, seed):
    config = os.path.join(folder, "config.yaml")
    with open(config, "w", encoding="utf-8") as f:
        f.write(CONFIG.format(seed=seed, paths=paths, rng=rng))
    out = os.path.join(folder, f"{rng}-{paths}-{seed}")
    subprocess.run([program, "run", config, "-o", out, "-q", "--progress", "none"], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(out, "results.csv"), encoding="utf-8", newline="") as f:
        rows = {row["id"]: row for row in csv.DictReader(f)}
    return {
        "arithmetic": float(rows["arithmetic"]["price"]) - ARITHMETIC,
        "geometric": float(rows["geometric"]["price"]) - float(rows["geometric"]["reference_value"]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", help="picture to write (.png or .pdf)")
    parser.add_argument("--program", default="ergode", help="the ergode to run (default: on the PATH)")
    parser.add_argument("--seeds", type=int, default=16, help="independent runs of each number of paths (default: 16)")
    arguments = parser.parse_args()
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        import numpy as np
    except ImportError as missing:
        sys.exit(f"error: {missing.name} is not installed for this Python")

    paths = [2**k for k in range(10, 19)]
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, constrained_layout=True)
    with tempfile.TemporaryDirectory() as folder:
        for rng, marker, colour in (("philox", "o", "#0072b2"), ("sobol", "s", "#d55e00")):
            errors = [[run(arguments.program, folder, rng, n, seed) for seed in range(1, arguments.seeds + 1)] for n in paths]
            for axis, option in zip(axes, ("arithmetic", "geometric")):
                rms = [np.sqrt(np.mean([e[option] ** 2 for e in row])) for row in errors]
                slope = np.polyfit(np.log(paths), np.log(rms), 1)[0]
                axis.loglog(paths, rms, marker=marker, color=colour, label=f"{rng}: slope {slope:.2f}")
                print(f"{option} {rng}: slope {slope:.3f}")
    for axis, option in zip(axes, ("arithmetic", "geometric")):
        axis.set_title(f"{option} Asian call, 12 fixings")
        axis.set_xlabel("paths")
        axis.grid(True, which="both", alpha=0.3)
        axis.legend()
    axes[0].set_ylabel(f"root mean square error over {arguments.seeds} seeds (price)")
    figure.savefig(arguments.output, dpi=120)


if __name__ == "__main__":
    main()
