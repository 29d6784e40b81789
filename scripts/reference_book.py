#!/usr/bin/env python3
"""Turns a table of reference values into a config of `simulation: option_pricing`, one instrument a row.

The table is CSV with the columns id, model, product, parameters, value, abs_tolerance_or_se, source; `parameters` is
packed as key=value;key=value, with | between the values of several assets and / between the rows of a matrix. Each
instrument keeps its row's id and has underlyings, and so random numbers, of its own. Rows that cannot be expressed are
listed on stderr with the reason. Exit status: 0, or 4 when the table itself is bad.
"""
import argparse
import csv
import json
import math
import re
import sys

COLUMNS = ["id", "model", "product", "parameters", "value", "abs_tolerance_or_se", "source"]
GREEKS = ["delta", "gamma", "vega", "theta", "rho"]

JUMP = ["jump_intensity", "jump_mean", "jump_stddev"]
HESTON = ["v0", "kappa", "theta", "sigma_v", "rho"]
MODELS = {
    "gbm": ["volatility"],
    "cev": ["cev_sigma", "cev_beta"],
    "heston": HESTON,
    "bates": HESTON + JUMP,
    "merton_jump": ["volatility"] + JUMP,
    "kou_jump": ["volatility", "jump_intensity", "jump_up_prob", "eta_up", "eta_down"],
}
MODEL_ALIASES = {"gbm_multi": "gbm"}

# Product: the keys it must have and those it may have, beside maturity.
MONITORED = ["monitoring", "fixings"]
PRODUCTS = {
    "european": (["type", "strike"], []),
    "digital": (["type", "strike"], ["payout", "cash"]),
    "asian": (["type", "average"], ["strike", "strike_type", "past_fixings"] + MONITORED),
    "barrier": (["type", "strike", "barrier", "barrier_type"], ["rebate", "rebate_at"] + MONITORED),
    "double_barrier": (["type", "strike", "lower_barrier", "upper_barrier", "barrier_type"],
                       ["rebate", "rebate_at"] + MONITORED),
    "lookback": (["type", "strike_type"], ["strike", "running_extreme"] + MONITORED),
    "basket": (["type", "strike", "average"], ["weights"]),
    "rainbow": (["type", "strike", "select"], []),
    "spread": (["strike"], ["type"]),
    "exchange": ([], []),
    "forward_start": (["type", "start", "moneyness"], []),
    "cliquet": (["resets"], ["notional", "local_floor", "local_cap", "global_floor", "global_cap"]),
    "variance_swap": ([], ["strike", "notional"] + MONITORED),
    "autocallable": (["autocall_level", "coupon", "observations"],
                     ["memory", "knock_in_barrier", "knock_in_monitoring", "notional"]),
    "bermudan": (["type", "strike", "exercise_dates"], ["payoff", "weights"]),
    "american": (["type", "strike"], ["payoff", "weights"]),
}
ALIASES = {
    "asian_arithmetic": ("asian", {"average": "arithmetic"}),
    "asian_geometric": ("asian", {"average": "geometric"}),
    "lookback_fixed": ("lookback", {"strike_type": "fixed"}),
    "lookback_floating": ("lookback", {"strike_type": "floating"}),
    "basket_arithmetic": ("basket", {"average": "arithmetic"}),
    "basket_geometric": ("basket", {"average": "geometric"}),
    "rainbow_max": ("rainbow", {"select": "max"}),
    "rainbow_min": ("rainbow", {"select": "min"}),
}
EARLY_ALIAS = re.compile(r"(bermudan|american)_(max|min|basket)_(call|put)$")
SEVERAL = {"basket", "rainbow", "spread", "exchange"}  # always of several underlyings
INTEGERS = {"fixings", "exercise_dates", "resets", "observations"}
WORDS = {
    "type": ["call", "put"], "payout": ["cash", "asset"], "monitoring": ["discrete", "continuous"],
    "average": ["arithmetic", "geometric"], "strike_type": ["fixed", "floating"], "select": ["max", "min"],
    "rebate_at": ["auto", "at_hit", "at_maturity"], "knock_in_monitoring": ["discrete", "continuous"],
    "memory": ["true", "false"], "payoff": ["max", "min", "basket"],
    "barrier_type": ["down_in", "down_out", "up_in", "up_out", "knock_in", "knock_out"],
}
# What a price does not depend on, for rows that leave it out: a return has no spot, an expected variance no rest.
INDIFFERENT = {
    "cliquet": {"spot": "100"},
    "autocallable": {"spot": "100"},
    "variance_swap": {"spot": "100", "sigma_v": "0.5", "rho": "0"},
}
# What some rows say of themselves and our products do anyway. Other values are another product.
STATED = {
    ("spread", "payoff"): "max(S1-S2-K,0)",
    ("exchange", "payoff"): "max(S1-S2,0)",
    ("basket_geometric", "payoff"): "max(prod(S_i^(1/d))-K,0)",
    ("cliquet", "payoff"): "sum clip(S_i/S_(i-1)-1,floor,cap) paid at maturity",
    ("variance_swap", "mean_subtracted"): "no",
    ("variance_swap", "annualisation"): "1/T",
}
REASONS = {
    "variance_gamma": "no variance-gamma model", "nig": "no normal-inverse-Gaussian model", "sabr": "no SABR model",
    "rough_bergomi": "no rough Bergomi model", "cir": "interest-rate model", "vasicek": "interest-rate model",
    "hull_white": "interest-rate model",
    "barrier_bgk_correction": "an approximation (continuous barrier, shifted), not the price of the discrete one",
}


