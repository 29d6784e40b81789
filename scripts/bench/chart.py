#!/usr/bin/env python3
"""Draws the chart of the README: ergode beside its peers, gravity and Monte Carlo, from the JSON of real runs.

usage: chart.py [--folder docs/benchmarks] [--output docs/images/benchmarks.png]

A bar is the latest accurate rate of its kind: of direct gravity at N = 65,536 on a GPU (on one core of a CPU at whatever N was
measured), and of an arithmetic Asian call of 252 steps. Needs matplotlib.
"""
import argparse
import pathlib
import sys

from measurements import Measurements, find, rows

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of Okabe and Ito's colours, which the colour-blind tell apart; a CPU is hatched too.
OURS, PEER = "#0072B2", "#E69F00"
BODIES = 65536
PANELS = (("direct", "Direct gravity, softened", "interactions a second"),
          ("asian", "Arithmetic Asian, 252 steps", "path steps a second"))


def bars(data, name):
    """(label, rate, whether it is ergode, whether on a CPU), ascending."""
    found = {}
    for source in data.peers:
        cpu = source["device"]["backend"] == "cpu"
        for row in rows(source, name=name):
            if row["accurate"]:
                where = "" if row["variant"] == "one core" or not cpu else ", CPU"
                found[f"{source['program']}, {row['variant']}{where}"] = (row["rate"], False, cpu)
    wanted = {"name": name} | ({"precision": "mixed"} if name == "direct" else {})
    on_gpu, _ = find(data.of("ergode", "cuda"), wanted | ({"bodies": BODIES} if name == "direct" else {}))
    if on_gpu:
        found["ergode, GPU"] = (on_gpu["rate"], True, False)
    for source in data.widest():
        for threads in {1, source["device"]["threads"]}:
            row, _ = find([source], wanted | {"threads": threads})
            if row:
                found["ergode, one core" if threads == 1 else f"ergode, {threads} threads"] = (row["rate"], True, True)
    return sorted(((label, *values) for label, values in found.items()), key=lambda bar: bar[1])


def draw(data, output):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    panels = [(bars(data, name), *words) for name, *words in PANELS]
    if not any(found for found, *_ in panels):
        sys.exit("chart.py: there is nothing to draw")
    height = 1.3 + 0.32 * max(len(found) for found, *_ in panels)
    figure, axes = pyplot.subplots(1, 2, figsize=(12, height), layout="constrained")
    for axis, (found, title, unit) in zip(axes, panels):
        for place, (label, rate, ours, cpu) in enumerate(found):
            axis.barh(place, rate, color=OURS if ours else PEER, hatch="//" if cpu else None, edgecolor="white")
            axis.text(rate, place, f" {rate:.2g}".replace("e+", "e").replace("e0", "e"), va="center", fontsize=8)
        axis.set_yticks(range(len(found)), [label for label, *_ in found], fontsize=9)
        axis.set_xscale("log")
        if found:
            axis.set_xlim(found[0][1] / 3, found[-1][1] * 6)
        axis.set_xlabel(unit + " (log scale)")
        axis.set_title(title, fontsize=11)
        axis.spines[["top", "right"]].set_visible(False)
    devices = sorted({s["device"]["name"] for s in data.sources})
    figure.supxlabel("hatched: on a CPU;  " + ", ".join(devices), fontsize=8, color="#555555")
    figure.savefig(output, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=ROOT / "docs/benchmarks", type=pathlib.Path)
    parser.add_argument("--output", default=ROOT / "docs/images/benchmarks.png", type=pathlib.Path)
    arguments = parser.parse_args()
    draw(Measurements(arguments.folder), arguments.output)


if __name__ == "__main__":
    main()
