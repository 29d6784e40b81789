#!/usr/bin/env python3
"""Tests of scripts/reference_book.py and scripts/reference_check.py. Exit 0: as it should be, 77: a module is missing.

usage: reference_scripts.py CASE SOURCE_DIR EMPTY_DIR
"""
import csv
import json
import math
import pathlib
import random
import subprocess
import sys

from optional import need

SOURCE = pathlib.Path(sys.argv[2])
HERE = pathlib.Path(sys.argv[3])
OPTIONS = SOURCE / "tests/options/reference/options.csv"
HEADER = ["id", "model", "product", "parameters", "value", "abs_tolerance_or_se", "source"]
CALL = "spot=100;strike=100;rate=0.05;dividend_yield=0;volatility=0.2;maturity=1;type=call;quantity="


def script(name, *arguments):
    done = subprocess.run([sys.executable, SOURCE / "scripts" / name, *map(str, arguments)], capture_output=True, text=True)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def table(rows, name="table.csv"):
    with open(HERE / name, "w", newline="") as file:
        csv.writer(file).writerows([HEADER] + rows)
    return HERE / name


def book_of(path, *arguments):
    """The book of a table, what was said on stderr."""
    done = script("reference_book.py", path, "-o", HERE / "book.yaml", *arguments)
    assert done.returncode == 0, done.stderr
    book = need("yaml").safe_load((HERE / "book.yaml").read_text())
    return book, {o["id"]: o for o in book["options"]}, done.stderr


def run_directory(results, name="run"):
    """results: id -> column -> number. Written as results.csv."""
    directory = HERE / name
    directory.mkdir(exist_ok=True)
    columns = sorted({column for row in results.values() for column in row})
    with open(directory / "results.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id"] + columns)
        for id, row in results.items():
            writer.writerow([id] + [repr(row[c]) if c in row else "" for c in columns])
    return directory


def check(path, directory, *arguments):
    """Exit status and the JSON report, verdicts by id."""
    done = script("reference_check.py", path, directory, *arguments, "--json", HERE / "check.json")
    report = json.loads((HERE / "check.json").read_text())
    return done.returncode, report["summary"], {row["id"]: row["verdict"] for row in report["rows"]}, done.stdout


def reference_table():
    book, options, said = book_of(OPTIONS)
    with open(OPTIONS, newline="") as file:
        rows = list(csv.DictReader(file))
    out = {"variance_gamma", "nig", "sabr", "rough_bergomi", "cir", "vasicek", "hull_white"}
    expected = [r["id"] for r in rows if r["model"] not in out and r["product"] != "barrier_bgk_correction"]
    assert list(options) == expected
    assert len(expected) == 263
    for row in rows:
        assert (f"{row['id']}: left out: " in said) == (row["id"] not in options), row["id"]
    assert "263 of 283 rows are in the book" in said
    markets, used = book["market"]["underlyings"], []
    for option in book["options"]:
        used += option.get("underlyings", [option.get("underlying")])
    assert sorted(used) == sorted(markets) and len(set(used)) == len(used)
    for row in rows:  # every number of the row is in its instrument or its market
        if row["id"] not in options:
            continue
        option = options[row["id"]]
        names = option.get("underlyings", [option.get("underlying")])
        for key, text in (part.split("=", 1) for part in row["parameters"].split(";")):
            if key in ("quantity", "payoff", "mean_subtracted", "annualisation", "correlation", "weights") or text == "none":
                continue
            if key in markets[names[0]]:
                values = text.split("|") if "|" in text else [text] * len(names)
                assert [markets[n][key] for n in names] == [float(v) for v in values], (row["id"], key)
            else:
                assert str(option[key]) == text or float(option[key]) == float(text), (row["id"], key)
    assert options["gbm-european-002"]["greeks"] == ["delta"]
    assert "greeks" not in options["gbm-european-001"]
    assert options["gbm-bermudan-001"]["exercise_dates"] == 50
    assert book["simulation"] == "option_pricing" and book["seed"] == 42


