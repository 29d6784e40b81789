"""Pictures of an N-body run."""

import numpy
from matplotlib.colors import LogNorm

from ergode.plot import style

FEW = 10  # bodies whose orbits are drawn
MANY = 2000  # bodies from which on their density is drawn
SMOOTH_TURN = 30.0  # degrees between snapshots up to which an orbit is drawn as a line


def pictures(run):
    """(name, function, what it shows), of those that the run has the data for."""
    found = []
    series = run.series if run.has("series") else {}
    if "relative_energy_error" in series and series.sizes["time"] > 1:
        found.append(("energy_error", energy_error, "Size of the relative energy error against time."))
    if "lagrangian_radius" in series and series.sizes["mass_fraction"] > 0 and series.sizes["time"] > 1:
        found.append(("lagrangian_radii", lagrangian_radii, "Radii that hold a fraction of the mass, against time."))
    if len(run.snapshots) > 0:
        size = len(run.snapshots[0])
        if size <= FEW and len(run.snapshots) > 1:
            found.append(("orbits", orbits, _orbits_caption(run)))
        elif size < MANY:
            found.append(("particles", particles, "The bodies in the first and the last snapshot."))
        else:
            found.append(
                ("density", density, "Mass per area along the line of sight in the first and the last snapshot.")
            )
    return found


def _system(run):
    return run.config.get("units", "")


def _time_label(series, run):
    return style.label("time", series["time"].attrs.get("units"), _system(run))


def energy_error(run):
    series = run.series
    size = numpy.abs(series["relative_energy_error"].values)
    figure, axis = style.single()
    axis.semilogy(series["time"], numpy.where(size > 0, size, numpy.nan), color=style.COLOURS[0])
    style.whole_decades(axis, size)
    axis.set(xlabel=_time_label(series, run), ylabel=r"relative energy error $|E - E_0|/|E_0|$")
    axis.set_xlim(float(series["time"][0]), float(series["time"][-1]))
    return figure


def lagrangian_radii(run):
    series = run.series
    radius = series["lagrangian_radius"]
    fractions = series["mass_fraction"].values
    figure, axis = style.single()
    shades = style.plt.get_cmap(style.SEQUENTIAL)(numpy.linspace(0, 0.85, len(fractions)))
    for k, fraction in enumerate(fractions):
        axis.plot(series["time"], radius[:, k], color=shades[k])
        axis.annotate(
            f"{100 * fraction:g} %",
            (float(series["time"][-1]), float(radius[-1, k])),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            color=shades[k],
            fontsize=9,
            annotation_clip=False,
        )
    style.plain_logarithmic(axis)
    axis.set(
        xlabel=_time_label(series, run),
        ylabel=style.label("Lagrangian radius", radius.attrs.get("units"), _system(run)),
    )
    axis.set_xlim(float(series["time"][0]), float(series["time"][-1]))
    return figure


def body_names(run, ids):
    """From the config, where its bodies are a list; else their ids."""
    components = run.config.get("initial_conditions", {})
    components = components if isinstance(components, list) else [components]
    bodies = components[0].get("bodies", []) if len(components) == 1 else []
    return [
        bodies[i - 1].get("name") or f"body {i}" if 0 < i <= len(bodies) else f"body {i}" for i in (int(j) for j in ids)
    ]


def view(snapshot):
    """The two Cartesian axes of the plane in which bodies turn: that nearest to the plane of the total angular momentum about
    the centre of mass. Where it vanishes (test particles about a body at rest) the test particles count instead, as of equal
    mass; None where nothing turns."""
    x, v, masses = (
        numpy.asarray(part, dtype=float) for part in (snapshot.positions, snapshot.velocities, snapshot.masses)
    )
    for weights in (masses, numpy.where(masses > 0, 0.0, 1.0)):
        if not weights.sum() > 0:
            continue
        centre, drift = (numpy.average(part, axis=0, weights=masses if masses.any() else weights) for part in (x, v))
        spins = weights[:, None] * numpy.cross(x - centre, v - drift)
        size = (weights * numpy.linalg.norm(x - centre, axis=1) * numpy.linalg.norm(v - drift, axis=1)).sum()
        spin = numpy.abs(spins.sum(axis=0))
        if spin.max() > 1e-6 * size:
            return tuple(k for k in range(3) if k != spin.argmax())
    return None


