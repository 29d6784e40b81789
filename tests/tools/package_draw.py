#!/usr/bin/env python3
"""Draws runs with the Python package and compares what is drawn with what is known. Exit 0: as it should be, 77: a module is
missing.

usage: package_draw.py CASE DIRECTORY
"""

import math
import os
import pathlib
import shutil
import subprocess
import sys

from package import SOURCE, crossed_sweep, figure_of, need, need_package, raises, skip, write_sweep

DIRECTORY = pathlib.Path(sys.argv[2])


def lines_of(axis):
    import numpy

    return [numpy.array(line.get_xydata()) for line in axis.lines]


def kepler():
    """A test particle on an ellipse about a body at rest: a = 1, e = 0.5, one period."""
    ergode, numpy = need_package(), need("numpy")
    axis = figure_of(ergode.open(DIRECTORY / "kepler"), "orbits").axes[0]
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["centre", "satellite"]
    (path,) = [line for line in lines_of(axis) if len(line) == 101 and numpy.ptp(line) > 0]
    x, y = path.T
    distance, angle = numpy.hypot(x, y), numpy.arctan2(y, x)
    assert numpy.abs(distance - (1 - 0.25) / (1 + 0.5 * numpy.cos(angle))).max() < 1e-9
    # Kepler's equation at the snapshots' times: mean anomaly 2 pi k / 100.
    mean = 2 * math.pi * numpy.arange(101) / 100
    eccentric = mean.copy()
    for _ in range(60):
        eccentric -= (eccentric - 0.5 * numpy.sin(eccentric) - mean) / (1 - 0.5 * numpy.cos(eccentric))
    assert numpy.abs(x - (numpy.cos(eccentric) - 0.5)).max() < 1e-9
    assert numpy.abs(y - math.sqrt(0.75) * numpy.sin(eccentric)).max() < 1e-9
    assert axis.get_xlabel() == "x [N-body units]" and axis.get_ylabel() == "y [N-body units]"
    solid = [line for line in axis.lines if line.get_linestyle() == "-" and len(line.get_xdata()) == 101]
    assert len(solid) == 1  # dense enough to be drawn as a line; the body at rest is not
    sparse = figure_of(ergode.open(DIRECTORY / "solar"), "orbits").axes[0]
    assert all(line.get_linestyle() == "None" for line in sparse.lines if len(line.get_xdata()) == 3)


def energy_and_radii():
    ergode, h5py, numpy = need_package(), need("h5py"), need("numpy")
    run = ergode.open(DIRECTORY / "plummer")
    energy = figure_of(run, "energy_error").axes[0]
    radii = figure_of(run, "lagrangian_radii").axes[0]
    with h5py.File(DIRECTORY / "plummer/series.h5") as file:
        total = file["total_energy"][:]
        (drawn,) = lines_of(energy)
        assert numpy.array_equal(drawn[:, 0], file["time"][:])
        assert numpy.isnan(drawn[0, 1]) and numpy.allclose(
            drawn[1:, 1], numpy.abs(total / total[0] - 1)[1:], rtol=1e-6, atol=1e-15
        )
        assert energy.get_yscale() == "log" and energy.get_xlabel() == "time [N-body units]"
        drawn = lines_of(radii)
        assert numpy.array_equal(numpy.stack([line[:, 1] for line in drawn], axis=1), file["lagrangian_radius"][:])
    assert [text.get_text() for text in radii.texts] == ["1 %", "10 %", "25 %", "50 %", "75 %", "90 %"]
    solar = figure_of(ergode.open(DIRECTORY / "solar"), "energy_error").axes[0]
    assert solar.get_xlabel() == "time [day]"
    mine = {name for name, _, _ in __import__("ergode.plot").plot.available(ergode.open(DIRECTORY / "solar"))}
    assert mine == {"energy_error", "orbits"}  # no radii are in its series