class Text(str):
    """A name, which stays one in YAML even when it looks like a number."""


class CannotExpress(Exception):
    """Why a row has no instrument."""


class BadTable(Exception):
    """The table cannot be read."""


def finite(text, what):
    try:
        value = float(text)
    except (TypeError, ValueError):
        raise ValueError(f"{what}: expected a number, found '{text}'") from None
    if not math.isfinite(value):
        raise ValueError(f"{what}: expected a finite number, found '{text}'")
    return value


def read_table(path):
    """The rows as dicts, with "value" and "tolerance" as numbers and "parameters" unpacked."""
    rows, problems, seen = [], [], {}
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, strict=True)
            missing = [c for c in COLUMNS if c not in (reader.fieldnames or [])]
            if missing:
                raise BadTable(f"{path}:1: no column {', '.join(missing)}")
            for row in reader:
                where = f"{path}:{reader.line_num}"
                try:
                    if None in row or None in row.values():
                        raise ValueError("another number of fields than the header")
                    row["value"] = finite(row["value"], "value")
                    row["tolerance"] = finite(row["abs_tolerance_or_se"], "abs_tolerance_or_se")
                    row["parameters"] = unpack(row["parameters"])
                    if row["id"] in seen:
                        raise ValueError(f"id '{row['id']}' stands in line {seen[row['id']]} already")
                    seen[row["id"]] = reader.line_num
                    rows.append(row)
                except ValueError as problem:
                    problems.append(f"{where}: {problem}")
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise BadTable(f"{path}: {problem}") from None
    if problems:
        raise BadTable("\n".join(problems))
    return rows


def unpack(text):
    parameters = {}
    for part in filter(None, text.split(";")):
        key, equals, value = part.partition("=")
        if not equals or not key or not value:
            raise ValueError(f"parameters: expected key=value, found '{part}'")
        if key in parameters:
            raise ValueError(f"parameters: '{key}' twice")
        parameters[key] = value
    return parameters


def number(key, text):
    """The text of a number, as the table has it."""
    try:
        value = finite(text, key)
    except ValueError as problem:
        raise CannotExpress(str(problem)) from None
    if key in INTEGERS and value != int(value):
        raise CannotExpress(f"{key}: expected an integer, found '{text}'")
    return text


def scalar(key, text):
    if key in WORDS:
        if text not in WORDS[key]:
            raise CannotExpress(f"{key}: expected one of {', '.join(WORDS[key])}, found '{text}'")
        return text
    return number(key, text)


def assets(key, text, count):
    """One value for each asset; a single one is every asset's."""
    values = [number(key, v) for v in text.split("|")]
    if len(values) == 1:
        values *= count
    if len(values) != count:
        raise CannotExpress(f"{key}: {len(values)} values for {count} assets")
    return values


def correlation_matrix(text, names):
    """A scalar for all pairs as it is, a matrix with its order."""
    if "/" not in text:
        return number("correlation", text)
    matrix = [[number("correlation", v) for v in row.split(",")] for row in text.split("/")]
    if len(matrix) != len(names) or any(len(row) != len(names) for row in matrix):
        raise CannotExpress(f"correlation: not a matrix of {len(names)} by {len(names)}")
    return {"order": list(names), "matrix": matrix}


def resolve_product(row):
    """Our product's name and the keys that its alias implies."""
    product = row["product"]
    for name in (row["model"], product):
        if name in REASONS:
            raise CannotExpress(REASONS[name])
    early = EARLY_ALIAS.match(product)
    if early:
        return early[1], {"payoff": early[2], "type": early[3]}
    base, implied = ALIASES.get(product, (product, {}))
    if base not in PRODUCTS:
        raise CannotExpress(f"no product '{product}'")
    return base, dict(implied)


