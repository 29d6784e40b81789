#!/usr/bin/env python3
"""Compares a run of the book that reference_book.py made from CSV with the table's values, row by row.

A row passes when |estimate - value| <= 4 standard errors + the row's tolerance + the stated bias, which itself may not
exceed the larger of 2 standard errors and 0.2 % of the value. Early exercise: the lower bound, without its stated date
bias, lies between 0.995 value - 4 errors (heston: value - tolerance - 4 errors) and value + 4 errors + tolerance; an
upper bound plus 4 errors is not below the value and within 2 % of it. Over all rows whose standard error is real (not
early exercise, error at least three times the tolerance) the mean z^2 lies in [0.8, 1.25], once there are 100 of them;
with several runs, of different seeds, so does the mean of each family (model and product) over all runs.

Rows named by --except are known to be wrong in the table itself: they are listed apart with what was found, and count
neither as passed nor as failed, nor in the means. They must be in the table and in every run.

Reads RUN_DIR/results.h5 through h5py, or RUN_DIR/results.csv where h5py is not installed. Exit status: 0 when every row
that can be expressed passes, 1 when one does not or is missing, 4 when a file is bad.
"""
import argparse
import csv
import json
import math
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import reference_book  # beside this script

EARLY = ("bermudan", "american")
MEAN_Z2 = (0.8, 1.25)
MEAN_Z2_ROWS = 100  # of fewer the mean of z^2 says little
COLUMNS = ["price", "standard_error", "bias", "lower_bound", "lower_bound_standard_error", "upper_bound",
           "upper_bound_standard_error"]


def read_hdf5(path, columns):
    import h5py
    with h5py.File(path, "r") as file:
        ids = [value.decode() if isinstance(value, bytes) else str(value) for value in file["id"][:]]
        table = {column: [float(v) for v in file[column][:]] for column in columns if column in file}
    return {id: {column: values[i] for column, values in table.items()} for i, id in enumerate(ids)}


def read_csv(path, columns):
    with open(path, newline="", encoding="utf-8") as file:
        return {row["id"]: {c: float(row[c]) if row[c] else math.nan for c in columns if c in row}
                for row in csv.DictReader(file)}


def read_results(directory, columns):
    """id -> column -> number, NaN where there is none. Raises OSError, KeyError, ValueError."""
    sealed, text = directory / "results.h5", directory / "results.csv"
    if sealed.exists():
        try:
            return read_hdf5(sealed, columns)
        except ImportError:
            if not text.exists():
                raise OSError(f"{sealed}: h5py is not installed, and there is no results.csv") from None
    return read_csv(text, columns)


