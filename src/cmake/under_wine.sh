#!/usr/bin/env bash
# Runs a program for Windows under wine, in a prefix of this build alone.
#
#   usage: under_wine.sh PROGRAM [ARGUMENTS...]
#          under_wine.sh --start | --end     the server of the prefix, that else is started anew for each program: 1.2 s
set -euo pipefail
home=$(cd "$(dirname "$0")/../.." && pwd)
export WINEPREFIX=${LIGHTLINT_WINEPREFIX:-$home/build/wine} WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES='mscoree=;mshtml=;winemenubuilder.exe='
unset DISPLAY WAYLAND_DISPLAY
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
server=$(command -v wineserver64 || echo /usr/lib/wine/wineserver64)
case ${1:-} in
--start)
  mkdir -p "$WINEPREFIX"
  "$server" -p1200 >/dev/null 2>&1 || true # seconds, should nobody end it; one that runs already stays
  "$wine" wineboot -i </dev/null >/dev/null 2>&1 # the services, too: else those that the first program starts keep its pipes open
  ;;
--end)
  "$server" -k >/dev/null 2>&1 || true
  "$server" -w
  ;;
*)
  exec "$wine" "$@"
  ;;
esac
