#!/usr/bin/env bash
# Usage: scripts/bench/run.sh FOLDER [--device cuda|cpu|all] [--ergode PROGRAM] [--python PYTHON] [--ranks] [--quick]
#
# Measures this machine: `ergode bench`, and the peers that are installed, on the same problems and with their accuracy checked.
# FOLDER gets JSON files, which scripts/bench/document.py and chart.py make tables and a picture of:
#   ergode_cuda.json                    the GPU
#   ergode_cpu.json                     all threads that may be used, 1, 2, 4 ... of them too
#   ergode_cpu_avx2.json                one thread with AVX2, where the processor can do more
#   ergode_ranks.json                   one and two GPUs, with --ranks
#   peers.json                          PyTorch, JAX, CuPy and Numba on the GPU, REBOUND and QuantLib on one core
#   run.log                             what was printed
#
#   --device   cuda, cpu, or all that is there (default)
#   --ergode   the program (default: that of build/release, else of build/dev)
#   --python   the Python whose packages are the peers (default: python3)
#   --ranks    also runs shared by two MPI ranks with a GPU each
#   --quick    tiny sizes and peers on the CPU, to see that it works
#
# About four minutes for either device. Exit status: 0; 1 where something that is there failed or a peer was not accurate; 2 the
# command line.
set -u -o pipefail
# shellcheck source=scripts/functions.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../functions.sh"
here=$ERGODE_ROOT/scripts/bench

folder="" device=all ergode="" python=python3 ranks=0 quick=()
while (($# > 0)); do
  case $1 in
    -h | --help) print_help "$0"; exit 0 ;;
    --device | --ergode | --python)
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
if [[ -z $folder || ! $device =~ ^(cuda|cpu|all)$ ]]; then
  print_help "$0" >&2
  exit 2
fi
for candidate in "$ERGODE_ROOT/build/release/ergode" "$ERGODE_ROOT/build/dev/ergode"; do
  [[ -z $ergode && -x $candidate ]] && ergode=$candidate
done
if [[ ! -x $ergode ]]; then
  say "run.sh: there is no program: build it, or name it with --ergode"
  exit 2
fi

mkdir -p "$folder" || exit 1
pieces=$(mktemp -d)
trap 'rm -rf "$pieces"' EXIT
exec > >(tee "$folder/run.log") 2>&1
failed=0

on() { [[ $device == all || $device == "$1" ]]; }

bench() {
  local file=$1
  shift
  say "== ergode bench $*"
  "$ergode" bench "$@" "${quick[@]}" --json "$folder/$file" || failed=1
}

# peer SCRIPT MODULE DEVICE
peer() {
  if ! "$python" -c "import importlib.util as u, sys; sys.exit(u.find_spec('$2') is None)" 2>/dev/null; then
    say "== $1: $2 is not installed"
    return
  fi
  say "== $1"
  timeout 300 "$python" -W ignore "$here/peers/$1.py" --device "$3" "${quick[@]}" --json "$pieces/$1.json" || failed=1
}

has_gpu=0
"$ergode" devices | grep -q '^cuda:[0-9]' && has_gpu=1
if on cuda && ((has_gpu)); then
  bench ergode_cuda.json --device cuda
  if ((ranks)); then
    say "== MPI ranks"
    "$python" "$here/ranks.py" --ergode "$ergode" --json "$folder/ergode_ranks.json" "${quick[@]}" || failed=1
  fi
elif [[ $device == cuda ]]; then
  say "run.sh: there is no GPU"
  exit 1
fi
if on cpu; then
  bench ergode_cpu.json --device cpu --seconds 1 --longest 4
  if "$ergode" bench nbody --device cpu --isa avx512 --threads 1 --quick >/dev/null 2>&1; then
    bench ergode_cpu_avx2.json --device cpu --isa avx2 --threads 1 --seconds 1 --longest 1 --bodies 4096 16384 \
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

# One file of all peers.
"$python" - "$pieces" "$folder/peers.json" <<'EOF' || failed=1
import json, pathlib, sys
peers = [json.loads(path.read_text()) for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json"))]
if peers:
    pathlib.Path(sys.argv[2]).write_text(json.dumps({"peers": peers}, indent=2) + "\n")
EOF
exit "$failed"