def density():
    ergode, numpy = need_package(), need("numpy")
    from ergode.plot import nbody

    run = ergode.open(DIRECTORY / "galaxy")
    snapshot = run.snapshots[0]
    # A frame with all bodies in it: mass per area adds up to the mass.
    reach = 1.01 * numpy.abs(snapshot.positions[:, :2]).max()
    image = nbody.surface_density(snapshot, (0, 0), reach, 64)
    assert abs(image.sum() * (2 * reach / 64) ** 2 / snapshot.masses.sum() - 1) < 1e-12
    heavy = numpy.unravel_index(image.argmax(), image.shape)
    centre = [(k + 0.5) * 2 * reach / 64 - reach for k in heavy]
    assert math.hypot(centre[0] + 20, centre[1] + 5) < 2 * reach / 64 * 2  # the larger galaxy is put at (-20, -5)
    assert abs(nbody._blurred(image).sum() / image.sum() - 1) < 1e-12
    figure = figure_of(run, "density")
    first, last, bar = figure.axes
    texts = [text.get_text() for text in last.texts]
    assert texts[1] == "t = 0.03125 kpc/(km/s)" and first.texts[1].get_text() == "t = 0 kpc/(km/s)"
    length, unit = texts[0].split()
    drawn = last.lines[0].get_xdata()
    assert unit == "kpc" and abs(drawn[1] - drawn[0] - float(length)) < 1e-9  # the bar is as long as it says
    assert first.get_xlim() == last.get_xlim() and "kpc$^{-2}$" in bar.get_ylabel()
    points = figure_of(ergode.open(DIRECTORY / "plummer"), "particles").axes[1].collections
    expected = ergode.open(DIRECTORY / "plummer").snapshots[-1].positions[:, :2]
    assert numpy.array_equal(numpy.concatenate([p.get_offsets() for p in points]), expected)


def histogram_and_convergence():
    ergode, h5py, numpy = need_package(), need("h5py"), need("numpy")
    run = ergode.open(DIRECTORY / "greeks")
    with h5py.File(DIRECTORY / "greeks/results.h5") as file:
        axes = figure_of(run, "distribution").axes
        assert [axis.get_title() for axis in axes] == [i.decode() for i in file["id"][:]]
        patch = axes[0].patches[0].get_data()
        counts, low, high = file["distribution/counts"][0], file["distribution/low"][0], file["distribution/high"][0]
        assert abs((patch.values * numpy.diff(patch.edges)).sum() - 1) < 1e-12  # a density
        assert patch.edges[0] == low and abs(patch.edges[-1] - high) < 1e-9
        assert numpy.allclose(patch.values * (high - low) / 64, counts / counts.sum())
        # The mean of the histogram is near the price: within half a bin and some standard errors.
        mean = ((patch.edges[1:] + patch.edges[:-1]) / 2 * counts).sum() / counts.sum()
        assert abs(mean - file["price"][0]) < (high - low) / 128 + 0.05 * file["price"][0]
        axis = figure_of(run, "convergence").axes[0]
        drawn = [line for line in lines_of(axis) if len(line) == file["convergence/paths"].shape[1]][0]
        assert numpy.array_equal(
            drawn, numpy.stack([file["convergence/paths"][0], file["convergence/price"][0]], axis=1)
        )
        band = axis.collections[0].get_paths()[0].vertices
        last = band[band[:, 0] == file["convergence/paths"][0, -1], 1]
        half = 1.959963984540054 * file["convergence/standard_error"][0, -1]
        assert abs(last.max() - (file["convergence/price"][0, -1] + half)) < 1e-9 * last.max()
        assert abs(last.min() - (file["convergence/price"][0, -1] - half)) < 1e-9 * last.max()


def smile_and_greeks():
    ergode, h5py, numpy = need_package(), need("h5py"), need("numpy")
    axis = figure_of(ergode.open(DIRECTORY / "smile"), "smile").axes[0]
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["SMILE, 1 year", "CRASH, 0.25 years"]
    with h5py.File(DIRECTORY / "smile/results.h5") as file:
        line = lines_of(axis)[0]
        assert list(line[:, 0]) == [70, 80, 90, 100, 110, 120, 130]
        assert numpy.allclose(line[:, 1], 100 * file["implied_volatility"][:7], rtol=1e-14)
    # Under Black & Scholes the smile is flat at the volatility of the config, and the Greeks are known.
    run = ergode.open(DIRECTORY / "greeks")
    flat = lines_of(figure_of(run, "smile").axes[0])[0]
    assert numpy.abs(flat[:, 1] - 18).max() < 0.2
    axes = [axis for axis in figure_of(run, "greeks").axes if axis.get_visible()]
    assert [a.get_ylabel().split()[0] for a in axes] == ["delta", "gamma", "vega", "theta", "rho"]
    assert axes[2].get_ylabel() == "vega [per 1.00 of volatility]"
    strike, delta = lines_of(axes[0])[0].T
    exact = [
        math.exp(-0.013) * 0.5 * (1 + math.erf((math.log(5000 / k) + 0.03 - 0.013 + 0.0162) / 0.18 / math.sqrt(2)))
        for k in strike
    ]
    assert list(strike) == [4500, 5000, 5500] and numpy.abs(delta - exact).max() < 0.01
    errors = axes[0].collections[0].get_segments()
    half = float(run.results["delta_standard_error"].sel(id="call-4500"))
    assert abs((errors[0][1, 1] - errors[0][0, 1]) / 2 - half) < 1e-12
    z = lines_of(figure_of(run, "z_scores").axes[0])[0]
    assert numpy.array_equal(z[:, 0], run.results["z_score"].values)


