#!/usr/bin/env python3
"""Tests of `ergode bench` and of scripts/bench. Exit 0: as it should be, 77: a module is missing.

usage: bench.py CASE SOURCE_DIR EMPTY_DIR PROGRAM
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import time

from optional import need

SOURCE, HERE, PROGRAM = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4]
BENCH = SOURCE / "scripts/bench"
sys.path.insert(0, str(BENCH))
REQUIRED = SOURCE / "docs/benchmarks/required.json"
TIMING = ("samples", "passes", "seconds", "fastest", "slowest", "deviation", "work", "unit", "rate")


def run(*command, status=0):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True,
                          env=os.environ | {"OMP_WAIT_POLICY": "passive"})
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


def bench(*arguments):
    run(PROGRAM, "bench", "--quick", "--device", "cpu", "--json", HERE / "b.json", *arguments)
    return json.loads((HERE / "b.json").read_text())


def check_timing(row):
    assert all(key in row for key in TIMING), row
    assert 0 < row["fastest"] <= row["seconds"] <= row["slowest"] and row["samples"] >= 3 and row["passes"] >= 1, row
    assert row["deviation"] >= 0 and math.isclose(row["rate"], row["work"] / row["seconds"], rel_tol=1e-12), row


def complete():
    b = bench("--threads", "2", "--longest", "1e6")  # nothing is left out, however slow the machine is
    for key in ("version", "commit", "compiler"):
        assert b[key], key
    assert b["program"] == "ergode" and b["quick"] is True and b["finished"] is True
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b["date"])
    assert b["machine"]["processor"] and 1 <= b["machine"]["cores"] <= b["machine"]["threads"] and b["machine"]["memory_bytes"] > 0
    assert b["device"]["backend"] == "cpu" and b["device"]["threads"] == 2
    assert b["device"]["architecture"] in ("baseline", "avx2", "avx512")
    assert {(c["name"], c["threads"]) for c in b["ceilings"]} == {
        ("fma_float", 2), ("fma_double", 2), ("copy", 2), ("fma_float", 1)}
    for row in b["ceilings"]:
        check_timing(row)
    timed = [r for r in b["rows"] if r["name"] != "force_error"]
    for row in timed:
        check_timing(row)
        assert 0 < row["fraction_of_ceiling"] and row["slots"] > row["work"], row
    assert {(r["precision"], r["bodies"], r["threads"]) for r in timed if r["name"] == "direct"} == {
        ("mixed", 1000, 2), ("mixed", 4096, 2), ("double", 1000, 2), ("double", 4096, 2), ("mixed", 4096, 1)}
    for row in timed:
        if row["name"] == "direct":
            assert row["work"] == row["bodies"] ** 2 and math.isclose(row["steps_per_second"] * row["seconds"], 1)
    errors = [r for r in b["rows"] if r["name"] == "force_error"]
    assert {(r["precision"], r["softening"], r["offset"]) for r in errors} == {
        (p, s, o) for p in ("mixed", "double") for s in (0.01, 0.001) for o in (0, 1000)}
    for row in errors:
        assert row["bodies"] == row["sample"] == 4096 and row["median"] <= row["percentile_99"] <= row["largest"]
        assert row["e2"] < (1e-5 if row["precision"] == "mixed" else 1e-13)
    assert {r["name"] for r in timed if r["benchmark"] == "options"} == {
        "european", "european_greeks", "asian", "asian_controlled", "heston", "early_exercise", "asian_paths", "batch"}
    assert [r["options"] for r in timed if r["name"] == "batch"] == [1, 20, 1000]
    for r in timed:
        if r["name"] == "batch":
            assert r["one_by_one_seconds"] > 0 and math.isclose(r["over_one_by_one"], r["one_by_one_seconds"] / r["seconds"])
    assert [r["paths"] for r in timed if r["name"] == "asian_paths"] == [10240, 20480]
    assert {r["threads"] for r in timed if r["name"] == "asian"} == {1, 2}


def interrupted():
    """What was measured is there, whole, when a benchmark is killed."""
    path = HERE / "b.json"
    running = subprocess.Popen([PROGRAM, "bench", "--device", "cpu", "--threads", "1", "--seconds", "0.1", "--json", str(path)],
                               stdout=subprocess.DEVNULL, env=os.environ | {"OMP_WAIT_POLICY": "passive"})
    while not path.exists() or len(json.loads(path.read_text())["rows"]) < 2:
        assert running.poll() is None, "it ended before its second row"
        time.sleep(0.01)
    running.kill()
    running.wait()
    b = json.loads(path.read_text())
    assert b["finished"] is False and b["quick"] is False and b["left_out"] == []
    assert [(r["precision"], r["bodies"]) for r in b["rows"][:2]] == [("mixed", 1000), ("mixed", 1024)]
    assert len(b["ceilings"]) == 3
    for row in b["rows"]:
        check_timing(row)


def sizes():
    b = bench("nbody", "--threads", "1", "--bodies", "512", "10000000", "--longest", "0.5")
    assert {(r["precision"], r["bodies"]) for r in b["rows"] if r["name"] == "direct"} == {("mixed", 512), ("double", 512)}
    assert [x["what"].split(":")[0] for x in b["left_out"]] == ["direct mixed, 10000000 bodies", "direct double, 10000000 bodies"]
    assert all(r["bodies"] == 512 for r in b["rows"]) and len(b["ceilings"]) == 3
    b = bench("options", "--threads", "1", "--paths", "3000", "--batch", "40", "2", "--longest", "1e6")
    assert [r["paths"] for r in b["rows"] if r["name"] == "asian_paths"] == [3072]  # whole chunks
    assert [r["options"] for r in b["rows"] if r["name"] == "batch"] == [2, 40]
    assert not [r for r in b["rows"] if r["benchmark"] == "nbody"] and b["left_out"] == []
    # The first size of all is told by smaller ones, and is not begun.
    b = bench("--threads", "1", "--bodies", "100000000", "--paths", "1000000000000", "--batch", "1000000", "--longest", "0.1")
    assert not [r for r in b["rows"] if r["name"] in ("direct", "asian_paths", "batch", "force_error")]
    assert [x["what"].split(":")[0] for x in b["left_out"] if "put" not in x["what"]] == [
        "direct mixed, 100000000 bodies", "direct double, 100000000 bodies", "force errors", "Asian, 1000000000000 paths",
        "batch of 1000000 options"]
    # Two bodies tell nothing: at their rate a step of many would take longer than it may.
    b = bench("nbody", "--threads", "1", "--bodies", "2", "16384", "--longest", "20")
    assert 16384 in {r["bodies"] for r in b["rows"]}
    run(PROGRAM, "bench", "--bodies", "0", status=2)


def timing(seconds, work, unit):
    return {"samples": 7, "passes": 1, "seconds": seconds, "fastest": seconds, "slowest": seconds, "deviation": 0, "work": work,
            "unit": unit, "rate": work / seconds, "slots": 13 * work, "fraction_of_ceiling": 0.625}


def direct(bodies, seconds, **facts):
    return {"benchmark": "nbody", "name": "direct", "precision": "mixed", "bodies": bodies,
            "steps_per_second": 1 / seconds, **facts, **timing(seconds, float(bodies) ** 2, "interactions")}


def option(name, rate, **facts):
    return {"benchmark": "options", "name": name, "precision": "float", "options": 1, "groups": 1, "paths": 1000000, "steps": 252,
            **facts, **timing(2.52e8 / rate, 2.52e8, "path steps")}


def source(backend, rows, ceilings=(), date="2026-01-02T03:04:05Z", program="ergode", **device):
    """On the machine that required.json names, unless `device` names another."""
    return {"program": program, "version": "1.2.3", "commit": "abc", "compiler": "GNU 12", "date": date, "quick": False,
            "machine": {"processor": "P", "threads": 32, "cores": 16}, "device": {"backend": backend, "name": {"cuda": "NVIDIA H200", "cpu": "Xeon"}[backend], **device},
            "ceilings": list(ceilings), "rows": rows, "left_out": []}


def adds(threads, rate):
    return {"name": "fma_float", "threads": threads, **timing(1.0, rate, "flop")}


def write_fixture():
    """One GPU, one CPU of 16 cores, and two peers; the newer GPU file replaces a row of the older. One file is of another
    machine and unfinished, one of --quick."""
    folder = HERE / "benchmarks"
    (folder / "below").mkdir(parents=True)
    (folder / "required.json").write_text(REQUIRED.read_text())
    error = {"benchmark": "nbody", "name": "force_error", "precision": "mixed", "bodies": 262144, "sample": 10000,
             "softening": 0.01, "offset": 0, "e2": 1e-7, "median": 1e-8, "percentile_99": 2e-7, "largest": 1e-6}
    files = {
        "old.json": source("cuda", [direct(1024, 1.0), direct(4096, 20e-6)], date="2025-01-02T03:04:05Z"),
        "below/new.json": source("cuda", [
            direct(1024, 12.5e-6), direct(65536, 65536**2 / 1.7e12), error, option("european", 1e11),
            option("european_greeks", 7e10),
            option("asian", 8e11),
            option("batch", 6e11, options=1000, preparation_seconds=0.5, one_by_one_seconds=0.8, over_one_by_one=0.8),
            option("early_exercise", 2.52e10)]),
        "cpu.json": source("cpu", [direct(32768, 2.0, threads=1), direct(32768, 0.16, threads=16),
                                   direct(65536, 0.1, threads=32), option("asian", 5e8, threads=1)],
                           [adds(32, 1.6e12), adds(16, 1.5e12), adds(1, 1e11)], architecture="avx512", threads=32),
        "elsewhere.json": {**source("cpu", [option("asian", 4e8, threads=1)], [adds(1, 1e11)], architecture="avx2", threads=1,
                                    name="EPYC"),
                           "finished": False, "commit": "abc-modified"},
        "quick.json": {**source("cuda", [direct(65536, 1e-9)], date="2027-01-02T03:04:05Z"), "quick": True},
        "avx2.json": source("cpu", [{**direct(1000, 1e6 / 3e8, threads=1), "precision": "double"}], architecture="avx2", threads=1),
        "rebound.json": source("cpu", [{**direct(512, 512**2 / 2e8), "variant": "one core", "precision": "double", "e2": 1e-16,
                                        "accurate": True}], program="REBOUND"),
        "torch.json": source("cuda", [{**direct(65536, 65536**2 / 1e11), "variant": "eager", "e2": 1e-6, "accurate": True},
                                      {**option("asian", 1e9), "variant": "eager", "z": 9.0, "accurate": False}],
                             program="PyTorch")}
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    return folder


def lines_of(text):
    """Cells of the table lines of a document, by the first cell."""
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")]
    return {line[0]: line[1:] for line in reversed(cells)}


def document():
    folder = write_fixture()
    done = run(sys.executable, BENCH / "document.py", "--folder", folder, "--output", HERE / "b.md")
    text = (HERE / "b.md").read_text()
    found = lines_of(text)
    assert "quick.json is of --quick: left out" in done.stderr and "quick.json" not in text
    assert "from `elsewhere.json` (unfinished) (with changes that were not committed)." in text and "from `cpu.json`." in text
    assert found["CPU GBM Asian, float, a core with AVX2"][2] == "4e8 path steps/s (with changes that were not committed)"
    assert found["direct, mixed, N = 65,536"] == [
        "≥ 2.8e12 interactions/s", "3.1e12 interactions/s", "1.7e12 interactions/s", "no (60.7 %)",
        "NVIDIA cuda-samples nbody (float, on record): 1.7e12 interactions/s", "1.00x", "62.5 %"]
    assert found["direct, mixed, N = 1,024, whole leapfrog steps"] == [  # of the newer file
        "≥ 60,000 steps/s", "–", "80,000 steps/s", "yes (133.3 %)",
        "NVIDIA cuda-samples nbody (float, on record): 38,610 steps/s", "2.07x", "62.5 %"]
    # The older file alone has this one.
    assert found["direct, mixed, N = 4,096, whole leapfrog steps"][2:4] == ["50,000 steps/s", "yes (125.0 %)"]
    assert found["direct, double, N = 262,144"][2:4] == ["–", "–"]
    assert found["force error E2, mixed, N = 262,144, softening 0.01"] == [
        "≤ 2e-7", "–", "1e-7", "yes (200.0 %)", "–", "–", "–"]
    assert found["European GBM with delta, gamma, vega, of the price-only rate"][2:4] == ["70.0 %", "yes (116.7 %)"]
    assert found["a batch of 1,000 mixed options, of the single-option path-step rate"][2:4] == ["75.0 %", "yes (107.1 %)"]
    assert found["the same, of the rate of its groups one by one on endless paths"][2:4] == ["80.0 %", "yes (114.3 %)"]
    assert found["American put, Longstaff-Schwartz, 1e6 training and 1e6 pricing paths x 50 dates"][:4] == [
        "≤ 20 ms", "5 ms", "10 ms", "yes (200.0 %)"]
    # 32768^2 / 2 s = 5.37e8/s, REBOUND 2e8/s in its own run.
    assert found["CPU direct, mixed, a core with AVX-512"] == [
        "≥ 3e9 interactions/s", "60.0 % of the ceiling", "5.37e8 interactions/s", "no (17.9 %, of the ratio 17.9 %)",
        "REBOUND, one core 1.2.3 (double): 2e8 interactions/s", "2.68x (≥ 15x)", "62.5 %"]
    # QuantLib is on record for one machine, and not for the other.
    assert found["CPU GBM Asian, float, a core with AVX-512"][4:6] == ["QuantLib, one core (double, on record): 2.5e6 path steps/s", "200.00x (≥ 150x)"]
    assert found["CPU GBM Asian, float, a core with AVX2"][4:6] == ["QuantLib, one core (double, on record): 2.5e6 path steps/s", "another machine"]
    # 2 / 0.16 = 12.5 of the 15 that the multiply-adds gain, on 16 threads for 16 cores.
    assert found["CPU threads, direct, as a fraction of the FMA scaling from 1 thread to one a core"][2:4] == ["83.3 %", "no (92.6 %)"]
    assert found["CPU threads, Asian, as a fraction of the FMA scaling from 1 thread to one a core"][2] == "–"
    assert "The machine tells of 16 cores." in text
    # Side by side: 1.7e12 over 1e11, and no ratio to a peer that is not accurate.
    assert found["PyTorch 1.2.3, eager"][-1] == "17.00x"
    assert "| PyTorch 1.2.3, eager | NVIDIA H200 | float | 1e9 (not accurate) | +9.00 standard errors | 8e11 (float) | – |" in text
    rebound = [line.split("|")[-3:-1] for line in text.splitlines() if line.startswith("| REBOUND 1.2.3, one core |")]
    assert rebound == [[" 5.37e8 (mixed, avx512) ", " 2.68x "], [" 3e8 (double, avx2) ", " 1.50x "]], rebound
    # The same peer on a machine where ergode was not measured has no ratio.
    torch = json.loads((folder / "torch.json").read_text())
    torch["device"]["name"] = "another GPU"
    (folder / "torch.json").write_text(json.dumps(torch))
    run(sys.executable, BENCH / "document.py", "--folder", folder, "--output", HERE / "b.md")
    assert lines_of((HERE / "b.md").read_text())["PyTorch 1.2.3, eager"][-1] == "–"
    text = (HERE / "b.md").read_text()
    # Every requirement is there, with its number.
    for requirement in json.loads(REQUIRED.read_text())["rows"]:
        assert requirement["work"] in found, requirement["work"]
    run(sys.executable, BENCH / "document.py", "--folder", folder, "--output", HERE / "b.md", "--check")
    (HERE / "b.md").write_text(text + " ")
    done = run(sys.executable, BENCH / "document.py", "--folder", folder, "--output", HERE / "b.md", "--check", status=1)
    assert "is not what" in done.stderr


def nothing_measured():
    (HERE / "required.json").write_text(REQUIRED.read_text())
    run(sys.executable, BENCH / "document.py", "--folder", HERE, "--output", HERE / "b.md")
    found = lines_of((HERE / "b.md").read_text())
    for requirement in json.loads(REQUIRED.read_text())["rows"]:
        assert found[requirement["work"]][2:4] == ["–", "–"]


def committed():
    run(sys.executable, BENCH / "document.py", "--check")
    for path in (SOURCE / "docs/benchmarks").rglob("*.json"):
        assert not json.loads(path.read_text()).get("quick"), f"{path} is of --quick"
    from chart import Chart
    chart = Chart(SOURCE / "docs/benchmarks")
    picture = (SOURCE / "docs/images/benchmarks.png").read_bytes()
    assert chart.description().encode() in picture, "docs/images/benchmarks.png is not of the committed files: run chart.py"
    assert f"(docs/images/benchmarks.png)\n\n{chart.sentence()}\n" in (SOURCE / "README.md").read_text(), "README.md: run chart.py"


def fixed_cost():
    from measurements import growth
    a, b = growth([(w, 3 + 0.5 * w) for w in (1, 10, 1000)])
    assert math.isclose(a, 3) and math.isclose(b, 0.5)
    assert growth([(2, 8)]) == (0.0, 4.0)
    a, b = growth([(1, 1), (10, 20)])  # grows faster than the work: no fixed cost, and none below zero
    assert a == 0 and 1 < b < 2


def chart():
    need("matplotlib")
    folder = write_fixture()
    from chart import Chart
    bars = {name: [(bar["label"], bar["ours"], bar["on_record"]) for bar in found] for name, found in Chart(folder).panels.items()}
    assert bars["direct"] == [
        ("REBOUND, one core (double)", False, False), ("ergode, one core (double, AVX2)", True, False),
        ("ergode, one core (mixed, AVX-512)", True, False), ("ergode, 32 threads (mixed, AVX-512)", True, False),
        ("PyTorch, eager, GPU (mixed)", False, False), ("ergode, GPU (mixed)", True, False),
        ("NVIDIA cuda-samples nbody, GPU (float, on record)", False, True)]
    assert bars["asian"] == [  # without the inaccurate peer and the other machine
        ("QuantLib, one core (double, on record)", False, True), ("ergode, one core (float, AVX-512)", True, False),
        ("cuRAND device functions, GPU (float, on record)", False, True), ("ergode, GPU (float)", True, False)]
    readme = HERE / "README.md"
    readme.write_text("before *it*\n\n![x](docs/images/benchmarks.png)\n\n*old,\nand old*\n\nafter *it*\n")
    command = [sys.executable, BENCH / "chart.py", "--folder", folder, "--output", HERE / "c.png", "--readme", readme]
    run(*command)
    picture = (HERE / "c.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 10000 and Chart(folder).description().encode() in picture
    before, _, sentence, after = readme.read_text().split("\n\n")
    assert (before, after) == ("before *it*", "after *it*\n")
    sentence = " ".join(sentence.split())
    assert "NVIDIA H200 and Xeon with 32 threads, 2025-01-02" not in sentence  # no bar is of the old file
    assert "NVIDIA H200 and Xeon with 32 threads, 2026-01-02. In brackets the precision" in sentence
    assert "Hatched: on record, measured on one NVIDIA H200" in sentence
    text = readme.read_text()
    run(*command)
    assert readme.read_text() == text


def usage():
    assert "Usage: scripts/bench/run.sh FOLDER" in run("bash", BENCH / "run.sh", "--help").stdout
    run("bash", BENCH / "run.sh", status=2)
    run("bash", BENCH / "run.sh", HERE, "--devices", "cpu", status=2)
    run("bash", BENCH / "run.sh", HERE, "--device", "tpu", status=2)
    run("bash", BENCH / "run.sh", HERE, "--limit", "1m", status=2)
    run("bash", BENCH / "run.sh", HERE, "--ergode", HERE / "nowhere", status=2)
    for script in ("document.py", "chart.py", "ranks.py"):
        assert "usage: " in run(sys.executable, BENCH / script, "--help").stdout


def whole():
    """On the CPU, with the peers that this Python has."""
    folder = HERE / "results"
    run("bash", BENCH / "run.sh", folder, "--device", "cpu", "--quick", "--ergode", PROGRAM, "--python", sys.executable)
    assert {"ergode_cpu.json", "run.log"} <= {p.name for p in folder.iterdir()} <= {
        "ergode_cpu.json", "ergode_cpu_avx2.json", "rebound_direct.json", "quantlib_asian.json", "run.log"}
    for path in folder.glob("*.json"):
        content = json.loads(path.read_text())
        assert content["quick"] and content["finished"], path
        path.write_text(json.dumps(content | {"quick": False}))
    (folder / "required.json").write_text(REQUIRED.read_text())
    run(sys.executable, BENCH / "document.py", "--folder", folder, "--output", HERE / "b.md")
    assert "### Force error" in (HERE / "b.md").read_text()


def failing():
    """One program fails, one peer never ends: the rest goes on."""
    (HERE / "ergode").write_text("#!/bin/sh\nexit 9\n")
    (HERE / "python").write_text("""#!/bin/sh
