"""results.h5 of option pricing as xarray datasets over the options' `id`."""

import re

import h5py
import numpy
import xarray

from ergode.hdf5 import opened, read_dataset

# Groups whose datasets are part of the table, as <group>_<name>: `delta` of /greeks would meet the column `delta`.
TABLE_GROUPS = ("greeks", "convergence", "distribution", "exercise")


def _join(group, name):
    return f"{group.rstrip('/')}/{name}"


def _by_id(dataset, ids):
    if "instrument" in dataset.dims:
        dataset = dataset.drop_vars("instrument", errors="ignore").rename({"instrument": "id"}).assign_coords(id=ids)
    return dataset


def _groups(path, group):
    with opened(path) as file:
        return [name for name, item in file[group].items() if isinstance(item, h5py.Group)]


def _ids(path, group):
    return read_dataset(path, group)["id"].values


def read_results(path, group="/"):
    """The table: columns over `id`, and what /greeks, /convergence, /distribution and /exercise hold as `greeks_delta`,
    `convergence_price` and so on."""
    table = read_dataset(path, group)
    ids = table["id"].values
    table = _by_id(table.drop_vars("id"), ids)
    present = _groups(path, group)
    parts = [table]
    for name in TABLE_GROUPS:
        if name in present:
            part = _by_id(read_dataset(path, _join(group, name)), ids)
            parts.append(part.rename({variable: f"{name}_{variable}" for variable in part.data_vars}))
    return xarray.merge(parts, combine_attrs="override")


def read_cube(path, name, group="/"):
    """`scenarios`: (spot, volatility, rate, id); `values`: (id, path). MissingError where the run saved none."""
    return _by_id(read_dataset(path, _join(group, name)), _ids(path, group))


def read_paths(path, group="/"):
    """The saved paths, one dataset a group of options that share them."""
    names = sorted((n for n in _groups(path, group) if re.fullmatch(r"paths_\d+", n)), key=lambda n: int(n[6:]))
    return [read_dataset(path, _join(group, name)) for name in names]


def histogram(results, id):
    """Edges (bins + 1) and counts of the discounted payoffs of one option."""
    row = results.sel(id=id)
    counts = row["distribution_counts"].values
    return numpy.linspace(float(row["distribution_low"]), float(row["distribution_high"]), len(counts) + 1), counts
