#!/usr/bin/env python3
"""Draws the picture of the README, ergode beside its peers, from the JSON of real runs, and writes the sentence below it.

usage: chart.py [--folder FOLDER] [--output FILE] [--readme README]

Of the project's own folder (docs/benchmarks) FILE is docs/images/benchmarks.png, and the sentence goes into README.md. Of any
other they are benchmarks.png in FOLDER and the output, unless --output and --readme say where.

A bar is the latest accurate rate of its kind on the machine that FOLDER's required.json names, else on the latest: of direct gravity at N = 65,536 on a
GPU (on one core of a CPU at whatever N was measured), and of an arithmetic Asian call of 252 steps. Ergode's are in its
default precision and, on one core, where peers compute in double, in double too. A peer that was not run there is drawn as
required.json has it on record, hatched. Needs matplotlib.
"""
import argparse
import json
import pathlib
import re
import textwrap

from measurements import DEFAULT, PROJECT, ROOT, Measurements, find, folder, is_project, matches, required, rows, widest_last

# Of Okabe and Ito's colours, which the colour-blind tell apart, and which differ in brightness too.
OURS, PEER = "#0072B2", "#E69F00"
BODIES = 65536
PANELS = (("direct", "Direct gravity", "interactions a second"),
          ("asian", "Asian option of 252 steps", "path steps a second"))
PLACES = {"cuda": "GPU", "cpu": "CPU"}
INSTRUCTIONS = {"baseline": "baseline", "avx2": "AVX2", "avx512": "AVX-512"}


class Chart:
    """The bars of each panel, and the sources that they are from."""

    def __init__(self, place):
        self.required = required(place) or {"record": {}, "rows": []}
        self.place = "docs/benchmarks" if is_project(place) else place
        data = Measurements(place)
        self.recorded = {}
        self.devices = {backend: self.device(data, backend) for backend in PLACES}
        self.ergode = widest_last(self.here(data.ergode))
        self.peers = self.here(data.peers)
        self.sources = []
        self.panels = {name: sorted(self.ours(name) + self.measured(name) + self.on_record(name), key=lambda bar: bar["rate"])
                       for name, *_ in PANELS}

    def device(self, data, backend):
        """The one on record, where it was measured; else the one that ergode, or else a peer, was measured on last."""
        ours, peers = ([s["device"]["name"] for s in sources if s["device"]["backend"] == backend]
                       for sources in (data.ergode, data.peers))
        names = ours or peers
        word = self.required["record"].get(backend)
        self.recorded[backend] = [name for name in names if word and word in name]
        return (self.recorded[backend] or names or [None])[-1]

    def here(self, sources):
        return [s for s in sources if s["device"]["name"] == self.devices[s["device"]["backend"]]]

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
            if not kind or not self.recorded[requirement["backend"]] or "value" not in peer or self.has_run(peer):
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
        dates = " to ".join(dict.fromkeys((dates[0], dates[-1])))
        text = f"*Drawn by `scripts/bench/chart.py` from `{self.place}/`: {machine}, {dates}." \
               " In brackets the precision (mixed: pairs in float, sums in double) and the instruction set."
        if any(bar["on_record"] for bars in self.panels.values() for bar in bars):
            text += f" Hatched: on record, measured on {self.required['source']}."
        return textwrap.fill(text + "*", 140, break_long_words=False, break_on_hyphens=False)


def draw(chart, output):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    panels = [panel for panel in PANELS if chart.panels[panel[0]]]
    height = 1.0 + 0.34 * max(map(len, chart.panels.values()))
    figure, axes = pyplot.subplots(1, len(panels), figsize=(5 * len(panels), height), layout="constrained", squeeze=False)
    for axis, (name, title, unit) in zip(axes[0], panels):
        bars = chart.panels[name]
        for place, bar in enumerate(bars):
            axis.barh(place, bar["rate"], color=OURS if bar["ours"] else PEER, hatch="///" if bar["on_record"] else None,
                      edgecolor="white")
            axis.text(bar["rate"], place, f" {bar['rate']:.2g}".replace("e+", "e").replace("e0", "e"), va="center", fontsize=9)
        axis.set_yticks(range(len(bars)), [bar["label"].replace(" (", "\n(") if bar["on_record"] else bar["label"] for bar in bars], fontsize=9)
        axis.set_xscale("log")
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
    parser.add_argument("--folder", default=PROJECT, type=folder)
    parser.add_argument("--output", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--readme", type=pathlib.Path)
    arguments = parser.parse_args()
    chart = Chart(arguments.folder)
    if not chart.sources:
        raise SystemExit(f"chart.py: {arguments.folder} has nothing to draw")
    project = is_project(arguments.folder)
    draw(chart, arguments.output or (ROOT / "docs/images" if project else arguments.folder) / "benchmarks.png")
    readme = arguments.readme or (ROOT / "README.md" if project else None)
    if readme:
        write_sentence(chart, readme)
    else:
        print(chart.sentence())


if __name__ == "__main__":
    main()
