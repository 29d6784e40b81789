#!/usr/bin/env python3
"""Opens what a run of tests/tools/runs.cpp wrote with one tool and checks what it sees. Exit 0: as it should be, 77: the
tool is not installed.

usage: runs_open.py TOOL RUN_DIRECTORY
"""
import json
import sys

from optional import need

ALL_MASSES = [1, 0, 2, 3, 0, 4]


class Expected:
    """The six bodies (four without test particles) in the order of files: those with mass first."""

    def __init__(self, directory):
        with open(f"{directory}/summary.json", encoding="ascii") as file:
            bodies = json.load(file)["results"]["bodies"]["value"]
        assert bodies in (4, 6), bodies
        self.sources = [i for i in range(6) if ALL_MASSES[i] > 0]
        self.tests = [i for i in range(6) if ALL_MASSES[i] == 0] if bodies == 6 else []
        self.order = self.sources + self.tests

    def positions(self, which):
        return [(10.0 * i + 1, -float(i), i + 0.5) for i in which]

    def velocities(self, which):
        return [(float(f"{i}e-3"), 0.0, 0.0) for i in which]

    def ids(self, which):
        return [i + 1 if self.tests else self.sources.index(i) + 1 for i in which]

    def masses(self, which):
        return [float(ALL_MASSES[i]) for i in which]


def rows(array):
    return [tuple(float(x) for x in row) for row in array]


def first(directory):
    return f"{directory}/snapshots/snapshot_0000.hdf5"


def last(directory):
    return f"{directory}/snapshots/snapshot_0001.hdf5"


def h5py(directory):
    module, e = need("h5py"), Expected(directory)
    with module.File(first(directory), "r") as file:
        assert list(file["Header"].attrs["NumPart_ThisFile"]) == [0, 4, len(e.tests), 0, 0, 0]
        assert ("PartType2" in file) == bool(e.tests)
        for group, which in (("PartType1", e.sources), ("PartType2", e.tests)):
            if which:
                assert rows(file[group]["Coordinates"]) == e.positions(which)
                assert rows(file[group]["Velocities"]) == e.velocities(which)
                assert list(file[group]["Masses"]) == e.masses(which)
                assert list(file[group]["ParticleIDs"]) == e.ids(which)
        # pynbody computes a factor from the description and refuses the dataset when it is not the one stated.
        cgs = {word: file["Units"].attrs[name] for word, name in (
            ("U_L [cm]", "UnitLength_in_cm"), ("U_M [g]", "UnitMass_in_g"), ("U_V [cm/s]", "UnitVelocity_in_cm_per_s"))}
        for name, word in (("Coordinates", "U_L [cm]"), ("Velocities", "U_V [cm/s]"), ("Masses", "U_M [g]")):
            attributes = file["PartType1"][name].attrs
            assert attributes["VarDescription"].decode().endswith(word), attributes["VarDescription"]
            assert attributes["CGSConversionFactor"] == cgs[word]
        assert file["Ergode"].attrs["name"] == b"six"
        assert file["Ergode"].attrs["integrator"] == b"yoshida4 (Suzuki 1990, 5 stages)"
        assert file["Ergode"].attrs["units"] == b"solar"
        assert len(file["provenance"].attrs["command_line"]) > 0
        assert file["VTKHDF/Connectivity"].compression == "gzip"
    with module.File(last(directory), "r") as file:
        assert file["Header"].attrs["Time"] == 10
        assert rows(file["PartType1/Coordinates"]) != e.positions(e.sources)
    with open(f"{directory}/summary.json", encoding="ascii") as file:
        assert json.load(file)["results"]["integrator"]["value"] == "yoshida4 (Suzuki 1990, 5 stages)"


def vtk(directory):
    try:
        from vtkmodules.vtkIOHDF import vtkHDFReader
    except ImportError as error:
        print(f"vtk is not installed: {error}")
        sys.exit(77)
    e = Expected(directory)
    reader = vtkHDFReader()
    assert reader.CanReadFile(first(directory))
    reader.SetFileName(first(directory))
    reader.Update()
    data = reader.GetOutput()
    n = len(e.order)
    assert data.GetNumberOfPoints() == n, data.GetNumberOfPoints()
    assert [data.GetPoint(k) for k in range(n)] == e.positions(e.order)
    assert data.GetNumberOfCells() == 1
    assert [data.GetCell(0).GetPointId(k) for k in range(data.GetCell(0).GetNumberOfPoints())] == list(range(n))
    point_data = data.GetPointData()
    assert [point_data.GetArray("velocity").GetTuple3(k) for k in range(n)] == e.velocities(e.order)
    assert [point_data.GetArray("mass").GetTuple1(k) for k in range(n)] == e.masses(e.order)
    assert [point_data.GetArray("id").GetTuple1(k) for k in range(n)] == e.ids(e.order)


def yt(directory):
    module, e = need("yt"), Expected(directory)
    module.set_log_level("error")
    au_per_day = 1.495978707e13 / 86400
    data = module.load(first(directory), unit_base={"length": (1, "au"), "mass": (1, "Msun"),
                                                    "velocity": (au_per_day, "cm/s")}).all_data()
    for kind, which in (("PartType1", e.sources), ("PartType2", e.tests)):
        if which:
            seen = rows(data[kind, "Coordinates"].in_units("code_length").d)
            assert sorted(seen) == e.positions(which), seen
            assert sorted(data[kind, "Masses"].in_units("code_mass").d) == sorted(e.masses(which))


def pynbody(directory):
    snapshot, e = need("pynbody").load(first(directory)), Expected(directory)
    assert len(snapshot) == len(e.order)
    assert sorted(rows(snapshot["pos"])) == sorted(e.positions(e.order))
    assert sorted(snapshot["mass"]) == sorted(e.masses(e.order))


def xarray(directory):
    module = need("xarray")
    need("h5netcdf")
    data = module.open_dataset(f"{directory}/series.h5", engine="h5netcdf")
    text = lambda value: value.decode() if isinstance(value, bytes) else str(value)
    assert data.sizes["time"] == 11 and list(data["time"].values) == list(range(11))
    expected = {"kinetic_energy": (("time",), "solar_mass AU2 day-2"),
                "relative_energy_error": (("time",), "1"),
                "momentum": (("time", "component"), "solar_mass AU day-1"),
                "angular_momentum": (("time", "component"), "solar_mass AU AU day-1"),
                "centre_of_mass": (("time", "component"), "AU"),
                "lagrangian_radius": (("time", "mass_fraction"), "AU")}
    for name, (dimensions, units) in expected.items():
        assert data[name].dims == dimensions, (name, data[name].dims)
        assert text(data[name].attrs["units"]) == units, (name, data[name].attrs["units"])
    assert list(data["mass_fraction"].values) == [0.5, 0.9]
    assert abs(float(data["momentum"].sel(time=0)[0]) - 0.033) < 1e-15  # (2*2 + 3*3 + 4*5) * 1e-3
    assert text(data.attrs["integrator"]) == "yoshida4 (Suzuki 1990, 5 stages)"


if __name__ == "__main__":
    {"h5py": h5py, "vtk": vtk, "yt": yt, "pynbody": pynbody, "xarray": xarray}[sys.argv[1]](sys.argv[2])
