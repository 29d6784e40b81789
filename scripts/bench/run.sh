#!/usr/bin/env bash
# Usage: scripts/bench/run.sh FOLDER [--device cuda|cpu|all] [--ergode PROGRAM] [--python PYTHON] [--ranks] [--quick]
#
# Measures this machine: `ergode bench`, and the peers that are installed, on the same problems and with their accuracy checked.
# FOLDER gets JSON files; of those below docs/benchmarks/, scripts/bench/document.py makes the tables of docs/benchmarks.md, and
# scripts/bench/chart.py the picture of the README, and with --folder FOLDER both of yours, in FOLDER:
#   ergode_cuda.json                    the GPU
#   ergode_cpu.json                     all threads that may be used, 1, 2, 4 ... of them too
#   ergode_cpu_avx2.json                one thread with AVX2, where the processor can do more
#   ergode_ranks.json                   one and two GPUs, with --ranks
#   cupy_cuda.json numba_cuda.json jax_xla.json torch_arrays.json       peers on the GPU
#   rebound_direct.json quantlib_asian.json                             peers on one core
#   run.log                             what was printed
#
#   --device   cuda, cpu, or all that is there (default)
#   --ergode   the program (default: that of build/release, else of build/cpu, else of build/dev)
#   --python   the Python whose packages are the peers (default: python3)
#   --ranks    also runs shared by two MPI ranks with a GPU each
#   --limit    seconds that a peer may take (default: 60); ergode itself may take 300 for a file
#   --quick    tiny sizes and peers on the CPU, to see that it works
#
# Threads wait as OMP_WAIT_POLICY says, passive where it is not set, as under scripts/run.sh: on a machine of one's own active may
# serve small systems better. About three minutes for either device. What fails or takes too long leaves in its file what it has measured, and the rest goes
# on. Exit status: 0; 1 where something that is there failed or a peer was not accurate; 2 the command line.
set -u -o pipefail
# shellcheck source=scripts/functions.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../functions.sh"
here=$ERGODE_ROOT/scripts/bench

folder="" device=all ergode="" python=python3 ranks=0 limit=60 quick=()
while (($# > 0)); do
  case $1 in
    -h | --help) print_help "$0"; exit 0 ;;
    --device | --ergode | --python | --limit)
      if (($# < 2)); then say "run.sh: $1 needs a value"; exit 2; fi
      declare "${1#--}=$2"
      shift ;;
    --ranks) ranks=1 ;;
    --quick) quick=(--quick) ;;
    -*) say "run.sh: unknown option $1 (see --help)"; exit 2 ;;
    *) folder=$1 ;;
  esac
  shift
done
if [[ -z $folder || ! $device =~ ^(cuda|cpu|all)$ || ! $limit =~ ^[1-9][0-9]*$ ]]; then
  print_help "$0" >&2
  exit 2
fi
for build in release cpu dev; do
  [[ -z $ergode && -x $ERGODE_ROOT/build/$build/ergode ]] && ergode=$ERGODE_ROOT/build/$build/ergode
done
if [[ ! -x $ergode ]]; then
  say "run.sh: there is no program: build it, or name it with --ergode"
  exit 2
fi

mkdir -p "$folder" || exit 1
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
exec > >(tee "$folder/run.log") 2>&1
failed=0

on() { [[ $device == all || $device == "$1" ]]; }

# attempt SECONDS COMMAND...
attempt() {
  local seconds=$1 status=0
  shift
  timeout --kill-after=10 "$seconds" "$@" || status=$?
  ((status == 0)) || failed=1
  ((status != 124 && status != 137)) || say "run.sh: that took more than $seconds seconds and was ended"
}

bench() {
  local file=$1
  shift
  say "== ergode bench $*"
  attempt 300 "$ergode" bench "$@" "${quick[@]}" --json "$folder/$file"
}

# peer SCRIPT MODULE DEVICE
peer() {
  if ! "$python" -c "import importlib.util as u, sys; sys.exit(u.find_spec('$2') is None)" 2>/dev/null; then
    say "== $1: $2 is not installed"
    return
  fi
  say "== $1"
  attempt "$limit" "$python" -W ignore "$here/peers/$1.py" --device "$3" --seconds 1 "${quick[@]}" --json "$folder/$1.json"
}

has_gpu=0
"$ergode" devices | grep -q '^cuda:[0-9]' && has_gpu=1
if on cuda && ((has_gpu)); then
  bench ergode_cuda.json --device cuda
  if ((ranks)); then
    say "== MPI ranks"
    attempt 300 "$python" "$here/ranks.py" --ergode "$ergode" --json "$folder/ergode_ranks.json" "${quick[@]}"
  fi
elif [[ $device == cuda ]]; then
  say "run.sh: there is no GPU"
  exit 1
fi
if on cpu; then
  pace=(--seconds 1)
  ((${#quick[@]} == 0)) || pace=()
  bench ergode_cpu.json --device cpu "${pace[@]}"
  if timeout 60 "$ergode" bench nbody --device cpu --isa avx512 --threads 1 --quick >/dev/null 2>&1; then
    bench ergode_cpu_avx2.json --device cpu --isa avx2 --threads 1 "${pace[@]}" --longest 1 --bodies 4096 16384 \
      --paths 100000 --batch 1
  fi
  peer rebound_direct rebound cpu
  peer quantlib_asian QuantLib cpu
fi
if on cuda && ((has_gpu)); then
  export XLA_PYTHON_CLIENT_PREALLOCATE=false
  peer cupy_cuda cupy cuda
  peer numba_cuda numba cuda
  peer jax_xla jax cuda
  peer torch_arrays torch cuda
elif on cuda && ((${#quick[@]})); then
  peer numba_cuda numba cpu
  peer jax_xla jax cpu
  peer torch_arrays torch cpu
fi
exit "$failed"
