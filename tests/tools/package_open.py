#!/usr/bin/env python3
"""Opens runs with the Python package and compares with what plain h5py reads. Exit 0: as it should be, 77: a module is missing.

usage: package_open.py CASE DIRECTORY [EMPTY_DIRECTORY]
"""

import math
import pathlib
import shutil
import sys

from package import crossed_sweep, need, need_package, raises, summary_of, write_sweep

DIRECTORY = pathlib.Path(sys.argv[2])


def config_and_summary():
    ergode = need_package()
    run = ergode.open(DIRECTORY / "solar")
    assert isinstance(run, ergode.Run) and run.kind == "nbody" and run.name == "outer-solar-system"
    assert run.summary == summary_of(DIRECTORY / "solar")
    # A number that a YAML 1.1 reader takes for a text.
    assert "max_relative_energy_error: 1e-10" in (DIRECTORY / "solar/config.used.yaml").read_text()
    assert run.config["diagnostics"]["max_relative_energy_error"] == 1e-10
    assert run.config["integrator"] == {"scheme": "yoshida8", "timestep": 20, "end_time": 4000}
    assert [body["name"] for body in run.config["initial_conditions"][0]["bodies"]][::5] == ["Sun", "Pluto"]
    assert run.config["checkpoint"]["every"] == "900 s"
    other = DIRECTORY / "other"
    other.mkdir()
    (other / "config.used.yaml").write_text(
        "{a: 1e5, b: .5, c: 010, d: on, e: 12:30:00, f: 2026-01-02, g: true, h: -3, i: ~, k: 1_000}"
    )
    expected = {
        "a": 1e5,
        "b": 0.5,
        "c": 10,
        "d": "on",
        "e": "12:30:00",
        "f": "2026-01-02",
        "g": True,
        "h": -3,
        "i": None,
        "k": "1_000",
    }
    assert ergode.open(other).config == expected


def series():
    ergode, h5py, numpy = need_package(), need("h5py"), need("numpy")
    for name in ("solar", "plummer"):
        data = ergode.open(DIRECTORY / name).series
        with h5py.File(DIRECTORY / name / "series.h5") as file:
            names = {key for key, item in file.items() if isinstance(item, h5py.Dataset)}
            assert names == set(data.variables), names ^ set(data.variables)
            for key in names:
                values = file[key][()]
                assert numpy.array_equal(
                    data[key].values,
                    numpy.char.decode(values) if key == "component" else values,
                    equal_nan=key != "component",
                )
                assert data[key].attrs["units"] == file[key].attrs["units"].decode()
                assert data[key].attrs["long_name"] == file[key].attrs["long_name"].decode()
            assert data.attrs["integrator"] == file.attrs["integrator"].decode()
        assert data["momentum"].dims == ("time", "component")
        assert float(data["momentum"].sel(component="y")[-1]) == float(data["momentum"][-1, 1])
    assert data["lagrangian_radius"].dims == ("time", "mass_fraction")
    assert float(data["lagrangian_radius"].sel(mass_fraction=0.5)[0]) == float(data["lagrangian_radius"][0, 3])


def snapshots():
    ergode, h5py, numpy = need_package(), need("h5py"), need("numpy")
    run = ergode.open(DIRECTORY / "solar")
    paths = sorted((DIRECTORY / "solar/snapshots").iterdir())
    assert len(run.snapshots) == len(paths) == 3
    assert [s.time for s in run.snapshots] == [0, 2000, 4000] == list(run.snapshots.times)
    assert [s.path for s in run.snapshots[1:]] == paths[1:]
    raises(IndexError, [], lambda: run.snapshots[3])
    snapshot = run.snapshots[-1]
    with h5py.File(paths[-1]) as file:
        for mine, theirs in (
            ("positions", "Coordinates"),
            ("velocities", "Velocities"),
            ("masses", "Masses"),
            ("ids", "ParticleIDs"),
        ):
            expected = numpy.concatenate([file[f"PartType1/{theirs}"][()], file[f"PartType2/{theirs}"][()]])
            assert numpy.array_equal(getattr(snapshot, mine), expected), mine
        assert snapshot.cgs == dict(file["Units"].attrs)
    assert len(snapshot) == 6 and snapshot.masses[-1] == 0
    assert snapshot.units == {"length": "AU", "mass": "solar_mass", "velocity": "AU day-1", "time": "day"}
    assert snapshot.attrs["step"] == 200 and snapshot.attrs["integrator"].startswith("yoshida8")
    raises(ergode.MissingError, [paths[-1], "no Potential"], lambda: snapshot.potential)
    ids, times, places = run.snapshots.trajectories()
    assert list(ids) == [1, 2, 3, 4, 5, 6] and list(times) == [0, 2000, 4000] and places.shape == (3, 6, 3)
    assert places[0, 5, 1] == 32.0719104739886  # Pluto's y in the config
    plummer = ergode.open(DIRECTORY / "plummer").snapshots[0]
    with h5py.File(plummer.path) as file:
        assert numpy.array_equal(plummer.potential, file["PartType1/Potential"][()])


