#!/usr/bin/env bash
# Runs a Windows program under Wine, in a prefix for this build only.
#
#   usage: under_wine.sh PROGRAM [ARGUMENTS...]
#          under_wine.sh --start | --end     the server of the prefix; without it, each program starts one (1.2 s)
set -euo pipefail
home=$(cd "$(dirname "$0")/../.." && pwd)
export WINEPREFIX=${LIGHTLINT_WINEPREFIX:-$home/build/wine} WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES='mscoree=;mshtml=;winemenubuilder.exe='
unset DISPLAY WAYLAND_DISPLAY
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
server=$(command -v wineserver64 || echo /usr/lib/wine/wineserver64)
case ${1:-} in
--start)
  mkdir -p "$WINEPREFIX"
  "$server" -p1200 >/dev/null 2>&1 || true # exits after 1200 seconds if nothing ends it; a running one stays
  # starts the services, too; otherwise those started by the first program keep its pipes open
  "$wine" wineboot -i </dev/null >/dev/null 2>&1
  ;;
--end)
  "$server" -k >/dev/null 2>&1 || true
  "$server" -w
  ;;
*)
  exec "$wine" "$@"
  ;;
esac
