#!/usr/bin/env python3
"""Opens the sweep that tests/tools/sweeps.cpp made with one tool and checks what it sees. Exit 0: as it should be, 77: the
tool is not installed.

usage: sweeps_open.py TOOL SWEEP_DIRECTORY
"""
import sys

from optional import need

ECCENTRICITY = [0, 0, 0.25, 0.25, 0.5, 0.5]
STEPS = [500, 1000] * 3
MASSES = [30, 9.47841760435743]


def h5py(directory):
    module = need("h5py")
    with module.File(f"{directory}/sweep.h5") as file:
        index, parameters = file["index"], file["parameters"]
        assert list(index["member"]) == list(range(6))
        assert [s.decode() for s in index["status"]] == ["done"] * 6
        assert not any(index["directory"])
        assert list(parameters["initial_conditions.eccentricity"]) == ECCENTRICITY
        assert parameters["initial_conditions.eccentricity"].attrs["axis"] == 0
        assert list(parameters["integrator.steps"]) == STEPS and parameters["integrator.steps"].dtype.kind == "i"
        assert parameters["integrator.steps"].attrs["axis"] == 1
        assert list(file["results/steps"]) == STEPS and file["results/steps"].attrs["units"] == b"1"
        assert "interaction_rate" not in file["results"]  # no result, but a matter of the machine
        places = [(f.decode(), g.decode()) for f, g in zip(index["file"], index["group"])]
    for member, (name, group) in enumerate(places):
        with module.File(f"{directory}/{name}") as file:
            assert file[group].attrs["member"] == member
            series, last = file[f"{group}/series"], file[f"{group}/snapshots/snapshot_0001/PartType1"]
            assert series["step"][-1] == STEPS[member]
            assert list(last["Masses"]) == MASSES
            # After one period the bodies are back at periapsis, a (1 - e) apart, as they were at the start.
            first = file[f"{group}/snapshots/snapshot_0000/PartType1"]
            distance = lambda part: sum((a - b) ** 2 for a, b in zip(*part["Coordinates"])) ** 0.5
            assert abs(distance(first) - (1 - ECCENTRICITY[member])) < 1e-12
            assert abs(distance(last) - distance(first)) < 1e-6


def xarray(directory):
    module = need("xarray")
    need("h5netcdf")
    open_group = lambda name, group: module.open_dataset(f"{directory}/{name}", engine="h5netcdf", group=group)
    for group in ("index", "parameters", "results"):
        assert dict(open_group("sweep.h5", group).sizes) == {"member": 6}, group
    assert list(open_group("sweep.h5", "parameters")["integrator.steps"].values) == STEPS
    series = open_group("members/members_000000.h5", "member_000003/series")
    assert series.sizes["time"] == 101
    assert abs(series.relative_energy_error).max() < 1e-8


def pandas(directory):
    table = need("pandas").read_csv(f"{directory}/sweep.csv", index_col="member")
    assert list(table["integrator.steps"]) == STEPS
    assert list(table["initial_conditions.eccentricity"]) == ECCENTRICITY
    error = table.pivot_table("largest_relative_energy_error", "integrator.steps", "initial_conditions.eccentricity")
    assert error.shape == (2, 3) and error.loc[500, 0.5] > error.loc[1000, 0.5] > 0


if __name__ == "__main__":
    {"h5py": h5py, "xarray": xarray, "pandas": pandas}[sys.argv[1]](sys.argv[2])