def lazy():
    """A run with an unreadable snapshot opens, and so do the others; a sequence keeps no arrays."""
    ergode = need_package()
    run = ergode.open(DIRECTORY / "solar")
    run.snapshots[1].path.write_bytes(b"no HDF5")
    again = ergode.open(DIRECTORY / "solar")
    assert again.snapshots[2].time == 4000 and len(again.snapshots) == 3
    raises(ergode.DamagedError, [run.snapshots[1].path], lambda: again.snapshots[1].positions)
    assert again.snapshots[0] is not again.snapshots[0]


def _check_units(package, to_cgs):
    ergode = need_package()
    need(package)
    for name in ("solar", "galaxy"):
        plain, run = ergode.open(DIRECTORY / name), ergode.open(DIRECTORY / name, units=package)
        snapshot, bare = run.snapshots[-1], plain.snapshots[-1]
        cgs = bare.cgs  # what the program wrote
        length, mass, velocity = (cgs[f"Unit{k}"] for k in ("Length_in_cm", "Mass_in_g", "Velocity_in_cm_per_s"))
        close = lambda a, b: abs(a - b) <= 4e-15 * abs(b)
        assert close(to_cgs(snapshot.positions[0, 0], "cm"), bare.positions[0, 0] * length)
        assert close(to_cgs(snapshot.masses[0], "g"), bare.masses[0] * mass)
        assert close(to_cgs(snapshot.velocities[1, 1], "cm/s"), bare.velocities[1, 1] * velocity)
        assert close(to_cgs(snapshot.time, "s"), bare.time * length / velocity)
        energy, spin = plain.series["kinetic_energy"].values[-1], plain.series["angular_momentum"].values[-1, 2]
        assert close(to_cgs(run.quantity("kinetic_energy")[-1], "g*cm**2/s**2"), energy * mass * velocity**2)
        assert close(to_cgs(run.quantity("angular_momentum")[-1, 2], "g*cm**2/s"), spin * mass * length * velocity)
        assert float(run.quantity("relative_energy_error")[-1]) == float(plain.series["relative_energy_error"][-1])
        assert snapshot.ids.dtype == "uint64"
    raises(ValueError, ["pint"], ergode.open, DIRECTORY / "solar", units="pint")
    raises(ValueError, ["parsec", "parsec s-1"], ergode.quantity, [1.0], "parsec s-1", package)


def unyt():
    _check_units("unyt", lambda quantity, unit: float(quantity.to_value(unit)))


def astropy():
    _check_units("astropy", lambda quantity, unit: float(quantity.to_value(unit)))


