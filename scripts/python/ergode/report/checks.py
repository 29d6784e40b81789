"""What a run says about its own errors, as plain verdicts."""

import math

import numpy

from ergode.errors import ErgodeError
from ergode.lock import owner
from ergode.log import run_warnings
from ergode.report.judge import BAD, DRIFT, ENERGY, FORCE, GOOD, LOOK, UNKNOWN, Check, judge, names
from ergode.report.sweep_checks import sweep
from ergode.sweep import Sweep

Z_SCORE = 4.0  # a right price is beyond it once in 16,000 options


def _state(run):
    summary = run.summary
    state, code = summary.get("state", "unknown"), summary.get("exit_code", "?")
    unit, total, unit_name = (summary.get(key) for key in ("unit", "total", "unit_name"))
    count = f"{unit} of {total} {unit_name}s" if None not in (unit, total, unit_name) else ""
    if state == "finished" and code == 0:
        return Check("end of the run", GOOD, f"finished: {count}" if count else "finished")
    if state == "running":
        return _running(run.directory, count)
    message = summary.get("message") or "no message"
    return Check("end of the run", BAD, f"{state}, exit code {code}: {message}")


def _running(directory, count):
    """The state of a live run, and the last one of a run that was killed: the lock tells them apart."""
    who, gone = owner(directory) or ("", "it has no lock")
    after = f" after {count}" if count else ""
    if gone is None:
        return Check("end of the run", UNKNOWN, f"it goes on{after}: {who}")
    return Check("end of the run", BAD, f"killed or lost{after} ({gone}); --resume goes on, or starts anew")


def _warnings(run):
    found = run_warnings(run)
    if found is None:
        return Check("warnings", UNKNOWN, "there is no run.log")
    if not found:
        return Check("warnings", GOOD, "none in run.log")
    return Check(
        "warnings", LOOK, f"{len(found)} in run.log: " + "; ".join(found[:5]) + (" ..." if len(found) > 5 else "")
    )


def _figure(summary, *figures):
    """The first of them that is there and a number."""
    for name in figures:
        value = summary.get("results", {}).get(name, {}).get("value")
        if isinstance(value, (int, float)) and math.isfinite(value):
            return abs(float(value))
    return None


def _so_far(run):
    """{name of a bound: value}, from the series, of a run that has not come to its end or was killed."""
    try:
        series = run.series
    except ErgodeError:
        return {}
    found = {}
    for bound, name in ((ENERGY, "relative_energy_error"), (FORCE, "force_error")):
        if name in series and numpy.isfinite(series[name]).any():
            found[bound.name] = float(numpy.nanmax(numpy.abs(series[name])))
    if "momentum" in series and series.sizes["time"] and len(run.snapshots):
        last = run.snapshots.plain()[-1]
        scale = float((last.masses * numpy.linalg.norm(last.velocities, axis=1)).sum())
        drift = numpy.linalg.norm(series["momentum"] - series["momentum"][0], axis=1).max()
        if scale > 0:
            found[DRIFT.name] = float(drift) / scale
    return found


def nbody(run):
    summary, checks = run.summary, []
    figures = {
        ENERGY.name: _figure(summary, "largest_relative_energy_error", "relative_energy_error"),
        DRIFT.name: _figure(summary, "momentum_drift"),
        FORCE.name: _figure(summary, "force_error"),
    }
    so_far = {} if summary.get("state") == "finished" else _so_far(run)
    for bound in (ENERGY, DRIFT, FORCE):
        value, note = figures[bound.name], ""
        if value is None and bound.name in so_far:
            value, note = so_far[bound.name], " so far, by the series"
        checks.append(judge(bound, value, bound.of_config(run.config), note))
    return checks


def options(run):
    return [_closed_forms(run.results), _tolerances(run.results), _bias(run.results)]


def _closed_forms(results):
    """A stated bias belongs to the error: it may explain a large z-score."""
    z = results["z_score"].values
    known = numpy.isfinite(z)
    if not known.any():
        return Check("closed forms", UNKNOWN, "none is known for an option of this book")
    off = results["price"] - results["reference_value"]
    error = results["standard_error"]
    bias = numpy.abs(numpy.nan_to_num(results["bias"].values))
    beyond = known & (numpy.abs(off.values) > Z_SCORE * error.values + bias)
    explained = known & (numpy.abs(z) > Z_SCORE) & ~beyond
    text = (
        f"{known.sum()} of {len(z)} options have one; largest |z| {numpy.abs(z[known]).max():.2f}, "
        f"mean of z squared {numpy.mean(z[known] ** 2):.2f} (1 is expected)"
    )
    if explained.any():
        text += f"; |z| beyond {Z_SCORE:g} within the stated bias: {names(results['id'].values[explained])}"
    if beyond.any():
        return Check(
            "closed forms", BAD, f"{text}; beyond {Z_SCORE:g} standard errors: {names(results['id'].values[beyond])}"
        )
    return Check("closed forms", GOOD, text)


def _tolerances(results):
    missed = results["id"].values[results["status"].values == "tolerance missed"]
    if len(missed):
        return Check(
            "tolerances", LOOK, f"missed by {len(missed)} of {results.sizes['id']}: {names(missed)}. Raise max_paths"
        )
    return Check("tolerances", GOOD, "none missed")


def _bias(results):
    bias, error = results["bias"].values, results["standard_error"].values
    stated = numpy.isfinite(bias) & (bias != 0)
    large = stated & (numpy.abs(bias) > error)
    if large.any():
        return Check(
            "bias",
            LOOK,
            f"larger than the standard error: {names(results['id'].values[large])}. Take more steps or double precision",
        )
    if stated.any():
        return Check("bias", GOOD, f"stated for {stated.sum()} of {len(bias)} options, within the standard error each")
    return Check("bias", GOOD, "none found beyond its own error")


def checks(run):
    """All of a run or sweep."""
    if isinstance(run, Sweep):
        return sweep(run)
    try:
        found = [_state(run), _warnings(run)]
    except ErgodeError as problem:
        return [Check("end of the run", BAD, str(problem))]
    if run.kind == "option_pricing":
        return found + (options(run) if run.has("results") else [])
    return found + (nbody(run) if run.kind == "nbody" else [])
