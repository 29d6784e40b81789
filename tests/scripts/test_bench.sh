#!/usr/bin/env bash
# Tests of scripts/bench: of its page, its picture and its driver, one function each: `test_bench.sh NAME` runs one. 0 passed,
# 4 skipped, anything else failed. Nothing is measured here; tests/tools/bench.py has the figures of the page.
set -u -o pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/scripts/checks.sh
source "$root/tests/scripts/checks.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# requirement_of MUST RATIO MACHINE: whether the first requirement that wants a ratio to its peer is reached in a document of the
# committed files, when it is asked for MUST and RATIO, and peers on record are of MACHINE.
requirement_of() {
  rm -rf "$scratch/benchmarks" && cp -r "$root/docs/benchmarks" "$scratch/benchmarks" || exit 1
  python3 - "$scratch/benchmarks/required.json" "$@" <<'PYTHON' || fail "required.json could not be changed"
import json, sys
path, must, ratio, machine = sys.argv[1:]
required = json.load(open(path))
row = next(r for r in required["rows"] if "must" in r.get("peer", {}))
row["work"], row["must"], row["peer"]["must"] = "the one", float(must), float(ratio)
row["peer"].pop("program")
required["record"][row["backend"]] = machine
json.dump(required, open(path, "w"))
PYTHON
  python3 "$root/scripts/bench/document.py" --folder "$scratch/benchmarks" --output "$scratch/page.md" 2>"$scratch/err" || fail "$(cat "$scratch/err")"
  awk -F ' *[|] *' '$2 == "the one" { print $6 }' "$scratch/page.md"
}

test_a_requirement_is_reached_with_its_ratio_to_the_peer_only() {
  command -v python3 >/dev/null || skip "no python3 on the PATH"
  local found
  found=$(requirement_of 1 0.01 "")
  [[ $found =~ ^yes\ .*%,\ of\ the\ ratio\ .*%\)$ ]] || fail "both reached: $found"
  found=$(requirement_of 1 1e9 "")
  [[ $found =~ ^no\ .*%,\ of\ the\ ratio\ 0.0\ %\)$ ]] || fail "the ratio missed: $found"
  found=$(requirement_of 1e15 0.01 "")
  [[ $found =~ ^no\ \(0.0\ %,\ of\ the\ ratio\ .*%\)$ ]] || fail "the rate missed: $found"
  found=$(requirement_of 1 0.01 "another machine")
  [[ $found =~ ^not\ known\ .*%,\ of\ the\ ratio\ not\ measured\)$ ]] || fail "no ratio: $found"
  found=$(requirement_of 1e15 0.01 "another machine")
  [[ $found =~ ^no\ \(0.0\ %,\ of\ the\ ratio\ not\ measured\)$ ]] || fail "the rate missed, no ratio: $found"
}

# A copy of the scripts and of what they write, beside a folder of somebody else's machine, without requirements.
copy_of_the_benchmarks() {
  tree=$scratch/tree mine=$scratch/mine
  mkdir -p "$tree/scripts" "$tree/docs" "$mine" || exit 1
  cp -r "$root/scripts/bench" "$tree/scripts/" && cp -r "$root/docs/benchmarks" "$root/docs/benchmarks.md" "$root/docs/images" "$tree/docs/" &&
    cp "$root/README.md" "$tree/" || exit 1
  sed 's/"name": "Intel.*"/"name": "Another CPU"/' "$root/docs/benchmarks/h200/ergode_cpu.json" >"$mine/ergode_cpu.json"
  find "$tree" -type f -not -path '*/__pycache__/*' -exec cksum {} + | sort >"$scratch/before"
}
expect_the_project_untouched() {
  find "$tree" -type f -not -path '*/__pycache__/*' -exec cksum {} + | sort | cmp -s - "$scratch/before" || fail "something of the project was written"
}

