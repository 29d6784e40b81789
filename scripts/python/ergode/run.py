"""A run directory."""

import functools
import pathlib

from ergode.config import read_config, read_summary
from ergode.errors import MissingError
from ergode.hdf5 import read_dataset
from ergode.results import read_cube, read_paths, read_results
from ergode.snapshots import Snapshots
from ergode.units import quantity


class Run:
    """Everything is read when it is first asked for, and kept, but for snapshots.

    `units`: None for plain numbers, "unyt" or "astropy" for quantities (N-body: snapshots, and `quantity`)."""

    def __init__(self, directory, units=None):
        self.directory = pathlib.Path(directory)
        self._package = units

    @property
    def output_directory(self):
        """Where pictures and the report go when no other place is named."""
        return self.directory

    # Where the parts are: (file, group). A member that is packed with others in one file has them elsewhere.
    def _place(self, part):
        return self.directory / f"{part}.h5", "/"

    def has(self, part):
        """Whether the run has got as far as writing `series` or `results`."""
        return self._place(part)[0].exists()

    def _need(self, part, kind):
        path, group = self._place(part)
        if not path.exists() and self.kind != kind:
            raise MissingError(path, f"no such file: a run of {self.kind} has no {part}")
        return path, group

    @functools.cached_property
    def config(self):
        """The config with every default (config.used.yaml), a dictionary."""
        return read_config(self.directory / "config.used.yaml")

    @functools.cached_property
    def summary(self):
        """What happened and the headline figures (summary.json), a dictionary."""
        return read_summary(self.directory / "summary.json")

    @property
    def kind(self):
        """`nbody` or `option_pricing`"""
        return self.config.get("simulation", "")

    @property
    def name(self):
        return self.config.get("name") or self.directory.name

    @functools.cached_property
    def series(self):
        """N-body: energies, momenta, radii ... against time, an xarray.Dataset with `units` and `long_name` of each variable.
        Of a run that goes on: the rows so far; `refresh` looks again."""
        return read_dataset(*self._need("series", "nbody"))

    def quantity(self, name):
        """A variable of the series as a quantity of the package that `units` named."""
        variable = self.series[name]
        return quantity(variable.values, variable.attrs.get("units", "1"), self._package)

    @property
    def snapshots(self):
        """N-body: a sequence of ergode.Snapshot."""
        return Snapshots.of_directory(self.directory / "snapshots", self._package)

    @functools.cached_property
    def results(self):
        """Options: the table of results, an xarray.Dataset over `id`."""
        return read_results(*self._need("results", "option_pricing"))

    def _cube(self, name):
        path, group = self._need("results", "option_pricing")
        return read_cube(path, name, group)

    @functools.cached_property
    def scenarios(self):
        """Options: price and standard_error (spot, volatility, rate, id), with `scenarios` in the config."""
        return self._cube("scenarios")

    @functools.cached_property
    def values(self):
        """Options: the first discounted payoffs (id, path), with `output.save_values`."""
        return self._cube("values")

    @functools.cached_property
    def paths(self):
        """Options: a list of datasets with spot (path, time, underlying), with `output.save_paths`; else empty."""
        path, group = self._need("results", "option_pricing")
        return read_paths(path, group)

    def refresh(self):
        """Forgets what was read: for a run that goes on."""
        for name in ("config", "summary", "series", "results", "scenarios", "values", "paths"):
            self.__dict__.pop(name, None)

    def __repr__(self):
        return f"<ergode.Run {self.directory}: {self.kind} {self.name!r}>"