def scenarios_and_exercise():
    ergode, h5py, numpy = need_package(), need("h5py"), need("numpy")
    figure = figure_of(ergode.open(DIRECTORY / "basket"), "scenarios")
    with h5py.File(DIRECTORY / "basket/results.h5") as file:
        book = (file["scenarios/price"][:, :, 0, :] * file["quantity"][:]).sum(axis=2)
    mesh = figure.axes[0].collections[0]
    assert numpy.allclose(mesh.get_array().reshape(3, 3), book - book[1, 1], rtol=1e-12, atol=1e-9)
    texts = {(round(t.get_position()[0], 3), round(t.get_position()[1], 3)): t.get_text() for t in figure.axes[0].texts}
    assert texts[0, 1] == "0" and len(texts) == 9
    assert abs(float(texts[0.02, 0.9].replace(",", "")) - (book - book[1, 1])[0, 2]) <= 0.5
    run = ergode.open(DIRECTORY / "put")
    axis = figure_of(run, "exercise_boundary").axes[0]
    with h5py.File(DIRECTORY / "put/results.h5") as file:
        assert numpy.array_equal(
            lines_of(axis)[0],
            numpy.stack([file["exercise/time"][1], file["exercise/boundary"][1]], axis=1),
            equal_nan=True,
        )
    paths = figure_of(ergode.open(DIRECTORY / "basket"), "paths").axes
    assert all(line[0, 1] == 1 for axis in paths for line in lines_of(axis))


def sweeps():
    ergode, numpy = need_package(), need("numpy")
    ensemble = ergode.open(crossed_sweep(DIRECTORY, DIRECTORY / "solar"))
    axis = figure_of(ensemble, "largest_relative_energy_error").axes[0]
    image = axis.collections[0].get_array().reshape(3, 2)
    assert numpy.allclose(image[:2], numpy.log10([[1e-6, 2e-6], [4e-6, 8e-6]])) and image.mask[2].all()
    assert axis.get_xlabel() == "softening" and axis.get_ylabel() == "timestep"
    assert [t.get_text() for t in axis.get_yticklabels()] == ["0.01", "0.02", "0.04"]
    # One axis: the figure with the error that its members state.
    write_sweep(
        DIRECTORY / "one",
        ["done"] * 4,
        {"market.spot": ([110.0, 90.0, 100.0, 120.0], 0)},
        {
            "book_value": ([11.0, 9.0, 10.0, 12.0], "currency"),
            "book_value_standard_error_bound": ([0.1, 0.2, 0.3, 0.4], "currency"),
            "paths": ([1000] * 4, "1"),
        },
    )
    (DIRECTORY / "one/config.used.yaml").write_text("simulation: option_pricing\nname: one\n")
    one = ergode.open(DIRECTORY / "one")
    from ergode.plot import available

    assert [name for name, _, _ in available(one)] == ["book_value"]  # `paths` are the same everywhere
    axis = figure_of(one, "book_value").axes[0]
    assert lines_of(axis)[0].tolist() == [[90, 9], [100, 10], [110, 11], [120, 12]]
    segments = axis.collections[0].get_segments()
    assert [round((s[1, 1] - s[0, 1]) / 2, 12) for s in segments] == [0.2, 0.3, 0.1, 0.4]
    assert axis.get_ylabel() == "book value [currency]" and axis.get_xlabel() == "spot"
    # A figure that is a parameter is none; a text axis and a name with a dollar.
    write_sweep(
        DIRECTORY / "same",
        ["done"] * 4,
        {"integrator.steps": ([100, 100, 200, 200], 0), "bodies.0.name": (["$a", "b$_"] * 2, 1)},
        {"steps": ([100.0, 100.0, 200.0, numpy.nan], "1"), "time": ([1.0, 2.0, 3.0, 4.0], "1")},
    )
    (DIRECTORY / "same/config.used.yaml").write_text("simulation: nbody\nname: same\n")
    same = ergode.open(DIRECTORY / "same")
    assert [name for name, _, _ in available(same)] == ["time"]
    figure = figure_of(same, "time")
    figure.savefig(DIRECTORY / "same.png")
    ticks = [text._preprocess_math(text.get_text()) for text in figure.axes[0].get_xticklabels()]
    assert ticks == [("$a", False), ("b$_", False)], ticks
    # Many axes: panels over the third, evenly chosen, and of a fourth its middle, all said.
    values = numpy.arange(2 * 2 * 11 * 3, dtype=float)
    places = numpy.unravel_index(numpy.arange(values.size), (2, 2, 11, 3))
    write_sweep(
        DIRECTORY / "many",
        ["done"] * values.size,
        {f"p.{name}": (places[k].tolist(), k) for k, name in enumerate(("a", "b", "c", "d"))},
        {"time": (values.tolist(), "1")},
    )
    (DIRECTORY / "many/config.used.yaml").write_text("simulation: nbody\nname: many\n")
    many = ergode.open(DIRECTORY / "many")
    ((_, _, caption),) = available(many)
    assert caption == "time against a and b, for c, d = 1 alone."
    panels = [axis for axis in figure_of(many, "time").axes if axis.get_title()]
    assert [axis.get_title() for axis in panels] == [f"c = {c}, d = 1" for c in (0, 2, 4, 6, 8, 10)]
    image = panels[1].collections[0].get_array().reshape(2, 2)
    assert numpy.array_equal(image, values.reshape(2, 2, 11, 3)[:, :, 2, 1])
    # Seeds: mean and its standard error.
    write_sweep(
        DIRECTORY / "seeds",
        ["done"] * 6,
        {"integrator.timestep": ([0.1, 0.1, 0.1, 0.2, 0.2, 0.2], 0), "seed": ([1, 2, 3] * 2, 1)},
        {"virial_ratio": ([0.4, 0.5, 0.6, 0.7, 0.7, 0.7], "1")},
    )
    (DIRECTORY / "seeds/config.used.yaml").write_text("simulation: nbody\nname: seeds\n")
    axis = figure_of(ergode.open(DIRECTORY / "seeds"), "virial_ratio").axes[0]
    assert numpy.allclose(lines_of(axis)[0], [[0.1, 0.5], [0.2, 0.7]])
    assert numpy.allclose(
        [(s[1, 1] - s[0, 1]) / 2 for s in axis.collections[0].get_segments()], [0.1 / math.sqrt(3), 0], atol=1e-12
    )


