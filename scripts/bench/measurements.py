"""The JSON files of a folder of benchmarks, and how rows are found in them."""
import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = ROOT / "docs/benchmarks"  # of this project's own page and picture
# The precision that ergode computes in where none is asked for.
DEFAULT = {"direct": "mixed", "asian": "float"}


def folder(text):
    """The type of an argument."""
    path = pathlib.Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text}")
    return path


def is_project(folder):
    return folder.resolve() == PROJECT


def required(folder):
    """What must be reached and the peers on record; None in a folder of somebody who asks for nothing."""
    path = folder / "required.json"
    return json.loads(path.read_text()) if path.exists() else None


class Measurements:
    """Results of `ergode bench`, of scripts/bench/ranks.py and of the peers; `sources` in order of their dates. Those of
    --quick are no measurements and left out."""

    def __init__(self, folder):
        self.sources = []
        for path in sorted(pathlib.Path(folder).rglob("*.json")):
            if path.name == "required.json":
                continue
            source = json.loads(path.read_text())
            if source["quick"]:
                print(f"{path} is of --quick: left out", file=sys.stderr)
            else:
                self.sources.append(source | {"file": str(path.relative_to(folder))})
        self.sources.sort(key=lambda s: s["date"])

    def of(self, program="ergode", backend=None, architecture=None):
        """Sources of one program and, where they are given, one backend and instruction set."""
        return [s for s in self.sources
                if s["program"] == program and backend in (None, s["device"]["backend"])
                and architecture in (None, s["device"].get("architecture"))]

    @property
    def ergode(self):
        return self.of()

    @property
    def peers(self):
        return [s for s in self.sources if s["program"] != "ergode"]


def widest_last(sources):
    """In the order in which `find` takes a row of the widest instruction set that has it, and the latest of those."""
    order = ("baseline", "avx2", "avx512")
    return sorted(sources, key=lambda s: order.index(s["device"]["architecture"]) if s["device"].get("architecture") in order else -1)


def matches(row, wanted):
    return all(row.get(key) == value for key, value in wanted.items())


def rows(source, **wanted):
    return [r for r in source["rows"] if matches(r, wanted)]


def find(sources, wanted):
    """The latest row that matches, and its source; of several in one source the largest problem."""
    for source in reversed(sources):
        found = rows(source, **wanted)
        if found:
            return max(found, key=lambda r: r.get("work", 0)), source
    return None, None


def cores(source):
    """Threads that a CPU's run can have without sharing a core; all of them in a file that does not tell."""
    threads = source["device"].get("threads", 1)
    return min(threads, source["machine"].get("cores", threads))


def whole(source):
    """Rows at the threads of the whole run, not those of its scaling."""
    threads = source["device"].get("threads")
    return [r for r in source["rows"] if r.get("threads", threads) == threads]


def ceiling(source, name, threads=None):
    """A measured ceiling's rate, or None."""
    for row in source["ceilings"]:
        if row["name"] == name and threads in (None, row.get("threads")):
            return row["rate"]
    return None


def growth(points):
    """Fixed cost a and cost b of a unit of work of times a + b work, by least squares of the relative departures."""
    sums = [0.0] * 5
    for work, seconds in points:
        u, v = 1 / seconds, work / seconds
        for k, term in enumerate((u * u, u * v, v * v, u, v)):
            sums[k] += term
    uu, uv, vv, u1, v1 = sums
    determinant = uu * vv - uv * uv
    if len(points) > 1 and determinant > 0:
        a, b = (u1 * vv - v1 * uv) / determinant, (v1 * uu - u1 * uv) / determinant
        if a >= 0 and b >= 0:
            return a, b
    return 0.0, v1 / vv
