"""Pictures of a sweep: headline figures against its parameters."""

import itertools

import numpy
from matplotlib.ticker import MaxNLocator

from ergode.axes import MEMBER
from ergode.plot import style
from ergode.plot.sweep_axes import axis_of, name_of, texts_of

SEED = "seed"
ERRORS = ("_standard_error", "_standard_error_bound")
NO_RESULTS = ("interaction_rate", "interactions", "steps", "path_steps")  # how much was computed, and how fast
SMALL = ("error", "drift")  # figures whose size counts, on a logarithmic scale
PANELS = 6  # maps in one picture


def is_small(name):
    return name.endswith(SMALL)


def _is_parameter(dataset, variable):
    """Whether a figure says no more than a parameter does, as the number of steps where it is swept."""
    return any(
        bool(((variable == coordinate) | variable.isnull()).all())
        for coordinate in dataset.coords.values()
        if coordinate.dtype.kind in "fiu"
    )


def figures_of(dataset):
    """Names of the headline figures that are worth a picture: numbers that differ between members, errors and parameters apart."""
    found = []
    for name, variable in dataset.data_vars.items():
        if name in (MEMBER, "status", *NO_RESULTS) or name.endswith(ERRORS) or variable.dtype.kind not in "fi":
            continue
        values = variable.values[numpy.isfinite(variable.values)]
        if len(values) > 1 and numpy.ptp(values) > 0 and not _is_parameter(dataset, variable):
            found.append(name)
    return found


def error_of(dataset, name):
    """The standard errors beside a figure, or None."""
    return next((dataset[name + ending] for ending in ERRORS if name + ending in dataset), None)


def has_seeds(variable):
    """Whether there is something besides the seeds to draw it against."""
    return SEED in variable.dims and variable.ndim > 1


def over_seeds(dataset, name):
    """Mean and standard error over the seeds that have the figure; without an axis of seeds the figure and the error that its
    members state. Of figures whose size counts the sizes: signs would cancel in a mean."""
    variable = numpy.abs(dataset[name]) if is_small(name) else dataset[name]
    if not has_seeds(variable):
        return variable, error_of(dataset, name)
    count, mean = variable.notnull().sum(SEED), variable.mean(SEED)
    variance = ((variable - mean) ** 2).sum(SEED) / (count - 1).where(count > 1)
    return mean, numpy.sqrt(variance / count)


def is_partial(variable):
    """Where some seeds have the figure and others not."""
    if not has_seeds(variable):
        return numpy.zeros(variable.shape, dtype=bool)
    count = variable.notnull().sum(SEED).values
    return (count > 0) & (count < variable.sizes[SEED])


def _missing(dataset, marks):
    """What a caption says of members without figures; `marks`: how they are drawn."""
    status = dataset["status"].values
    done, lost = (status == "done").sum(), {s: (status == s).sum() for s in ("failed", "pending")}
    if not any(lost.values()):
        return ""
    return (
        f" {done} of {status.size} members are in it, {', '.join(f'{n} {s}' for s, n in lost.items() if n)}: {marks}."
    )


