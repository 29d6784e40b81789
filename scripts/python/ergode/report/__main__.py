"""Writes the report on a run or sweep."""

import argparse
import pathlib
import sys

import ergode
from ergode.report.page import page


def main():
    parser = argparse.ArgumentParser(
        prog="python -m ergode.report",
        description="Writes a report on a run directory, or a sweep's: one HTML file without links to others.",
    )
    parser.add_argument("run", type=pathlib.Path, metavar="RUN", help="run or sweep directory")
    parser.add_argument(
        "-o",
        "--output",
        type=pathlib.Path,
        metavar="FILE",
        help="default: RUN/report.html; of a packed member SWEEP/reports/member_000012/report.html",
    )
    given = parser.parse_args()
    run = ergode.open(given.run)
    if not isinstance(run, (ergode.Run, ergode.Sweep)):
        raise ergode.ErgodeError(given.run, "is a single file: give the run directory")
    output = given.output or run.output_directory / "report.html"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(page(run), encoding="utf-8")
    print(output)


if __name__ == "__main__":
    try:
        main()
    except (ergode.ErgodeError, OSError) as problem:
        sys.exit(f"error: {problem}")
