#!/usr/bin/env python3
"""Writes docs/benchmarks.md from the JSON of real runs.

usage: document.py [--folder FOLDER] [--output FILE] [--check]

FOLDER (docs/benchmarks) holds what scripts/bench/run.sh has measured, in any folders below it. Where it has a required.json,
what must be reached comes first. FILE is docs/benchmarks.md for the project's own folder, and benchmarks.md in any other.
--check writes nothing and says by its exit status (1) whether FILE differs from what it should be.
"""
import argparse
import pathlib
import sys

from measurements import (DEFAULT, PROJECT, ROOT, Measurements, ceiling, cores, find, folder, growth, is_project, required, rows,
                          whole, widest_last)

NONE = "–"


def figure(value, unit=""):
    """A number to three digits with its unit: times from nanoseconds to seconds, fractions as %, large numbers as 1.23e12."""
    if value is None:
        return NONE
    if unit == "%":
        return f"{100 * value:.1f} %"
    if unit == "x":
        return f"{value:.2f}x"
    if unit == "s":
        for size, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
            if value >= size:
                return f"{value / size:.3g} {name}"
        return f"{value / 1e-9:.3g} ns"
    text = f"{value:,.0f}" if 1e3 <= value < 1e6 else f"{value:.3g}".replace("e+", "e").replace("e0", "e").replace("e-0", "e-")
    return f"{text} {unit}".strip()


def many(count, what):
    return f"{count} {what}" + ("" if count == 1 else "s")


def table(head, lines):
    if not lines:
        return ["Not measured yet.", ""]
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(line) + " |" for line in lines), ""]


def scaling(source, wanted, threads):
    """Speed-up from 1 to `threads` threads over that of the multiply-adds, and the row of all threads."""
    one, all_threads = (find([source], wanted | {"threads": n})[0] for n in (1, threads))
    if wanted["name"] == "direct" and one:  # of the size that was measured with one thread
        all_threads = find([source], wanted | {"threads": threads, "bodies": one["bodies"]})[0]
    adds = [ceiling(source, "fma_float", n) for n in (1, threads)]
    if not (one and all_threads and all(adds)):
        return None, None
    return all_threads["rate"] / one["rate"] / (adds[1] / adds[0]), all_threads


def measured(requirement, data):
    """Value, row and source of a requirement; None where it was not measured."""
    sources = data.of("ergode", requirement["backend"], requirement.get("architecture"))
    if requirement.get("scaling"):
        for source in reversed(sources):
            value, row = scaling(source, requirement["row"], cores(source)) if cores(source) > 1 else (None, None)
            if value is not None:
                return value, row, source
        return None, None, None
    row, source = find(sources, requirement["row"])
    value = row[requirement["value"]] if row else None
    if row and "over" in requirement:
        other = find([source], requirement["over"])[0]
        value = value / other[requirement["value"]] if other else None
    return value, row, source


def same_device(sources, name):
    return [s for s in sources if s["device"]["name"] == name]


def peer_of(requirement, data, device, record):
    """Name and value of the peer, in the unit of the requirement, and whether that is of `device`: measured where it was
    run there, else as it is on record, for the devices whose names have a word of `record`."""
    peer = requirement.get("peer")
    if peer is None:
        return NONE, None, False
    if "program" in peer:
        row, source = find(same_device(data.of(peer["program"]), device), peer["row"])
        if row and row["accurate"]:
            return f"{peer['name']} {source['version']} ({row['precision']})", row["rate"], True
    value = peer["value"] if "value" in peer else 1 / peer["seconds"]
    return f"{peer['name']} ({peer['precision']}, on record)", value, record[requirement["backend"]] in device


def verdict(share, of_ratio, wanted):
    """Whether the figure and, where a ratio to the peer is wanted, that ratio reach what they must."""
    if share is None:
        return NONE
    told = figure(share, "%")
    if wanted:
        told += ", of the ratio " + (figure(of_ratio, "%") if of_ratio else "not measured")
    if share < 1 or (of_ratio or 1) < 1:
        return f"no ({told})"
    return f"{'not known' if wanted and not of_ratio else 'yes'} ({told})"


