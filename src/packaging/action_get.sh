#!/usr/bin/env bash
# First step of the GitHub Action (action.yml): finds, downloads or builds the program and outputs its path.
#
#   in:  INPUT_BUILD auto|always|never, INPUT_VERSION, INPUT_SHA256, INPUT_RELEASES, ACTION_REPOSITORY, GITHUB_SERVER_URL,
#        LIGHTLINT_SOURCE, RUNNER_OS, RUNNER_ARCH, RUNNER_TEMP, GITHUB_OUTPUT
#   out: program=PATH in GITHUB_OUTPUT
#
# A release is a folder vVERSION with an archive for each system and a file SHA256SUMS that lists them. If the checksum
# of an archive differs, the step fails and does not build instead. Inputs are data: they are never evaluated.
set -euo pipefail
export MSYS2_ARG_CONV_EXCL='*' # on Windows, pass arguments unchanged

fail() {
  echo "::error title=lightlint::$1"
  exit 2
}

shown() { # makes a word of an input safe for the log
  printf '%s' "${1//[^[:alnum:]._:\/-]/?}"
}

as_mixed() { # converts a path to a form that Bash and Windows accept
  if command -v cygpath >/dev/null; then cygpath -m "$1"; else printf '%s\n' "$1"; fi
}

checksum() {
  if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1
}

version_of() { # PROGRAM
  "$1" version | sed -n 's/^lightlint \([0-9][0-9.]*\).*/\1/p' | head -n 1
}

system_pattern() { # regular expression of awk for the names of archives for this runner
  local system machine
  case ${RUNNER_OS:-} in
  Linux) system=linux ;;
  macOS) system=darwin ;;
  Windows) system=windows ;;
  *) return 1 ;;
  esac
  case ${RUNNER_ARCH:-} in
  X64) machine='(x86_64|amd64|x64)' ;;
  ARM64) machine='(aarch64|arm64)' ;;
  *) return 1 ;;
  esac
  printf '%s' "-$system-${machine}[.](tar[.]gz|zip)\$"
}

get() { # ADDRESS FILE
  curl --fail --silent --show-error --location --proto '=https,file' --proto-redir '=https' --retry 3 --max-time 300 \
    --output "$2" -- "$1"
}

# Sets `program` to that of the release; returns 1 if there is none for this runner.
download() { # VERSION
  local base folder sums pattern line name want
  base=${INPUT_RELEASES:-}
  if [ -z "$base" ] && [ -n "${ACTION_REPOSITORY:-}" ]; then
    base=${GITHUB_SERVER_URL:-https://github.com}/$ACTION_REPOSITORY/releases/download
  fi
  [ -n "$base" ] && command -v curl >/dev/null && pattern=$(system_pattern) || return 1
  folder=$temp/lightlint-$1
  sums=$temp/lightlint-SHA256SUMS
  rm -rf -- "$folder" "$sums"
  mkdir -p -- "$folder"
  get "$base/v$1/SHA256SUMS" "$sums" || return 1
  line=$(awk -v name="lightlint-$1" -v pattern="$pattern" \
    '{ sub(/\r$/, ""); sub(/^\*/, "", $2) } index($2, name) == 1 && $2 !~ /\// && tolower($2) ~ pattern { print $1, $2; exit }' "$sums")
  [ -n "$line" ] || return 1
  name=${line#* }
  want=${INPUT_SHA256:-${line%% *}}
  get "$base/v$1/$name" "$temp/$name" || fail "$(shown "$name") is named in SHA256SUMS and cannot be downloaded"
  [ "$(checksum "$temp/$name")" = "$(tr 'A-F' 'a-f' <<<"$want")" ] ||
    fail "$(shown "$name") has another checksum than it should have: it was refused"
  case $name in
  *.zip) unzip -q -o "$temp/$name" -d "$folder" ;;
  *) tar -xzf - -C "$folder" <"$temp/$name" ;;
  esac
  program=$(find "$folder" -path '*/bin/*' -type f \( -name lightlint -o -name lightlint.exe \) | head -n 1)
  [ -n "$program" ] || fail "$(shown "$name") holds no program"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

needs() { # COLUMN: of src/cmake/needs.txt
  awk -F ' [|] ' -v column="$1" '!/^#/ && $column != "-" { print $column }' "$LIGHTLINT_SOURCE/src/cmake/needs.txt"
}

# shellcheck disable=SC2046 # several words
have_needs() {
  command -v cmake >/dev/null && command -v cc >/dev/null && command -v pkg-config >/dev/null && pkg-config --exists $(needs 2)
}

# shellcheck disable=SC2046 # several words
get_needs() {
  have_needs && return
  if command -v apt-get >/dev/null; then
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(needs 4) >/dev/null
  elif command -v dnf >/dev/null; then
    as_root dnf install -y -q $(needs 5)
  elif command -v brew >/dev/null; then
    brew install --quiet $(needs 6 | grep -vx gcc)
  else
    fail "expected apt-get, dnf or brew to install what building needs, found none; install lightlint before and set build: never"
  fi
}

build() {
  local folder=$temp/lightlint-build generator=()
  [ "${RUNNER_OS:-}" != Windows ] ||
    fail "there is no release of lightlint $(shown "$version") for Windows, where this action builds none"
  get_needs
  if command -v ninja >/dev/null; then generator=(-G Ninja); fi
  cmake -S "$LIGHTLINT_SOURCE" -B "$folder" ${generator[@]+"${generator[@]}"} -DCMAKE_BUILD_TYPE=Release \
    -DLIGHTLINT_BUILD_TESTS=OFF -DLIGHTLINT_INSTALL=OFF
  cmake --build "$folder" --parallel --target lightlint_cli
  program=$folder/lightlint
}

temp=$(as_mixed "$RUNNER_TEMP")
own=$(sed -n 's/^project(lightlint VERSION \([0-9.]*\).*/\1/p' "$LIGHTLINT_SOURCE/CMakeLists.txt")
version=${INPUT_VERSION:-$own}
version=${version#v}
program=
case $INPUT_BUILD in
always | never | auto) ;;
*) fail "build: expected auto, always or never, found '$(shown "$INPUT_BUILD")'" ;;
esac
[[ $version =~ ^[0-9]+(\.[0-9]+)*$ ]] || fail "version: expected one as in $own, found '$(shown "$version")'"
if [ "$INPUT_BUILD" != always ]; then
  program=$(command -v lightlint || true)
  if [ -n "$program" ] && [ -n "$INPUT_VERSION" ] && [ "$(version_of "$program")" != "$version" ]; then program=; fi
  [ -n "$program" ] || download "$version" || echo "there is no release $(shown "$version") for this runner"
fi
if [ -z "$program" ]; then
  [ "$INPUT_BUILD" != never ] || fail "build is never, no lightlint that fits is on PATH, and there is no release for this runner"
  [ "$version" = "$own" ] || fail "there is no release $(shown "$version") for this runner, and the source of this action is $own"
  [ -z "${INPUT_SHA256:-}" ] || fail "sha256 is given, and there is no release that it could be the checksum of"
  echo "::group::Build lightlint"
  build
  echo "::endgroup::"
fi
"$program" version
echo "program=$(as_mixed "$program")" >>"$GITHUB_OUTPUT"