def results():
    ergode, h5py, numpy = need_package(), need("h5py"), need("numpy")
    run = ergode.open(DIRECTORY / "basket")
    data = run.results
    same = lambda a, b: numpy.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    with h5py.File(DIRECTORY / "basket/results.h5") as file:
        ids = [i.decode() for i in file["id"][:]]
        assert list(data["id"].values) == ids and ids[:2] == ["basket", "outperformance"]
        columns = [
            name for name, item in file.items() if isinstance(item, h5py.Dataset) and name not in ("id", "instrument")
        ]
        assert len(columns) > 40
        for name in columns:
            values = file[name][()]
            assert data[name].dims == ("id",)
            assert same(data[name].values, numpy.char.decode(values) if values.dtype.kind == "S" else values), name
            assert data[name].attrs["units"] == file[name].attrs["units"].decode()
        for group in ("greeks", "convergence", "distribution"):
            for name, item in file[group].items():
                if name not in ("underlying", "point", "bin"):
                    assert same(data[f"{group}_{name}"].values, item[()]), (group, name)
        assert list(data["underlying"].values) == [u.decode() for u in file["greeks/underlying"][:]]
        assert (
            float(data["greeks_delta"].sel(id="basket", underlying="NKY"))
            == file["greeks/delta"][0, list(file["greeks/underlying"][:]).index(b"NKY")]
        )
        cube = run.scenarios
        assert cube["price"].dims == ("spot", "volatility", "rate", "id")
        assert same(cube["price"].values, file["scenarios/price"][()])
        assert same(cube["standard_error"].values, file["scenarios/standard_error"][()])
        assert list(cube["spot"].values) == [0.9, 1, 1.1] and list(cube["volatility"].values) == [-0.02, 0, 0.02]
        assert (
            float(cube["price"].sel(spot=1.1, volatility=0.02, rate=0, id="cliquet"))
            == file["scenarios/price"][2, 2, 0, 4]
        )
        values, paths = run.values, run.paths
        assert values["payoff"].dims == ("id", "path") and same(values["payoff"].values, file["values/payoff"][()])
        assert len(paths) == sum(name.startswith("paths_") for name in file)
        assert same(paths[1]["spot"].values, file["paths_1/spot"][()]) and paths[1]["spot"].dims == (
            "path",
            "time",
            "underlying",
        )
    import csv

    with open(DIRECTORY / "basket/results.csv", newline="") as file:
        for row in csv.DictReader(file):
            assert float(row["price"]) == float(data["price"].sel(id=row["id"]))


def parts_that_are_not_there():
    ergode = need_package()
    options, bodies = ergode.open(DIRECTORY / "smile"), ergode.open(DIRECTORY / "solar")
    raises(ergode.MissingError, [DIRECTORY / "smile/results.h5", "/scenarios"], lambda: options.scenarios)
    raises(ergode.MissingError, [DIRECTORY / "smile/results.h5", "/values"], lambda: options.values)
    assert options.paths == [] and len(options.snapshots) == 0
    raises(ergode.MissingError, [DIRECTORY / "smile/series.h5", "option_pricing"], lambda: options.series)
    raises(ergode.MissingError, [DIRECTORY / "solar/results.h5", "nbody"], lambda: bodies.results)
    raises(ergode.MissingError, [DIRECTORY / "nowhere"], ergode.open, DIRECTORY / "nowhere")
    raises(ergode.MissingError, [DIRECTORY, "no run directory"], ergode.open, DIRECTORY)
    raises(
        ergode.ErgodeError,
        [DIRECTORY / "solar/checkpoint.h5", "checkpoint"],
        ergode.open,
        DIRECTORY / "solar/checkpoint.h5",
    )
    (DIRECTORY / "solar/summary.json").unlink()
    raises(ergode.MissingError, [DIRECTORY / "solar/summary.json"], lambda: ergode.open(DIRECTORY / "solar").summary)
    (DIRECTORY / "solar/config.used.yaml").unlink()
    raises(ergode.MissingError, [DIRECTORY / "solar/config.used.yaml"], lambda: ergode.open(DIRECTORY / "solar").config)


