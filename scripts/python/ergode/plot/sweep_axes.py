"""What the axes of a sweep are called in pictures, and the places along them."""

import numpy

from ergode.axes import MEMBER
from ergode.plot import style

NAMED = 3  # parameters of one axis whose names and values are shown


def _coordinates(dataset, dimension):
    """Those along it: of one parameter its own, of several that go together theirs."""
    along = [name for name, values in dataset.coords.items() if values.dims == (dimension,)]
    keys = [name for name in along if name != MEMBER]
    return keys[:NAMED] or along


def _more(dataset, dimension):
    count = sum(values.dims == (dimension,) for name, values in dataset.coords.items() if name != MEMBER) - NAMED
    return f" and {count} more" if count > 0 else ""


def name_of(dataset, dimension):
    """`softening`; of parameters that go together `timestep, softening`."""
    return ", ".join(_coordinates(dataset, dimension) or [dimension]) + _more(dataset, dimension)


def _text(value):
    return style.number(value) if isinstance(value, (int, float)) else str(value)


def texts_of(dataset, dimension):
    """One a place: `0.1`; of parameters that go together `0.01, 0.1`."""
    columns = [dataset[name].values.tolist() for name in _coordinates(dataset, dimension)]
    if not columns:
        return [str(place) for place in range(dataset.sizes[dimension])]
    return [", ".join(_text(value) for value in row) for row in zip(*columns)]


def axis_of(dataset, dimension):
    """Places, the texts at them where they are no numbers of one parameter, and the label, ready for drawing."""
    names = _coordinates(dataset, dimension)
    label = style.plain(name_of(dataset, dimension).replace("_", " "))
    if len(names) == 1 and dataset[names[0]].dtype.kind in "fiu":
        values = dataset[names[0]]
        return values.values.astype(float), None, style.label(label, values.attrs.get("units", ""))
    texts = [style.plain(text) for text in texts_of(dataset, dimension)]
    return numpy.arange(len(texts), dtype=float), texts, label