def requirement_line(requirement, data, record):
    value, row, source = measured(requirement, data)
    unit, at_most = requirement["unit"], requirement.get("at_most", False)
    must = requirement["must"]
    share = None if value is None else must / value if at_most else value / must
    name, rate, same = peer_of(requirement, data, source["device"]["name"] if source else "", record)
    ratio = value / rate if value is not None and rate and same else None
    told = figure(ratio, "x") if ratio or value is None or not rate else "another machine"
    result = figure(value, unit)
    if requirement.get("scaling") and value is not None and value > 1.02:
        result += " (see Threads)"
    if value is not None:
        result += uncommitted(source)
    fraction = row.get("fraction_of_ceiling") if row else None
    goal = figure(requirement["goal"], unit)
    if "goal_of_ceiling" in requirement:
        goal = f"{figure(requirement['goal_of_ceiling'], '%')} of the ceiling"
    peer = NONE if rate is None else f"{name}: {figure(rate, unit)}"
    wanted = requirement.get("peer", {}).get("must")
    return [requirement["work"], ("≤ " if at_most else "≥ ") + figure(must, unit), goal, result,
            verdict(share, ratio / wanted if ratio and wanted else None, wanted), peer,
            told + (f" (≥ {wanted:g}x)" if wanted else ""), figure(fraction, "%")]


def title(source):
    device = source["device"]
    if device["backend"] == "cpu":
        return f"{device['name']}, {device['architecture']}, {many(device['threads'], 'thread')}"
    return device["name"]


def uncommitted(source):
    """What is said of figures that no commit gives again."""
    return " (with changes that were not committed)" if source.get("commit", "").endswith("-modified") else ""


def file_of(source):
    """A file that was stopped before its end says so itself."""
    return f"`{source['file']}`" + ("" if source.get("finished", True) else " (unfinished)") + uncommitted(source)


def machines(data):
    lines = []
    for s in data.sources:
        machine, device = s["machine"], s["device"]
        driver = " / ".join(machine[k] for k in ("nvidia_driver", "cuda_driver", "cuda_runtime") if machine.get(k))
        build = s.get("commit", "")
        lines.append([f"{s['program']} {s['version']}" + (f" ({build})" if build else ""), s["date"], device["name"],
                      f"{machine['processor']}, {many(machine['threads'], 'thread')}", driver or NONE,
                      ", ".join(c for c in (s.get("compiler"), s.get("cuda_compiler")) if c) or f"Python {s.get('python', '')}",
                      file_of(s)])
    return table(["program", "date", "device", "processor", "driver / CUDA driver / runtime", "built with", "file"], lines)


def ceilings(source):
    lines = [[c["name"].replace("_", " ") + (f", {many(c['threads'], 'thread')}" if "threads" in c else ""),
              figure(c["rate"], c["unit"] + "/s"), f"{figure(c['fastest'], 's')} to {figure(c['slowest'], 's')}", str(c["samples"])]
             for c in source["ceilings"]]
    return table(["ceiling", "rate", "fastest and slowest pass", "samples"], lines)


def spread(row):
    return f"{figure(row['fastest'], 's')} to {figure(row['slowest'], 's')}"


def gravity(source):
    lines = []
    for precision in ("mixed", "double"):
        found = [r for r in whole(source) if r["name"] == "direct" and r["precision"] == precision]
        if not found:
            continue
        found.sort(key=lambda r: r["bodies"])
        fixed, each = growth([(r["work"], r["seconds"]) for r in found])
        for r in found:
            lines.append([precision, f"{r['bodies']:,}", figure(r["seconds"], "s"), spread(r), figure(r["rate"]),
                          figure(r["fraction_of_ceiling"], "%"), figure(r["seconds"] / (fixed + each * r["work"]), "x")])
        lines.append([precision, "fit", f"{figure(fixed, 's')} + {figure(each, 's')} N²", "", figure(1 / each), "", ""])
    return table(["forces", "N", "step", "fastest and slowest", "interactions/s", "of the ceiling", "time over fit"], lines)


def force_errors(source):
    lines = [[r["precision"], f"{r['bodies']:,}", f"{r['sample']:,}", f"{r['softening']:g}", f"{r['offset']:,g}",
              figure(r["e2"]), figure(r["median"]), figure(r["percentile_99"]), figure(r["largest"])]
             for r in rows(source, name="force_error")]
    return table(["forces", "N", "looked at", "softening", "moved by", "E2", "median", "99 %", "largest"], lines)