def damaged():
    ergode, h5py = need_package(), need("h5py")
    from ergode.report import checks

    run = DIRECTORY / "solar"
    with h5py.File(run / "series.h5") as file:
        place = file["total_energy"].id.get_chunk_info(0).byte_offset
    bytes_ = bytearray((run / "series.h5").read_bytes())
    bytes_[place + 3] ^= 1  # one bit in a chunk: its checksum says so
    (run / "series.h5").write_bytes(bytes_)
    raises(ergode.DamagedError, [run / "series.h5"], lambda: ergode.open(run).series)
    snapshot = run / "snapshots/snapshot_0001.hdf5"
    snapshot.write_bytes(snapshot.read_bytes()[:3000])
    raises(ergode.DamagedError, [snapshot], lambda: ergode.open(run).snapshots[1].time)
    raises(ergode.DamagedError, [snapshot], ergode.open, snapshot)
    with h5py.File(run / "snapshots/snapshot_0002.hdf5", "r+") as file:
        del file["PartType1/Masses"], file["Header"].attrs["Time"]
    raises(ergode.DamagedError, ["snapshot_0002.hdf5", "Time"], lambda: ergode.open(run).snapshots[2].time)
    raises(ergode.MissingError, ["snapshot_0002.hdf5", "Masses"], lambda: ergode.open(run).snapshots[2].masses)
    (run / "summary.json").write_text('{"results": ')
    raises(ergode.DamagedError, [run / "summary.json"], lambda: ergode.open(run).summary)
    for other in (
        "[1]",
        '{"results": null}',
        '{"results": [1]}',
        '{"results": {"a": 1}}',
        '{"provenance": 3}',
        '{"seconds_by_phase": {"a": "b"}}',
        '{"wall_seconds_total": null}',
    ):
        (run / "summary.json").write_text(other)
        raises(ergode.DamagedError, [run / "summary.json", "no summary"], lambda: ergode.open(run).summary)
        (end,) = checks(ergode.open(run))
        assert end.verdict == "bad" and str(run / "summary.json") in end.text
    (run / "config.used.yaml").write_text("a: [1")
    raises(ergode.DamagedError, [run / "config.used.yaml"], lambda: ergode.open(run).config)
    other = DIRECTORY / "other.h5"
    with h5py.File(other, "w") as file:
        file["x"] = 1
    raises(ergode.DamagedError, [other, "none of Ergode's"], ergode.open, other)


def single_files():
    ergode = need_package()
    solar, smile = ergode.open(DIRECTORY / "solar"), ergode.open(DIRECTORY / "smile")
    snapshot = ergode.open(DIRECTORY / "solar/snapshots/snapshot_0001.hdf5")
    assert snapshot.time == 2000 and (snapshot.positions == solar.snapshots[1].positions).all()
    assert ergode.open(DIRECTORY / "solar/series.h5").identical(solar.series)
    assert ergode.open(str(DIRECTORY / "smile/results.h5")).identical(smile.results)


def crossed():
    ergode, numpy = need_package(), need("numpy")
    sweep = ergode.open(crossed_sweep(DIRECTORY, DIRECTORY / "solar"))
    assert isinstance(sweep, ergode.Sweep) and isinstance(ergode.open(sweep.path), ergode.Sweep)
    data = sweep.dataset
    error = data["largest_relative_energy_error"]
    assert error.dims == ("timestep", "softening") and error.shape == (3, 2)
    assert (
        list(data["timestep"].values) == [0.01, 0.02, 0.04] and data["timestep"].attrs["key"] == "integrator.timestep"
    )
    assert float(error.sel(timestep=0.02, softening=1e-1)) == 8e-6 and math.isnan(
        float(error.sel(timestep=0.04, softening=1e-2))
    )
    assert int(data["member"].sel(timestep=0.02, softening=1e-2)) == 2
    assert str(data["status"].sel(timestep=0.04, softening=1e-1).values) == "pending"
    assert data["time"].attrs["units"] == "day"
    assert len(sweep.members) == 6
    solar, first, packed = ergode.open(DIRECTORY / "solar"), sweep.members[0], sweep.members[1]
    assert first.series.identical(solar.series) and len(first.snapshots) == 3
    assert packed.series.equals(solar.series) and packed.series["momentum"].dims == ("time", "component")
    assert [snapshot.time for snapshot in packed.snapshots] == [2000, 4000]
    assert numpy.array_equal(packed.snapshots[-1].positions, solar.snapshots[-1].positions)
    assert packed.config["integrator"]["timestep"] == 0.01 and packed.config["gravity"]["softening"] == 0.1
    assert packed.config["integrator"]["scheme"] == "yoshida8" and "sweep" not in packed.config
    assert packed.summary["results"]["largest_relative_energy_error"] == {"value": 2e-6, "units": "1"}
    raises(ergode.MissingError, ["member 4", "failed"], lambda: sweep.members[4])
    raises(IndexError, ["6"], lambda: sweep.members[6])
    assert sweep.members[-6].series.identical(solar.series)


