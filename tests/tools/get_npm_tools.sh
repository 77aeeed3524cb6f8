#!/usr/bin/env bash
# Installs the SARIF Multitool and the OASIS schema from npm packages into DIR, once. Exit 1 when that cannot be done here.
#
#   usage: get_sarif_tools.sh DIR
set -euo pipefail
dir=${1:?usage: get_sarif_tools.sh DIR}
tool=$dir/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool
[ -x "$tool" ] && exit 0
command -v npm >/dev/null || { echo "get_sarif_tools: no npm here" >&2; exit 1; }
mkdir -p "$dir"
[ -f "$dir/package.json" ] || printf '{"private": true}\n' >"$dir/package.json"
timeout 300 npm install --prefix "$dir" --no-audit --no-fund --loglevel=error @microsoft/sarif-multitool@5.7.0 >/dev/null 2>&1 || {
  echo "get_sarif_tools: npm could not install the Multitool" >&2
  exit 1
}
chmod u+x "$tool"
