#!/usr/bin/env python3
"""Opens the sweep that package_sweeps.cpp ran twice, into the folders `unpacked` and `packed`, with the Python package, and
compares with what plain h5py reads. Exit 0: as it should be, 77: a module is missing.

usage: package_sweeps.py CASE DIRECTORY
"""

import os
import pathlib
import subprocess
import sys

from package import SOURCE, figure_of, need, need_package, raises, summary_of

DIRECTORY = pathlib.Path(sys.argv[2])
PACKAGE = str(SOURCE / "scripts/python")
FOLDERS = ("unpacked", "packed")


def both():
    """The two sweeps, after a look that only one of them is packed."""
    ergode = need_package()
    unpacked, packed = (ergode.open(DIRECTORY / name) for name in FOLDERS)
    assert isinstance(packed, ergode.Sweep) and isinstance(unpacked, ergode.Sweep)
    assert not any(unpacked.index["file"]) and not any(packed.index["directory"])
    assert len(packed.members) == len(unpacked.members)
    return unpacked, packed


def tables(sweep):
    """Parameters and results of sweep.h5 by plain h5py, and the keys in the order of their axes."""
    with need("h5py").File(sweep.directory / "sweep.h5") as file:
        parameters, results = (
            {name: item[()] for name, item in file[table].items()} for table in ("parameters", "results")
        )
        keys = sorted(parameters, key=lambda key: file["parameters"][key].attrs["axis"])
    return parameters, results, keys


def bits(values):
    return values.dtype, values.shape, values.tobytes()


def same_bits(mine, other):
    """Of two datasets of xarray."""
    assert mine.identical(other)  # names, dimensions, attributes
    for name in mine.variables:
        assert bits(mine[name].values) == bits(other[name].values), name


def dataset():
    numpy = need("numpy")
    for sweep in both():
        data, (parameters, results, keys) = sweep.dataset, tables(sweep)
        dimensions = [key.split(".")[-1] for key in keys]
        assert len(dimensions) == 3 and dimensions[0] == "seed"
        assert {name: data.sizes[name] for name in dimensions} == dict(zip(dimensions, (2, 2, 3)))
        assert [data[name].attrs["key"] for name in dimensions] == keys
        assert set(data.data_vars) == {"member", "status", *results} and len(results) > 5
        for member in range(12):
            place = {name: parameters[key][member] for name, key in zip(dimensions, keys)}
            assert data["member"].sel(place) == member and data["status"].sel(place) == "done"
            for name, values in results.items():
                assert data[name].dims == tuple(dimensions)
                found, value = data[name].sel(place).item(), values[member]
                assert found == (value.decode() if isinstance(value, bytes) else value), (name, place)
        figures = [values for values in results.values() if values.dtype.kind == "f"]
        assert any(len(numpy.unique(values)) == 12 for values in figures)


def members_alike(unpacked, packed):
    """What each kind of run has beside its arrays; yields both runs of each member, and its files' groups."""
    h5py, parameters = need("h5py"), tables(packed)[0]
    for number, (run, other) in enumerate(zip(unpacked.members, packed.members)):
        assert run.directory == DIRECTORY / f"unpacked/members/member_{number:06}"
        config = {**other.config, "output": {**other.config["output"], "directory": run.config["output"]["directory"]}}
        assert run.config == config and run.config["seed"] == parameters["seed"][number]
        assert run.name == other.name and run.kind == other.kind
        figures = summary_of(run.directory)["results"]
        found = other.summary["results"]
        assert found == {name: figures[name] for name in found} and len(found) >= 6
        with h5py.File(DIRECTORY / "packed" / packed.index["file"][number]) as file:
            yield run, other, file[packed.index["group"][number]]