class Judge:
    """The verdict on one row."""

    def __init__(self, row, instrument, result):
        self.row, self.value, self.tolerance = row, row["value"], row["tolerance"]
        self.early = instrument["product"] in EARLY
        self.heston = row["model"] == "heston"
        self.result = result
        self.quantity = row["parameters"].get("quantity", "price")
        self.column = "price" if self.quantity == "fair_variance" else self.quantity
        self.failures = []
        price = self.column == "price"
        self.estimate = self.get(self.column)
        self.error = self.get("standard_error" if price else self.column + "_standard_error")
        self.bias = self.get("bias", 0.0) if price else 0.0  # the stated bias is the price's
        if self.early and price and not math.isnan(self.get("lower_bound")):
            self.estimate = self.get("lower_bound")
            self.error = self.get("lower_bound_standard_error", self.error)
        if math.isnan(self.estimate):
            self.failures.append("no value")
        elif not self.error >= 0:
            self.failures.append("no standard error")
        elif self.early and price:
            self.judge_early()
        else:
            self.judge_plain()

    def get(self, column, default=math.nan):
        value = self.result.get(column, math.nan)
        return default if math.isnan(value) else value

    def judge_bias(self):
        if abs(self.bias) > max(2 * self.error, 0.002 * abs(self.value)):
            self.failures.append("stated bias too large")

    def judge_plain(self):
        self.judge_bias()
        if abs(self.estimate - self.value) > 4 * self.error + self.tolerance + abs(self.bias):
            self.failures.append("off")

    def judge_early(self):
        self.judge_bias()
        slack = 4 * self.error + self.tolerance
        low = self.value - slack if self.heston else 0.995 * self.value - 4 * self.error
        if self.estimate - min(self.bias, 0.0) < low:
            self.failures.append("lower bound too low")
        if self.estimate - max(self.bias, 0.0) > self.value + slack:
            self.failures.append("lower bound too high")
        upper = self.get("upper_bound")
        if not math.isnan(upper):
            error = self.get("upper_bound_standard_error", 0.0)
            if upper + 4 * error < self.value + min(self.bias, 0.0) - self.tolerance:
                self.failures.append("upper bound too low")
            if upper > 1.02 * self.value:
                self.failures.append("upper bound too high")

    @property
    def z(self):
        return (self.estimate - self.value) / self.error if self.error > 0 else math.nan

    @property
    def real_error(self):
        return not self.early and self.error > 0 and self.error >= 3 * self.tolerance and not math.isnan(self.estimate)

    def report(self, family, run):
        return {"run": run, "id": self.row["id"], "family": family, "quantity": self.quantity, "reference": self.value,
                "value": self.estimate, "error": self.error, "bias": self.bias, "tolerance": self.tolerance, "z": self.z,
                "upper_bound": self.get("upper_bound"), "in_mean_z2": self.real_error,
                "verdict": ", ".join(self.failures) or "ok"}


def judge_run(rows, results, run):
    """Reports of the judged rows, and which are missing."""
    judged, missing = [], []
    for row, instrument in rows:
        if row["id"] in results:
            family = f"{instrument_model(row)} {instrument['product']}"
            judged.append(Judge(row, instrument, results[row["id"]]).report(family, run))
        else:
            missing.append({"run": run, "id": row["id"]})
    return judged, missing


def instrument_model(row):
    return reference_book.MODEL_ALIASES.get(row["model"], row["model"])


def mean_z2(judged):
    squares = [r["z"] ** 2 for r in judged if r["in_mean_z2"]]
    mean = sum(squares) / len(squares) if squares else math.nan
    enough = len(squares) >= MEAN_Z2_ROWS
    return {"mean_z2": mean, "rows": len(squares), "judged": enough,
            "ok": not enough or MEAN_Z2[0] <= mean <= MEAN_Z2[1]}


def summarise(judged, excepted, left_out, missing, several):
    failed = [{"run": r["run"], "id": r["id"], "verdict": r["verdict"]} for r in judged if r["verdict"] != "ok"]
    overall, families = mean_z2(judged), {}
    for family in sorted({r["family"] for r in judged if r["in_mean_z2"]}) if several else []:
        families[family] = mean_z2([r for r in judged if r["family"] == family])
    ok = bool(judged) and not failed and not missing and all(m["ok"] for m in [overall, *families.values()])
    return {"rows": len(judged), "passed": len(judged) - len(failed), "failed": failed, "missing": missing,
            "excepted": [{key: r[key] for key in ("run", "id", "reference", "value", "error", "z")} for r in excepted],
            "left_out": [{"id": id, "reason": reason} for id, reason in left_out], "all": overall, "families": families,
            "ok": ok}


def print_table(judged, several):
    """With `several` runs, the run's name last."""
    width = max([len(r["id"]) for r in judged] + [2])
    print(f"{'id':{width}}  {'quantity':13}  {'reference':>14}  {'value':>14}  {'error':>9}  {'bias':>9}  {'z':>7}  "
          "verdict")
    for r in judged:
        z = "" if math.isnan(r["z"]) else f"{r['z']:+.2f}"
        print(f"{r['id']:{width}}  {r['quantity']:13}  {r['reference']:14.8g}  {r['value']:14.8g}  {r['error']:9.2g}  "
              f"{r['bias']:9.2g}  {z:>7}  {r['verdict']}" + (f"  {r['run']}" if several else ""))


