"""Units of N-body runs, as quantities of unyt or astropy."""

import functools
import re

import numpy

# What the units that Ergode writes are in SI. The packages' own values differ: in unyt 2.9 the solar mass by 3e-6.
METRES = {"m": 1.0, "km": 1e3, "AU": 1.495978707e11, "kpc": 3.0856775814913673e19}
KILOGRAMS = {"kg": 1.0, "solar_mass": 1.3271244e20 / 6.67430e-11}
SECONDS = {"s": 1.0, "day": 86400.0}

TIME_UNITS = {"nbody": "1", "si": "s", "solar": "day", "galactic": "kpc km-1 s"}


def parse(units):
    """`1e10_solar_mass kpc km s-1` as a factor and a list of (symbol, exponent)."""
    factor, powers = 1.0, []
    for word in units.split():
        if word == "1":
            continue
        match = re.fullmatch(r"(?:(\d[\d.eE+]*)_)?([A-Za-z_]+)(-?\d+)?", word)
        if match is None or not any(match[2] in table for table in (METRES, KILOGRAMS, SECONDS)):
            raise ValueError(f"unknown unit {word!r} in {units!r}")
        exponent = int(match[3] or 1)
        factor *= float(match[1] or 1) ** exponent
        powers.append((match[2], exponent))
    return factor, powers


@functools.lru_cache(maxsize=1)
def _unyt_registry():
    import unyt

    registry = unyt.UnitRegistry()
    for symbol, value, dimension in (
        ("AU", METRES["AU"], unyt.dimensions.length),
        ("kpc", METRES["kpc"], unyt.dimensions.length),
        ("Msun", KILOGRAMS["solar_mass"], unyt.dimensions.mass),
    ):  # unyt takes solar_mass for Msun
        if symbol in registry:
            registry.remove(symbol)
        registry.add(symbol, value, dimension)
    return registry


@functools.lru_cache(maxsize=None)
def _astropy_symbol(symbol):
    from astropy import units

    for table, base in ((METRES, units.m), (KILOGRAMS, units.kg), (SECONDS, units.s)):
        if symbol in table:
            return base if table[symbol] == 1 else units.def_unit(symbol, table[symbol] * base)
    raise ValueError(f"unknown unit {symbol!r}")


def quantity(values, units, package):
    """`values` in `units` (as a file states them) as a quantity of `package`: "unyt" or "astropy". A number in the unit, as
    in `1e10_solar_mass`, is multiplied into the values. With package None the values are returned as they are."""
    if package is None:
        return values
    if package not in ("unyt", "astropy"):
        raise ValueError(f"units={package!r}: may be None, 'unyt' or 'astropy'")
    factor, powers = parse(units)
    scaled = numpy.asarray(values) * factor if factor != 1 else numpy.asarray(values)
    if package == "unyt":
        import unyt

        unit = unyt.Unit(
            "*".join(f"{symbol}**({power})" for symbol, power in powers) or "dimensionless", registry=_unyt_registry()
        )
        return unyt.unyt_array(scaled, unit) if scaled.ndim else unyt.unyt_quantity(scaled, unit)
    from astropy import units as astropy_units

    unit = astropy_units.dimensionless_unscaled
    for symbol, power in powers:
        unit = unit * _astropy_symbol(symbol) ** power
    return astropy_units.Quantity(scaled, unit)
