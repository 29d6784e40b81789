"""How the pictures look: sizes for half a page, colours that colour-blind readers can tell apart, labels with units."""

import math
import re

import matplotlib
import numpy
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

# Okabe & Ito (2008), without its yellow, which is too light for lines; told apart by markers too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SEQUENTIAL = "cividis"  # Nunez, Anderton & Renslow (2018): the same to all kinds of colour vision
DIVERGING = "PuOr"
BAND = 0.2  # opacity of error bands
SINGLE, PER_PANEL = (5.2, 3.6), (3.4, 2.7)  # inches

RC = {
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "axes.labelsize": 10,
    "axes.titlesize": 10,
    "legend.fontsize": 9,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "savefig.dpi": 200,
    "savefig.bbox": "tight",
    "pdf.fonttype": 42,
    "axes.formatter.use_mathtext": True,
    "axes.formatter.limits": (-3, 5),
}

_SYMBOLS = {"solar_mass": r"M$_\odot$"}
_COMPOSED = {
    "kpc km-1 s": "kpc/(km/s)",
    "km s-1": "km/s",
    "AU day-1": "AU/day",
    "m s-1": "m/s",
    "1/year^0.5": r"year$^{-1/2}$",
    "1/year": r"year$^{-1}$",
}


def panels(count, columns=3, size=PER_PANEL, **arguments):
    """A figure with `count` panels in rows, and its axes as a flat list."""
    columns = min(columns, count)
    rows = math.ceil(count / columns)
    figure, grid = plt.subplots(rows, columns, figsize=(size[0] * columns, size[1] * rows), squeeze=False, **arguments)
    axes = list(grid.ravel())
    for axis in axes[count:]:
        axis.set_visible(False)
    return figure, axes[:count]


def single(size=SINGLE):
    return plt.subplots(figsize=size)


def _word(word):
    match = re.fullmatch(r"(?:1e(\d+)_)?([A-Za-z_]+)(-?\d+)?", word)
    if match is None:
        return word
    factor = rf"$10^{{{match[1]}}}$ " if match[1] else ""
    exponent = rf"$^{{{match[3]}}}$" if match[3] else ""
    return factor + _SYMBOLS.get(match[2], match[2]) + exponent


def unit_text(units, system=""):
    """For people: `kpc km-1 s` as `kpc/(km/s)`; a pure number is "", or N-body units where `system` says nbody."""
    if units in ("1", "", None):
        return "N-body units" if system == "nbody" else ""
    if units in _COMPOSED:
        return _COMPOSED[units]
    return units if units.startswith("per ") else " ".join(_word(word) for word in units.split())


def plain(text):
    """A text of the user's for matplotlib, which would take `$` for mathematics and leave out what begins with `_`."""
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def label(name, units="", system=""):
    text = unit_text(units, system)
    return f"{name} [{text}]" if text else name


def nice_below(value):
    """The largest of 1, 2, 5, 10, ... that is at most `value`."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(step * power for step in (1, 2, 5) if step * power <= value * (1 + 1e-12))


def number(value):
    """Short, for texts in pictures."""
    return f"{value:.4g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


def count(value):
    """A number of paths: 4096 as `4k`, 262144 as `262k`, 2e6 as `2M`."""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:.3g}{letter}"
    return f"{value:g}"


def amount(value):
    """With sign and thousands, three digits or the whole number."""
    return "0" if value == 0 else f"{value:+,.0f}" if 100 <= abs(value) < 1e7 else f"{value:+.3g}"


def years(value):
    return "1 year" if value == 1 else f"{value:g} years"


def whole_decades(axis, values):
    """Limits of a logarithmic y axis around positive values."""
    values = values[numpy.isfinite(values) & (values > 0)]
    if len(values):
        low, high = numpy.floor(numpy.log10(values.min())), numpy.ceil(numpy.log10(values.max()))
        axis.set_ylim(10.0**low, 10.0 ** max(high, low + 1))


def plain_logarithmic(axis):
    """A logarithmic y axis with numbers at 1, 2, 5, 10 ..."""
    axis.set_yscale("log")
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.yaxis.set_minor_formatter(NullFormatter())


def text_colour(axis_image, value):
    """Black or white, whichever is read better on the image's colour of `value`."""
    red, green, blue, _ = axis_image.cmap(axis_image.norm(value))
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"


def edges(centres):
    """Of cells around sorted centres."""
    centres = numpy.asarray(centres, dtype=float)
    if len(centres) == 1:
        return numpy.array([centres[0] - 0.5, centres[0] + 0.5])
    middle = (centres[1:] + centres[:-1]) / 2
    return numpy.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])