def plane(run):
    """The two axes of the pictures of few bodies, and the caption's words on them."""
    turned = view(run.snapshots.plain()[0])
    if turned is not None:
        return turned, "nearest to that of the total angular momentum"
    return widest_plane(run.snapshots.trajectories()[2]), "in which they reach farthest"


def _orbits_caption(run):
    axes, why = plane(run)
    names = "-".join("xyz"[k] for k in axes)
    return f"Places of the bodies in all snapshots, in the {names} plane, {why}; large markers: the last."


def widest_plane(places):
    """The two Cartesian axes along which (..., 3) reach farthest; x, y in doubt."""
    extent = numpy.ptp(places.reshape(-1, 3), axis=0)
    if extent[2] <= min(extent[0], extent[1]) * (1 + 1e-9):
        return 0, 1
    return tuple(sorted(numpy.argsort(extent)[1:].tolist()))


def is_smooth(path):
    """Whether a path (T, 2) turns little enough from one snapshot to the next to be drawn as a line."""
    steps = numpy.diff(path, axis=0)
    steps = steps[numpy.hypot(*steps.T) > 0]
    if len(steps) < 3:
        return False
    directions = numpy.unwrap(numpy.arctan2(steps[:, 1], steps[:, 0]))
    return numpy.degrees(numpy.median(numpy.abs(numpy.diff(directions)))) < SMOOTH_TURN


def tracks(run):
    """Names of the bodies, their places (T, N, 2) in the plane of the pictures, the two axes of it."""
    ids, _, places = run.snapshots.trajectories()
    axes, _ = plane(run)
    return body_names(run, ids), places[:, :, list(axes)], axes


def draw_tracks(axis, names, places, smooth):
    """Each body's path with a marker at its end; those that are `smooth` as lines."""
    for k, name in enumerate(names):
        path, colour, marker = places[:, k], style.COLOURS[k % 7], style.MARKERS[k % 7]
        axis.plot(*path.T, "-" if smooth[k] else ".", color=colour, markersize=2.5, linewidth=1.1)
        axis.plot(
            *path[-1:].T,
            marker,
            color=colour,
            markersize=7,
            markeredgecolor="white",
            markeredgewidth=0.6,
            label=style.plain(name),
        )


def orbits(run):
    names, places, (first, second) = tracks(run)
    figure, axis = style.single((5.2, 4.2))
    draw_tracks(axis, names, places, [is_smooth(path) for path in places.swapaxes(0, 1)])
    units = run.snapshots[0].units["length"]
    axis.set(
        xlabel=style.label("xyz"[first], units, _system(run)), ylabel=style.label("xyz"[second], units, _system(run))
    )
    axis.set_aspect("equal")
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def frame(snapshots):
    """Centre (2,) and half width of a square that shows most of the bodies in each of the snapshots."""
    middles, reaches = [], []
    for snapshot in snapshots:
        x = numpy.asarray(snapshot.positions)[:, :2]
        middles.append(numpy.median(x, axis=0))
    middle = numpy.mean(middles, axis=0)
    for snapshot in snapshots:
        x = numpy.asarray(snapshot.positions)[:, :2]
        distance = numpy.abs(x - middle).max(axis=1)
        reaches.append(min(1.1 * distance.max(), 1.5 * numpy.percentile(distance, 95)))
    return middle, max(reaches) or 1.0