def other_sweeps():
    ergode, numpy = need_package(), need("numpy")
    # Two keys with the same last part, and one of text.
    write_sweep(
        DIRECTORY / "names",
        ["done"] * 8,
        {"a.spot": ([1, 1, 1, 1, 2, 2, 2, 2], 0), "b.spot": ([5, 5, 6, 6] * 2, 1), "rng": (["philox", "sobol"] * 4, 2)},
        {"book_value": (list(range(8)), "currency")},
    )
    data = ergode.open(DIRECTORY / "names").dataset
    assert data["book_value"].dims == ("a_spot", "b_spot", "rng")
    assert data["book_value"].sel(a_spot=2, b_spot=5, rng="sobol") == 5
    # Zipped: one dimension, the keys along it; values may repeat.
    write_sweep(
        DIRECTORY / "zipped",
        ["done"] * 3,
        {"x.spot": ([1.0, 2.0, 2.0], None), "x.strike": ([3.0, 4.0, 4.0], None)},
        {"book_value": ([0.5, 0.6, 0.7], "currency")},
    )
    data = ergode.open(DIRECTORY / "zipped").dataset
    assert (
        data["book_value"].dims == ("member",)
        and list(data["strike"].values) == [3, 4, 4]
        and list(data["spot"].values) == [1, 2, 2]
    )
    assert list(data["member"].values) == [0, 1, 2]
    # An axis of two keys beside one of seeds, in an order of members of its own, with a member missing.
    write_sweep(
        DIRECTORY / "mixed",
        ["done"] * 3,
        {"seed": ([8, 7, 7], 1), "p.q": ([0.1, 0.1, 0.2], 0), "p.r": ([10, 10, 20], 0)},
        {"y": ([1.0, 2.0, 3.0], "1")},
    )
    data = ergode.open(DIRECTORY / "mixed").dataset
    assert data["y"].dims == ("axis_0", "seed") and list(data["r"].values) == [10, 20]
    assert float(data["y"].sel(seed=7)[1]) == 3 and numpy.isnan(data["y"].sel(seed=8).values[1])
    assert int(data["member"].sel(seed=8)[1]) == -1 and str(data["status"].sel(seed=8).values[1]) == "missing"
    # A text that looks like a number is one where the config says so; a number among texts is one.
    write_sweep(
        DIRECTORY / "texts",
        ["done"] * 3,
        {"options.0.id": (["001", "true", "1.0"], 0), "options.0.strike": (["atm", "90", "1e2"], 0)},
        {"book_value": ([1.0, 2.0, 3.0], "currency")},
        file=["members.h5"] * 3,
        group=["/a"] * 3,
    )
    (DIRECTORY / "texts/config.used.yaml").write_text(
        'sweep:\n  parameters: {"options.0.id": ["001", "true", "1.0"], "options.0.strike": [atm, 90, 1e2]}\n'
        "options:\n  - {id: x, strike: 1}\n"
    )
    found = [member.config["options"][0] for member in ergode.open(DIRECTORY / "texts").members]
    assert [option["id"] for option in found] == ["001", "true", "1.0"], found
    assert [option["strike"] for option in found] == ["atm", 90, 100.0], found
    # Damage.
    write_sweep(DIRECTORY / "short", ["done"] * 3, {"seed": ([1, 2], 0)}, {})
    raises(
        ergode.DamagedError,
        [DIRECTORY / "short/sweep.h5", "different lengths"],
        lambda: ergode.open(DIRECTORY / "short").dataset,
    )
    shutil.copytree(DIRECTORY / "short", DIRECTORY / "lost")
    (DIRECTORY / "lost/sweep.h5").unlink()
    (DIRECTORY / "lost/sweep.csv").write_text("member\n")
    raises(ergode.MissingError, [DIRECTORY / "lost/sweep.h5"], lambda: ergode.open(DIRECTORY / "lost").dataset)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
