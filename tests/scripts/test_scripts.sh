#!/usr/bin/env bash
# Tests of the shell scripts, one function each: `test_scripts.sh NAME` runs one. 0 passed, 4 skipped, anything else failed.
# Nothing is installed or built here.
set -u -o pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/scripts/checks.sh
source "$root/tests/scripts/checks.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A folder that stands for the PATH: only the named programs, and fakes.
fake_path() {
  mkdir -p "$scratch/bin"
  local program
  for program in bash env awk sed grep cat sort head dirname mkdir id nproc tee rm printf xargs ls mktemp; do
    ln -sf "$(command -v "$program")" "$scratch/bin/$program"
  done
}
fake() {  # fake NAME BODY
  rm -f "$scratch/bin/$1"
  printf '#!/bin/bash\n%s\n' "$2" >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}

test_every_script_has_help_from_any_folder() {
  cd / || exit 1
  local script
  for script in "$root"/scripts/*.sh "$root"/scripts/slurm/*.sh; do
    [[ $script == */functions.sh ]] && continue
    bash "$script" --help >"$scratch/out" || fail "$script --help ended with $?"
    grep -Eq "^Usage: (sbatch .* )?${script#"$root/"}" "$scratch/out" || fail "$script --help does not say its usage"
  done
}

test_run_without_a_config_says_how_and_ends_with_2() {
  bash "$root/scripts/run.sh" >"$scratch/out" 2>"$scratch/err"
  expect "exit status" $? 2
  grep -q '^Usage:' "$scratch/err" || fail "no usage on stderr"
}

test_run_names_a_config_that_is_not_there() {
  cd "$scratch" || exit 1
  bash "$root/scripts/run.sh" no/such.yaml 2>"$scratch/err"
  expect "exit status" $? 3
  grep -q 'no such config: no/such.yaml' "$scratch/err" || fail "the config is not named"
}

test_counts_of_a_ctest_result_file() {
  source "$root/scripts/functions.sh"
  cat >"$scratch/results.xml" <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="Linux-c++" tests="7" failures="2" disabled="1" skipped="3">
	<testcase name="a" classname="a" time="0.002" status="run">
		<system-out>2 passed &lt;testcase status=&quot;fail&quot;</system-out>
	</testcase>
	<testcase name="says status=&quot;fail&quot;" classname="b" time="0.002" status="run">
	</testcase>
	<testcase name="c" classname="c" time="0.001" status="fail">
		<failure message=""/>
	</testcase>
	<testcase name="d" classname="d" time="0.001" status="notrun">
		<skipped message="SKIP_RETURN_CODE=4"/>
	</testcase>
	<testcase name="e" classname="e" time="0" status="notrun">
		<skipped message="Unable to find executable"/>
	</testcase>
	<testcase name="f" classname="f" time="0" status="disabled">
	</testcase>
	<testcase name="g" classname="g" time="0" status="notrun">
	</testcase>
</testsuite>
XML
  expect "counts" "$(count_tests "$scratch/results.xml")" "2 passed, 3 failed, 2 skipped"
  printf '<testsuite name="x" tests="0">\n</testsuite>\n' >"$scratch/results.xml"
  expect "counts of nothing" "$(count_tests "$scratch/results.xml")" "0 passed, 0 failed, 0 skipped"
}

test_counts_agree_with_ctest_itself() {
  source "$root/scripts/functions.sh"
  mkdir -p "$scratch/project" && cd "$scratch/project" || exit 1
  cat >CTestTestfile.cmake <<'CTEST'
add_test(passes "/bin/true")
add_test(fails "/bin/false")
add_test(skips "/bin/sh" "-c" "exit 4")
add_test(absent "/no/such/program")
add_test(absent_but_skippable "/no/such/program")
add_test(too_slow "/bin/sleep" "60")
add_test(disabled "/bin/true")
add_test(crashes "/bin/sh" "-c" "kill -SEGV $$")
set_tests_properties(skips absent_but_skippable PROPERTIES SKIP_RETURN_CODE 4)
set_tests_properties(too_slow PROPERTIES TIMEOUT 1)
set_tests_properties(disabled PROPERTIES DISABLED ON)
CTEST
  command -v ctest >/dev/null || skip "no ctest on the PATH"
  ctest --output-junit results.xml >/dev/null 2>&1
  expect "counts" "$(count_tests results.xml)" "1 passed, 5 failed, 2 skipped" || cat results.xml
}