def pricing(source):
    lines = [[NAMES[r["name"]], figure(r["paths"]), str(r["steps"]), figure(r["seconds"], "s"), spread(r), figure(r["rate"]),
              figure(r["fraction_of_ceiling"], "%")] for r in whole(source) if r["name"] in NAMES]
    return table(["work", "paths", "steps", "time", "fastest and slowest", "path steps/s", "of the ceiling"], lines)


NAMES = {"european": "European call, gbm, at its end", "european_greeks": "the same with delta, gamma, vega",
         "asian": "arithmetic Asian, gbm", "asian_controlled": "the same with its control variate",
         "heston": "European call, Heston (QE)", "early_exercise": "put, Longstaff-Schwartz: training, regression, price"}


def pricing_growth(source, name, size, work, of_work):
    """Time against `work`, by a fixed cost and one of each path step or, where paths differ, each instruction."""
    found = [r for r in whole(source) if r["name"] == name]
    fixed, each = growth([(r[work], r["seconds"]) for r in found])
    lines = [[figure(r[size]), figure(r["work"]), figure(r["seconds"], "s"), spread(r), figure(r["rate"]),
              figure(r["seconds"] / (fixed + each * r[work]), "x")] for r in found]
    lines.append(["fit", "", f"{figure(fixed, 's')} + {figure(each, 's')} {of_work}", "", "", ""])
    head = [size, "path steps", "time", "fastest and slowest", "path steps/s", "time over fit"]
    for title, value in (("preparation", "preparation_seconds"), ("one by one", "one_by_one_seconds")):
        if any(value in r for r in found):
            head.append(title)
            for line, row in zip(lines, [*found, {}]):
                line.append(figure(row[value], "s") if value in row else "")
    return table(head, lines)


def threads(source):
    counts = sorted({c["threads"] for c in source["ceilings"] if "threads" in c})
    lines = []
    for n in counts:
        line = [str(n), figure(ceiling(source, "fma_float", n), "flop/s")]
        for wanted in ({"name": "direct", "precision": "mixed"}, {"name": "asian"}):
            share, row = scaling(source, wanted, n)
            line += [figure(row["rate"]) if row else NONE, figure(share, "%")]
        lines.append(line)
    share = "of the FMA scaling"
    told = source["machine"].get("cores")
    return [THREADS, f"The machine tells of {many(told, 'core')}." if told else "The file does not say how many cores there were.",
            "", *table(["threads", "FMA, float", "direct, interactions/s", share, "Asian, path steps/s", share], lines)]


def side_by_side(data, name, unit):
    """A peer's latest row of each variant, beside what ergode reaches on the same device by default and, where the peer
    computes in double, in double too."""
    latest = {}
    for source in data.peers:
        for row in rows(source, name=name):
            latest[source["program"], row["variant"]] = (source, row)
    lines = []
    for (program, variant), (source, row) in sorted(latest.items()):
        accuracy = f"E2 = {figure(row['e2'])}" if "e2" in row else f"{row['z']:+.2f} standard errors"
        peer = [f"{program} {source['version']}, {variant}", source["device"]["name"], row["precision"],
                figure(row["rate"]) + ("" if row["accurate"] else " (not accurate)"), accuracy]
        sources = widest_last(same_device(data.of("ergode", source["device"]["backend"]), source["device"]["name"]))
        found = [find(sources, like(row, source, precision)) for precision in (DEFAULT[name], "double")]
        if row["precision"] != "double" or found[1][0] is None:
            found.pop()
        lines += [peer + beside(row, *ours) for ours in found]
    return table(["peer", "device", "precision", unit, "accuracy", "ergode", "ergode over it"], lines)


def beside(row, ours, source):
    """Cells of ergode's row beside that of a peer."""
    if ours is None:
        return [NONE, NONE]
    how = ours["precision"] + (f", {source['device']['architecture']}" if source["device"]["backend"] == "cpu" else "")
    return [f"{figure(ours['rate'])} ({how})", figure(ours["rate"] / row["rate"], "x") if row["accurate"] else NONE]


def like(row, source, precision):
    """What a peer's row is compared with: on a GPU the same N, on one core of a CPU one thread."""
    wanted = {"name": row["name"], "precision": precision}
    if row["name"] == "direct" and source["device"]["backend"] == "cuda":
        wanted["bodies"] = row["bodies"]
    if row["variant"] == "one core":
        wanted["threads"] = 1
    return wanted


