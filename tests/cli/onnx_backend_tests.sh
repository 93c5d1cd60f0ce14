#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The ONNX backend tests of Debian's libonnx-testdata through `assay run --onnx-tests`; skipped (77) where they are not
# installed. Arguments: the program, a folder for the reports.
set -euo pipefail
data=${ASSAY_ONNX_TESTS:-/usr/share/libonnx-testdata/data}
if [ ! -d "$data" ]; then
  echo "skipped: libonnx-testdata is not installed"
  exit 77
fi
exec "$1" run --onnx-tests "$data" -o "$2"