def several_assets():
    common = "rate=0.1;dividend_yield=0.05|0.06;volatility=0.2|0.1;maturity=1;"
    path = table([
        ["s", "gbm_multi", "spread", f"spot=100|96;strike=0.4;{common}correlation=0.5;payoff=max(S1-S2-K,0);quantity=price",
         "8", "1e-9", "x"],
        ["b", "gbm_multi", "basket_geometric", f"spot=100|96;weights=equal;strike=9;{common}correlation=1,0.2/0.2,1;type=put",
         "8", "1e-9", "x"],
        ["w", "gbm_multi", "basket_arithmetic", f"spot=100|96;weights=1|-1;strike=9;{common}correlation=0;type=call",
         "8", "1e-9", "x"],
        ["m", "gbm_multi", "bermudan_max_call", f"spot=100|96;strike=9;{common}exercise_dates=9", "8", "1e-9", "x"],
        ["r", "gbm_multi", "rainbow_min", f"spot=100|96;strike=9;{common}correlation=0.3;type=put", "8", "1e-9", "x"],
        ["7", "gbm", "european", CALL + "price", "8", "1e-9", "x"],
    ])
    book, options, _ = book_of(path, "--seed", 9)
    markets = book["market"]["underlyings"]
    assert book["seed"] == 9
    assert markets["s-1"] == {"spot": 100, "rate": 0.1, "dividend_yield": 0.05, "model": "gbm", "volatility": 0.2}
    assert markets["s-2"] == {"spot": 96, "rate": 0.1, "dividend_yield": 0.06, "model": "gbm", "volatility": 0.1}
    assert options["s"] == {"id": "s", "product": "spread", "underlyings": ["s-1", "s-2"], "strike": 0.4, "maturity": 1,
                            "correlation": 0.5}
    assert options["b"] == {"id": "b", "product": "basket", "average": "geometric", "underlyings": ["b-1", "b-2"],
                            "strike": 9, "maturity": 1, "type": "put",
                            "correlation": {"order": ["b-1", "b-2"], "matrix": [[1, 0.2], [0.2, 1]]}}
    assert options["w"]["weights"] == [1, -1]
    assert options["m"] == {"id": "m", "product": "bermudan", "payoff": "max", "type": "call", "strike": 9, "maturity": 1,
                            "underlyings": ["m-1", "m-2"], "exercise_dates": 9}
    assert options["r"]["select"] == "min"
    assert options["7"]["underlying"] == "7" and "7" in markets  # a name that looks like a number stays a name


def left_out():
    bad = {
        "vg": ("variance_gamma", "european", CALL + "price", "no variance-gamma model"),
        "new": ("gbm", "swing", CALL + "price", "no product 'swing'"),
        "greek": ("gbm", "european", CALL + "vanna", "no quantity 'vanna'"),
        "key": ("gbm", "european", "colour=3;" + CALL + "price", "unknown parameter colour"),
        "strike": ("gbm", "european", CALL.replace("strike=100;", "") + "price", "no strike"),
        "payoff": ("gbm_multi", "spread", "spot=1|2;strike=1;volatility=1;maturity=1;payoff=max(2*S1-S2-K,0)", "payoff is"),
        "mean": ("gbm", "variance_swap", "volatility=1;maturity=1;fixings=2;mean_subtracted=yes", "mean_subtracted is 'yes'"),
        "type": ("gbm", "european", CALL.replace("call", "straddle") + "price", "type: expected one of call, put"),
        "count": ("gbm_multi", "exchange", "spot=1|2|3;volatility=1|2;maturity=1", "volatility: 2 values for 3 assets"),
    }
    rows = [[id, model, product, parameters, "1", "1", "x"] for id, (model, product, parameters, _) in bad.items()]
    path = table(rows + [["good", "gbm", "european", CALL + "price", "1", "1", "x"]])
    _, options, said = book_of(path)
    assert list(options) == ["good"]
    for id, (_, _, _, reason) in bad.items():
        assert any(line.startswith(f"{id}: left out: ") and reason in line for line in said.splitlines()), (id, said)
    _, options, said = book_of(path, "--only", "^go")
    assert list(options) == ["good"] and "left out" not in said

    for field, value, complaint in ((4, "nan", "value: expected a finite number"), (4, "", "value: expected a number"),
                                    (5, "1e999", "abs_tolerance_or_se: expected a finite number"),
                                    (3, "spot", "expected key=value, found 'spot'"), (0, "first", "'first' stands in line 2")):
        second = ["second", "gbm", "european", CALL + "price", "1", "1", "x"]
        second[field] = value
        done = script("reference_book.py", table([["first", "gbm", "european", CALL + "price", "1", "1", "x"], second]))
        assert done.returncode == 4 and ":3: " in done.stderr and complaint in done.stderr, done.stderr
        assert done.stdout == ""
    (HERE / "other.csv").write_text("a,b\n1,2\n")
    done = script("reference_book.py", HERE / "other.csv")
    assert done.returncode == 4 and "no column id, model" in done.stderr
    assert script("reference_book.py", HERE / "absent.csv").returncode == 4
    assert script("reference_book.py", "--help").returncode == 0 and script("reference_check.py", "--help").returncode == 0


