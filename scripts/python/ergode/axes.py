"""The axes of a sweep: from one value a member to a grid."""

import dataclasses

import numpy

MEMBER = "member"


@dataclasses.dataclass
class Axis:
    name: str  # of the dimension
    keys: list  # key paths of its parameters
    places: numpy.ndarray  # of each member along it
    size: int


def labels(keys):
    """The shortest ends of the key paths that tell them apart, with _ for the points."""
    for parts in range(1, 1 + max((key.count(".") + 1 for key in keys), default=1)):
        ends = ["_".join(key.split(".")[-parts:]) for key in keys]
        if len(set(ends)) == len(keys):
            break
    return ends if keys else []


def axes(parameters, numbers, members):
    """`parameters`: key -> values over the members; `numbers`: key -> number of its axis, or None in a zipped sweep. Where the
    members are no grid, one axis `member` takes all keys."""
    zipped = [Axis(MEMBER, list(parameters), numpy.arange(members), members)]
    by_number = {}
    for key in parameters:
        by_number.setdefault(numbers[key], []).append(key)
    if None in by_number or not by_number or (len(by_number) == 1 and len(parameters) > 1):
        return zipped
    single = [keys[0] for keys in by_number.values() if len(keys) == 1]
    names = dict(zip(single, labels(single)))
    found = []
    for number, keys in sorted(by_number.items()):
        seen = {}
        rows = zip(*(parameters[key].tolist() for key in keys))
        places = numpy.array([seen.setdefault(row, len(seen)) for row in rows], dtype=int)
        found.append(Axis(names.get(keys[0], f"axis_{number}"), keys, places, len(seen)))
    return found if _apart(found, members) else zipped


def _apart(found, members):
    if members == 0:
        return False
    flat = numpy.ravel_multi_index([axis.places for axis in found], [axis.size for axis in found])
    return len(numpy.unique(flat)) == members


def grid(found, values, fill):
    """The values of the members on the axes; `fill` where there is no member."""
    values = numpy.asarray(values)
    if values.dtype.kind == "U":
        dtype = numpy.dtype(f"U{max(values.dtype.itemsize // 4, len(fill), 1)}")
    else:
        dtype = numpy.result_type(values.dtype, type(fill))
    result = numpy.full([axis.size for axis in found], fill, dtype=dtype)
    result[tuple(axis.places for axis in found)] = values
    return result
