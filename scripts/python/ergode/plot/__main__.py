"""Draws a run or a sweep."""

import argparse
import pathlib
import sys

import ergode
from ergode.plot import available, pictures
from ergode.plot.movie import movie


def arguments():
    parser = argparse.ArgumentParser(prog="python -m ergode.plot", description="Draws a run directory, or a sweep's.")
    parser.add_argument("run", type=pathlib.Path, metavar="RUN", help="run or sweep directory")
    parser.add_argument(
        "-o",
        "--output",
        type=pathlib.Path,
        metavar="DIR",
        help="where the pictures go (default: RUN/plots; of a packed member SWEEP/reports/member_000012/plots)",
    )
    parser.add_argument("--format", choices=("png", "pdf", "both"), default="png")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these pictures alone")
    parser.add_argument("--movie", action="store_true", help="a movie of the snapshots too (N-body)")
    return parser.parse_args()


def main():
    given = arguments()
    run = ergode.open(given.run)
    if not isinstance(run, (ergode.Run, ergode.Sweep)):
        raise ergode.ErgodeError(given.run, "is a single file: give the run directory")
    names = [name for name, _, _ in available(run)]
    unknown = sorted(set(given.only) - set(names))
    if unknown:
        raise ergode.ErgodeError(given.run, f"has no picture {', '.join(unknown)}; it has {', '.join(names) or 'none'}")
    directory = given.output or run.output_directory / "plots"
    directory.mkdir(parents=True, exist_ok=True)
    for name, figure, _ in pictures(run, given.only):
        for ending in ("png", "pdf") if given.format == "both" else (given.format,):
            figure.savefig(directory / f"{name}.{ending}")
            print(directory / f"{name}.{ending}")
    if given.movie:
        print(movie(run, directory))


if __name__ == "__main__":
    try:
        main()
    except (ergode.ErgodeError, OSError) as problem:
        sys.exit(f"error: {problem}")