test_compile_jobs_follow_processors_and_memory() {
  source "$root/scripts/functions.sh"
  expect "much memory" "$(jobs_for 8 64000)" 8
  expect "little memory" "$(jobs_for 8 4000)" 2
  expect "hardly any memory" "$(jobs_for 8 100)" 1
  [[ $(build_jobs) -ge 1 ]] || fail "no job at all on this machine"
}

test_backports_source_from_deb822_keeps_mirror_and_key() {
  source "$root/scripts/install_dependencies.sh"
  cat >"$scratch/debian.sources" <<'SOURCES'
Types: deb
# a comment
URIs: http://security.example.org/debian
Suites: bookworm-security
Components: main
Signed-By: /usr/share/keyrings/other.gpg

Enabled: no
Types: deb
URIs: http://off.example.org/debian
Suites: bookworm
Components: main

Types: deb deb-src
URIs: http://mirror.example.org/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
  expect "entry" "$(apt_source_for_backports bookworm "$scratch/debian.sources")" "sources
Types: deb
URIs: http://mirror.example.org/debian
Suites: bookworm-backports
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg"
  expect "another release" "$(apt_source_for_backports trixie "$scratch/debian.sources")" ""
}

test_backports_source_from_one_line_keeps_mirror_and_key() {
  source "$root/scripts/install_dependencies.sh"
  cat >"$scratch/sources.list" <<'LIST'
# deb http://commented.example.org/debian bookworm main
deb cdrom:[Debian GNU/Linux 12]/ bookworm main
deb-src http://source.example.org/debian bookworm main
deb http://security.example.org/debian-security bookworm-security main
deb [arch=amd64 signed-by=/usr/share/keyrings/a.gpg] http://mirror.example.org/debian/ bookworm contrib main
LIST
  expect "entry" "$(apt_source_for_backports bookworm "$scratch/sources.list")" "list
deb [arch=amd64 signed-by=/usr/share/keyrings/a.gpg] http://mirror.example.org/debian/ bookworm-backports main"
  echo 'deb http://plain.example.org/debian bookworm main' >"$scratch/sources.list"
  expect "plain entry" "$(apt_source_for_backports bookworm "$scratch/sources.list")" "list
deb http://plain.example.org/debian bookworm-backports main"
}

# On a machine with neither the packages nor root nor sudo: the packages are named, and apt is not called.
test_packages_are_named_when_they_cannot_be_installed() {
  fake_path
  fake id 'echo 1000'
  fake dpkg-query 'exit 1'
  fake apt-get "echo called >> '$scratch/apt'"
  PATH=$scratch/bin env -u CXX bash "$root/scripts/install_dependencies.sh" --tests >"$scratch/out" 2>"$scratch/err" </dev/null
  expect "exit status" $? 1
  local package
  for package in cmake ninja-build g++ libhdf5-dev libyaml-cpp-dev libcli11-dev libspdlog-dev catch2; do
    grep -q "apt-get install.* $package" "$scratch/err" || fail "$package is not named: $(cat "$scratch/err")"
  done
  [[ ! -e $scratch/apt ]] || fail "apt-get was called"
}

test_the_test_script_ends_with_its_line_when_packages_are_missing() {
  fake_path
  fake id 'echo 1000'
  fake dpkg-query 'exit 1'
  PATH=$scratch/bin bash "$root/scripts/test.sh" >"$scratch/out" 2>"$scratch/err" </dev/null
  expect "exit status" $? 1
  expect "last line" "$(tail -n 1 "$scratch/out")" "0 passed, 1 failed, 0 skipped"
}

# With sudo and all packages there but one: only that one is asked for, through sudo, and nothing can wait for an answer.
test_only_what_is_missing_is_installed_through_sudo() {
  fake_path
  fake id 'echo 1000'
  fake sudo "[[ \$1 == -n ]] && shift; echo \"sudo \$*\" >> '$scratch/calls'; exec \"\$@\""
  fake true ''
  fake cmake 'echo cmake version 3.25.1'
  fake ninja ''
  fake c++ ''
  fake dpkg-query "
for package in libhdf5-dev libyaml-cpp-dev libcli11-dev libfmt-dev; do printf 'installed/%s ' \$package; done
[[ ! -e '$scratch/installed' ]] || printf 'installed/libspdlog-dev '"
  fake apt-get "echo \"apt-get \$* frontend=\$DEBIAN_FRONTEND\" >> '$scratch/calls'; [[ \$* != *libspdlog-dev* ]] || : > '$scratch/installed'"
  fake apt-cache ''
  PATH=$scratch/bin bash "$root/scripts/install_dependencies.sh" >"$scratch/out" 2>"$scratch/err" </dev/null
  expect "exit status" $? 0
  grep -q 'Installing 1 missing packages: libspdlog-dev' "$scratch/err" || fail "does not say what it installs: $(cat "$scratch/err")"
  grep -q '^apt-get .*install .*libspdlog-dev frontend=noninteractive$' "$scratch/calls" || fail "not installed: $(cat "$scratch/calls")"
  ! grep -q 'libhdf5-dev' "$scratch/calls" || fail "a package that is there was installed again"

  rm "$scratch/calls"
  PATH=$scratch/bin bash "$root/scripts/install_dependencies.sh" 2>"$scratch/err" </dev/null
  expect "exit status of the second start" $? 0
  [[ ! -e $scratch/calls && ! -s $scratch/err ]] || fail "the second start did something: $(cat "$scratch/calls" "$scratch/err")"
}

