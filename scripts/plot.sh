#!/usr/bin/env bash
# Usage: scripts/plot.sh RUN [-o DIR] [--format png|pdf|both] [--only NAME ...] [--movie]
#        scripts/plot.sh runs/solar-system
#
# Draws a run directory, or a sweep's: energy errors, orbits, densities, smiles, convergence and so on, whatever the run has the
# data for, into RUN/plots. It is `python -m ergode.plot` with the package of scripts/python and a Python that has the modules
# it needs: the one that ERGODE_PYTHON names, the one on the PATH, or the system's.
set -u -o pipefail
# The package lies beside this script, in the source tree as where it is installed, where there is no functions.sh.
package=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)/python

print_help() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "${BASH_SOURCE[0]}"; }
if (($# == 0)); then
  print_help >&2
  exit 2
fi
if [[ $1 == -h || $1 == --help ]]; then
  print_help
  exit 0
fi

for python in "${ERGODE_PYTHON:-}" python3 /usr/bin/python3; do
  if [[ -n $python ]] && "$python" -c 'import h5py, matplotlib, numpy, xarray, yaml' 2>/dev/null; then
    PYTHONPATH=$package${PYTHONPATH:+:$PYTHONPATH} exec "$python" -m ergode.plot "$@"
  fi
done
printf '%s\n' "plot.sh: no Python here has all of h5py, matplotlib, numpy, xarray and yaml:" \
  "  apt-get install python3-h5py python3-matplotlib python3-xarray python3-yaml" >&2
exit 1
