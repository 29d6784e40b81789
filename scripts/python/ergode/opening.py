"""`ergode.open`: finds out what a path is."""

import pathlib
import re

from ergode.errors import DamagedError, ErgodeError, MissingError
from ergode.hdf5 import opened, read_dataset, text
from ergode.results import read_results
from ergode.run import Run
from ergode.snapshots import GROUPS, Snapshot
from ergode.sweep import Sweep

OF_A_RUN = ("config.used.yaml", "summary.json", "series.h5", "results.h5", "snapshots")


def open(path, units=None):
    """A run directory as an ergode.Run, a sweep directory (or its sweep.h5) as an ergode.Sweep, a snapshot file as an
    ergode.Snapshot, series.h5 and results.h5 as an xarray.Dataset. SWEEP/members/member_000012 is that member's run also where
    it is packed with others in one file.

    units: None for plain numbers; "unyt" or "astropy" for quantities, of N-body runs. Raises MissingError or DamagedError.
    """
    if units not in (None, "unyt", "astropy"):
        raise ValueError(f"units={units!r}: may be None, 'unyt' or 'astropy'")
    path = pathlib.Path(path)
    if path.is_dir():
        return _directory(path, units)
    if not path.exists():
        return _packed_member(path, units)
    with opened(path) as file:
        kind = text(file.attrs.get("ergode_file", b""))
        if not kind and "Header" in file and any(group in file for group in GROUPS):
            kind = "snapshot"
    if kind == "snapshot":
        return Snapshot(path, units)
    if kind == "sweep":
        return Sweep(path.parent, units)
    if kind == "series":
        return read_dataset(path)
    if kind == "results":
        return read_results(path)
    if kind == "sweep members":
        raise ErgodeError(path, "has members of a sweep: open the sweep's directory, or SWEEP/members/member_000012")
    if kind == "checkpoint":
        raise ErgodeError(path, "is a checkpoint, whose layout is for Ergode alone: take the snapshots or the series")
    raise DamagedError(path, "is an HDF5 file, but none of Ergode's")


def _directory(path, units):
    if (path / "sweep.h5").exists() or (path / "sweep.csv").exists():
        return Sweep(path, units)
    if not any((path / name).exists() for name in OF_A_RUN):
        raise MissingError(path, f"is no run directory: has none of {', '.join(OF_A_RUN)}")
    return Run(path, units)


def _packed_member(path, units):
    match = re.fullmatch(r"member_(\d+)", path.name)
    sweep = path.parent.parent if path.parent.name == "members" else path.parent
    if match is None or not (sweep / "sweep.h5").exists():
        raise MissingError(path, "no such file or directory")
    return Sweep(sweep, units).members.numbered(int(match[1]))
