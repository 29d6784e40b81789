"""A sweep: an ensemble of runs as one dataset."""

import collections.abc
import copy
import functools
import pathlib

import numpy
import xarray

from ergode.axes import MEMBER, axes, grid, labels
from ergode.config import read_config, read_swept_values, set_value
from ergode.errors import DamagedError, MissingError
from ergode.hdf5 import array, attributes, opened, tree
from ergode.run import Run
from ergode.snapshots import Snapshots

# The layout of sweep.h5 is known here alone:
#   /index/{member, status, directory, file, group}   one value a member; `directory` and `file` are relative to the sweep's
#                                                     folder; `file` and `group` are those of a packed member, else empty
#   /parameters/<key.path>   attribute `axis`: number of its axis in a crossed sweep; keys of one axis go together
#   /results/<name>          headline figures of the members' summaries, attribute `units`
# and in a packed member's group each of its files is a group of the file's name: series, results, snapshots/snapshot_0001 ...
TABLES = ("index", "parameters", "results")


class Sweep:
    """`dataset`: parameters and headline figures over the axes; `members[i]`: a member's run."""

    def __init__(self, directory, units=None):
        self.directory = pathlib.Path(directory)
        self.path = self.directory / "sweep.h5"
        self._package = units

    @functools.cached_property
    def config(self):
        return read_config(self.directory / "config.used.yaml")

    @property
    def name(self):
        return self.config.get("name") or self.directory.name

    @property
    def output_directory(self):
        """Where pictures and the report go when no other place is named."""
        return self.directory

    @functools.cached_property
    def _tables(self):
        with opened(self.path) as file:
            tables = {
                table: {name: (array(item), attributes(item)) for name, item in tree(file[table]).items()}
                for table in TABLES
            }
        lengths = {len(values) for table in tables.values() for values, _ in table.values()}
        if len(lengths) > 1:
            raise DamagedError(self.path, f"has columns of different lengths: {sorted(lengths)}")
        return tables

    def _columns(self, table):
        return {name: values for name, (values, _) in self._tables[table].items()}

    @property
    def index(self):
        """member, status, directory, file, group: arrays over the members."""
        return self._columns("index")

    @property
    def parameters(self):
        """Key path -> values over the members."""
        return self._columns("parameters")

    @property
    def results(self):
        """Headline figure -> values over the members."""
        return self._columns("results")

    @functools.cached_property
    def _swept(self):
        return read_swept_values(self.directory / "config.used.yaml")

    def parameters_of(self, place):
        """Key path -> value of one member, as it stands in the config."""
        values = {key: column[place].item() for key, column in self.parameters.items()}
        return {
            key: self._swept.get(key, {}).get(value, value) if isinstance(value, str) else value
            for key, value in values.items()
        }

    @functools.cached_property
    def dataset(self):
        """Crossed: one dimension an axis, named by the last part of its key. Keys that go together: the dimension `member`
        (`axis_N` beside other axes), with the keys as coordinates. NaN where a member has no figure."""
        numbers = {key: attrs.get("axis") for key, (_, attrs) in self._tables["parameters"].items()}
        found = axes(self.parameters, numbers, len(self.index["member"]))
        names = [axis.name for axis in found]
        result = xarray.Dataset(attrs={"directory": str(self.directory)})
        for axis in found:
            of_the_axis = [axis.name] if len(axis.keys) == 1 and axis.name != MEMBER else labels(axis.keys)
            for key, label in zip(axis.keys, of_the_axis):
                values, attrs = self._tables["parameters"][key]
                along = numpy.empty(axis.size, dtype=values.dtype)
                along[axis.places] = values
                result.coords[label] = ((axis.name,), along, {**attrs, "key": key})
        result[MEMBER] = (names, grid(found, self.index["member"], -1))
        result["status"] = (names, grid(found, self.index["status"], "missing"))
        for name, (values, attrs) in self._tables["results"].items():
            label = name if name not in result.variables else f"{name}_result"
            result[label] = (names, grid(found, values, "" if values.dtype.kind == "U" else numpy.nan), attrs)
        return result

    @property
    def members(self):
        """A sequence of runs."""
        return Members(self)

    def __repr__(self):
        return f"<ergode.Sweep {self.directory}: {len(self.index['member'])} members>"


class Members(collections.abc.Sequence):
    def __init__(self, sweep):
        self._sweep = sweep

    def __len__(self):
        return len(self._sweep.index["member"])

    def __getitem__(self, place):
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        index = self._sweep.index
        if not -len(self) <= place < len(self):
            raise IndexError(f"member {place} of {len(self)}")
        if index["file"][place]:
            return PackedRun(self._sweep, place % len(self))
        directory = self._sweep.directory / str(index["directory"][place])
        if not index["directory"][place] or not directory.is_dir():
            error = str(index["error"][place]) if "error" in index else ""
            raise MissingError(
                self._sweep.directory / member_directory(index["member"][place]),
                f"member {index['member'][place]} ({index['status'][place]}) has no run directory"
                + (f": {error}" if error else ""),
            )
        return Run(directory, self._sweep._package)

    def numbered(self, number):
        """The member with this number."""
        (found,) = numpy.nonzero(self._sweep.index["member"] == number)
        if not len(found):
            raise MissingError(
                self._sweep.directory / member_directory(number),
                f"the sweep has {len(self)} members, counted from 0",
            )
        return self[int(found[0])]


class PackedRun(Run):
    """A member that lies in one file with others. Only those that are done do. `directory` is where it would lie alone."""

    def __init__(self, sweep, place):
        super().__init__(sweep.directory / member_directory(sweep.index["member"][place]), sweep._package)
        self.sweep, self._row, self.number = sweep, place, int(sweep.index["member"][place])
        self._file, self._group = sweep.directory / str(sweep.index["file"][place]), str(sweep.index["group"][place])

    @property
    def output_directory(self):
        return self.sweep.directory / "reports" / self.directory.name

    def _place(self, part):
        return self._file, f"{self._group}/{part}"

    @functools.cached_property
    def config(self):
        """The sweep's config with this member's parameters."""
        config = copy.deepcopy(self.sweep.config)
        config.pop("sweep", None)
        for key, value in self.sweep.parameters_of(self._row).items():
            try:
                set_value(config, key, value)
            except (IndexError, TypeError, ValueError):
                raise DamagedError(
                    self.sweep.directory / "config.used.yaml", f"has no place for {key}, which sweep.h5 names"
                ) from None
        return config

    @functools.cached_property
    def summary(self):
        """The headline figures that the sweep's index has."""
        figures = {}
        for name, (values, attrs) in self.sweep._tables["results"].items():
            units = attrs.get("units", "1")  # empty: of texts and of counts that have none
            figures[name] = {"value": values[self._row].item(), **({"units": units} if units else {})}
        return {"simulation": self.kind, "name": self.name, "state": "finished", "exit_code": 0, "results": figures}

    @property
    def snapshots(self):
        path, group = self._place("snapshots")
        with opened(path) as file:
            names = list(file[group]) if group in file else []
        return Snapshots.of_names({name: (path, f"{group}/{name}") for name in names}, self._package)


def member_directory(number):
    return pathlib.Path("members") / f"member_{number:06}"
