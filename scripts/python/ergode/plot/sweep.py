"""Pictures of a sweep: headline figures against its parameters."""

import numpy

from ergode.axes import MEMBER
from ergode.plot import style

SEED = "seed"
ERRORS = ("_standard_error", "_standard_error_bound")
NO_RESULTS = ("interaction_rate", "interactions", "steps", "path_steps")  # how much was computed, and how fast
SMALL = ("error", "drift")  # figures whose size counts, on a logarithmic scale


def figures_of(dataset):
    """Names of the headline figures that are worth a picture: numbers that differ between members, errors apart."""
    found = []
    for name, variable in dataset.data_vars.items():
        if name in (MEMBER, "status", *NO_RESULTS) or name.endswith(ERRORS) or variable.dtype.kind not in "fi":
            continue
        values = variable.values[numpy.isfinite(variable.values)]
        if len(values) > 1 and numpy.ptp(values) > 0:
            found.append(name)
    return found


def error_of(dataset, name):
    """The standard errors beside a figure, or None."""
    return next((dataset[name + ending] for ending in ERRORS if name + ending in dataset), None)


def over_seeds(dataset, name):
    """Mean and standard error over the axis of seeds; without one the figure and the error that its members state."""
    variable = dataset[name]
    if SEED not in variable.dims or variable.ndim == 1:
        return variable, error_of(dataset, name)
    count = variable.notnull().sum(SEED)
    return variable.mean(SEED), variable.std(SEED, ddof=1) / numpy.sqrt(count)


def pictures(sweep):
    found = []
    for name in figures_of(sweep.dataset):
        mean, _ = over_seeds(sweep.dataset, name)
        of_seeds = ": mean over seeds" if mean.ndim < sweep.dataset[name].ndim else ""
        if mean.ndim == 1:
            error = ", with its standard error" if of_seeds else ""
            found.append((name, _lines(name), f"{name} against {mean.dims[0]}{of_seeds}{error}."))
        elif mean.ndim >= 2:
            found.append((name, _map(name), f"{name} against {mean.dims[0]} and {mean.dims[1]}{of_seeds}."))
    return found


def _is_logarithmic(values):
    """Positive values whose ratios are more even than their steps."""
    values = numpy.unique(numpy.asarray(values, dtype=float))
    if len(values) < 3 or values[0] <= 0:
        return False
    steps, ratios = numpy.diff(values), numpy.diff(numpy.log(values))
    return ratios.std() / ratios.mean() < steps.std() / steps.mean() - 1e-9


def _words(name, units=""):
    return style.label(name.replace("_", " "), units)


def _numbers(coordinate):
    """Values to draw at, and texts where they are none."""
    if coordinate.dtype.kind in "fiu":
        return coordinate.values.astype(float), None
    return numpy.arange(coordinate.size, dtype=float), [str(value) for value in coordinate.values]


def _lines(name):
    def draw(sweep):
        value, error = over_seeds(sweep.dataset, name)
        (dimension,) = value.dims
        x, texts = _numbers(sweep.dataset[dimension])
        y = value.values.astype(float)
        small = name.endswith(SMALL) and (y != 0).all()
        order = numpy.argsort(x)
        figure, axis = style.single()
        axis.errorbar(
            x[order],
            (numpy.abs(y) if small else y)[order],
            None if error is None else error.values[order],
            fmt="o-",
            capsize=3,
            color=style.COLOURS[0],
        )
        if texts:
            axis.set_xticks(x, texts)
        if _is_logarithmic(x) and not texts:
            axis.set_xscale("log")
            if len(x) <= 8:
                axis.set_xticks(x, [style.number(value) for value in x])
                axis.minorticks_off()
        if small:
            axis.set_yscale("log")
        axis.set(
            xlabel=_words(dimension, sweep.dataset[dimension].attrs.get("units", "")),
            ylabel=("size of " if small else "") + _words(name, sweep.dataset[name].attrs.get("units", "")),
        )
        return figure

    return draw


def _map(name):
    def draw(sweep):
        value, _ = over_seeds(sweep.dataset, name)
        first, second = value.dims[:2]
        fixed = {dimension: 0 for dimension in value.dims[2:]}
        image = value.isel(fixed).values.astype(float)
        small = name.endswith(SMALL) and (image[numpy.isfinite(image)] != 0).all()
        image = numpy.log10(numpy.abs(image)) if small else image
        figure, axis = style.single()
        drawn = axis.pcolormesh(
            numpy.arange(image.shape[1] + 1) - 0.5,
            numpy.arange(image.shape[0] + 1) - 0.5,
            numpy.ma.masked_invalid(image),
            cmap=style.SEQUENTIAL,
        )
        for set_ticks, dimension in ((axis.set_yticks, first), (axis.set_xticks, second)):
            texts = [
                style.number(v) if isinstance(v, (int, float)) else str(v)
                for v in sweep.dataset[dimension].values.tolist()
            ]
            every = -(-len(texts) // 10)
            set_ticks(numpy.arange(0, len(texts), every), texts[::every])
        axis.set(xlabel=_words(second), ylabel=_words(first))
        axis.grid(False)
        axis.set_facecolor("0.85")  # members without a figure
        if fixed:
            axis.set_title(", ".join(f"{d} = {style.number(float(sweep.dataset[d][0]))}" for d in fixed))
        words = _words(name, sweep.dataset[name].attrs.get("units", ""))
        figure.colorbar(drawn, ax=axis, label=f"log$_{{10}}$ of the size of {words}" if small else words)
        return figure

    return draw
