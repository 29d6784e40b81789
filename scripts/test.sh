#!/usr/bin/env bash
# Usage: scripts/test.sh [arguments of ctest]
#        scripts/test.sh                 every test that this machine can run
#        scripts/test.sh -L physics      those with a label: unit physics restart fault tools gpu mpi slurm slow
#        scripts/test.sh -R figure-eight those with a word in their name
#
# Installs the packages that are missing (as root or with sudo), builds program and tests (Release, with CUDA where nvcc is; with
# CI=true warnings are errors) and runs the tests. Tests that need what this machine does not have, a GPU say, are skipped.
# The last line on stdout is always `N passed, N failed, N skipped`, in CTest tests, one a Catch2 case. Exit status: 0 when
# none failed.
set -u -o pipefail
# shellcheck source=scripts/functions.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/functions.sh"

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  print_help "$0"
  exit 0
fi

# Nothing could be tested: that is one failure.
give_up() {
  say "test.sh: $1"
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
}

bash "$ERGODE_ROOT/scripts/install_dependencies.sh" --tests --slurm
installed=$?
if ((installed == 1)); then
  give_up "packages are missing (see above)"
elif ((installed == 3)); then
  say "Going on: CMake tries to fetch the source of what is missing."
fi

folder=$ERGODE_ROOT/build/release
werror=OFF
[[ ${CI:-} == true ]] && werror=ON
if ! configure "$folder" -DERGODE_TESTS=ON "-DERGODE_WERROR=$werror"; then
  ((installed == 3)) && bash "$ERGODE_ROOT/scripts/install_dependencies.sh" --tests --list | xargs echo "test.sh: missing packages:" >&2
  give_up "cmake failed (see above)"
fi
build "$folder" all || give_up "the build failed (see above)"

export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}  # several tests share the processors
results=$folder/test-results.xml
rm -f "$results"
ctest --test-dir "$folder" --output-on-failure --no-tests=error -j "$(nproc)" --output-junit "$results" "$@" </dev/null
status=$?
[[ -f $results ]] || give_up "ctest ended with $status and wrote no results"
line=$(count_tests "$results")
if ((status != 0)) && [[ $line == *" 0 failed,"* ]]; then
  give_up "ctest ended with $status"
fi
echo "$line"
[[ $line == *" 0 failed,"* ]]
