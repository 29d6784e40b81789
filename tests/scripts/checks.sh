# shellcheck shell=bash
# What the files of tests share: how one fails, skips and compares, and how one of them is run by its name.

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
skip() {
  echo "SKIPPED: $*" >&2
  exit 4
}
expect() { [[ $2 == "$3" ]] || fail "$1: expected '$3', found '$2'"; }
run_test() {
  [[ $(type -t "${1:-}") == function ]] || fail "no such test: ${1:-}"
  "$1"
}