def verdicts():
    """Value 10, tolerance 0.01, and errors of 0.1 unless said: off by more than 0.41 is off."""
    cases = {
        "exact": ({"price": 10.0}, "ok"),
        "just in": ({"price": 10.405}, "ok"),
        "just out": ({"price": 10.415}, "off"),
        "below": ({"price": 9.585}, "off"),
        "bias helps": ({"price": 10.55, "bias": 0.15}, "ok"),
        "bias is not enough": ({"price": 10.57, "bias": 0.15}, "off"),
        "bias too large": ({"price": 10.0, "bias": 0.21}, "stated bias too large"),
        "bias by value": ({"price": 10.025, "standard_error": 0.001, "bias": 0.0199}, "ok"),
        "bias by value too large": ({"price": 10.0, "standard_error": 0.001, "bias": -0.0201}, "stated bias too large"),
        "no error": ({"price": 10.0, "standard_error": math.nan}, "no standard error"),
        "no value": ({"price": math.nan}, "no value"),
        "closed form": ({"price": 10.009, "standard_error": 0.0}, "ok"),
        "closed form off": ({"price": 10.011, "standard_error": 0.0}, "off"),
    }
    rows = [[id, "gbm", "european", CALL + "price", "10", "0.01", "x"] for id in cases]
    results = {id: {k: v for k, v in ({"standard_error": 0.1} | result).items() if not math.isnan(v)}
               for id, (result, _) in cases.items()}
    # Greeks stand in columns of their own, and the bias stated of the price is no excuse for them.
    for id, vega, verdict in (("greek", 10.3, "ok"), ("greek off", 10.5, "off")):
        rows.append([id, "gbm", "european", CALL + "vega", "10", "0.01", "x"])
        results[id] = {"price": 99.0, "standard_error": 9.0, "bias": 5.0, "vega": vega, "vega_standard_error": 0.1}
        cases[id] = (None, verdict)
    path = table(rows)
    status, summary, found, text = check(path, run_directory(results))
    assert found == {id: verdict for id, (_, verdict) in cases.items()}, found
    assert status == 1 and not summary["ok"] and "FAIL" in text
    assert sorted(r["id"] for r in summary["failed"]) == sorted(id for id, (_, verdict) in cases.items() if verdict != "ok")
    status, summary, _, text = check(path, HERE / "run", "--only", "^(exact|just in|greek)$")
    assert status == 0 and summary["ok"] and summary["rows"] == 3 and "PASS" in text


def early_exercise():
    """Value 10, tolerance 0.01, errors of 0.01 unless said."""
    put = "spot=36;strike=40;rate=0.06;dividend_yield=0;volatility=0.2;maturity=1;type=put;"
    heston = "spot=9;strike=10;rate=0.1;dividend_yield=0;v0=0.06;kappa=5;theta=0.16;sigma_v=0.9;rho=0.1;maturity=1;type=put"
    bermudan = ("gbm", "bermudan", put + "exercise_dates=50")
    american = ("gbm", "american", put)
    heston_american = ("heston", "american", heston)
    cases = {
        "in": (bermudan, {"price": 9.98}, "ok"),
        "suboptimal": (bermudan, {"price": 9.92}, "ok"),  # 9.95 - 0.04 = 9.91
        "too suboptimal": (bermudan, {"price": 9.90}, "lower bound too low"),
        "above": (bermudan, {"price": 10.06}, "lower bound too high"),  # 10.05 is the limit
        "its bound counts": (bermudan, {"price": 11.0, "lower_bound": 9.98, "lower_bound_standard_error": 0.01}, "ok"),
        "both": (bermudan, {"price": 9.98, "upper_bound": 10.1, "upper_bound_standard_error": 0.01}, "ok"),
        "loose": (bermudan, {"price": 9.98, "upper_bound": 10.21, "upper_bound_standard_error": 0.01}, "upper bound too high"),
        "crossed": (bermudan, {"price": 9.98, "upper_bound": 9.94, "upper_bound_standard_error": 0.01}, "upper bound too low"),
        "dates": (american, {"price": 9.9, "bias": -0.02}, "ok"),
        "dates unsaid": (american, {"price": 9.9}, "lower bound too low"),
        "dates exaggerated": (american, {"price": 9.9, "bias": -0.03}, "stated bias too large"),
        "heston in": (heston_american, {"price": 9.955}, "ok"),  # 10 - 0.01 - 0.04 = 9.95
        "heston low": (heston_american, {"price": 9.945}, "lower bound too low"),
        "exercised now": (heston_american, {"price": 10.0, "standard_error": 0.0}, "ok"),
    }
    rows = [[id, *which, "10", "0.01", "x"] for id, (which, _, _) in cases.items()]
    results = {id: {"standard_error": 0.01} | result for id, (_, result, _) in cases.items()}
    status, summary, found, _ = check(table(rows), run_directory(results))
    assert found == {id: verdict for id, (_, _, verdict) in cases.items()}, found
    assert status == 1 and summary["all"]["rows"] == 0


