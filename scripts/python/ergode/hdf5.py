"""HDF5 files as xarray datasets, with errors that name the file."""

import contextlib
import pathlib
import posixpath

import h5py
import numpy
import xarray

from ergode.errors import DamagedError, MissingError

_OF_THE_SCALES = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates"}


def _file(path):
    try:
        return h5py.File(path, "r")
    except OSError as problem:
        # The series of a live or killed run opens in this mode alone. A reader may meet a chunk in the making: once more.
        for _ in range(2):
            with contextlib.suppress(OSError):
                return h5py.File(path, "r", libver="latest", swmr=True)
        raise DamagedError(path, f"is no readable HDF5 file: {problem}") from problem


@contextlib.contextmanager
def opened(path):
    """The h5py file; what goes wrong while it is read becomes a DamagedError."""
    path = pathlib.Path(path)
    if not path.is_file():
        raise MissingError(path, "no such file")
    try:
        with _file(path) as file:
            yield file
    except KeyError as problem:
        raise DamagedError(path, f"lacks what such a file has: {problem}") from problem
    except OSError as problem:
        raise DamagedError(path, f"cannot be read: {problem}") from problem


def text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def attributes(item):
    """Of a group or dataset, texts as str, without those of the dimension scales."""
    return {name: text(value) for name, value in item.attrs.items() if name not in _OF_THE_SCALES}


def array(dataset):
    """Its values, texts as str."""
    values = dataset[()]
    if values.dtype.kind == "S":
        return numpy.char.decode(values, "utf-8")
    if values.dtype.kind == "O":
        return numpy.array([text(value) for value in values.ravel()], dtype=str).reshape(values.shape)
    return values


def tree(group, prefix=""):
    """Name -> dataset of a group and of those in it: HDF5 takes a name with a slash for a group and what is in it."""
    found = {}
    for name, item in group.items():
        if isinstance(item, h5py.Dataset):
            found[prefix + name] = item
        else:
            found.update(tree(item, f"{prefix}{name}/"))
    return found


def _dimension(dataset, axis):
    scales = dataset.dims[axis]
    if len(scales) > 0:
        return posixpath.basename(scales[0].name)
    own = posixpath.basename(dataset.name)
    return own if dataset.ndim == 1 else f"{own}_{axis}"


def read_dataset(path, group="/"):
    """The datasets right in one group as an xarray.Dataset; its scales are the coordinates, attributes are kept."""
    with opened(path) as file:
        if group not in file:
            raise MissingError(path, f"has no group {group}")
        found, scales = {}, set()
        for name, item in file[group].items():
            if isinstance(item, h5py.Dataset):
                dimensions = tuple(_dimension(item, axis) for axis in range(item.ndim))
                found[name] = (dimensions, array(item), attributes(item))
                scales.update(name for dimension in dimensions if dimension == name)
        found = _same_lengths(found)
        return xarray.Dataset(
            {n: v for n, v in found.items() if n not in scales},
            coords={n: found[n] for n in scales},
            attrs=attributes(file[group]),
        )


def _same_lengths(found):
    """Of a live series some datasets may be a row ahead of others."""
    shortest = {}
    for dimensions, values, _ in found.values():
        for dimension, length in zip(dimensions, values.shape):
            shortest[dimension] = min(length, shortest.get(dimension, length))
    return {
        name: (dimensions, values[tuple(slice(shortest[d]) for d in dimensions)], attrs)
        for name, (dimensions, values, attrs) in found.items()
    }