def clusters():
    unpacked, packed = both()
    numpy = need("numpy")
    starts = set()
    for run, other, group in members_alike(unpacked, packed):
        same_bits(other.series, run.series)
        assert numpy.array_equal(other.series["total_energy"], group["series/total_energy"])
        assert other.series.sizes["time"] == 5
        assert len(other.snapshots) == len(run.snapshots) == len(group["snapshots"]) == 3
        for snapshot, alike, name in zip(other.snapshots, run.snapshots, sorted(group["snapshots"])):
            for part in ("positions", "velocities", "masses", "ids", "potential"):
                assert bits(getattr(snapshot, part)) == bits(getattr(alike, part)), part
            assert numpy.array_equal(snapshot.velocities, group[f"snapshots/{name}/PartType1/Velocities"])
            for part in ("time", "attrs", "units", "cgs"):
                assert getattr(snapshot, part) == getattr(alike, part), part
        assert other.snapshots[2].time == 0.25
        assert other.snapshots[0].attrs["softening"] == run.config["gravity"]["softening"]
        starts.add(other.snapshots[0].positions.tobytes())
    assert len(starts) == 2  # those of the seeds


def books():
    unpacked, packed = both()
    numpy = need("numpy")
    prices = set()
    for run, other, group in members_alike(unpacked, packed):
        same_bits(other.results, run.results)
        same_bits(other.scenarios, run.scenarios)
        same_bits(other.values, run.values)
        assert len(other.paths) == len(run.paths) == 2
        for mine, alike in zip(other.paths, run.paths):
            same_bits(mine, alike)
        assert numpy.array_equal(other.results["price"], group["results/price"])
        assert numpy.array_equal(other.scenarios["price"], group["results/scenarios/price"])
        assert numpy.array_equal(other.results["vega"], group["results/vega"], equal_nan=True)
        prices.add(other.results["price"].values.tobytes())
    assert len(prices) == 12


def maps():
    ergode, numpy = need_package(), need("numpy")
    from ergode.plot import pictures

    for sweep in both():
        _, results, _ = tables(sweep)
        error = results["largest_relative_energy_error"].reshape(2, 2, 3)  # seed, timestep, softening
        axis = figure_of(sweep, "largest_relative_energy_error").axes[0]
        image = axis.collections[0].get_array().reshape(2, 3)
        assert not numpy.ma.is_masked(image) and numpy.allclose(image, numpy.log10(error.mean(axis=0)), rtol=1e-13)
        assert axis.get_ylabel() == "timestep" and axis.get_xlabel() == "softening"
        assert [text.get_text() for text in axis.get_xticklabels()] == ["0.02", "0.05", "0.1"]
        captions = {name: caption for name, _, caption in pictures(sweep)}
        assert captions["force_error"] == "force_error against timestep and softening: mean of the sizes over seeds."
    lines = []
    for sweep in both():
        (line,) = figure_of(sweep.members[4], "energy_error").axes[0].lines
        lines.append(line.get_xydata())
    assert len(lines[0]) == 5 and numpy.array_equal(*lines, equal_nan=True)


def report():
    need_package()
    from package_report import Page, self_contained
    from package_report import report as report_on
    from ergode.report import checks

    for sweep in both():
        parameters, results, _ = tables(sweep)
        text = report_on(sweep.directory)
        page = Page(text)
        self_contained(text)
        assert page.row("members")[1].endswith("good") and page.row("members")[2] == "12 of 12 done"
        assert page.tags.count("img") == 1  # book_value
        heads = page.row("member")
        for name in ("market.rate", "seed"):
            assert float(page.row("7")[heads.index(name)]) == parameters[name][7]
        assert abs(float(page.row("7")[heads.index("book_value")]) / results["book_value"][7] - 1) < 1e-4
        (end,) = [check for check in checks(sweep.members[7]) if check.name == "end of the run"]
        assert end.verdict == "good" and end.text.startswith("finished")
        assert "closed forms" in {check.name for check in checks(sweep.members[7])}
        others = {check.name: check.verdict for check in checks(sweep)}
        assert others == {"members": "good", "warnings": "good", "tolerances": "good", "closed forms": "not checked"}


def failed():
    ergode, numpy = need_package(), need("numpy")
    unpacked, packed = both()
    for sweep in (unpacked, packed):
        _, results, keys = tables(sweep)
        status, error = sweep.dataset["status"], sweep.dataset["largest_relative_energy_error"]
        assert status.dims == error.dims == ("seed", "timestep", "softening") and keys[0] == "seed"
        assert 0 < int((status == "failed").sum()) < 6 and bool(((status == "failed") == error.isnull()).all())
        assert numpy.array_equal(error.values.ravel(), results["largest_relative_energy_error"], equal_nan=True)
        image = figure_of(sweep, "largest_relative_energy_error").axes[0].collections[0].get_array()
        assert numpy.array_equal(image.mask.ravel(), numpy.isnan(error.values.ravel()))
    first = int(packed.index["member"][packed.index["status"] == "failed"][0])
    raises(ergode.MissingError, [f"member {first} (failed)"], lambda: packed.members[first])
    assert unpacked.members[first].summary["state"] == "failed"


