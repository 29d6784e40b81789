"""What a run says about its own errors, as plain verdicts."""

import dataclasses
import math

import numpy

from ergode.errors import ErgodeError
from ergode.sweep import Sweep

GOOD, LOOK, BAD, UNKNOWN = "good", "look at it", "bad", "not checked"

# Where the config sets no bound.
ENERGY_ERROR = 1e-3  # beyond it a result of a long run is to be looked at
FORCE_ERROR = 1e-4  # beyond it Ergode itself warns
MOMENTUM_DRIFT = 1e-6  # forces that do not cancel in pairs to the precision of float
Z_SCORE = 4.0  # a right price is beyond it once in 16,000 options


@dataclasses.dataclass
class Check:
    name: str
    verdict: str
    text: str


def _state(summary):
    state, code = summary.get("state", "unknown"), summary.get("exit_code", "?")
    if state == "finished" and code == 0:
        count = f": {summary['unit']} of {summary['total']} {summary['unit_name']}s" if "unit" in summary else ""
        return Check("end of the run", GOOD, f"finished{count}")
    message = summary.get("message") or "no message"
    return Check("end of the run", BAD, f"{state}, exit code {code}: {message}")


def _warnings(run):
    try:
        lines = (run.directory / "run.log").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return Check("warnings", UNKNOWN, "there is no run.log")
    found = [line.split(None, 2)[-1] for line in lines if line.split()[1:2] in (["warning"], ["error"])]
    if not found:
        return Check("warnings", GOOD, "none in run.log")
    return Check(
        "warnings", LOOK, f"{len(found)} in run.log: " + "; ".join(found[:5]) + (" ..." if len(found) > 5 else "")
    )


def _figure(summary, name):
    value = summary.get("results", {}).get(name, {}).get("value")
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def _bounded(name, value, bound, key, default):
    """Against the bound of the config, of half of which Ergode warns, else against a rule of thumb."""
    if value is None:
        return Check(name, UNKNOWN, "not measured in this run")
    if bound:
        verdict = BAD if value > bound else LOOK if value > bound / 2 else GOOD
        return Check(name, verdict, f"{value:.2e}; the config allows {bound:g} ({key})")
    return Check(
        name, GOOD if value <= default else LOOK, f"{value:.2e}; the config sets no bound ({key}), {default:g} is usual"
    )


def nbody(run):
    summary, diagnostics = run.summary, run.config.get("diagnostics") or {}
    energy = _figure(summary, "largest_relative_energy_error")
    if energy is None:
        energy = _figure(summary, "relative_energy_error")
    checks = [
        _bounded(
            "energy error",
            abs(energy) if energy is not None else None,
            diagnostics.get("max_relative_energy_error"),
            "diagnostics.max_relative_energy_error",
            ENERGY_ERROR,
        )
    ]
    drift = _figure(summary, "momentum_drift")
    if drift is None:
        checks.append(Check("momentum drift", UNKNOWN, "not measured in this run"))
    else:
        checks.append(
            Check(
                "momentum drift",
                GOOD if drift <= MOMENTUM_DRIFT else LOOK,
                f"{drift:.2e} of the sum of m |v|; up to {MOMENTUM_DRIFT:g} is the rounding of forces",
            )
        )
    checks.append(
        _bounded(
            "force error",
            _figure(summary, "force_error"),
            diagnostics.get("max_force_error"),
            "diagnostics.max_force_error",
            FORCE_ERROR,
        )
    )
    return checks


def options(run):
    return [_closed_forms(run.results), _tolerances(run.results), _bias(run.results)]


def _names(ids):
    return ", ".join(str(i) for i in ids[:8]) + (f" and {len(ids) - 8} more" if len(ids) > 8 else "")


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
        text += f"; |z| beyond {Z_SCORE:g} within the stated bias: {_names(results['id'].values[explained])}"
    if beyond.any():
        return Check(
            "closed forms", BAD, f"{text}; beyond {Z_SCORE:g} standard errors: {_names(results['id'].values[beyond])}"
        )
    return Check("closed forms", GOOD, text)


def _tolerances(results):
    missed = results["id"].values[results["status"].values == "tolerance missed"]
    if len(missed):
        return Check(
            "tolerances", LOOK, f"missed by {len(missed)} of {results.sizes['id']}: {_names(missed)}. Raise max_paths"
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
            f"larger than the standard error: {_names(results['id'].values[large])}. Take more steps or double precision",
        )
    if stated.any():
        return Check("bias", GOOD, f"stated for {stated.sum()} of {len(bias)} options, within the standard error each")
    return Check("bias", GOOD, "none found beyond its own error")


def sweep(ensemble):
    status = ensemble.index["status"]
    failed = ensemble.index["member"][status == "failed"]
    pending = (status == "pending").sum()
    verdict = BAD if len(failed) else LOOK if pending else GOOD
    text = f"{(status == 'done').sum()} of {len(status)} done"
    text += f", {pending} pending" if pending else ""
    text += f", {len(failed)} failed: {_names(failed)}" if len(failed) else ""
    return [Check("members", verdict, text)]


def checks(run):
    """All of a run or sweep."""
    if isinstance(run, Sweep):
        return sweep(run)
    try:
        summary = run.summary
    except ErgodeError as problem:
        return [Check("end of the run", BAD, str(problem))]
    found = [_state(summary), _warnings(run)]
    if run.kind == "option_pricing":
        return found + (options(run) if run.has("results") else [])
    return found + (nbody(run) if run.kind == "nbody" else [])
