#!/usr/bin/env python3
"""Opens results.h5 of the tests' example book with one tool. Exit 0: as it should be, 77: the tool is not installed.

usage: results_open.py TOOL DIRECTORY
"""
import math
import sys

from optional import need


def h5py(directory):
    with need("h5py").File(directory + "/results.h5", "r") as file:
        assert list(file["id"][:]) == [b"eq-001", b'eq-002, "wide"', b"eq-003"]
        assert file["price"][1] == 7.25
        assert file["price"].dims[0][0].name == "/instrument"
        assert file["greeks/delta"].dims[1][0].name == "/greeks/underlying"
        assert file["scenarios/price"].shape == (2, 3, 1, 3)
        assert file["vega"].attrs["units"] == b"per 1.00 of volatility"
        assert file["provenance"].attrs["host"] == b"here"


def open_group(directory, group=None):
    xarray = need("xarray")
    need("h5netcdf")
    return xarray.open_dataset(directory + "/results.h5", engine="h5netcdf", group=group)


def xarray(directory):
    data = open_group(directory)
    assert data["price"].dims == ("instrument",), data["price"].dims
    assert float(data["price"].sel(instrument=1)) == 7.25
    assert data["price"].attrs["units"] in ("currency", b"currency")
    assert bytes(data["delta_method"].values[0]) == b"pathwise"
    greeks = open_group(directory, "greeks")
    assert greeks["delta"].dims == ("instrument", "underlying")
    assert float(greeks["delta"].sel(underlying=b"SX5E")[1]) == -0.21
    assert math.isnan(float(greeks["delta"].sel(underlying=b"SX5E")[0]))
    history = open_group(directory, "convergence")
    assert history["price"].dims == ("instrument", "point")
    assert float(history["paths"][0, 2]) == 4000 and math.isnan(float(history["price"][1, 1]))
    assert open_group(directory, "distribution")["counts"].dims == ("instrument", "bin")
    assert open_group(directory, "exercise")["boundary"].dims == ("instrument", "date")
    assert open_group(directory, "values")["payoff"].sizes["path"] == 4
    cube = open_group(directory, "scenarios")
    assert cube["price"].dims == ("spot", "volatility", "rate", "instrument")
    assert float(cube["price"].sel(spot=1, volatility=0.02, rate=0)[1]) == 16
    paths = open_group(directory, "paths_0")
    assert float(paths["spot"].sel(path=1, time=0.5, underlying=b"SX5E")) == 10


def empty(directory):
    """A book without instruments."""
    assert open_group(directory)["price"].shape == (0,)


def pandas(directory):
    module = need("pandas")
    frame = open_group(directory).to_dataframe()
    assert len(frame) == 3 and frame["price"].iloc[1] == 7.25
    text = module.read_csv(directory + "/results.csv").set_index("id")
    assert list(text.index) == ["eq-001", 'eq-002, "wide"', "eq-003"]
    for column in ("price", "delta", "sensitivity_rho", "upper_bound", "z_score"):
        assert (text[column].values == frame[column].values)[text[column].notna().values].all(), column
        assert (text[column].isna().values == frame[column].isna().values).all(), column
    assert text["paths"].dtype == "int64" and text["paths"].iloc[0] == 3_000_000_000


if __name__ == "__main__":
    {"h5py": h5py, "xarray": xarray, "pandas": pandas, "empty": empty}[sys.argv[1]](sys.argv[2])