def keys_into_lists():
    """Keys with and without the place in the list; a packed member by the path that it would have alone."""
    ergode = need_package()
    unpacked, packed = both()
    for number, (run, other, _) in enumerate(members_alike(unpacked, packed)):
        (cluster,) = other.config["initial_conditions"]
        assert (cluster["scale_radius"], cluster["mass"]) == ((0.5, 0.6)[number // 2 % 2], (1, 2)[number % 2])
        by_path = ergode.open(packed.directory / f"members/member_{number:06}")
        assert by_path.series.identical(other.series) and by_path.summary == other.summary
        assert repr(by_path) == repr(other) and f"packed/members/member_{number:06}: nbody 'clusters'" in repr(other)
    path = packed.directory / "members/member_000003"
    raises(ergode.MissingError, ["member_000008", "8 members"], ergode.open, packed.directory / "members/member_000008")
    raises(
        ergode.ErgodeError, ["members_000000.h5", "sweep"], ergode.open, packed.directory / "members/members_000000.h5"
    )
    for command, made in (("report", "report.html"), ("plot", "plots/energy_error.png")):
        arguments = [sys.executable, "-m", f"ergode.{command}", path]
        done = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": PACKAGE})
        assert done.returncode == 0 and (packed.directory / "reports/member_000003" / made).exists(), done.stderr
    assert not path.exists()  # a folder there would be taken for the member's run
    text = (packed.directory / "reports/member_000003/report.html").read_text(encoding="utf-8")
    assert "scale_radius: 0.6" in text and "sweep:" not in text


def slashes():
    from ergode.plot import available

    for sweep in both():
        with need("h5py").File(sweep.directory / "sweep.h5") as file:
            volatility = file["parameters/market.underlyings.EUR/USD.volatility"][()]
            values = file["results/book_value"][()]
        assert sweep.dataset["book_value"].dims == ("volatility", "rate", "type")
        for number, run in enumerate(sweep.members):
            assert (
                run.config["market"]["underlyings"]["EUR/USD"]["volatility"]
                == volatility[number]
                == (0.1, 0.2)[number // 4]
            )
            assert run.config["options"][0]["type"] == ("call", "put")[number % 2]
            place = {
                "volatility": volatility[number],
                "rate": (0.01, 0.03)[number // 2 % 2],
                "type": ("call", "put")[number % 2],
            }
            assert sweep.dataset["book_value"].sel(place) == values[number]
        # A map for each value of the third axis, which is one of texts.
        axes = figure_of(sweep, "book_value").axes
        assert [axis.get_title() for axis in axes[:2]] == ["type = call", "type = put"]
        for place in (0, 1):
            image = axes[place].collections[0].get_array().reshape(2, 2)
            assert need("numpy").array_equal(image, values.reshape(2, 2, 2)[:, :, place])
        (caption,) = [caption for name, _, caption in available(sweep) if name == "book_value"]
        assert caption == "book_value against volatility and rate, for type."


def judged():
    numpy = need("numpy")
    from ergode.report import checks

    for sweep in both():
        error = tables(sweep)[1]["largest_relative_energy_error"]
        found = {check.name: check for check in checks(sweep)}
        assert found["members"].verdict == found["momentum drift"].verdict == found["force error"].verdict == "good"
        wrong, doubtful = (error > 0.1).sum(), ((error > 1e-3) & (error <= 0.1)).sum()
        assert wrong > 0 and doubtful > 0 and wrong + doubtful < len(error)
        energy = found["energy error"]
        assert energy.verdict == "bad" and f"of 8 members {wrong} bad and {doubtful} look at it" in energy.text
        worst = numpy.argsort(-error)[:2]
        assert f"the worst: {worst[0]} ({error[worst[0]]:.2e}), {worst[1]} ({error[worst[1]]:.2e})" in energy.text
        warned = sorted(numpy.flatnonzero(error > 0.01))  # where the program warns when the config sets no bound
        assert found["warnings"].verdict == "look at it"
        assert found["warnings"].text.startswith(f"of {len(warned)} members: {', '.join(map(str, warned))};")
        assert "relative energy error" in found["warnings"].text
        assert sweep.members[0].summary and {check.name: check for check in checks(sweep.members[int(warned[0])])}[
            "warnings"
        ].text.startswith("1 in run.log: the relative energy error")


def some_seeds():
    """Failed members: the mean is that of the others, hatched, and the caption counts them."""
    numpy = need("numpy")
    from ergode.plot import available

    for sweep in both():
        error = tables(sweep)[1]["largest_relative_energy_error"].reshape(3, 2, 3)
        count = numpy.isfinite(error).sum(axis=0)
        failed = numpy.isnan(error).sum()
        assert ((count > 0) & (count < 3)).any() and failed == (sweep.index["status"] == "failed").sum()
        axis = figure_of(sweep, "largest_relative_energy_error").axes[0]
        image = axis.collections[0].get_array().reshape(2, 3)
        assert numpy.array_equal(numpy.ma.getmaskarray(image), count == 0)
        some = count > 0
        mean = numpy.nansum(error, axis=0)[some] / count[some]
        assert numpy.allclose(numpy.asarray(image)[some], numpy.log10(mean), rtol=1e-13)
        hatched = {
            (round(patch.get_y() + 0.5), round(patch.get_x() + 0.5)) for patch in axis.patches if patch.get_hatch()
        }
        assert hatched == set(map(tuple, numpy.argwhere(some & (count < 3)).tolist()))
        captions = {name: caption for name, _, caption in available(sweep)}
        assert (
            f"{18 - failed} of 18 members are in it, {failed} failed: hatched where a seed is missing"
            in captions["largest_relative_energy_error"]
        )


def zipped():
    for sweep in both():
        data, (parameters, results, _) = sweep.dataset, tables(sweep)
        error = data["relative_energy_error"]
        assert error.dims == ("seed", "axis_1") and error.shape == (2, 2)
        assert list(data["timestep"].values) == [0.0078125, 0.015625] and list(data["softening"].values) == [0.02, 0.1]
        assert data["timestep"].dims == data["softening"].dims == ("axis_1",)
        for member in range(4):
            place = int(parameters["gravity.softening"][member] == 0.1)
            assert error.sel(seed=parameters["seed"][member])[place] == results["relative_energy_error"][member]
        axis = figure_of(sweep, "relative_energy_error").axes[0]
        line = axis.lines[0]
        signed = results["relative_energy_error"].reshape(2, 2)
        size = abs(signed).mean(axis=0)
        assert (size > 1.01 * abs(signed.mean(axis=0))).any()  # signs that differ would show
        assert need("numpy").allclose(line.get_ydata(), size, rtol=1e-13)
        assert axis.get_ylabel() == "mean size of relative energy error"
        zipped_labels(sweep, axis)


def zipped_labels(sweep, axis):
    """The parameters' names and values, not the number of an axis or member."""
    from ergode.plot import available

    assert axis.get_xlabel() == "softening, timestep"
    assert [text.get_text() for text in axis.get_xticklabels()] == ["0.02, 0.007812", "0.1, 0.01562"]
    captions = {name: caption for name, _, caption in available(sweep)}
    assert captions["relative_energy_error"].startswith("relative_energy_error against softening, timestep")


def zipped_alone():
    for sweep in both():
        data, (_, results, _) = sweep.dataset, tables(sweep)
        assert data["relative_energy_error"].dims == ("member",) and list(data["member"].values) == [0, 1]
        assert list(data["timestep"].values) == [0.0078125, 0.015625] and list(data["softening"].values) == [0.02, 0.1]
        assert list(data["relative_energy_error"].values) == list(results["relative_energy_error"])
        zipped_labels(sweep, figure_of(sweep, "relative_energy_error").axes[0])


if __name__ == "__main__":
    globals()[sys.argv[1]]()
