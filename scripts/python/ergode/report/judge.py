"""Verdicts on numbers, the same for a run and for the members of a sweep."""

import dataclasses

import numpy

GOOD, LOOK, BAD, UNKNOWN = "good", "look at it", "bad", "not checked"


@dataclasses.dataclass
class Check:
    name: str
    verdict: str
    text: str


@dataclasses.dataclass
class Bound:
    """Up to which an error is good. `key`: of the config's own bound, of half of which Ergode warns."""

    name: str
    usual: float  # where the config sets none
    key: str = ""
    rule: str = "is usual"
    wrong: float = numpy.inf  # beyond it bad, too, where the config sets none

    def verdict(self, value, bound=None):
        if bound:
            return BAD if value > bound else LOOK if value > bound / 2 else GOOD
        return GOOD if value <= self.usual else LOOK if value <= self.wrong else BAD

    def text(self, bound=None):
        if bound:
            return f"the config allows {bound:g} ({self.key})"
        unset = f"the config sets no bound ({self.key}), " if self.key else ""
        return f"{unset}{self.usual:g} {self.rule}"

    def of_config(self, config):
        """The config's own bound, or None."""
        section, _, key = self.key.partition(".")
        return (config.get(section) or {}).get(key) if key else None


ENERGY = Bound("energy error", 1e-3, "diagnostics.max_relative_energy_error", wrong=0.1)
FORCE = Bound("force error", 1e-4, "diagnostics.max_force_error")  # beyond it Ergode itself warns
# What forces make that do not cancel in pairs to the precision of float.
DRIFT = Bound("momentum drift", 1e-6, "", "of the sum of m |v| is the rounding of forces")


def names(ids):
    return ", ".join(str(i) for i in ids[:8]) + (f" and {len(ids) - 8} more" if len(ids) > 8 else "")


def judge(bound, value, limit, note=""):
    """Of one run; `limit` is the config's bound, None without one; `note` says where the value is from."""
    if value is None:
        return Check(bound.name, UNKNOWN, "not measured in this run")
    return Check(bound.name, bound.verdict(value, limit), f"{value:.2e}{note}; {bound.text(limit)}")


def judge_members(bound, members, values, limits):
    """Of the members that have a finite value: how many are beyond the bound, and which are worst. `limits`: one a member, or
    None where the config sets no bound."""
    known = numpy.isfinite(values)
    if not known.any():
        return Check(bound.name, UNKNOWN, "not measured in a member that is done")
    members, values = members[known], values[known]
    limits = [None] * len(values) if limits is None else limits[known].tolist()
    verdicts = [bound.verdict(value, limit) for value, limit in zip(values, limits)]
    verdict = next(verdict for verdict in (BAD, LOOK, GOOD) if verdict in verdicts)
    worst = numpy.argsort(-values, kind="stable")
    said = bound.text(limits[worst[0]])
    if verdict == GOOD:
        return Check(bound.name, GOOD, f"at most {values[worst[0]]:.2e}, of {len(values)} members; {said}")
    beyond = [k for k in worst if verdicts[k] != GOOD]
    named = ", ".join(f"{members[k]} ({values[k]:.2e})" for k in beyond[:5])
    counts = [f"{verdicts.count(v)} {v}" for v in (BAD, LOOK) if v in verdicts]
    return Check(bound.name, verdict, f"of {len(values)} members {' and '.join(counts)}; the worst: {named}; {said}")
