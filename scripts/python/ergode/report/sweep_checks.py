"""What the index and logs of a sweep say about its members' errors."""

import numpy

from ergode.lock import owner
from ergode.log import sweep_warnings
from ergode.report.judge import BAD, DRIFT, ENERGY, FORCE, GOOD, LOOK, UNKNOWN, Check, judge_members, names


def _at_work(ensemble):
    """A sweep has its lock, or one for each task."""
    locks = [owner(path) for path in (ensemble.directory, *(ensemble.directory / "tasks").glob("task_*"))]
    alive = [who for who, gone in filter(None, locks) if gone is None]
    return f"at work: {alive[0]}" if alive else "nobody is at work on them: --resume goes on"


def _members(ensemble):
    status = ensemble.index["status"]
    failed = ensemble.index["member"][status == "failed"]
    pending = (status == "pending").sum()
    verdict = BAD if len(failed) else LOOK if pending else GOOD
    text = f"{(status == 'done').sum()} of {len(status)} done"
    text += f", {pending} pending ({_at_work(ensemble)})" if pending else ""
    text += f", {len(failed)} failed: {names(failed)}" if len(failed) else ""
    return Check("members", verdict, text)


def _warnings(ensemble):
    found = sweep_warnings(ensemble)
    if found is None:
        return Check("warnings", UNKNOWN, "there is no run.log")
    of_members, others = found
    if not of_members and not others:
        return Check("warnings", GOOD, "none in the logs")
    parts = [f"{len(others)} of the sweep: " + "; ".join(others[:5])] if others else []
    if of_members:
        first = min(of_members)
        parts.append(
            f"of {len(of_members)} members: {names(sorted(of_members))}; the first, of member {first}: {of_members[first][0]}"
        )
    return Check("warnings", LOOK, "; ".join(parts))


def _limits(ensemble, bound):
    """The config's bound for each member, which may be a parameter of the sweep; None where it sets none."""
    swept = ensemble.parameters.get(bound.key)
    if swept is not None and swept.dtype.kind in "fiu":
        return swept
    own = bound.of_config(ensemble.config)
    return numpy.full(len(ensemble.members), own) if own else None


def _column(ensemble, *figures):
    """The sizes of the first of these figures that the index has; NaN without any."""
    for name in figures:
        values = ensemble.results.get(name)
        if values is not None and values.dtype.kind in "fiu":
            return numpy.abs(values.astype(float))
    return numpy.full(len(ensemble.members), numpy.nan)


def _nbody(ensemble):
    columns = (
        (ENERGY, ("largest_relative_energy_error", "relative_energy_error")),
        (DRIFT, ("momentum_drift",)),
        (FORCE, ("force_error",)),
    )
    return [
        judge_members(bound, ensemble.index["member"], _column(ensemble, *figures), _limits(ensemble, bound))
        for bound, figures in columns
    ]


def _options(ensemble):
    missed = numpy.nan_to_num(_column(ensemble, "tolerances_missed"))
    beyond = ensemble.index["member"][missed > 0]
    if len(beyond):
        text = f"missed by {int(missed.sum())} options in {len(beyond)} members: {names(beyond)}. Raise max_paths"
        tolerances = Check("tolerances", LOOK, text)
    else:
        tolerances = Check("tolerances", GOOD, "none missed")
    text = "not in the index: a report on a member has them (SWEEP/members/member_000012)"
    return [tolerances, Check("closed forms", UNKNOWN, text)]


def sweep(ensemble):
    kinds = {"nbody": _nbody, "option_pricing": _options}
    further = kinds.get(ensemble.config.get("simulation"))
    return [_members(ensemble), _warnings(ensemble), *(further(ensemble) if further else [])]
