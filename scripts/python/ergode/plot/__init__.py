"""Pictures of runs and sweeps. `python -m ergode.plot RUN` writes them; `pictures(run)` makes them for other uses."""

from ergode.plot import nbody, options, style, sweep
from ergode.sweep import Sweep


def available(run):
    """(name, function from the run to a figure, what it shows) of every picture that the run or sweep has the data for."""
    if isinstance(run, Sweep):
        return sweep.pictures(run)
    known = {"nbody": nbody, "option_pricing": options}
    return known[run.kind].pictures(run) if run.kind in known else []


def pictures(run, only=()):
    """Yields (name, figure, what it shows) one after the other; each figure is closed when the next is asked for."""
    for name, draw, caption in available(run):
        if only and name not in only:
            continue
        with style.plt.rc_context(style.RC):
            figure = draw(run)
            try:
                yield name, figure, caption
            finally:
                style.plt.close(figure)
