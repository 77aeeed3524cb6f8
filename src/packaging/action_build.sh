#!/usr/bin/env bash
# First step of the GitHub Action (action.yml): finds or builds the program and says where it is.
#
#   in:  INPUT_BUILD auto|always|never, LIGHTLINT_SOURCE, RUNNER_TEMP, GITHUB_OUTPUT
#   out: program=PATH in GITHUB_OUTPUT
set -euo pipefail

fail() {
  echo "::error title=lightlint::$1"
  exit 2
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

have_needs() {
  command -v cmake >/dev/null && command -v cc >/dev/null && command -v pkg-config >/dev/null &&
    pkg-config --exists libpcre2-8 libcjson yaml-0.1 lzo2
}

get_needs() {
  have_needs && return
  if command -v apt-get >/dev/null; then
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      gcc libc6-dev cmake ninja-build pkg-config libpcre2-dev libcjson-dev libyaml-dev liblzo2-dev >/dev/null
  elif command -v dnf >/dev/null; then
    as_root dnf install -y -q gcc cmake ninja-build pkgconf-pkg-config pcre2-devel cjson-devel libyaml-devel lzo-devel
  elif command -v brew >/dev/null; then
    brew install --quiet cmake ninja pkg-config pcre2 cjson libyaml lzo
  else
    fail "expected apt-get, dnf or brew to install what building needs, found none; install lightlint before and set build: never"
  fi
}

build() {
  local folder=$RUNNER_TEMP/lightlint-build generator=()
  get_needs
  if command -v ninja >/dev/null; then generator=(-G Ninja); fi
  cmake -S "$LIGHTLINT_SOURCE" -B "$folder" ${generator[@]+"${generator[@]}"} -DCMAKE_BUILD_TYPE=Release \
    -DLIGHTLINT_BUILD_TESTS=OFF -DLIGHTLINT_INSTALL=OFF
  cmake --build "$folder" --parallel --target lightlint_cli
  program=$folder/lightlint
}

program=$(command -v lightlint || true)
case $INPUT_BUILD in
always) program= ;;
never) [ -n "$program" ] || fail "build is never, and no lightlint is on PATH" ;;
auto) ;;
*) fail "build: expected auto, always or never, found '${INPUT_BUILD//[^[:alnum:]._-]/?}'" ;;
esac
if [ -z "$program" ]; then
  echo "::group::Build lightlint"
  build
  echo "::endgroup::"
fi
"$program" version
echo "program=$program" >>"$GITHUB_OUTPUT"
