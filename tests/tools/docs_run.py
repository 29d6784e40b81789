#!/usr/bin/env python3
"""Runs the Python code of a section of a document on runs, and compares what it found with what h5py reads. Exit 0: as it
should be, 77: a module that the section is about is missing.

usage: docs_run.py SECTION DIRECTORY
"""

import os
import pathlib
import re
import sys

from package import SOURCE, need, need_package

DIRECTORY = pathlib.Path(sys.argv[2])
LINKS = {
    "solar-system": "solar",
    "plummer": "plummer",
    "basket-book": "basket",
    "heston-smile": "smile",
    "sweep-timestep": "sweep",
    "star-cluster": "plummer",
    "equity-book": "greeks",
}


def blocks(document, section):
    """The Python blocks between the heading and the next of its level; of the whole document without a section."""
    text = (SOURCE / document).read_text(encoding="utf-8")
    if section:
        heading = re.search(rf"^## {re.escape(section)}$", text, re.M)
        assert heading, section
        text = text[heading.end() :]
        following = re.search(r"^## ", text, re.M)
        text = text[: following.start()] if following else text
    found = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    assert found, (document, section)
    return found


def execute(document, section=None, **names):
    """Runs the blocks with `names`; the names that they leave behind."""
    (DIRECTORY / "runs").mkdir()
    for link, run in LINKS.items():
        if (DIRECTORY / run).exists():
            (DIRECTORY / "runs" / link).symlink_to(DIRECTORY / run)
    os.environ["MPLBACKEND"] = "Agg"
    os.chdir(DIRECTORY)
    for number, block in enumerate(blocks(document, section)):
        exec(compile(block, f"{document}, {section}, block {number + 1}", "exec"), names)
    return names


def read(path, name):
    with need("h5py").File(DIRECTORY / path) as file:
        return file[name][()]


FIRST, LAST = "plummer/snapshots/snapshot_0000.hdf5", "plummer/snapshots/snapshot_0002.hdf5"


def h5py():
    numpy = need("numpy")
    need("h5py")
    names = execute("docs/analysis.md", "h5py")
    assert names["time"] == 0 and names["length_unit"] == "1" and names["newest"] == 0.25
    assert numpy.array_equal(names["positions"], read(FIRST, "PartType1/Coordinates")) and len(names["masses"]) == 300
    assert names["prices"]["basket"] == read("basket/results.h5", "price")[0] and names["cube"].shape == (3, 3, 1, 6)


def pandas():
    for module in ("pandas", "xarray", "h5netcdf"):
        need(module)
    names = execute("docs/analysis.md", "pandas")
    price, error = read("basket/results.h5", "price"), read("basket/results.h5", "standard_error")
    assert names["worst"] == read("basket/results.h5", "id")[abs(error / price).argmax()].decode()
    assert abs(names["value"] - (price * read("basket/results.h5", "quantity")).sum()) < 1e-9 * abs(names["value"])
    assert len(names["missed"]) == (read("basket/results.h5", "status") == b"tolerance missed").sum() > 0
    assert list(names["energies"]["kinetic_energy"]) == list(read("plummer/series.h5", "kinetic_energy"))


def xarray():
    numpy = need("numpy")
    for module in ("xarray", "h5netcdf"):
        need(module)
    names = execute("docs/analysis.md", "xarray")
    assert numpy.array_equal(names["half_mass"], read("plummer/series.h5", "lagrangian_radius")[:, 3])
    assert float(names["drift"]) == abs(read("plummer/series.h5", "momentum")[:, 0]).max()
    assert float(names["basket"]) == read("basket/results.h5", "price")[0]
    assert numpy.array_equal(names["crash"], read("basket/results.h5", "scenarios/price")[0, 2, 0])
    assert names["greeks"]["delta"].dims == ("instrument", "underlying")


def yt():
    numpy = need("numpy")
    need("h5py")
    need("yt").set_log_level("error")
    names = execute("docs/analysis.md", "yt")
    path = "solar/snapshots/snapshot_0000.hdf5"
    assert numpy.allclose(
        sorted(names["mass"].d), sorted(read(path, "PartType1/Masses")), rtol=1e-4
    )  # of yt's solar mass
    assert numpy.allclose(
        sorted(names["positions"].d[:, 0]), sorted(read(path, "PartType1/Coordinates")[:, 0]), rtol=1e-8
    )


def pynbody():
    numpy = need("numpy")
    need("pynbody")
    names = execute("docs/analysis.md", "pynbody")
    assert abs(float(names["mass"]) - read(FIRST, "PartType1/Masses").sum()) < 1e-12
    assert numpy.allclose(names["radius"], numpy.linalg.norm(read(FIRST, "PartType1/Coordinates"), axis=1))


def vtk():
    numpy = need("numpy")
    need("vtkmodules.vtkIOHDF")
    names = execute("docs/analysis.md", "VTK and ParaView")
    path = "plummer/snapshots/snapshot_0001.hdf5"
    assert numpy.array_equal(names["positions"], read(path, "PartType1/Coordinates"))
    assert numpy.array_equal(names["velocities"], read(path, "PartType1/Velocities"))


def package():
    numpy = need("numpy")
    need_package()
    need("unyt")
    names = execute("docs/analysis.md", "The package `ergode`")
    assert numpy.array_equal(names["half_mass"], read("plummer/series.h5", "lagrangian_radius")[:, 3])
    assert numpy.array_equal(names["last"].positions, read(LAST, "PartType1/Coordinates"))
    assert names["places"].shape == (3, 300, 3) and list(names["times"]) == [0, 0.125, 0.25]
    assert numpy.array_equal(names["crash"], read("basket/results.h5", "scenarios/price")[0, 2, 0])
    joule = 1.3271244e20 / 6.6743e-11 * (1.495978707e11 / 86400) ** 2
    assert numpy.allclose(names["energy"].d, read("solar/series.h5", "total_energy") * joule, rtol=1e-13)
    assert dict(names["error"].sizes) == {"scheme": 3, "steps": 4, "eccentricity": 4}
    error = read("sweep/sweep.h5", "results/largest_relative_energy_error")
    assert numpy.array_equal(names["error"].values.ravel(), error)  # the last axis fastest
    assert float(names["error"].sel(scheme="yoshida8", steps=400)[3]) == error[2 * 16 + 1 * 4 + 3]
    assert names["sweep"].members[0].series.sizes["time"] == 101


def pictures():
    execute("docs/analysis.md", "Pictures", ergode=need_package())
    assert (DIRECTORY / "smile.pdf").read_bytes()[:5] == b"%PDF-"


def readme():
    for module in ("h5py", "xarray", "h5netcdf", "pandas", "matplotlib"):
        need(module)
    sys.path.insert(0, str(SOURCE / "scripts/python"))
    need("yaml")
    names = execute("README.md")
    assert names["position"].shape == (300, 3) and names["time"] == 0
    assert list(names["book"].index[:2]) == ["call-4500", "call-5000"]
    assert len(names["convergence"]["standard_error"]) == 6


if __name__ == "__main__":
    globals()[sys.argv[1]]()
