#!/usr/bin/env bash
# Builds lightlint.wasm and the npm package in build/wasm.
#
#   usage: build.sh PACKC      exit: 0 built, 1 not, 77 a tool or library is missing
set -euo pipefail
packc=$1
cd "$(dirname "$0")/../.."
for tool in clang wasm-ld wasm-opt; do
  command -v "$tool" >/dev/null || {
    echo "no $tool (Debian: clang lld wasi-libc libclang-rt-14-dev-wasm32 binaryen): skipped"
    exit 77
  }
done
[ -e /usr/include/wasm32-wasi/stdlib.h ] || {
  echo "no wasi-libc: skipped"
  exit 77
}
src/cmake/dependencies.sh wasm || {
  [ $? = 3 ] || exit 1
  echo "no sources of the libraries: skipped"
  exit 77
}
cmake --preset wasm -DLIGHTLINT_PACKC="$packc"
cmake --build --preset wasm
