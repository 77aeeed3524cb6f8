#!/bin/sh
# Runs every libFuzzer target of a build for some seconds, one at a time, starting from fresh seeds.
#
#   run.sh BUILD_DIR SECONDS
#
# The corpus of the fuzzers is kept in BUILD_DIR/fuzz/corpus, inputs that crash them in BUILD_DIR/fuzz/crashes; the
# latter is printed at the end.
# Exit code: 0 no crash, 1 a crash, 2 wrong usage or no targets.
set -eu

if [ $# -ne 2 ] || [ ! -d "$1" ]; then
  echo "usage: run.sh BUILD_DIR SECONDS" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
seconds=$2
work=$build/fuzz
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3

# fuzz TARGET DICTIONARY
fuzz() {
  program=$(find "$build" -type f -name "fuzz_$1" -perm -u+x | head -n 1)
  if [ -z "$program" ]; then
    echo "run.sh: no fuzz_$1 in $build; configure with the preset fuzz" >&2
    exit 2
  fi
  mkdir -p "$work/corpus/$1" "$work/crashes/$1"
  echo "fuzz_$1: $seconds seconds" >&2
  "$program" -max_total_time="$seconds" -max_len=8192 -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
    -dict="$here/$2" -artifact_prefix="$work/crashes/$1/" "$work/corpus/$1" "$work/seeds/$1" || found=1
}

found=0
rm -rf "$work/seeds"
mkdir -p "$work"
"$python" -B "$here/seeds.py" "$work/seeds"
for target in "$here"/fuzz_lint_*.c; do
  target=$(basename "$target" .c)
  fuzz "${target#fuzz_}" "${target#fuzz_lint_}.dict"
done
fuzz pack yaml.dict
fuzz emit grx.dict
fuzz lines lines.dict
fuzz manifest manifest.dict
fuzz fix grx.dict
fuzz build yaml.dict
fuzz lzo lzo.dict
echo "crashes, if any: $work/crashes"
exit $found