def plot(*arguments):
    """The command as users give it, from another folder."""
    environment = {**os.environ, "ERGODE_PYTHON": sys.executable}
    return subprocess.run(
        ["bash", SOURCE / "scripts/plot.sh", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd="/",
        env=environment,
    )


def command():
    need_package()
    done = plot(DIRECTORY / "solar", "-o", DIRECTORY / "pictures", "--format", "both")
    assert done.returncode == 0, done.stderr
    made = sorted(path.name for path in (DIRECTORY / "pictures").iterdir())
    assert made == ["energy_error.pdf", "energy_error.png", "orbits.pdf", "orbits.png"], made
    assert sorted(pathlib.Path(line).name for line in done.stdout.split()) == made
    png, pdf = (DIRECTORY / "pictures/orbits.png").read_bytes(), (DIRECTORY / "pictures/orbits.pdf").read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and pdf[:5] == b"%PDF-"
    width = int.from_bytes(png[16:20], "big")
    assert width >= 700  # at half a page, 3.2 inches, 200 dots an inch and more
    assert plot(DIRECTORY / "smile", "--only", "smile").stdout.strip() == str(DIRECTORY / "smile/plots/smile.png")
    for arguments, words in (
        ((DIRECTORY / "nowhere",), "nowhere: no such file"),
        ((DIRECTORY / "solar", "--only", "smile"), "orbits"),
        ((DIRECTORY / "solar/series.h5",), "single file"),
    ):
        done = plot(*arguments)
        assert done.returncode == 1 and words in done.stderr and "Traceback" not in done.stderr, done.stderr


def movie_gif():
    """Without ffmpeg: as many frames as snapshots."""
    ergode = need_package()
    image = need("PIL.Image")
    from matplotlib import animation
    from ergode.plot.movie import movie

    animation.FFMpegWriter.isAvailable = classmethod(lambda cls: False)
    path = movie(ergode.open(DIRECTORY / "kepler"), DIRECTORY)
    with image.open(path) as gif:
        assert path.name == "movie.gif" and gif.n_frames == 101
    raises(ergode.ErgodeError, ["option_pricing", "no snapshots"], movie, ergode.open(DIRECTORY / "smile"), DIRECTORY)
    sweep = crossed_sweep(DIRECTORY, DIRECTORY / "kepler")
    raises(ergode.ErgodeError, ["is a sweep"], movie, ergode.open(sweep), DIRECTORY)
    for snapshot in sorted((DIRECTORY / "kepler/snapshots").iterdir())[1:]:
        snapshot.unlink()
    raises(ergode.MissingError, ["less than two"], movie, ergode.open(DIRECTORY / "kepler"), DIRECTORY)


def movie_of_few():
    """Each body in its colour, with its name and a trail in the plane in which they turn."""
    ergode, numpy = need_package(), need("numpy")
    from ergode.plot import movie, style

    run = ergode.open(DIRECTORY / "moon")
    _, axis = style.single((4.8, 4.8))
    draw = movie._few(axis, run, run.snapshots)
    _, _, places = run.snapshots.trajectories()
    for number in (2, 90):
        draw(number)
        names = [text.get_text().strip() for text in axis.get_legend().get_texts()]
        assert names == ["Sun", "Earth", "Moon", r"_probe\$"], names
        trails, markers = lines_of(axis)[0:8:2], lines_of(axis)[1:8:2]
        first = max(0, number + 1 - movie.TRAIL)
        for body in range(4):
            assert numpy.array_equal(trails[body], places[first : number + 1, body, :2])
            assert numpy.array_equal(markers[body], places[number : number + 1, body, :2])
        assert len({line.get_color() for line in axis.lines[1:8:2]}) == 4
        (left, right), (low, high) = axis.get_xlim(), axis.get_ylim()
        x, y = places[:, :, 0], places[:, :, 1]
        assert left < x.min() and x.max() < right and low < y.min() and y.max() < high


def planes():
    """The plane of the total angular momentum, however far out of it a small body goes."""
    ergode, numpy = need_package(), need("numpy")
    from ergode.plot import available, nbody

    run = ergode.open(DIRECTORY / "moon")
    extent = numpy.ptp(run.snapshots.trajectories()[2].reshape(-1, 3), axis=0)
    assert extent.argmin() == 1  # the plane in which they reach farthest would be x-z, the Earth's orbit a line
    axis = figure_of(run, "orbits").axes[0]
    assert axis.get_xlabel().startswith("x") and axis.get_ylabel().startswith("y")
    (caption,) = [caption for name, _, caption in available(run) if name == "orbits"]
    assert "x-y plane, nearest to that of the total angular momentum" in caption

    class Bodies:
        def __init__(self, masses, positions, velocities):
            self.masses, self.positions, self.velocities = masses, positions, velocities

    still, out = [0, 0, 0], [5, 0, 0]
    assert nbody.view(Bodies([1, 1], [[1, 0, 0], [-1, 0, 0]], [[0, 0, 1], [0, 0, -1]])) == (0, 2)
    assert nbody.view(Bodies([1, 0], [still, [0, 1, 0]], [still, [0, 0, 1]])) == (
        1,
        2,
    )  # a test particle about a body at rest
    assert nbody.view(Bodies([1, 1], [still, out], [[1, 0, 0], [-1, 0, 0]])) is None  # head on
    # About the centre of mass: that of the whole system, moving fast and far away, does not count.
    assert nbody.view(Bodies([1, 1], [[101, 0, 0], [99, 0, 0]], [[0, 9, 1], [0, 9, -1]])) == (0, 2)


def names_with_dollars():
    """Names are texts: no mathematics of a `$`, nothing left out for a `_`."""
    ergode = need_package()
    from ergode.plot import pictures
    from matplotlib.text import Text

    for run, wanted in (("moon", {"_probe$"}), ("dollars", {"$_$", "$\\frac{$"})):
        seen = set()
        for _, figure, _ in pictures(ergode.open(DIRECTORY / run)):
            figure.savefig(DIRECTORY / "dollars.png")  # where matplotlib reads its mathematics
            for text in figure.findobj(Text):
                plain, is_mathematics = text._preprocess_math(text.get_text())
                if not is_mathematics:
                    seen.add(plain.strip())
        assert wanted <= seen, seen


def movie_mp4():
    need_package()
    if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
        skip("ffmpeg is not installed")
    done = plot(DIRECTORY / "kepler", "--movie", "--only", "orbits")
    path = DIRECTORY / "kepler/plots/movie.mp4"
    assert done.returncode == 0 and str(path) in done.stdout.split(), done.stderr
    count = subprocess.run(
        [
            "ffprobe",
            "-v",
            "error",
            "-count_frames",
            "-select_streams",
            "v:0",
            "-show_entries",
            "stream=nb_read_frames",
            "-of",
            "csv=p=0",
            path,
        ],
        capture_output=True,
        text=True,
    )
    assert count.stdout.strip().rstrip(",") == "101", count


if __name__ == "__main__":
    globals()[sys.argv[1]]()
