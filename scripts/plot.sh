#!/usr/bin/env bash
# Usage: scripts/plot.sh RUN [-o DIR] [--format png|pdf|both] [--only NAME ...] [--movie]
#        scripts/plot.sh runs/solar-system
#
# Draws a run directory, or a sweep's: energy errors, orbits, densities, smiles, convergence and so on, whatever the run has the
# data for, into RUN/plots. It is `python -m ergode.plot` with the package of scripts/python and a Python that has the modules
# it needs: the one that ERGODE_PYTHON names, the one on the PATH, or the system's.
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

for python in "${ERGODE_PYTHON:-}" python3 /usr/bin/python3; do
  if [[ -n $python ]] && "$python" -c 'import h5py, matplotlib, numpy, xarray, yaml' 2>/dev/null; then
    PYTHONPATH=$ERGODE_ROOT/scripts/python${PYTHONPATH:+:$PYTHONPATH} exec "$python" -m ergode.plot "$@"
  fi
done
say "plot.sh: no Python here has all of h5py, matplotlib, numpy, xarray and yaml:"
say "  apt-get install python3-h5py python3-matplotlib python3-xarray python3-yaml"
exit 1