case "$*" in
  *rebound_direct.py*) exec sleep 600 ;;
  *quantlib_asian.py*) for last; do :; done; echo '{}' >"$last" ;;
esac
""")
    for name in ("ergode", "python"):
        (HERE / name).chmod(0o755)
    folder = HERE / "results"
    done = run("bash", BENCH / "run.sh", folder, "--device", "cpu", "--ergode", HERE / "ergode", "--python", HERE / "python",
               "--limit", "5", status=1)
    assert "that took more than 5 seconds and was ended" in done.stdout, (done.stdout, done.stderr)
    assert {p.name for p in folder.iterdir()} == {"quantlib_asian.json", "run.log"}


def ranks():
    if "MPI no" in run(PROGRAM, "--version").stdout:
        print("built without MPI")
        sys.exit(77)
    run(sys.executable, BENCH / "ranks.py", "--ergode", PROGRAM, "--device", "cpu", "--quick", "--json", HERE / "r.json")
    r = json.loads((HERE / "r.json").read_text())
    assert [(row["name"], row["ranks"]) for row in r["rows"]] == [
        ("direct_ranks", 1), ("direct_ranks", 2), ("asian_ranks", 1), ("asian_ranks", 2)]
    assert r["program"] == "ergode" and r["version"] and all(row["rate"] == row["work"] / row["seconds"] > 0 for row in r["rows"])


if __name__ == "__main__":
    globals()[sys.argv[1]]()
