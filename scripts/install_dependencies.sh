#!/usr/bin/env bash
# Usage: scripts/install_dependencies.sh [--tests] [--slurm] [--list] [--help]
#
# Installs the packages that Ergode is built with (Debian 12, Ubuntu 24.04 and their relatives), through apt, as root or with
# sudo. What is there already is left alone; when nothing is missing, apt is not called at all.
#
#   --tests   also what the tests need: Catch2 3 (on Debian 12 from bookworm-backports, which is added to apt's sources in
#             a file of its own), the analysis tools that the results are opened with, and Open MPI where there is no MPI yet.
#             What of the tools and MPI cannot be had is named, and its tests are skipped.
#   --slurm   also Slurm and MUNGE, on which the tests try the job scripts (each starts daemons of its own and stops them; the
#             packages' services for Slurm stay off as long as /etc/slurm has no slurm.conf)
#   --list    print the names of the missing packages, install nothing
#
# Exit status: 0 all there; 1 something is missing that the build cannot do without; 3 only libraries are missing whose source CMake
# can fetch from the internet. CUDA is never installed: nvcc is used where it is.
set -u -o pipefail
# shellcheck source=scripts/functions.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/functions.sh"

tests=no
slurm=no
list_only=no
for argument in "$@"; do
  case $argument in
    --tests) tests=yes ;;
    --slurm) slurm=yes ;;
    --list) list_only=yes ;;
    -h | --help) print_help "$0" && exit 0 ;;
    *) say "install_dependencies.sh: unknown argument: $argument (see --help)" && exit 2 ;;
  esac
done

libraries=(libhdf5-dev libyaml-cpp-dev libcli11-dev libspdlog-dev libfmt-dev)
analysis=(python3 python3-h5py python3-numpy python3-xarray python3-h5netcdf python3-pandas python3-matplotlib python3-yaml
  python3-vtk9 python3-yt python3-unyt python3-astropy hdf5-tools netcdf-bin ffmpeg chromium)

