#!/usr/bin/env bash
# Installs npm packages for tests into DIR, once: the SARIF Multitool with the OASIS schema, and the Kaitai Struct
# compiler with its runtime. Exit code 1 if that is not possible.
#
#   usage: get_npm_tools.sh DIR
set -euo pipefail
dir=${1:?usage: get_npm_tools.sh DIR}
tool=$dir/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool
[ -x "$tool" ] && [ -d "$dir/node_modules/kaitai-struct" ] && exit 0
command -v npm >/dev/null || { echo "get_npm_tools: no npm here" >&2; exit 1; }
mkdir -p "$dir"
[ -f "$dir/package.json" ] || printf '{"private": true}\n' >"$dir/package.json"
timeout 300 npm install --prefix "$dir" --no-audit --no-fund --loglevel=error \
  @microsoft/sarif-multitool@5.7.0 kaitai-struct-compiler@0.11.0 kaitai-struct@0.11.0 >/dev/null 2>&1 || {
  echo "get_npm_tools: npm could not install the packages" >&2
  exit 1
}
chmod u+x "$tool"