def mean_z2():
    """Fixed draws: errors stated right pass, stated too small or too large by 1.3 fail, though no single row does."""
    generator = random.Random(1)
    draws = [max(-2.9, min(2.9, generator.gauss(0, 1))) for _ in range(400)]
    square = sum(z * z for z in draws) / len(draws)
    path = table([[f"r{i}", "gbm", "european", CALL + "price", "10", "0.001", "x"] for i in range(400)])
    for stated, verdict in ((1.0, True), (1 / 1.3, False), (1.3, False)):
        results = {f"r{i}": {"price": 10 + 0.1 * z, "standard_error": 0.1 * stated} for i, z in enumerate(draws)}
        status, summary, found, _ = check(path, run_directory(results))
        assert set(found.values()) == {"ok"}
        assert summary["all"]["judged"] and summary["all"]["rows"] == 400
        assert abs(summary["all"]["mean_z2"] - square / stated**2) < 1e-6
        assert summary["all"]["ok"] == verdict and status == (0 if verdict else 1), summary
    for i in range(300):  # an error below three tolerances is none to judge by
        results[f"r{i}"] = {"price": 10.0, "standard_error": 0.0029}
    status, summary, _, _ = check(path, run_directory(results))
    assert summary["all"]["rows"] == 100 and summary["families"] == {}
    del results["r399"]
    status, summary, _, text = check(path, run_directory(results))
    assert status == 1 and [r["id"] for r in summary["missing"]] == ["r399"] and not summary["all"]["judged"]
    assert f"missing in {HERE}/run: r399" in text


def families():
    """Two runs: of each family the mean over both. One family's errors are too small, and the mean over all hides it."""
    generator = random.Random(2)
    digital = CALL.replace("quantity", "payout=cash;cash=1;quantity") + "price"
    rows = [[f"e{i}", "gbm", "european", CALL + "price", "10", "0", "x"] for i in range(300)]
    rows += [[f"d{i}", "gbm", "digital", digital, "10", "0", "x"] for i in range(60)]
    rows += [["single", "gbm", "exchange", "spot=1|2;volatility=1|1;maturity=1", "10", "0", "x"]]
    path, squares = table(rows), {"e": [], "d": []}
    for name in ("one", "two"):
        results = {"single": {"price": 10.3, "standard_error": 0.1}}
        for row in rows[:-1]:
            z = max(-2.5, min(2.5, generator.gauss(0, 1))) * (1.3 if row[0][0] == "d" else 1)
            squares[row[0][0]].append(z * z)
            results[row[0]] = {"price": 10 + 0.1 * z, "standard_error": 0.1}
        run_directory(results, name)
    status, summary, _, text = check(path, HERE / "one", HERE / "two")
    assert summary["rows"] == 722 and not summary["failed"]
    assert {family: m["rows"] for family, m in summary["families"].items()} == {
        "gbm european": 600, "gbm digital": 120, "gbm exchange": 2}
    for family, letter in (("gbm european", "e"), ("gbm digital", "d")):
        assert abs(summary["families"][family]["mean_z2"] - sum(squares[letter]) / len(squares[letter])) < 1e-6
    assert summary["families"]["gbm european"]["ok"] and summary["all"]["ok"]
    assert not summary["families"]["gbm digital"]["ok"] and not summary["families"]["gbm exchange"]["judged"]
    assert status == 1 and "mean z^2, gbm digital: " in text
    assert check(path, HERE / "one", HERE / "two", "--only", "^e")[0] == 0