def print_mean(name, mean):
    verdict = ("ok" if mean["ok"] else "OUTSIDE") if mean["judged"] else "too few rows to judge"
    print(f"mean z^2, {name}: {mean['mean_z2']:.3f} over {mean['rows']} rows "
          f"(allowed {MEAN_Z2[0]} to {MEAN_Z2[1]}): {verdict}")


def print_summary(s):
    for entry in s["left_out"]:
        print(f"left out: {entry['id']}: {entry['reason']}")
    for entry in s["excepted"]:
        z = "no z" if math.isnan(entry["z"]) else f"z = {entry['z']:+.2f}"
        print(f"excepted, not judged: {entry['id']}: value {entry['value']:.8g} +- {entry['error']:.2g}, "
              f"table {entry['reference']:.8g}, {z}")
    for entry in s["missing"]:
        print(f"missing in {entry['run']}: {entry['id']}")
    print(f"{s['passed']} of {s['rows']} rows pass, {len(s['missing'])} missing, {len(s['left_out'])} left out, "
          f"{len(s['excepted'])} excepted")
    for family, mean in s["families"].items():
        print_mean(family, mean)
    print_mean("all", s["all"])
    print("PASS" if s["ok"] else "FAIL")


def without_nan(value):
    """JSON has no NaN."""
    if isinstance(value, dict):
        return {k: without_nan(v) for k, v in value.items()}
    if isinstance(value, list):
        return [without_nan(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", metavar="CSV", help="the table")
    parser.add_argument("run", metavar="RUN_DIR", type=pathlib.Path, nargs="+",
                        help="run directories of the book, one a seed")
    parser.add_argument("--json", metavar="FILE", help="write rows and summary there too")
    parser.add_argument("--only", metavar="REGEX", default="", help="only rows in whose id this is found")
    parser.add_argument("--except", metavar="ID,ID", dest="exceptions", default="",
                        help="rows to list apart and not to count: the table's value is known to be wrong")
    parser.add_argument("--failures", action="store_true", help="print only the rows that fail")
    arguments = parser.parse_args()
    try:
        wanted = re.compile(arguments.only)
    except re.error as problem:
        parser.error(f"--only: {problem}")
    greeks = [g + suffix for g in reference_book.GREEKS for suffix in ("", "_standard_error")]
    judged, missing, rows, left_out = [], [], [], []
    exceptions = set(filter(None, arguments.exceptions.split(",")))
    try:
        table = reference_book.read_table(arguments.csv)
        unknown = exceptions - {row["id"] for row in table}
        if unknown:
            parser.error(f"--except: no row '{min(unknown)}' in {arguments.csv}")
        for row in table:
            try:
                if wanted.search(row["id"]):
                    rows.append((row, reference_book.express(row)[1]))
            except reference_book.CannotExpress as reason:
                left_out.append((row["id"], str(reason)))
        for run in arguments.run:
            results = read_results(run, COLUMNS + greeks)
            new, lacking = judge_run(rows, results, str(run))
            judged += new
            missing += lacking
    except (reference_book.BadTable, OSError) as problem:
        print(problem, file=sys.stderr)
        return 4
    except (KeyError, ValueError) as problem:
        print(f"{run}: not a table of results: {problem}", file=sys.stderr)
        return 4
    several = len(arguments.run) > 1
    excepted = [r for r in judged if r["id"] in exceptions]
    judged = [r for r in judged if r["id"] not in exceptions]
    summary = summarise(judged, excepted, left_out, missing, several)
    print_table([r for r in judged if not arguments.failures or r["verdict"] != "ok"], several)
    print_summary(summary)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(without_nan({"summary": summary, "rows": judged + excepted}), file, indent=1)
            file.write("\n")
    return 0 if summary["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
