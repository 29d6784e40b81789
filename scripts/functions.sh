# shellcheck shell=bash
# Functions that run.sh, test.sh and install_dependencies.sh share. Sourced, never run.

ERGODE_ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

# The comment at a script's head is its --help.
print_help() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$1"; }

# Compile jobs for a number of processors and an amount of free memory in MiB: 1.5 GiB a job, at least one.
jobs_for() {
  local processors=$1 free_mib=$2
  local by_memory=$((free_mib / 1536))
  local jobs=$((processors < by_memory ? processors : by_memory))
  echo $((jobs < 1 ? 1 : jobs))
}

# Free memory in MiB: what the kernel says, or what is left below a container's limit if that is less.
free_memory_mib() {
  local free limit used
  free=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo 2>/dev/null)
  free=${free:-2048}
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
  used=$(cat /sys/fs/cgroup/memory.current 2>/dev/null || echo 0)
  if [[ $limit =~ ^[0-9]+$ ]] && (((limit - used) / 1048576 < free)); then
    free=$(((limit - used) / 1048576))
  fi
  echo "$free"
}

build_jobs() { jobs_for "$(nproc)" "$(free_memory_mib)"; }

# `N passed, N failed, N skipped` from the JUnit file that ctest writes, one <testcase> a CTest test. A test that could not be
# started is "notrun" without SKIP_RETURN_CODE in its message, and counts as failed.
count_tests() {
  awk '
    /^[ \t]*<testcase / {
      status = "fail"
      if (match($0, / status="[a-z]*"/)) status = substr($0, RSTART + 9, RLENGTH - 10)
      if (status == "run") passed++
      else if (status == "disabled") skipped++
      else if (status == "notrun") waiting = 1
      else failed++
    }
    waiting && /^[ \t]*<skipped / { if (/SKIP_/) skipped++; else failed++; waiting = 0 }
    waiting && /^[ \t]*<\/testcase>/ { failed++; waiting = 0 }
    END { printf "%d passed, %d failed, %d skipped\n", passed, failed + waiting, skipped }' "$1"
}

# What a build folder depends on beside the sources. When it is as at the last configure step, that step is left out. A change in
# the first line (another place, compiler or nvcc) also makes CMake forget what it found.
configuration_key() {
  printf '%s' "root $ERGODE_ROOT; $(command -v "${CXX:-c++}") $("${CXX:-c++}" -dumpfullversion 2>/dev/null); $(command -v cmake); "
  printf '%s\n' "cuda ${CUDACXX:-} ${CUDA_HOME:-} $(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null); mpi ${MPI_HOME:-} $(command -v mpicc)"
  # shellcheck disable=SC2016
  dpkg-query -W -f '${Package} ${Version}; ' libhdf5-dev libyaml-cpp-dev libspdlog-dev libfmt-dev libcli11-dev catch2 libopenmpi-dev \
    libmpich-dev python3-h5py python3-xarray python3-vtk9 python3-yt python3-unyt python3-astropy ccache 2>/dev/null
  printf '\n%s\n' "arguments $*"
}

# configure BUILD_FOLDER CMAKE_ARGUMENTS...: runs cmake only when something that it depends on has changed.
configure() {
  local folder=$1 key
  shift
  key=$(configuration_key "$@")
  if [[ -f $folder/build.ninja && -f $folder/configured.txt && $(cat "$folder/configured.txt") == "$key" ]]; then
    return 0
  fi
  mkdir -p "$folder" || return 1
  local fresh=()
  if [[ -f $folder/CMakeCache.txt && $(head -n 1 "$folder/configured.txt" 2>/dev/null) != "$(head -n 1 <<<"$key")" ]]; then
    fresh=(--fresh)
  fi
  rm -f "$folder/configured.txt"
  say "Configuring in $folder ..."
  cmake "${fresh[@]}" -S "$ERGODE_ROOT" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" >&2 </dev/null || return 1
  printf '%s\n' "$key" >"$folder/configured.txt"
}

# build BUILD_FOLDER TARGET: what the compiler says goes to stderr, stdout stays the program's. When nothing changed, not a word.
build() {
  local folder=$1 target=$2
  ninja -C "$folder" -j "$(build_jobs)" "$target" </dev/null |
    grep --line-buffered -v -e 'Looking at the commit$' -e '^ninja: Entering directory' -e '^ninja: no work to do' -e 'Re-checking globbed directories' >&2
  return "${PIPESTATUS[0]}"
}
