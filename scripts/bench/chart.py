#!/usr/bin/env python3
"""Draws the picture of the README, ergode beside its peers, from the JSON of real runs, and writes the sentence below it.

usage: chart.py [--folder docs/benchmarks] [--output docs/images/benchmarks.png] [--readme README.md]

A bar is the latest accurate rate of its kind on the machine that required.json names: of direct gravity at N = 65,536 on a
GPU (on one core of a CPU at whatever N was measured), and of an arithmetic Asian call of 252 steps. Ergode's are in its
default precision and, on one core, where peers compute in double, in double too. A peer that was not run there is drawn as
required.json has it on record, hatched. Needs matplotlib.
"""
import argparse
import json
import pathlib
import re
import textwrap

from measurements import DEFAULT, Measurements, find, matches, rows, widest_last

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of Okabe and Ito's colours, which the colour-blind tell apart, and which differ in brightness too.
OURS, PEER = "#0072B2", "#E69F00"
BODIES = 65536
PANELS = (("direct", "Direct gravity", "interactions a second"),
          ("asian", "Asian option of 252 steps", "path steps a second"))
PLACES = {"cuda": "GPU", "cpu": "CPU"}
INSTRUCTIONS = {"baseline": "baseline", "avx2": "AVX2", "avx512": "AVX-512"}


class Chart:
    """The bars of each panel, and the sources that they are from."""

    def __init__(self, folder):
        self.required = json.loads((folder / "required.json").read_text())
        data = Measurements(folder)
        self.ergode = widest_last(self.here(data.ergode))
        self.peers = self.here(data.peers)
        self.sources = []
        self.panels = {name: sorted(self.ours(name) + self.measured(name) + self.on_record(name), key=lambda bar: bar["rate"])
                       for name, *_ in PANELS}

    def here(self, sources):
        return [s for s in sources if self.required["record"][s["device"]["backend"]] in s["device"]["name"]]

    def ours(self, name):
        kinds = [("GPU", {"precision": DEFAULT[name]} | ({"bodies": BODIES} if name == "direct" else {})),
                 ("one core", {"precision": "double", "threads": 1})]
        for threads in {1} | {s["device"]["threads"] for s in self.ergode if s["device"]["backend"] == "cpu"}:
            kinds.append(("one core" if threads == 1 else f"{threads} threads", {"precision": DEFAULT[name], "threads": threads}))
        bars = []
        for place, kind in kinds:
            backend = "cuda" if place == "GPU" else "cpu"
            row, source = find([s for s in self.ergode if s["device"]["backend"] == backend], {"name": name} | kind)
            if row:
                instructions = f", {INSTRUCTIONS[source['device']['architecture']]}" if backend == "cpu" else ""
                bars.append(self.bar(f"ergode, {place} ({row['precision']}{instructions})", row["rate"], source, ours=True))
        return bars

    def measured(self, name):
        latest = {}
        for source in self.peers:
            for row in rows(source, name=name):
                if row["accurate"]:
                    place = "" if row["variant"] == "one core" else f", {PLACES[source['device']['backend']]}"
                    latest[f"{source['program']}, {row['variant']}{place} ({row['precision']})"] = (row["rate"], source)
        return [self.bar(label, *found) for label, found in latest.items()]

    def on_record(self, name):
        found = {}
        for requirement in self.required["rows"]:
            peer, row = requirement.get("peer", {}), requirement["row"]
            kind = row["name"] == name and row.get("bodies", BODIES) == BODIES and row.get("precision") != "double"
            if not kind or "value" not in peer or self.has_run(peer):
                continue
            place = "" if "one core" in peer["name"] else f", {PLACES[requirement['backend']]}"
            found[f"{peer['name']}{place} ({peer['precision']}, on record)"] = peer["value"]
        return [self.bar(label, rate) for label, rate in found.items()]

    def has_run(self, peer):
        return any(matches(row, peer["row"]) and row["accurate"]
                   for s in self.peers if s["program"] == peer.get("program") for row in s["rows"])

    def bar(self, label, rate, source=None, ours=False):
        if source is not None and source not in self.sources:
            self.sources.append(source)
        return {"label": label, "rate": rate, "ours": ours, "on_record": source is None}

    def description(self):
        """All that is drawn: kept in the picture, so that one which is out of date is known."""
        return json.dumps(self.panels)

    def sentence(self):
        """What is below the picture, with its machine and dates."""
        threads = {}
        for source in self.sources:
            device = source["device"]
            threads[device["name"]] = max(threads.get(device["name"], 0), device.get("threads", 0))
        machine = " and ".join(sorted(name.replace("(R)", "") + (f" with {n} thread{'s' if n > 1 else ''}" if n else "")
                                      for name, n in threads.items()))
        dates = sorted({source["date"][:10] for source in self.sources})
        dates = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else ""
        text = f"*Drawn by `scripts/bench/chart.py` from `docs/benchmarks/`: {machine or 'nothing measured'}, {dates}." \
               " In brackets the precision (mixed: pairs in float, sums in double) and the instruction set."
        if any(bar["on_record"] for bars in self.panels.values() for bar in bars):
            text += f" Hatched: on record, measured on {self.required['source']}."
        return textwrap.fill(text + "*", 140, break_long_words=False, break_on_hyphens=False)


def draw(chart, output):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    height = 1.0 + 0.34 * max(map(len, chart.panels.values()))
    figure, axes = pyplot.subplots(1, 2, figsize=(10, height), layout="constrained")
    for axis, (name, title, unit) in zip(axes, PANELS):
        bars = chart.panels[name]
        for place, bar in enumerate(bars):
            axis.barh(place, bar["rate"], color=OURS if bar["ours"] else PEER, hatch="///" if bar["on_record"] else None,
                      edgecolor="white")
            axis.text(bar["rate"], place, f" {bar['rate']:.2g}".replace("e+", "e").replace("e0", "e"), va="center", fontsize=9)
        axis.set_yticks(range(len(bars)), [bar["label"].replace(" (", "\n(") if bar["on_record"] else bar["label"] for bar in bars], fontsize=9)
        axis.set_xscale("log")
        if bars:
            axis.set_xlim(bars[0]["rate"] / 5, bars[-1]["rate"] * 12)
        axis.set_xlabel(unit + " (logarithmic)", fontsize=9)
        axis.set_title(title, fontsize=11)
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(output, dpi=160, metadata={"Description": chart.description()})


def write_sentence(chart, readme):
    """In place of the paragraph below the picture."""
    text, count = re.subn(r"(?<=benchmarks\.png\)\n\n)\*.*?\*$", lambda _: chart.sentence(), readme.read_text(),
                          flags=re.DOTALL | re.MULTILINE)
    if count != 1:
        raise SystemExit(f"chart.py: {readme} has no picture benchmarks.png with a paragraph in italics below it")
    readme.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=ROOT / "docs/benchmarks", type=pathlib.Path)
    parser.add_argument("--output", default=ROOT / "docs/images/benchmarks.png", type=pathlib.Path)
    parser.add_argument("--readme", default=ROOT / "README.md", type=pathlib.Path)
    arguments = parser.parse_args()
    chart = Chart(arguments.folder)
    if not any(chart.panels.values()):
        raise SystemExit("chart.py: there is nothing to draw")
    draw(chart, arguments.output)
    write_sentence(chart, arguments.readme)


if __name__ == "__main__":
    main()