def express(row):
    """The row as (underlyings by name, instrument), values as texts. Throws CannotExpress."""
    left = dict(row["parameters"])
    product, option = resolve_product(row)
    model = MODEL_ALIASES.get(row["model"], row["model"])
    if model not in MODELS:
        raise CannotExpress(f"no model '{row['model']}'")
    for (stated_product, key), text in STATED.items():
        if stated_product == row["product"] and key in left and left.pop(key) != text:
            raise CannotExpress(f"{key} is '{row['parameters'][key]}'; ours is {text}")
    left = {k: v for k, v in left.items() if v != "none"}

    quantity = left.pop("quantity", "price")
    if quantity not in ["price"] + GREEKS and not (quantity == "fair_variance" and product == "variance_swap"):
        raise CannotExpress(f"no quantity '{quantity}'")
    if quantity == "fair_variance" and "strike" in left:
        raise CannotExpress("a fair variance has no strike")

    defaults = INDIFFERENT.get(product, {})
    if left.get("monitoring") != "continuous":  # discrete returns depend on all of the model
        defaults = {key: value for key, value in defaults.items() if key == "spot"}
    spot = left.pop("spot", defaults.get("spot"))
    if spot is None:
        raise CannotExpress("no spot")
    count = len(spot.split("|"))
    if count == 1 and product in SEVERAL:
        raise CannotExpress("one spot for several assets")
    if count > 1 and quantity in ("delta", "gamma", "vega"):
        raise CannotExpress(f"{quantity} of several assets is not one number")
    names = [Text(row["id"])] if count == 1 else [Text(f"{row['id']}-{i + 1}") for i in range(count)]
    columns = {"spot": assets("spot", spot, count), "rate": assets("rate", left.pop("rate", "0"), count),
               "dividend_yield": assets("dividend_yield", left.pop("dividend_yield", "0"), count)}
    for key in MODELS[model]:
        text = left.pop(key, defaults.get(key))
        if text is None:
            raise CannotExpress(f"no {key}")
        columns[key] = assets(key, text, count)
    underlyings = {name: {"spot": columns["spot"][i], "rate": columns["rate"][i],
                          "dividend_yield": columns["dividend_yield"][i], "model": model,
                          **{key: columns[key][i] for key in MODELS[model]}} for i, name in enumerate(names)}

    instrument = {"id": Text(row["id"]), "product": product}
    instrument.update({"underlying": names[0]} if count == 1 else {"underlyings": names})
    if "maturity" not in left:
        raise CannotExpress("no maturity")
    instrument["maturity"] = number("maturity", left.pop("maturity"))
    if "correlation" in left:
        instrument["correlation"] = correlation_matrix(left.pop("correlation"), names)
    if left.get("weights") == "equal":
        del left["weights"]  # our default
    if "weights" in left:
        option["weights"] = assets("weights", left.pop("weights"), count)
    required, allowed = PRODUCTS[product]
    for key in required + allowed:
        if key in left:
            option.setdefault(key, scalar(key, left.pop(key)))
    if left:
        raise CannotExpress(f"unknown parameter {', '.join(left)}")
    missing = [key for key in required if key not in option]
    if missing:
        raise CannotExpress(f"no {', '.join(missing)}")
    if "fixings" in option and "monitoring" not in option:
        option["monitoring"] = "discrete"
    instrument.update(option)
    if quantity in GREEKS:
        instrument["greeks"] = [quantity]
    return underlyings, instrument


def flow(value):
    """YAML on one line. Numbers are texts as the table has them; other texts are quoted unless they are plain words."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    other_types = ("null", "yes", "no", "on", "off", "nan")
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]*", value) and value.lower() not in other_types:
        return value
    try:
        if not isinstance(value, Text):
            float(value)
            return value
    except ValueError:
        pass
    return json.dumps(value, ensure_ascii=False)


def write_book(book, seed, name):
    lines = ["# Made by scripts/reference_book.py: each instrument has a market of its own.",
             "simulation: option_pricing", f"name: {flow(Text(name))}", f"seed: {seed}", "monte_carlo:", "  paths: 1e6",
             "  steps_per_year: 252", "market:", "  rate: 0  # each underlying has its own", "  underlyings:"]
    for underlyings, _ in book:
        lines += [f"    {flow(key)}: {flow(value)}" for key, value in underlyings.items()]
    lines.append("options:")
    lines += [f"  - {flow(instrument)}" for _, instrument in book]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", metavar="CSV", help="the table")
    parser.add_argument("-o", "--output", metavar="BOOK.yaml", help="the config (default: stdout)")
    parser.add_argument("--only", metavar="REGEX", default="", help="only rows in whose id this is found")
    parser.add_argument("--seed", type=int, default=42, help="seed of the run (default: %(default)s)")
    parser.add_argument("--name", default="reference-book", help="name of the run (default: %(default)s)")
    arguments = parser.parse_args()
    try:
        wanted = re.compile(arguments.only)
    except re.error as problem:
        parser.error(f"--only: {problem}")
    try:
        rows = [row for row in read_table(arguments.csv) if wanted.search(row["id"])]
    except BadTable as problem:
        print(problem, file=sys.stderr)
        return 4
    book, names = [], set()
    for row in rows:
        try:
            underlyings, instrument = express(row)
            if not names.isdisjoint(underlyings):
                raise CannotExpress(f"'{next(iter(names & set(underlyings)))}' names another row's underlying")
            names.update(underlyings)
            book.append((underlyings, instrument))
        except CannotExpress as reason:
            print(f"{row['id']}: left out: {reason}", file=sys.stderr)
    print(f"{len(book)} of {len(rows)} rows are in the book", file=sys.stderr)
    if not book:
        print("nothing to write", file=sys.stderr)
        return 4
    text = write_book(book, arguments.seed, arguments.name)
    if arguments.output:
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
