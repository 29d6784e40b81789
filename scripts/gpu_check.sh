#!/usr/bin/env bash
# Builds with CUDA and shows on a real GPU what a machine without one cannot: the tests labelled gpu, the memory and
# race checkers on every kernel at small sizes, and, with --bench, the rates.
set -euo pipefail

usage() {
  cat <<'EOF'
Usage: scripts/gpu_check.sh [--build DIR] [--logs DIR] [--all-tests] [--no-sanitizers] [--bench]

  --build DIR       build folder (default: build/gpu)
  --logs DIR        where full logs go (default: the build folder's logs/)
  --all-tests       every CTest test, not only those labelled gpu
  --no-sanitizers   leave compute-sanitizer out
  --bench           also run `ergode bench`
EOF
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/gpu logs="" tests=(-L gpu) sanitizers=1 bench=0
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=$2; shift ;;
    --logs) logs=$2; shift ;;
    --all-tests) tests=() ;;
    --no-sanitizers) sanitizers=0 ;;
    --bench) bench=1 ;;
    -h|--help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
logs=${logs:-$build/logs}
mkdir -p "$logs"

if ! cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DERGODE_CUDA=ON >"$logs/configure.log" 2>&1 ||
   ! cmake --build "$build" --parallel >"$logs/build.log" 2>&1; then
  tail -n 40 "$logs/configure.log" "$logs/build.log" 2>/dev/null
  exit 1
fi
failed=0
nvidia-smi --query-gpu=name,driver_version,clocks.sm,memory.total --format=csv,noheader || true
ctest --test-dir "$build" "${tests[@]}" --output-on-failure -j 4 >"$logs/ctest.log" 2>&1 || failed=1
tail -n 25 "$logs/ctest.log"
if [ "$sanitizers" = 1 ]; then
  for tool in memcheck racecheck; do
    # These cases launch every kernel in every form, at sizes that the checkers can afford.
    if compute-sanitizer --tool "$tool" --error-exitcode 99 "$build/tests/test_gpu" "[small]" >"$logs/$tool.log" 2>&1; then
      echo "$tool: $(grep -E 'assertions' "$logs/$tool.log" | tail -n 1) $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$logs/$tool.log" | tail -n 1)"
    else
      echo "$tool FAILED"; grep -m 12 '=====' "$logs/$tool.log" || tail -n 12 "$logs/$tool.log"; failed=1
    fi
  done
fi
if [ "$bench" = 1 ]; then
  "$build/ergode" bench --device cuda --json "$logs/bench.json" || failed=1
fi
exit $failed
