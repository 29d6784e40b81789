#!/ usr / bin / env python3
"""Checks the profile of a run: profile.json is JSON, its scopes begin and end in pairs, and its seconds, like the shares of the
printed table, add up to the wall time.

usage: profile_open.py CASE OUTPUT DIRECTORY       OUTPUT: what the run printed
"""

import json
import pathlib
import re
import sys

case, printed, directory = sys.argv[1], pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"), pathlib.Path(sys.argv[3])
profile = json.loads((directory / "profile.json").read_text(encoding="utf-8"))
wall = profile["otherData"]["wall_seconds"]
parts = profile["otherData"]["phases"]
assert wall > 0
assert abs(sum(p["seconds"] for p in parts) - wall) <= 1e-6 * wall, parts
assert all(p["seconds"] >= 0 and p["calls"] >= 1 for p in parts)
assert profile["otherData"]["untraced_scopes"] == 0

tracks = {}
for event in profile["traceEvents"]:
    track = tracks.setdefault(event["tid"], {"open": [], "last": 0, "time": {}})
    if event["ph"] == "M":
        continue
    assert event["ts"] >= track["last"]
    if track["open"]:
        inner = track["open"][-1]
        track["time"][inner] = track["time"].get(inner, 0) + event["ts"] - track["last"]
    track["last"] = event["ts"]
    if event["ph"] == "B":
        track["open"].append((event["cat"], event["name"]))
    else:
        assert event["ph"] == "E" and track["open"].pop() == (event["cat"], event["name"]), event
assert all(not track["open"] for track in tracks.values())
assert abs(tracks[0]["last"] - 1e6 * wall) < 1
#The trace and the totals tell the same.
for part in parts:
    name = "run" if part["name"] == "other" else part["name"]
    assert abs(tracks[0]["time"][part["phase"], name] - 1e6 * part["seconds"]) <= 1 + 1e-3 * part["calls"], part
device = profile["otherData"]["device"]
assert (1 in tracks) == (case == "cuda") == bool(device)
if case == "cuda":
    busy = sum(d["seconds"] for d in device)
    assert 0 < busy <= wall
    assert abs(sum(tracks[1]["time"].get(("kernels", d["name"]), 0) for d in device) - 1e6 * busy) < 1e-3 * 1e6 * busy

rows = re.findall(r"^  (\S.*?) +(\d+) +(\d+\.\d{3}) +(\d+\.\d) %", printed, re.M)
table = {name: (int(calls), float(seconds), float(share)) for name, calls, seconds, share in rows}
assert abs(table["all"][1] - wall) < 1e-3 and table["all"][2] == 100, table
for column, rounding in ((1, 5e-4), (2, 0.05)):
    phases = [table[p][column] for p in table if p in ("kernels", "copies", "files", "waiting", "host")]
    assert abs(sum(phases) - table["all"][column]) <= (len(phases) + 1) * rounding, table
assert {"kernels", "files", "host"} <= set(table), table


def amount(phase, name):
    (found,) = [p for p in parts if (p["phase"], p["name"]) == (phase, name)]
    return found["amount"]


results = json.loads((directory / "summary.json").read_text(encoding="utf-8")).get("results", {})
if "interactions" in results:
    assert amount("kernels", "steps") == results["interactions"]["value"]
    assert re.search(r"^    steps .* interactions/s$", printed, re.M), printed
if "path_steps" in results:
    assert amount("kernels", "paths") == results["path_steps"]["value"]
    assert re.search(r"^    paths .* path-steps/s$", printed, re.M), printed
if case == "sweep":  # 3 members of 32 steps of 5 stages of 300 bodies
    assert amount("kernels", "steps") == 3 * 32 * 5 * 300 * 300, parts
if case == "ranks":
    assert any(p["name"] == "for other ranks" for p in parts), parts
