"""Shared by the tests of the Python package: finds it in the sources, skips what is missing."""

import importlib
import json
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "scripts/python"))


def skip(reason):
    print(reason)
    sys.exit(77)


def need(module):
    try:
        return importlib.import_module(module)
    except ImportError as error:
        skip(f"{module} is not installed: {error}")


def need_package():
    for module in ("h5py", "numpy", "xarray", "matplotlib", "yaml"):
        need(module)
    return importlib.import_module("ergode")


def raises(error, words, function, *arguments, **keywords):
    """That the function fails with this error, and every word in its message."""
    try:
        function(*arguments, **keywords)
    except error as problem:
        for word in words:
            assert str(word) in str(problem), (word, str(problem))
        return problem
    raise AssertionError(f"no {error.__name__}")


def figure_of(run, name):
    """One picture of the run, to look at what it has drawn."""
    from ergode.plot import available, style

    (draw,) = [draw for known, draw, _ in available(run) if known == name]
    with style.plt.rc_context(style.RC):
        return draw(run)


def crossed_sweep(directory, run):
    """A sweep as the program writes it: 3 time steps times 2 softenings, member 0 a copy of `run`, member 1 the same packed in a
    file, member 4 failed and 5 pending. Returns the sweep's directory."""
    import shutil
    import h5py
    import numpy

    sweep = pathlib.Path(directory) / "sweep"
    (sweep / "members").mkdir(parents=True)
    shutil.copytree(run, sweep / "members/member_000000")
    text = (run / "config.used.yaml").read_text()
    (sweep / "config.used.yaml").write_text(text + "sweep:\n  mode: crossed\n")
    with h5py.File(sweep / "members/members_0000.h5", "w") as file, h5py.File(run / "series.h5") as series:
        member = file.create_group("member_000001")
        copy_scaled(series, member.create_group("series"))
        for path in sorted((run / "snapshots").glob("*.hdf5"))[-2:]:
            with h5py.File(path) as snapshot:
                file.copy(snapshot["/"], member, f"snapshots/{path.stem}")
    write_sweep(
        sweep,
        status=["done"] * 4 + ["failed", "pending"],
        directory=["members/member_000000"] + [""] * 5,
        file=["", "members/members_0000.h5"] + [""] * 4,
        group=["", "/member_000001"] + [""] * 4,
        parameters={
            "integrator.timestep": ([0.01, 0.01, 0.02, 0.02, 0.04, 0.04], 0),
            "gravity.softening": ([1e-2, 1e-1] * 3, 1),
        },
        results={
            "largest_relative_energy_error": ([1e-6, 2e-6, 4e-6, 8e-6, numpy.nan, numpy.nan], "1"),
            "time": ([1.0] * 6, "day"),
        },
    )
    return sweep


def copy_scaled(source, target):
    """Datasets of a group with their scales, which HDF5's own copy cannot carry to another file."""
    import posixpath

    for name, item in source.items():
        if hasattr(item, "shape"):
            data = target.create_dataset(name, data=item[()])
            data.attrs.update({key: item.attrs[key] for key in ("units", "long_name")})
    for name, item in source.items():
        for axis in range(getattr(item, "ndim", 0)):
            if len(item.dims[axis]):
                scale = target[posixpath.basename(item.dims[axis][0].name)]
                if b"DIMENSION_SCALE" != scale.attrs.get("CLASS"):
                    scale.make_scale()
                target[name].dims[axis].attach_scale(scale)
    target.attrs.update(dict(source.attrs))


def write_sweep(sweep, status, parameters, results, **index):
    """parameters: key -> (values, axis or None); results: name -> (values, units)."""
    import h5py
    import numpy

    sweep.mkdir(exist_ok=True)
    count = len(status)
    columns = {"directory": [""] * count, "file": [""] * count, "group": [""] * count, **index, "status": status}
    with h5py.File(sweep / "sweep.h5", "w") as file:
        file.attrs["ergode_file"] = numpy.bytes_("sweep")
        file["index/member"] = numpy.arange(count)
        for name, values in columns.items():
            file["index"].create_dataset(
                name, data=[v.encode() for v in values] if any(values) else numpy.zeros(count, "S1")
            )
        file.create_group("results")
        for key, (values, axis) in parameters.items():
            data = file.create_dataset(
                f"parameters/{key}", data=values if not isinstance(values[0], str) else [v.encode() for v in values]
            )
            if axis is not None:
                data.attrs["axis"] = axis
        for name, (values, units) in results.items():
            file.create_dataset(f"results/{name}", data=values).attrs["units"] = numpy.bytes_(units)


def summary_of(run):
    return json.loads((pathlib.Path(run) / "summary.json").read_text())