def caption(dataset, name):
    mean, _ = over_seeds(dataset, name)
    seeds, map_of_it = has_seeds(dataset[name]), mean.ndim > 1
    text = f"{name} against {' and '.join(name_of(dataset, d) for d in mean.dims[:2])}"
    if mean.ndim > 2:
        text += f", for {name_of(dataset, mean.dims[2])}"
    chosen = {d: mean.sizes[d] // 2 for d in mean.dims[3:]}
    text += "".join(f", {words} alone" for words in _fixed(dataset, chosen))
    if seeds:
        text += ": mean of the sizes over seeds" if is_small(name) else ": mean over seeds"
        text += "" if map_of_it else ", with its standard error"
    if map_of_it:
        return (
            text
            + "."
            + _missing(dataset, ("hatched where a seed is missing, " if seeds else "") + "grey where all are")
        )
    return text + "." + _missing(dataset, "hollow where a seed is missing" if seeds else "left out")


def pictures(sweep):
    dataset = sweep.dataset
    found = []
    for name in figures_of(dataset):
        dimensions = over_seeds(dataset, name)[0].ndim
        if dimensions:
            found.append((name, (_lines if dimensions == 1 else _map)(name), caption(dataset, name)))
    return found


def _is_logarithmic(values):
    """Positive values whose ratios are more even than their steps."""
    values = numpy.unique(numpy.asarray(values, dtype=float))
    if len(values) < 3 or values[0] <= 0:
        return False
    steps, ratios = numpy.diff(values), numpy.diff(numpy.log(values))
    return ratios.std() / ratios.mean() < steps.std() / steps.mean() - 1e-9


def _words(dataset, name, logarithm=False):
    """Of a figure, as its axis has it."""
    size = ("mean size of " if has_seeds(dataset[name]) else "size of ") if is_small(name) else ""
    size = f"log$_{{10}}$ of the {size}\n" if logarithm else size  # the bar of a map is short
    return size + style.label(style.plain(name.replace("_", " ")), dataset[name].attrs.get("units", ""))


def _lines(name):
    def draw(sweep):
        dataset = sweep.dataset
        value, error = over_seeds(dataset, name)
        (dimension,) = value.dims
        x, texts, label = axis_of(dataset, dimension)
        y, partial = value.values.astype(float), is_partial(dataset[name])
        order = numpy.argsort(x)
        figure, axis = style.single()
        axis.errorbar(
            x[order],
            y[order],
            None if error is None else error.values[order],
            fmt="o-",
            capsize=3,
            color=style.COLOURS[0],
        )
        if partial.any():
            axis.plot(x[partial], y[partial], "o", color=style.COLOURS[0], markerfacecolor="white", zorder=3)
        if texts:
            _text_ticks(axis, x, texts)
        elif _is_logarithmic(x):
            axis.set_xscale("log")
            if len(x) <= 8:
                axis.set_xticks(x, [style.number(value) for value in x])
                axis.minorticks_off()
        elif dataset[dimension].dtype.kind in "iu":
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        if is_small(name) and (y != 0).all():
            axis.set_yscale("log")
        axis.set(xlabel=label, ylabel=_words(dataset, name))
        return figure

    return draw


def _text_ticks(axis, places, texts):
    every = -(-len(texts) // 10)
    long = max(map(len, texts)) > 8
    axis.set_xticks(
        places[::every],
        texts[::every],
        rotation=30 if long else 0,
        ha="right" if long else "center",
        rotation_mode="anchor",
    )


def _fixed(dataset, chosen):
    """`name = value` for each dimension at one of its places."""
    return [f"{name_of(dataset, d)} = {texts_of(dataset, d)[place]}" for d, place in chosen.items()]


def slices(value):
    """The maps to draw, as {dimension: place}: over the third axis, evenly chosen where there are many, further ones at their
    middle."""
    if value.ndim == 2:
        return [{}]
    further = {d: value.sizes[d] // 2 for d in value.dims[3:]}
    length = value.sizes[value.dims[2]]
    places = sorted(set(numpy.linspace(0, length - 1, min(length, PANELS)).round().astype(int).tolist()))
    return [{value.dims[2]: place, **further} for place in places]


def _map(name):
    def draw(sweep):
        dataset = sweep.dataset
        value, _ = over_seeds(dataset, name)
        maps = slices(value)
        images = [value.isel(chosen).values.astype(float) for chosen in maps]
        partial = is_partial(dataset[name])
        finite = numpy.concatenate([image[numpy.isfinite(image)] for image in images])
        logarithmic = is_small(name) and (finite != 0).all()
        images = [numpy.log10(image) if logarithmic else image for image in images]
        finite = numpy.log10(finite) if logarithmic else finite
        limits = {"vmin": finite.min(), "vmax": finite.max()} if len(finite) else {}
        figure, axes = style.panels(
            len(maps),
            columns=2 if len(maps) == 4 else 3,
            size=style.SINGLE if len(maps) == 1 else (2.9, 2.6),
            sharey=True,
        )
        for axis, chosen, image in zip(axes, maps, images):
            drawn = _mesh(axis, image, **limits)
            places = tuple([slice(None)] * 2 + list(chosen.values()))
            _hatch(axis, numpy.argwhere(partial[places]))
            axis.set_title(style.plain(", ".join(_fixed(dataset, chosen))), fontsize=9)
        _map_ticks(dataset, figure, axes, value.dims[:2])
        figure.colorbar(drawn, ax=axes, label=_words(dataset, name, logarithmic))
        return figure

    return draw


def _mesh(axis, image, **limits):
    axis.grid(False)
    axis.set_facecolor("0.85")  # members without a figure
    return axis.pcolormesh(
        numpy.arange(image.shape[1] + 1) - 0.5,
        numpy.arange(image.shape[0] + 1) - 0.5,
        numpy.ma.masked_invalid(image),
        cmap=style.SEQUENTIAL,
        **limits,
    )


def _hatch(axis, cells):
    for row, column in cells:
        axis.add_patch(
            style.plt.Rectangle(
                (column - 0.5, row - 0.5), 1, 1, fill=False, hatch="///", linewidth=0, edgecolor="white"
            )
        )


def _map_ticks(dataset, figure, axes, dimensions):
    for axis, (number, dimension) in itertools.product(axes, enumerate(dimensions)):
        texts = texts_of(dataset, dimension)
        if number == 1:
            _text_ticks(axis, numpy.arange(len(texts)), [style.plain(text) for text in texts])
        else:
            every = -(-len(texts) // 10)
            axis.set_yticks(numpy.arange(0, len(texts), every), [style.plain(text) for text in texts[::every]])
    first, second = (axis_of(dataset, dimension)[2] for dimension in dimensions)
    if len(axes) == 1:
        axes[0].set(xlabel=second, ylabel=first)
    else:
        figure.supxlabel(second, fontsize=10)
        figure.supylabel(first, fontsize=10)
