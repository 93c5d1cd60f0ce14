#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a peer test with the private environment of scripts/setup-peers; without it the test is skipped (exit 77).
# Arguments: the test, then its arguments.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python="$here/../../build/peers/bin/python"
if [ ! -x "$python" ] || ! "$python" -c 'import onnx, onnxruntime' 2>/dev/null; then
  echo "skipped: peer missing (scripts/setup-peers fetches it)"
  exit 77
fi
exec "$python" "$here/$1" "${@:2}"