def left_out(source):
    return [f"Left out: {x['what']}." for x in source["left_out"]] + [""] if source["left_out"] else []


# A row's name that must be there, a heading, and what makes the lines.
SECTIONS = (
    ("direct", "Direct gravity against N", gravity),
    ("force_error", "Force error", force_errors),
    ("asian", "Option pricing", pricing),
    ("asian_paths", "Pricing time against paths",
     lambda source: pricing_growth(source, "asian_paths", "paths", "work", "a path step")),
    ("batch", "Pricing time against the size of a batch",
     lambda source: pricing_growth(source, "batch", "options", "slots", "an instruction")),
)

INTRODUCTION = """\
# Benchmarks

Written by `scripts/bench/document.py` from the JSON files that `scripts/bench/run.sh FOLDER` makes;
`scripts/bench/chart.py` draws a picture of them. The project's own are in `docs/benchmarks/`, and their picture is in
the README. To measure again, run these three, of a folder of your own with `--folder FOLDER`, and do not edit this
page. Times are medians of equal samples after a warm-up, with the fastest and the slowest.

An interaction is a directed pair: N² a force pass. A path step is one step of one path under its own market. The
ceiling is the nearest of the rates measured in the same run: instructions of one number at the rate of fused
multiply-adds, as many as a count of the formula of an interaction or a path step gives, and on a GPU the special
functions among them at the rate of reciprocal square roots. A share of the ceiling can be above 100 %, because some
processors do other instructions than multiply-adds (subtractions on Zen 4) beside them, and special cases such as equal
masses need fewer than the formula. A processor computes logarithms and sines by polynomials of many instructions, so
that option pricing there stays far from its ceiling. A fit is of a fixed cost and a cost of each piece of work, by
least squares of the relative departures; preparation is what a batch takes once, from its settings to its plans on the
device. One by one is what a batch's groups of options that share paths would take one after the other, each at the rate
that it alone reaches on endless paths: what a batch loses to that is by many small pieces of work.
"""

UNLIKE = """\
Ergode computes as it does by default: gravity in `mixed`, pairs in float and sums in double, options in float with sums in
double. Beside a peer that computes in double that is not like with like; where ergode's double was measured on the same
device, with whatever instruction set, a second line has it."""

THREADS = """\
Below 100 % a share says what is lost to threads. Threads that share a core can come out above: the multiply-adds of one
thread fill a core, and gain nothing by a second, while work that leaves its units idle does."""


def of_source(source):
    text = [f"## {title(source)}", "", f"{source['date']}, from {file_of(source)}.", "", "### Ceilings", "", *ceilings(source)]
    names = {r["name"] for r in source["rows"]}
    for name, heading, lines in SECTIONS:
        if name in names:
            text += [f"### {heading}", "", *lines(source)]
    if len({c["threads"] for c in source["ceilings"] if "threads" in c}) > 1:
        text += ["### Threads", "", *threads(source)]
    return text + left_out(source)


def requirements(wanted, data):
    head = ["work", "must", "goal", "measured", "reached", "peer", "ratio to the peer", "of the ceiling"]
    return ["## What must be reached", "", f"Peers \"on record\" were measured on {wanted['source']}.", "",
            *table(head, [requirement_line(r, data, wanted["record"]) for r in wanted["rows"]])]


def document(place):
    data, wanted = Measurements(place), required(place)
    text = [INTRODUCTION, *(requirements(wanted, data) if wanted else []),
            "## Peers side by side", "", UNLIKE, "",
            "### Direct gravity, softened Plummer sphere", "", *side_by_side(data, "direct", "interactions/s"),
            "### Arithmetic Asian, gbm", "", *side_by_side(data, "asian", "path steps/s")]
    for source in data.ergode:
        if source["ceilings"]:
            text += of_source(source)
    text += ["## Machines and versions", "", *machines(data)]
    return "\n".join(text).rstrip("\n") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=PROJECT, type=folder)
    parser.add_argument("--output", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text = document(arguments.folder)
    output = arguments.output or (ROOT / "docs" if is_project(arguments.folder) else arguments.folder) / "benchmarks.md"
    if not arguments.check:
        output.write_text(text)
        return 0
    if output.exists() and output.read_text() == text:
        return 0
    print(f"{output} is not what scripts/bench/document.py makes of {arguments.folder}: run it", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
