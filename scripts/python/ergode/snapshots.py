"""Snapshots: particles at one time, and the sequence of a run's."""

import collections.abc
import functools
import pathlib
import re

import numpy

from ergode.errors import MissingError
from ergode.hdf5 import attributes, opened, text
from ergode.units import TIME_UNITS, quantity

GROUPS = ("PartType1", "PartType2")  # bodies with mass, then test particles


class Snapshot:
    """Arrays over the particles, in the order of the file: bodies with mass, then test particles. Each is read when it is
    first asked for."""

    def __init__(self, path, units=None, group="/"):
        self.path = pathlib.Path(path)
        self._package, self._group = units, group

    @functools.cached_property
    def _head(self):
        with opened(self.path) as file:
            root = file[self._group]
            ergode = attributes(root["Ergode"]) if "Ergode" in root else {}
            return {
                "time": float(root["Header"].attrs["Time"]),
                "ergode": ergode,
                "cgs": {name: float(value) for name, value in root["Units"].attrs.items()} if "Units" in root else {},
                "sizes": [root[name]["Coordinates"].shape[0] for name in GROUPS if name in root],
                "units": _units_of(root, ergode),
            }

    def _read(self, name, kind):
        with opened(self.path) as file:
            parts = [file[self._group][group] for group in GROUPS if group in file[self._group]]
            if any(name not in part for part in parts):
                raise MissingError(self.path, f"has no {name}")
            values = numpy.concatenate([part[name][()] for part in parts])
            units = text(parts[0][name].attrs.get("units", b"1"))
        return values if kind is None else quantity(values, units, self._package)

    def __len__(self):
        return sum(self._head["sizes"])

    @property
    def time(self):
        return quantity(self._head["time"], self.units["time"], self._package)

    @property
    def attrs(self):
        """Name of the run, integrator, step, softening, gravitational constant ... as written."""
        return self._head["ergode"]

    @property
    def units(self):
        """Units of `length`, `mass`, `velocity` and `time`, as texts; `1` in N-body units."""
        return self._head["units"]

    @property
    def cgs(self):
        """UnitLength_in_cm, UnitMass_in_g, UnitVelocity_in_cm_per_s."""
        return self._head["cgs"]

    @functools.cached_property
    def positions(self):
        """(N, 3)"""
        return self._read("Coordinates", "length")

    @functools.cached_property
    def velocities(self):
        """(N, 3)"""
        return self._read("Velocities", "velocity")

    @functools.cached_property
    def masses(self):
        """(N,); 0 of test particles"""
        return self._read("Masses", "mass")

    @functools.cached_property
    def ids(self):
        """(N,), unsigned integers"""
        return self._read("ParticleIDs", None)

    @functools.cached_property
    def potential(self):
        """(N,), specific; there with `output.snapshots.potential: true`"""
        return self._read("Potential", "specific_energy")

    def __repr__(self):
        return f"<ergode.Snapshot {self.path.name}: {len(self)} particles at time {self._head['time']:g}>"


def _units_of(root, ergode):
    units = {"time": TIME_UNITS.get(ergode.get("units"), "1")}
    first = next((root[name] for name in GROUPS if name in root), {})
    for kind, name in (("length", "Coordinates"), ("mass", "Masses"), ("velocity", "Velocities")):
        units[kind] = text(first[name].attrs.get("units", b"1")) if name in first else "1"
    return units


class Snapshots(collections.abc.Sequence):
    """The snapshots of a run in the order of time. Opens a file when one is asked for, and keeps none."""

    def __init__(self, places, units=None):
        self._places, self._package = list(places), units

    @classmethod
    def of_names(cls, places, units=None):
        """places: name of a snapshot -> (file, group); other names are passed over."""
        found = {
            int(match[1]): place
            for name, place in places.items()
            if (match := re.fullmatch(r"snapshot_(\d+)(\.hdf5)?", name))
        }
        return cls([found[number] for number in sorted(found)], units)

    @classmethod
    def of_directory(cls, directory, units=None):
        return cls.of_names({path.name: (path, "/") for path in pathlib.Path(directory).glob("snapshot_*.hdf5")}, units)

    def __len__(self):
        return len(self._places)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Snapshots(self._places[index], self._package)
        path, group = self._places[index]
        return Snapshot(path, self._package, group)

    @property
    def times(self):
        """(T,), plain numbers"""
        return numpy.array([snapshot._head["time"] for snapshot in self])

    def plain(self):
        """The same without units."""
        return Snapshots(self._places)

    def trajectories(self):
        """Ids (N,), times (T,) and positions (T, N, 3) as plain numbers, bodies in the order of their ids."""
        plain = self.plain()
        frames = []
        for snapshot in plain:
            order = numpy.argsort(snapshot.ids)
            frames.append(snapshot.positions[order])
        ids = numpy.sort(plain[0].ids) if len(plain) else numpy.empty(0, "u8")
        return ids, plain.times, numpy.stack(frames) if frames else numpy.empty((0, 0, 3))

    def __repr__(self):
        return f"<ergode.Snapshots: {len(self)}>"
