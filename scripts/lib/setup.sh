# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts: installs missing Debian packages, configures and builds.
# shellcheck shell=bash

assay_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

say() { printf 'assay: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 4
}

# Names of the packages of the given groups that are not installed.
missing_packages() {
  local name group rest
  while read -r name group rest; do
    case " $* " in
      *" $group "*)
        if [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" != installed ]; then
          printf '%s\n' "$name"
        fi
        ;;
    esac
  done < <(grep -v '^#' "$assay_root/scripts/packages.txt")
}

# Installs what is missing of the given groups, saying what and why; sudo only where not root.
install_packages() {
  local missing as_root=()
  mapfile -t missing < <(missing_packages "$@" | sort -u)
  if [ "${#missing[@]}" -eq 0 ]; then
    return 0
  fi
  command -v apt-get >/dev/null || fail "these Debian packages are missing and there is no apt-get here: ${missing[*]}"
  say "installing ${#missing[@]} missing Debian packages:"
  local name
  for name in "${missing[@]}"; do
    say "  $(awk -v name="$name" '$1 == name { sub(/^[^ ]+ +[^ ]+ +/, ""); print name ": " $0; exit }' "$assay_root/scripts/packages.txt")"
  done
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "not root and no sudo: install these packages yourself: ${missing[*]}"
    as_root=(sudo)
  fi
  local log
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } \
    >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    fail "apt-get could not install the packages above"
  fi
  rm -f "$log"
}

# Says every SECONDS how far the build is that writes to LOG, until it is killed. It waits by a builtin: a sleeping child
# would outlive it and keep stderr open.
say_progress() {
  local log=$1 seconds=$2 step idle
  exec {idle}<> <(:)
  while true; do
    read -rt "$seconds" -u "$idle" || true
    step=$(grep -o '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 1) || true
    say "building ${step:-...}"
  done
}

# build_preset PRESET TARGET...: configures where needed, then builds the targets (all if none is named).
build_preset() {
  local preset=$1 log
  shift
  local folder="$assay_root/build/$preset"
  mkdir -p "$folder"
  log="$folder/assay-build.log"
  local lock="$folder/.lock"
  (
    if ! flock --nonblock 9; then # two first calls at once build one after the other
      say "waiting for another build in build/$preset"
      flock 9
    fi
    cd "$assay_root" || exit 4
    if [ ! -f "$folder/build.ninja" ]; then
      say "configuring preset '$preset' in build/$preset"
      cmake --preset "$preset" >"$log" 2>&1 || { tail -n 30 "$log" >&2; exit 4; }
    fi
    say "building (preset '$preset'; the first time takes some minutes; output in build/$preset/assay-build.log)"
    local targets=()
    for target in "$@"; do targets+=(--target "$target"); done
    if [ -t 2 ]; then
      cmake --build --preset "$preset" "${targets[@]}" >&2 || exit 4
    else
      say_progress "$log" "${ASSAY_BUILD_PROGRESS_SECONDS:-20}" 9>&- &
      trap 'kill '"$!"' 2>/dev/null' EXIT
      cmake --build --preset "$preset" "${targets[@]}" >"$log" 2>&1 || { grep -E -A8 'error|FAILED' "$log" | head -n 60 >&2; exit 4; }
    fi
  ) 9>"$lock" || fail "the build failed; its output is in build/$preset/assay-build.log"
}