version_at_least() { [[ $(printf '%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

have_cmake() {
  local version
  version=$(cmake --version 2>/dev/null | awk 'NR == 1 { print $3 }')
  [[ -n $version ]] && version_at_least "$version" 3.25
}

# Of the packages named, those that dpkg does not have: one call for all, so that a second start costs nothing.
not_installed() {
  local have
  have=" $(dpkg-query -W -f '${db:Status-Status}/${Package} ' "$@" 2>/dev/null) "
  local package
  for package in "$@"; do
    [[ $have == *" installed/$package "* ]] || echo "$package"
  done
}

have_catch2() {
  local version
  version=$(dpkg-query -W -f '${db:Status-Status} ${Version}' catch2 2>/dev/null)
  [[ $version == "installed "* ]] && version_at_least "${version#installed }" 3
}

# Also a Slurm that is not from packages.
have_slurm() { (PATH=$PATH:/usr/local/sbin:/usr/sbin && command -v slurmctld && command -v slurmd && command -v munged) >/dev/null; }

# mpicc alone is not enough: openmpi-bin, which other packages bring, has it without the header.
have_mpi() { command -v mpicc >/dev/null && mpicc -E -x c - <<<'#include <mpi.h>' >/dev/null 2>&1; }

# Sets needed (the build cannot do without), fetchable (CMake can fetch the source) and optional.
find_missing() {
  needed=() fetchable=() optional=()
  have_cmake || needed+=(cmake)
  command -v ninja >/dev/null || needed+=(ninja-build)
  command -v "${CXX:-c++}" >/dev/null || needed+=(g++)
  local package
  while read -r package; do
    case $package in
      libhdf5-dev) needed+=("$package") ;;
      *) fetchable+=("$package") ;;
    esac
  done < <(not_installed "${libraries[@]}")
  if [[ $tests == yes ]]; then
    have_catch2 || fetchable+=(catch2)
    mapfile -t optional < <(not_installed "${analysis[@]}")
    # A cluster has its own, in a module; MPICH will do as well.
    have_mpi || optional+=(libopenmpi-dev)
  fi
  [[ $slurm == no ]] || have_slurm || optional+=(slurm-wlm munge)
}

# One apt-get call: it asks nothing, waits for another apt to end, and leaves the user's configuration files alone.
apt_get() {
  local environment=(DEBIAN_FRONTEND=noninteractive APT_LISTCHANGES_FRONTEND=none NEEDRESTART_SUSPEND=1 UCF_FORCE_CONFFOLD=1)
  local name
  for name in http_proxy https_proxy no_proxy; do
    [[ -n ${!name:-} ]] && environment+=("$name=${!name}")
  done
  "${as_root[@]}" env "${environment[@]}" apt-get -q -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@" </dev/null >&2
}

# apt_source_for_backports CODENAME FILE...: a source of CODENAME-backports at the mirror, and signed by the keys, that FILE names for CODENAME.
# Prints `sources` or `list` (the format) and then the entry; nothing when FILE has no such entry.
apt_source_for_backports() {
  local codename=$1 file
  shift
  for file in "$@"; do
    [[ -r $file ]] || continue
    if [[ $file == *.sources ]]; then
      awk -v codename="$codename" '
        function flush_stanza(   i) {
          if (types && suite && component && !disabled) {
            print "sources"
            for (i = 1; i <= count; i++) print lines[i]
            done = 1
          }
          count = types = suite = component = disabled = 0
        }
        function has(text, word) { return (" " text " ") ~ ("[ \t]" word "[ \t]") }
        done { exit }
        /^#/ { next }
        /^[ \t]*$/ { flush_stanza(); next }
        {
          field = tolower($0); value = $0
          sub(/^[^:]*:/, "", value)
          if (field ~ /^types:/) { types = has(value, "deb"); $0 = "Types: deb" }
          if (field ~ /^suites:/) { suite = has(value, codename); $0 = "Suites: " codename "-backports" }
          if (field ~ /^components:/) { component = has(value, "main"); $0 = "Components: main" }
          if (field ~ /^enabled:/ && tolower(value) ~ /no|false|0/) disabled = 1
          lines[++count] = $0
        }
        END { if (!done) flush_stanza() }' "$file"
    else
      awk -v codename="$codename" '
        $1 == "deb" && !/cdrom:/ {
          line = $0; options = ""
          sub(/^[ \t]*deb[ \t]+/, "", line)
          if (line ~ /^\[/) { options = substr(line, 1, index(line, "]")) " "; sub(/^[^]]*\][ \t]*/, "", line) }
          n = split(line, word, /[ \t]+/)
          for (i = 3; i <= n; i++)
            if (word[2] == codename && word[i] == "main") {
              print "list"
              print "deb " options word[1] " " codename "-backports main"
              exit
            }
        }' "$file"
    fi
  done
}

# Whether apt knows of a Catch2 of version 3.
catch2_3_in_apt() { apt-cache madison catch2 2>/dev/null | awk -F'|' '$2 ~ /^ *3\./ { found = 1 } END { exit !found }'; }

# Makes Catch2 3 known to apt on a Debian whose own one is older.
add_backports() {
  local codename entry format text file
  # shellcheck disable=SC1091
  codename=$(. /etc/os-release && [[ ${ID:-} == debian ]] && echo "${VERSION_CODENAME:-}")
  [[ -n $codename ]] || return 1
  shopt -s nullglob
  entry=$(apt_source_for_backports "$codename" /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources)
  shopt -u nullglob
  format=$(head -n 1 <<<"$entry")
  [[ -n $format ]] || return 1
  # Of several mirrors the first is enough.
  text=$(awk -v format="$format" 'NR > 1 { if ($0 == "list" || $0 == "sources") exit; print; if (format == "list") exit }' <<<"$entry")
  file=/etc/apt/sources.list.d/ergode-$codename-backports.$format
  say "Adding $codename-backports to apt's sources, for Catch2 3: $file"
  printf '%s\n' "$text" | "${as_root[@]}" tee "$file" >/dev/null || return 1
  if ! apt_get update || ! catch2_3_in_apt; then
    say "The mirror has no $codename-backports with Catch2 3: taking $file away again"
    "${as_root[@]}" rm -f "$file"
    apt_get update
    return 1
  fi
}

# Whether apt could install a package.
has_candidate() { [[ $(LC_ALL=C apt-cache policy "$1" 2>/dev/null) =~ Candidate:\ [^\(] ]]; }

install_catch2() {
  catch2_3_in_apt || add_backports || return 1
  local release=() suite
  suite=$(LC_ALL=C apt-cache madison catch2 | awk -F'|' '$2 ~ /^ *3\./ && match($3, /[a-z]+-backports/) { print substr($3, RSTART, RLENGTH); exit }')
  [[ -n $suite ]] && release=(-t "$suite")
  apt_get install -y --no-install-recommends "${release[@]}" catch2
}

# Sets as_root to the command that gives root's rights; fails where there is none.
find_root() {
  if [[ $(id -u) -eq 0 ]]; then
    as_root=()
  elif ! command -v sudo >/dev/null; then
    return 1
  elif sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  elif [[ -t 0 && -t 2 ]]; then
    as_root=(sudo)  # a person is there to type the password
  else
    return 1
  fi
}

# One at a time only when all together fail: one package that is not to be had shall not keep the rest away.
install_together() {
  (($# == 0)) && return 0
  apt_get install -y --no-install-recommends "$@" && return 0
  local one
  for one in "$@"; do apt_get install -y --no-install-recommends "$one"; done
}

# Succeeds when everything that apt could give was asked of it.
install_missing() {
  local all=("${needed[@]}" "${fetchable[@]}" "${optional[@]}") package
  if ! command -v apt-get >/dev/null; then
    say "This system has no apt: the packages have other names here, and I install nothing."
    return 1
  fi
  if ! find_root; then
    say "I am not root and cannot use sudo without a password: I install nothing."
    return 1
  fi
  say "Installing ${#all[@]} missing packages: ${all[*]}"
  local up_to_date=yes
  apt_get update || { say "apt-get update failed: going on with what apt knows" && up_to_date=no; }

  local required=() extra=()
  for package in "${needed[@]}" "${fetchable[@]}"; do
    [[ $package == catch2 ]] || required+=("$package")
  done
  for package in "${optional[@]}"; do
    if has_candidate "$package"; then extra+=("$package"); fi
  done
  install_together "${required[@]}"
  if [[ " ${fetchable[*]} " == *" catch2 "* ]]; then install_catch2; fi
  install_together "${extra[@]}"
  [[ $up_to_date == yes ]]
}

main() {
  find_missing
  local missing=("${needed[@]}" "${fetchable[@]}" "${optional[@]}")
  if [[ $list_only == yes ]]; then
    ((${#missing[@]} == 0)) || printf '%s\n' "${missing[@]}"
    return 0
  fi
  ((${#missing[@]} == 0)) && return 0

  # Analysis tools and MPI that apt does not have (or could not install) are not asked for again at every start: remove the file to try again.
  local remembered=$ERGODE_ROOT/build/not_available.txt
  if ((${#needed[@]} + ${#fetchable[@]} == 0)) && [[ -f $remembered && $(cat "$remembered") == "${optional[*]}" ]]; then
    return 0
  fi
  local tried=no
  install_missing && tried=yes
  find_missing
  if ((${#optional[@]} > 0)); then
    say "Not installed, their tests are skipped: ${optional[*]}"
    [[ $tried == yes ]] && mkdir -p "$ERGODE_ROOT/build" && printf '%s\n' "${optional[*]}" >"$remembered"
  fi
  local lacking=("${needed[@]}" "${fetchable[@]}")
  if ((${#lacking[@]} > 0)); then
    say "Missing packages: ${lacking[*]}"
    say "Install them as root:  apt-get install ${lacking[*]}"
    [[ " ${lacking[*]} " == *" catch2 "* ]] && say "(catch2 must be version 3: on Debian 12 it is in bookworm-backports)"
    ((${#needed[@]} == 0)) && return 3
    return 1
  fi
  return 0
}

# Sourced by the tests of these functions, run by everyone else.
if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  main
fi
