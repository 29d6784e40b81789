#!/usr/bin/env bash
# Usage: scripts/format.sh [--check]
#
# Formats our C++ and CUDA sources with clang-format (version 14, that of Debian 12: other versions break lines elsewhere).
# With --check nothing is changed; the files that are not formatted are named, and the exit status is 1 if there are any.
set -u -o pipefail
# shellcheck source=scripts/functions.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/functions.sh"

case ${1:-} in
  -h | --help) print_help "$0" && exit 0 ;;
  --check) mode=(--dry-run --Werror) ;;
  "") mode=(-i) ;;
  *) say "format.sh: unknown argument: $1 (see --help)" && exit 2 ;;
esac
program=$(command -v clang-format-14 || command -v clang-format)
if [[ -z $program ]]; then
  say "format.sh: clang-format is not installed (package clang-format)"
  exit 2
fi
cd "$ERGODE_ROOT" || exit 1
find io kernels sim tests \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  xargs -0 "$program" "${mode[@]}"