test_a_job_script_outside_of_a_job_says_how_to_submit_it() {
  local script
  for script in "$root"/scripts/slurm/*.sh; do
    env -u SLURM_JOB_ID bash "$script" my.yaml >"$scratch/out" 2>&1
    expect "exit status of $script" $? 2
    grep -q 'submit it with sbatch' "$scratch/out" || fail "$script does not say how: $(cat "$scratch/out")"
  done
}

# install_program FOLDER: as `cmake --install` does it, without a build step.
install_program() {
  command -v cmake >/dev/null || skip "no cmake on the PATH"
  cmake --install "$ERGODE_BINARY_DIR" --prefix "$1" >"$scratch/install.log" 2>&1 || fail "cmake --install: $(tail -n 3 "$scratch/install.log")"
}

test_job_scripts_for_several_ranks_pass_the_options_of_mpi() {
  fake_path
  # shellcheck disable=SC2016  # for the fake to expand
  fake srun 'echo "$*" >"$SRUN_SAID"'
  export SRUN_SAID=$scratch/said SLURM_JOB_ID=1 SLURM_CPUS_PER_TASK=2 ERGODE=ergode
  unset SLURM_MPI_TYPE ERGODE_MODULES SLURM_RESTART_COUNT
  local script option
  for script in several_gpus requeue_chain; do
    SLURM_NTASKS=2 PATH=$scratch/bin bash "$root/scripts/slurm/$script.sh" my.yaml || fail "$script.sh ended with $?"
    for option in --mpi=pmix --wait=60; do
      [[ " $(<"$scratch/said") " == *" $option "* ]] || fail "$script.sh starts two ranks without $option"
    done
  done
  SLURM_NTASKS=1 PATH=$scratch/bin bash "$root/scripts/slurm/requeue_chain.sh" my.yaml || fail "it ended with $?"
  expect "srun of one rank" "$(<"$scratch/said")" "--cpus-per-task=2 ergode run --resume --threads 2 --progress lines my.yaml"
}

# What Slurm says must be numbers; job scripts say what is wrong before anything runs.
test_job_scripts_refuse_what_is_no_number() {
  fake_path
  fake srun 'echo started'
  export SLURM_JOB_ID=1 ERGODE=ergode
  unset ERGODE_MODULES SLURM_RESTART_COUNT SLURM_ARRAY_TASK_COUNT
  PATH=$scratch/bin SLURM_ARRAY_TASK_ID=1 bash "$root/scripts/slurm/array_sweep.sh" my.yaml >"$scratch/out" 2>&1
  expect "exit status without a count" $? 2
  grep -q "SLURM_ARRAY_TASK_COUNT is '', and no number" "$scratch/out" || fail "it does not say why: $(cat "$scratch/out")"
  PATH=$scratch/bin SLURM_NTASKS=x bash "$root/scripts/slurm/requeue_chain.sh" my.yaml >"$scratch/out" 2>&1
  expect "exit status with SLURM_NTASKS=x" $? 2
  grep -q "SLURM_NTASKS is 'x', and no number" "$scratch/out" || fail "it does not say why: $(cat "$scratch/out")"
}

test_every_job_script_asks_for_its_gpus() {
  local script
  for script in "$root"/scripts/slurm/*.sh; do
    grep -q '^#SBATCH --gres=gpu:[0-9]$' "$script" || fail "$script does not ask for a GPU"
  done
}

test_an_installed_program_runs_an_installed_config_from_its_prefix() {
  local prefix=$scratch/prefix
  install_program "$prefix"
  mkdir "$scratch/elsewhere" && cd "$scratch/elsewhere" || exit 1
  "$prefix/bin/ergode" run "$prefix/share/ergode/configs/nbody/figure_eight.yaml" -o run --set integrator.end_time=0.1 --device cpu \
    --threads 1 --progress none >"$scratch/out" 2>&1 || fail "the run: $(cat "$scratch/out")"
  "$prefix/bin/ergode" verify run >"$scratch/out" 2>&1 || fail "its results: $(cat "$scratch/out")"
  [[ -x $prefix/share/ergode/scripts/slurm/one_gpu.sh ]] || fail "no job scripts"
  [[ -f $prefix/share/doc/ergode/docs/running.md ]] || fail "no documentation"
  expect "what is in the prefix" "$(ls "$prefix")" "bin
share"
}

test_an_installed_plot_script_draws_with_the_installed_package() {
  local prefix=$scratch/prefix modules='import h5py, matplotlib, numpy, xarray, yaml'
  python3 -c "$modules" 2>/dev/null || /usr/bin/python3 -c "$modules" 2>/dev/null || skip "no Python with what it needs"
  install_program "$prefix"
  mkdir "$scratch/elsewhere" && cd "$scratch/elsewhere" || exit 1
  "$prefix/bin/ergode" run "$prefix/share/ergode/configs/nbody/figure_eight.yaml" -o run --set integrator.end_time=0.1 --device cpu \
    --threads 1 --progress none >"$scratch/out" 2>&1 || fail "the run: $(cat "$scratch/out")"
  env -u PYTHONPATH -u ERGODE_ROOT "$prefix/share/ergode/scripts/plot.sh" run --format png >"$scratch/out" 2>&1 || fail "$(cat "$scratch/out")"
  compgen -G 'run/plots/*.png' >/dev/null || fail "no picture: $(cat "$scratch/out")"
  env -u ERGODE_ROOT "$prefix/share/ergode/scripts/plot.sh" --help | grep -q '^Usage:' || fail "no help"
}

# pip makes folders in the checkout that it installs the package from.
test_what_pip_leaves_is_not_installed() {
  command -v cmake >/dev/null || skip "no cmake on the PATH"
  local tree=$scratch/tree
  mkdir -p "$tree/scripts/python/ergode" "$tree/scripts/python/build/lib/ergode" "$tree/scripts/python/ergode.egg-info"
  touch "$tree/scripts/python/"{ergode/a.py,build/lib/ergode/a.py,ergode.egg-info/PKG-INFO}
  {
    echo 'cmake_minimum_required(VERSION 3.25)'
    echo 'project(x NONE)'
    sed -n '/^install(DIRECTORY scripts\/python/,/)$/p' "$root/scripts/cmake/ErgodeInstall.cmake"
  } >"$tree/CMakeLists.txt"
  cmake -S "$tree" -B "$scratch/build" >"$scratch/out" 2>&1 || fail "$(cat "$scratch/out")"
  cmake --install "$scratch/build" --prefix "$scratch/prefix" >"$scratch/out" 2>&1 || fail "$(cat "$scratch/out")"
  expect "what is installed" "$(cd "$scratch/prefix/share/ergode/scripts/python" && find . -type f)" "./ergode/a.py"
}

# Both module files say where the program is, and neither has a placeholder left. Tcl's is also run, by a stand-in for the module command.
test_module_files_name_the_prefix_that_it_was_installed_to() {
  local prefix="$scratch/a prefix" file version
  install_program "$prefix"
  version=$("$prefix/bin/ergode" --version | grep -Eo '[0-9]+(\.[0-9]+)+' | head -n 1)
  for file in "$prefix/share/modulefiles/ergode/$version" "$prefix/share/modulefiles/ergode/$version.lua"; do
    [[ -f $file ]] || fail "no module file $file"
    grep -Eq "root.*[\"{]${prefix}[\"}]$" "$file" || fail "$file does not name the prefix: $(cat "$file")"
    ! grep -q '@' "$file" || fail "$file has a placeholder: $(grep '@' "$file")"
  done
  expect "first line" "$(head -n 1 "$prefix/share/modulefiles/ergode/$version")" "#%Module1.0"
  command -v tclsh >/dev/null || return 0
  echo "proc module-whatis args {}; proc conflict args {}; proc setenv args {puts \$args}; proc prepend-path args {puts \$args}
source {$prefix/share/modulefiles/ergode/$version}" | tclsh >"$scratch/out" || fail "the Tcl module file cannot be run"
  expect "what it sets" "$(head -n 2 "$scratch/out")" "ERGODE_ROOT {$prefix}
PATH {$prefix/bin}"
}

test_scripts_are_clean_for_shellcheck() {
  command -v shellcheck >/dev/null || skip "no shellcheck on the PATH"
  cd "$root" || exit 1
  shellcheck -x scripts/*.sh scripts/slurm/*.sh tests/scripts/*.sh .ci/run || fail "shellcheck complains"
}

run_test "${1:-}"