test_benchmarks_of_another_folder_are_documented_there() {
  command -v python3 >/dev/null || skip "no python3 on the PATH"
  local tree mine
  copy_of_the_benchmarks
  python3 "$tree/scripts/bench/document.py" --folder "$mine" 2>"$scratch/err" || fail "$(cat "$scratch/err")"
  expect_the_project_untouched
  grep -q '^## Another CPU, avx512, 16 threads' "$mine/benchmarks.md" || fail "the machine is not there"
  ! grep -q 'must be reached' "$mine/benchmarks.md" || fail "requirements that nobody made"
  python3 "$tree/scripts/bench/document.py" --folder "$mine" --check || fail "the page is not what was written"
  echo >>"$mine/benchmarks.md"
  python3 "$tree/scripts/bench/document.py" --folder "$mine" --check 2>"$scratch/err"
  expect "status of a page that was changed" $? 1
  python3 "$tree/scripts/bench/document.py" --folder "$scratch/nowhere" 2>"$scratch/err"
  expect "status without the folder" $? 2
  grep -q 'there is no folder' "$scratch/err" || fail "$(cat "$scratch/err")"
  # The project's own page goes where it was.
  python3 "$tree/scripts/bench/document.py" || fail "the project's page"
  expect_the_project_untouched
}

test_benchmarks_of_another_folder_are_drawn_there() {
  local tree mine python
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import matplotlib' 2>/dev/null && break
    [[ $python != /usr/bin/python3 ]] || skip "no Python with matplotlib"
  done
  copy_of_the_benchmarks
  "$python" "$tree/scripts/bench/chart.py" --folder "$mine" >"$scratch/out" 2>"$scratch/err" || fail "$(cat "$scratch/err")"
  expect_the_project_untouched
  expect "the picture" "$(head -c 4 "$mine/benchmarks.png" | tail -c 3)" PNG
  tr '\n' ' ' <"$scratch/out" | grep -Fq "from \`$mine/\`: Another CPU with 16 threads, 20" || fail "the sentence: $(cat "$scratch/out")"
  ! grep -q -e 'on record' -e 'NVIDIA' "$scratch/out" "$mine/benchmarks.png" || fail "another machine's figures"
  # The project's requirements beside them: what is on record is of another machine still.
  cp "$tree/docs/benchmarks/required.json" "$mine/"
  "$python" "$tree/scripts/bench/chart.py" --folder "$mine" >"$scratch/out" 2>"$scratch/err" || fail "$(cat "$scratch/err")"
  grep -q 'Another CPU' "$scratch/out" || fail "the sentence: $(cat "$scratch/out")"
  ! grep -q 'on record' "$mine/benchmarks.png" || fail "another machine's figures on record"
  # Nothing measured: nothing is written.
  rm "$mine"/benchmarks.png "$mine"/ergode_cpu.json
  "$python" "$tree/scripts/bench/chart.py" --folder "$mine" --readme "$tree/README.md" >"$scratch/out" 2>"$scratch/err"
  expect "status with nothing to draw" $? 1
  grep -q 'nothing to draw' "$scratch/err" || fail "$(cat "$scratch/err")"
  [[ ! -e $mine/benchmarks.png ]] || fail "a picture of nothing"
  expect_the_project_untouched
}

test_the_driver_takes_the_program_that_was_built_and_lets_threads_wait_as_run_does() {
  local tree=$scratch/tree build
  mkdir -p "$tree/build" && cp -r "$root/scripts" "$tree/" || exit 1
  measure() { bash "$tree/scripts/bench/run.sh" "$scratch/out" --device cpu --quick --python false >"$scratch/log" 2>&1; }
  unset OMP_WAIT_POLICY
  measure
  expect "status without a program" $? 2
  for build in dev cpu release; do  # each is preferred to those before it
    mkdir "$tree/build/$build"
    # shellcheck disable=SC2016  # the fake's own variables
    printf '#!/bin/sh\necho "%s $1 $OMP_WAIT_POLICY" >>"%s"\n' "$build" "$scratch/calls" >"$tree/build/$build/ergode"
    chmod +x "$tree/build/$build/ergode"
    rm -f "$scratch/calls"
    measure || fail "$(cat "$scratch/log")"
    grep -qx "$build bench passive" "$scratch/calls" || fail "of build/$build: $(cat "$scratch/calls")"
    ! grep -v "^$build .* passive$" "$scratch/calls" || fail "another program than that of build/$build, or other threads"
  done
  rm "$scratch/calls"
  export OMP_WAIT_POLICY=active
  measure || fail "$(cat "$scratch/log")"
  grep -qx "release bench active" "$scratch/calls" || fail "what was set is not kept: $(cat "$scratch/calls")"
}

run_test "${1:-}"
