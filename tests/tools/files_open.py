#!/usr/bin/env python3
"""Opens one of our files with one tool and checks what it sees. Exit 0: as it should be, 77: the tool is not installed.

usage: files_open.py TOOL FILE
"""
import sys

from optional import need

ROWS = 600


def h5py_snapshot(path):
    h5py = need("h5py")
    with h5py.File(path, "r") as file:
        assert list(file["Header"].attrs["NumPart_ThisFile"]) == [0, 3, 0, 0, 0, 0]
        assert file["Header"].attrs["Time"] == 0.5
        assert file["PartType1/Coordinates"][2, 2] == 9
        assert file["VTKHDF/Points"] == file["PartType1/Coordinates"]
        assert file["VTKHDF"].attrs["Type"] == b"UnstructuredGrid"


def vtk(path):
    try:
        from vtkmodules.vtkIOHDF import vtkHDFReader
    except ImportError as error:
        print(f"vtk is not installed: {error}")
        sys.exit(77)
    reader = vtkHDFReader()
    assert reader.CanReadFile(path)
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    assert data.GetNumberOfPoints() == 3, data.GetNumberOfPoints()
    assert data.GetPoint(2) == (7, 8, 9)
    point_data = data.GetPointData()
    assert point_data.GetArray("mass").GetTuple1(1) == 2
    assert point_data.GetArray("velocity").GetTuple3(0) == (1, 2, 3)


def yt(path):
    module = need("yt")
    module.set_log_level("error")
    data = module.load(path, unit_base={"length": (1, "cm"), "mass": (1, "g"), "velocity": (1, "cm/s")}).all_data()
    assert sorted(data["PartType1", "Masses"].in_units("g").d) == [1, 2, 3]


def pynbody(path):
    snapshot = need("pynbody").load(path)
    assert len(snapshot) == 3
    assert list(snapshot["mass"]) == [1, 2, 3]


def check_series(file):
    for name in ("time", "step", "momentum", "lagrangian_radius"):
        assert file[name].shape[0] == ROWS, (name, file[name].shape)
    assert file["time"][-1] == 0.25 * (ROWS - 1)
    assert file["momentum"][100, 2] == -25
    assert file["momentum"].dims[1][0].name == "/component"


def h5py_series(path):
    with need("h5py").File(path, "r") as file:
        check_series(file)
        assert file["provenance"].attrs["host"] == b"here"


def h5py_live(path):
    h5py = need("h5py")
    for attempt in (1, 2):  # a reader may meet a chunk in the making: once more, as our documentation says
        try:
            with h5py.File(path, "r", swmr=True) as file:
                check_series(file)
            return
        except OSError:
            if attempt == 2:
                raise


def open_dataset(path):
    xarray = need("xarray")
    need("h5netcdf")
    return xarray.open_dataset(path, engine="h5netcdf")


def xarray(path):
    data = open_dataset(path)
    assert data["momentum"].dims == ("time", "component"), data["momentum"].dims
    assert data["lagrangian_radius"].dims == ("time", "mass_fraction")
    assert data["momentum"].attrs["units"] in ("Msun AU/yr", b"Msun AU/yr")
    assert float(data["lagrangian_radius"].sel(mass_fraction=0.9)[4]) == 3
    assert data.sizes["time"] == ROWS


def pandas(path):
    need("pandas")
    frame = open_dataset(path)[["step"]].to_dataframe()
    assert len(frame) == ROWS and frame["step"].iloc[-1] == ROWS - 1


if __name__ == "__main__":
    {"h5py-snapshot": h5py_snapshot, "vtk": vtk, "yt": yt, "pynbody": pynbody, "h5py-series": h5py_series,
     "h5py-live": h5py_live, "xarray": xarray, "pandas": pandas}[sys.argv[1]](sys.argv[2])
