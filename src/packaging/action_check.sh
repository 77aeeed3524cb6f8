#!/usr/bin/env bash
# Second step of the GitHub Action (action.yml): runs the program once and writes the log, annotations, job summary and
# SARIF file.
#
#   in:  LIGHTLINT_PROGRAM, INPUT_PATHS, INPUT_ARGS, INPUT_FAIL_ON, INPUT_CONFIG, INPUT_SARIF_FILE, RUNNER_TEMP,
#        GITHUB_OUTPUT, GITHUB_STEP_SUMMARY
#   out: exit-code and sarif-file in GITHUB_OUTPUT; ends with the exit code of the program
#
# Inputs are data: they are never evaluated or expanded as patterns, and a path is never taken as an option.
set -uo pipefail
set -f

export MSYS2_ARG_CONV_EXCL='*' # on Windows, pass arguments unchanged
if command -v cygpath >/dev/null; then RUNNER_TEMP=$(cygpath -m "$RUNNER_TEMP"); fi
SUMMARY_MOST=1000000 # bytes; GitHub refuses a summary of more than 1 MiB
annotations=$RUNNER_TEMP/lightlint-annotations
summary=$RUNNER_TEMP/lightlint-summary.md
sarif=${INPUT_SARIF_FILE:-lightlint.sarif}
rm -f -- "$annotations" "$summary" "$sarif"

options=(--format full --format "sarif-github:$sarif" --format "markdown:$summary" --format "github:$annotations")
if [ -n "$INPUT_FAIL_ON" ]; then options+=("--fail-on=$INPUT_FAIL_ON"); fi
if [ -n "$INPUT_CONFIG" ]; then options+=("--config=$INPUT_CONFIG"); fi
while read -r -a words; do
  for word in ${words[@]+"${words[@]}"}; do options+=("$word"); done
done <<<"$INPUT_ARGS"
paths=()
while IFS= read -r path; do
  path=${path%$'\r'}
  if [ -n "$path" ]; then paths+=("$path"); fi
done <<<"$INPUT_PATHS"

# The log quotes names and strings from files: they must not act as commands to the runner.
token=lightlint-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
"$LIGHTLINT_PROGRAM" check "${options[@]}" -- ${paths[@]+"${paths[@]}"} 2>&1
status=$?
echo
echo "::$token::"

if [ -s "$annotations" ]; then cat -- "$annotations"; fi
if [ -s "$summary" ]; then
  if [ "$(wc -c <"$summary")" -gt "$SUMMARY_MOST" ]; then
    head -c "$SUMMARY_MOST" -- "$summary" | sed '$d'
    printf '\nThe page is cut here; the log and the SARIF report hold all of it.\n'
  else
    cat -- "$summary"
  fi >>"$GITHUB_STEP_SUMMARY"
fi
if [ -s "$sarif" ]; then # line ends are removed, so that a path cannot add another output
  printf 'sarif-file=%s\n' "${sarif//[$'\r\n']/}" >>"$GITHUB_OUTPUT"
fi
echo "exit-code=$status" >>"$GITHUB_OUTPUT"
if [ "$status" -gt 1 ]; then
  echo "::error title=lightlint::something was not checked or not done (exit code $status); the log says what"
fi
exit "$status"