def scene(axis, middle, reach, snapshot, colour):
    """Bare axes with a scale bar and the time."""
    units = snapshot.units
    length = style.nice_below(0.55 * reach)
    x, y = middle[0] - 0.9 * reach, middle[1] - 0.88 * reach
    axis.plot([x, x + length], [y, y], color=colour, linewidth=2.5, solid_capstyle="butt")
    unit = style.unit_text(units["length"])
    axis.text(
        x + length / 2,
        y + 0.03 * reach,
        f"{style.number(length)} {unit}".strip(),
        color=colour,
        ha="center",
        va="bottom",
    )
    when = style.unit_text(units["time"])
    axis.text(
        0.05,
        0.95,
        f"t = {style.number(float(snapshot.time))} {when}".strip(),
        color=colour,
        transform=axis.transAxes,
        va="top",
    )
    axis.set(
        xlim=(middle[0] - reach, middle[0] + reach),
        ylim=(middle[1] - reach, middle[1] + reach),
        xticks=[],
        yticks=[],
        aspect="equal",
    )
    axis.grid(False)
    for spine in axis.spines.values():
        spine.set_visible(False)


def _ends(run):
    """Plain snapshots: the first and the last."""
    snapshots = run.snapshots.plain()
    return [snapshots[0]] if len(snapshots) == 1 else [snapshots[0], snapshots[-1]]


def particles(run):
    ends = _ends(run)
    middle, reach = frame(ends)
    figure, axes = style.panels(len(ends), size=(3.2, 3.2))
    for axis, snapshot in zip(axes, ends):
        scatter(axis, snapshot)
        scene(axis, middle, reach, snapshot, "black")
        for spine in axis.spines.values():
            spine.set_visible(True)
    return figure


def scatter(axis, snapshot):
    """The bodies as points, larger where they are few; test particles in another colour."""
    x = numpy.asarray(snapshot.positions)
    size = float(numpy.clip(2000 / len(x), 1.5, 40))
    massive = numpy.asarray(snapshot.masses) > 0
    for chosen, colour in ((~massive, style.COLOURS[1]), (massive, style.COLOURS[0])):
        axis.scatter(x[chosen, 0], x[chosen, 1], s=size, color=colour, alpha=0.7, linewidths=0)


def surface_density(snapshot, middle, reach, bins):
    """Mass per area on a square of (bins, bins) cells, [x, y]."""
    x = numpy.asarray(snapshot.positions)
    limits = [(middle[k] - reach, middle[k] + reach) for k in (0, 1)]
    mass, _, _ = numpy.histogram2d(x[:, 0], x[:, 1], bins=bins, range=limits, weights=numpy.asarray(snapshot.masses))
    return mass / (2 * reach / bins) ** 2


def _blurred(image):
    """By one cell: binomial weights 1, 2, 1 in both directions."""
    for axis in (0, 1):
        padded = numpy.pad(image, [(1, 1) if k == axis else (0, 0) for k in (0, 1)], mode="edge")
        first, second, third = (numpy.take(padded, range(k, k + image.shape[axis]), axis=axis) for k in (0, 1, 2))
        image = (first + 2 * second + third) / 4
    return image


def density(run):
    ends = _ends(run)
    middle, reach = frame(ends)
    bins = int(numpy.clip(1.6 * numpy.sqrt(len(ends[0])), 48, 400))
    images = [_blurred(surface_density(snapshot, middle, reach, bins)) for snapshot in ends]
    high = max(image.max() for image in images)
    low = max(min(image[image > 0].min() for image in images), high * 1e-5)
    colours = style.plt.get_cmap(style.SEQUENTIAL).copy()
    colours.set_bad(colours(0.0))
    figure, axes = style.panels(len(ends), size=(3.3, 3.0))
    for axis, image, snapshot in zip(axes, images, ends):
        shown = numpy.ma.masked_less_equal(image.T, 0)
        drawn = axis.imshow(
            shown,
            origin="lower",
            norm=LogNorm(low, high),
            cmap=colours,
            interpolation="bilinear",
            extent=[middle[0] - reach, middle[0] + reach, middle[1] - reach, middle[1] + reach],
        )
        scene(axis, middle, reach, snapshot, "white")
    units = ends[0].units
    text = "surface density" + (
        f" [{style.unit_text(units['mass'])} {units['length']}$^{{-2}}$]" if units["mass"] != "1" else " [N-body units]"
    )
    figure.colorbar(drawn, ax=axes, label=text, shrink=0.9, pad=0.02)
    return figure