def exceptions():
    """A row whose value is wrong: counted without --except, listed apart with it; the other rows are judged as ever."""
    rows = [[id, "gbm", "european", CALL + "price", value, "0.01", "x"]
            for id, value in (("right", "10"), ("wrong", "20"), ("other", "30"))]
    path = table(rows)
    directory = run_directory({id: {"price": 10.1, "standard_error": 0.1} for id in ("right", "wrong", "other")})
    status, summary, _, _ = check(path, directory)
    assert status == 1 and summary["rows"] == 3 and summary["passed"] == 1 and summary["excepted"] == []
    status, summary, _, text = check(path, directory, "--except", "wrong,other")
    assert status == 0 and summary["ok"] and (summary["rows"], summary["passed"], summary["all"]["rows"]) == (1, 1, 1)
    assert [(r["id"], round(r["z"])) for r in summary["excepted"]] == [("wrong", -99), ("other", -199)], summary
    assert "excepted, not judged: wrong: value 10.1 +- 0.1, table 20, z = -99.00" in text and "2 excepted" in text
    status, summary, _, _ = check(path, directory, "--except", "wrong")
    assert status == 1 and [r["id"] for r in summary["failed"]] == ["other"]
    assert check(path, directory, "--except", "right,wrong,other")[0] == 1  # nothing is left to judge
    done = script("reference_check.py", path, directory, "--except", "wrogn")
    assert done.returncode == 2 and "no row 'wrogn'" in done.stderr
    # An excepted row must still be there.
    directory = run_directory({"right": {"price": 10.1, "standard_error": 0.1}})
    status, summary, _, _ = check(path, directory, "--only", "right|wrong", "--except", "wrong")
    assert status == 1 and [r["id"] for r in summary["missing"]] == ["wrong"]


def sources():
    h5py = need("h5py")
    rows = [[id, "gbm", "european", CALL + "price", "10", "0.01", "x"] for id in ("a", "b", "c")]
    rows.append(["n", "nig", "european", CALL + "price", "10", "0.01", "x"])
    path = table(rows)
    results = {"a": {"price": 10.1, "standard_error": 0.1}, "b": {"price": 11.0, "standard_error": 0.1},
               "other": {"price": 1.0, "standard_error": 0.1}}
    directory = run_directory(results)
    status, summary, from_csv, text = check(path, directory)
    assert status == 1 and summary["missing"] == [{"run": str(directory), "id": "c"}]
    assert summary["left_out"] == [{"id": "n", "reason": "no normal-inverse-Gaussian model"}]
    assert "left out: n: " in text and from_csv == {"a": "ok", "b": "off"}
    # The HDF5 file has a price that the CSV has not, so that it shows which was read.
    results["a"]["price"] = 12.0
    with h5py.File(directory / "results.h5", "w") as file:
        file["id"] = [id.encode() for id in results]
        for column in ("price", "standard_error"):
            file[column] = [r[column] for r in results.values()]
        file["bias"] = [math.nan] * len(results)
    status, summary, from_hdf5, _ = check(path, directory)
    assert status == 1 and from_hdf5 == {"a": "off", "b": "off"}
    # Where h5py is not installed the CSV is read instead.
    (HERE / "without").mkdir()
    (HERE / "without/h5py.py").write_text("raise ImportError('no h5py')\n")
    done = subprocess.run([sys.executable, SOURCE / "scripts/reference_check.py", path, directory, "--json", HERE / "c.json"],
                          capture_output=True, text=True, env={"PYTHONPATH": str(HERE / "without")})
    assert done.returncode == 1, done.stderr
    assert {r["id"]: r["verdict"] for r in json.loads((HERE / "c.json").read_text())["rows"]} == from_csv
    assert script("reference_check.py", path, HERE / "nowhere").returncode == 4
    (directory / "results.h5").write_bytes(b"no HDF5")
    assert script("reference_check.py", path, directory).returncode == 4


if __name__ == "__main__":
    globals()[sys.argv[1]]()
