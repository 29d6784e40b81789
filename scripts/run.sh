#!/usr/bin/env bash
# Usage: scripts/run.sh CONFIG [arguments of `ergode run`]
#        scripts/run.sh configs/nbody/solar_system.yaml
#
# One command from a fresh machine to a result: installs the packages that are missing (as root or with sudo), builds the program
# (Release, with CUDA where nvcc is), and runs CONFIG. Run again it starts at once. A result that is already in the output
# directory is moved aside, unless you say otherwise (--exists ..., --resume).
#
# CONFIG is looked for from the present folder, then from the project's. Exit status: that of the program (0 done, 75 stopped
# before the end: run again with --resume ...; see docs/running.md), or 1 when it could not be built.
set -u -o pipefail
# shellcheck source=scripts/functions.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/functions.sh"

if (($# == 0)); then
  print_help "$0" >&2
  exit 2
fi
if [[ $1 == -h || $1 == --help ]]; then
  print_help "$0"
  exit 0
fi
config=$1
shift
if [[ $config == -* ]]; then
  say "run.sh: the config comes first (see --help)"
  exit 2
fi
if [[ ! -e $config && $config != /* && -e $ERGODE_ROOT/$config ]]; then
  config=$ERGODE_ROOT/$config
fi
if [[ ! -e $config ]]; then
  say "run.sh: no such config: $config"
  exit 3
fi

exists=(--exists backup)
for argument in "$@"; do
  case $argument in --exists | --exists=* | --resume) exists=() ;; esac
done

bash "$ERGODE_ROOT/scripts/install_dependencies.sh"
installed=$?
if ((installed == 1)); then
  exit 1
elif ((installed == 3)); then
  say "Going on: CMake tries to fetch the source of what is missing."
fi

# One build folder for both scripts: where test.sh has set it up with the tests, it stays so, and only the program is built here.
folder=$ERGODE_ROOT/build/release
if [[ -f $folder/configured.txt ]] && grep -q -- '^arguments .*-DERGODE_TESTS=ON' "$folder/configured.txt"; then
  arguments=$(sed -n 's/^arguments //p' "$folder/configured.txt")
  read -r -a arguments <<<"$arguments"
else
  arguments=(-DERGODE_TESTS=OFF)
fi
if ! configure "$folder" "${arguments[@]}" || ! build "$folder" ergode; then
  say "run.sh: the program could not be built (see above)"
  ((installed == 3)) && bash "$ERGODE_ROOT/scripts/install_dependencies.sh" --list | xargs echo "run.sh: missing packages:" >&2
  exit 1
fi
# Threads that wait by spinning cost a shared machine more than they gain.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
exec "$folder/ergode" run "$config" "${exists[@]}" "$@"
