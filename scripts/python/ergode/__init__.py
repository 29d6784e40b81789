"""Reads the runs of Ergode: `ergode.open(path)` takes a run directory, a sweep directory or a single file."""

from ergode.errors import DamagedError, ErgodeError, MissingError
from ergode.opening import open
from ergode.run import Run
from ergode.snapshots import Snapshot, Snapshots
from ergode.sweep import Sweep
from ergode.units import quantity

__all__ = ["DamagedError", "ErgodeError", "MissingError", "Run", "Snapshot", "Snapshots", "Sweep", "open", "quantity"]
