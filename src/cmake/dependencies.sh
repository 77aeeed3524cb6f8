#!/usr/bin/env bash
# Builds the libraries that lightlint needs (dependencies.txt) as static archives from Debian's source packages, for a
# target without packages of its own, described by the CMake toolchain file src/cmake/TARGET.cmake. Installs them in
# build/dependencies/TARGET, with the .pc files that src/cmake/needs.cmake looks for, the licences in share/doc, and a list
# of what was built: the file built. Sources come from SOURCES and nowhere else. Without SOURCES they are fetched, and kept
# in build/dependencies/sources. Does nothing if all is built already. The target vendored is this machine.
#
#   usage: dependencies.sh windows|musl|wasm|vendored [SOURCES]      exit: 0 built, 2 failed, 3 sources are missing
set -euo pipefail
target=${1:-}
home=$(cd "$(dirname "$0")" && pwd)
{ [ $# -eq 1 ] || { [ $# -eq 2 ] && [ -d "$2" ]; }; } && [ -f "$home/$target.cmake" ] || {
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
base=$(cd "$home/../.." && pwd)/build/dependencies
prefix=$base/$target
sources=$(cd "${2:-.}" && pwd)
[ $# -eq 2 ] || sources=$base/sources
work=$base/work-$target

fail() { # WORDS...: exit code 2, or `code`
  echo "dependencies: $*" >&2
  exit "${code:-2}"
}

# Fetches a source package, with a copy of the machine's package list that has source entries; /etc is not changed.
# The index of sid lists versions that are newer than this release of Debian and still in its archive.
get() { # NAME=VERSION
  local lists=$base/lists
  local options=(-o "Dir::Etc::sourcelist=$base/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$lists"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
  command -v apt-get >/dev/null || return
  echo "dependencies: getting $1" >&2
  [ -n "$updated" ] || {
    mkdir -p "$lists/partial" "$sources"
    # shellcheck disable=SC2016 # names of apt
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
      awk '$3 == "main" && !seen[$0]++ { print "deb-src", $0 }
           $3 == "main" && $2 !~ /-/ && !seen[$1]++ { print "deb-src", $1, "sid main" }' >"$base/sources.list"
    apt-get "${options[@]}" -qq update >&2 || true # an index that is missing matters only if the source package is not in another
    updated=yes
  }
  (cd "$sources" && apt-get "${options[@]}" -qq source --download-only "$1" >&2)
}

have() { # NAME VERSION SHA-256: whether the .dsc and all archives that it names are there
  local dsc
  dsc=$(dsc "$1" "$2")
  [ -e "$dsc" ] && sha256sum --check --status <<<"$3  $dsc" &&
    (cd "$sources" && sed -n '/^Checksums-Sha256:/,/^[^ ]/s/^ \([0-9a-f]*\) [0-9]* /\1  /p' "$dsc" | sha256sum --check --status 2>/dev/null)
}

# Adds to `chosen` the first version of a row that is in $sources or can be fetched; if there is none, adds to `missing`.
choose() { # NAME (VERSION SHA-256)...
  if have "$1" "$2" "$3" || { [ -n "$fetch" ] && get "$1=$2" && have "$1" "$2" "$3"; }; then
    chosen+=("$1 $2 $3")
  elif [ $# -gt 3 ]; then
    choose "$1" "${@:4}"
  else
    missing+=("$1=$2")
  fi
}

# Says which libraries are not the first choice of their row, because that could not be fetched.
notice() {
  local row name version sum rest
  for row in "${rows[@]}"; do
    read -r name version sum rest <<<"$row"
    grep -qxF "$name $version $sum" "$prefix/built" ||
      echo "dependencies: notice: $target has $(grep "^$name " "$prefix/built" | cut -d' ' -f1,2), because $version, which has security updates," \
        "could not be fetched; if you have its source package, put it into $sources and remove $prefix" >&2
  done
}

dsc() { # NAME VERSION
  echo "$sources/${1}_${2#*:}.dsc"
}

build() { # SOURCE OPTIONS...; $flags: more compiler flags; $level: optimisation, as in Debian or for size
  local source=$1
  shift
  CFLAGS="-ffile-prefix-map=$source=. ${flags:-}" cmake -S "$source" -B "$source/made" -DCMAKE_TOOLCHAIN_FILE="$home/$target.cmake" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="$level -DNDEBUG" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF "$@" &&
    cmake --build "$source/made" -j 1 &&
    cmake --install "$source/made"
}

pc() { # MODULE VERSION LIBRARY [FLAGS]
  cat >"$prefix/lib/pkgconfig/$1.pc" <<END
Name: $1
Description: $1, a static archive
Version: ${2%%-*}
Libs: -L$prefix/lib -l$3
Cflags: -I$prefix/include ${4:-}
END
}

# WebAssembly has no code generation at run time and no environment; random numbers come from the host of the module
# (src/web/shim.c), which no check of CMake can link. Size matters more than speed. No pattern uses Unicode, and document
# type declarations are refused.
level=-O2 pcre2=-DPCRE2_SUPPORT_JIT=ON expat=-DEXPAT_MIN_SIZE=OFF
expat_flags=-DXML_DTD=1 # CMake defines it without a value, but Debian's patches compare it with 1
[ "$target" != wasm ] || {
  level=-Oz pcre2=-DPCRE2_SUPPORT_UNICODE=OFF expat='-DEXPAT_MIN_SIZE=ON -DEXPAT_WITH_ARC4RANDOM_BUF=ON -DHAVE_ARC4RANDOM_BUF=1'
  expat_flags='-Dgetenv=ll_web_getenv -Darc4random_buf=ll_web_random'
}

build_one() { # NAME VERSION SOURCE
  case $1 in
  cjson)
    build "$3" -DENABLE_CJSON_TEST=OFF -DENABLE_CUSTOM_COMPILER_FLAGS=OFF &&
      pc libcjson "$2" cjson "-I$prefix/include/cjson -DCJSON_HIDE_SYMBOLS"
    ;;
  cmocka)
    build "$3" -DWITH_EXAMPLES=OFF -DWITH_STATIC_LIB=ON &&
      pc cmocka "$2" cmocka-static
    ;;
  expat)
    # shellcheck disable=SC2086 # several options
    flags="$expat_flags" build "$3/expat" $expat -DEXPAT_DTD=OFF -DEXPAT_SHARED_LIBS=OFF -DEXPAT_BUILD_TOOLS=OFF -DEXPAT_BUILD_EXAMPLES=OFF -DEXPAT_BUILD_TESTS=OFF -DEXPAT_BUILD_DOCS=OFF &&
      pc expat "$2" expat -DXML_STATIC
    ;;
  libyaml)
    build "$3" &&
      pc yaml-0.1 "$2" yaml -DYAML_DECLARE_STATIC
    ;;
  pcre2)
    build "$3" -DPCRE2_BUILD_PCRE2GREP=OFF -DPCRE2_BUILD_TESTS=OFF "$pcre2" &&
      pc libpcre2-8 "$2" pcre2-8 -DPCRE2_STATIC
    ;;
  zlib) # only decompression; its own CMakeLists.txt also builds a shared library and programs
    cat >"$3/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.21)
project(zlib LANGUAGES C)
add_library(z STATIC adler32.c inffast.c inflate.c inftrees.c zutil.c)
target_compile_definitions(z PRIVATE NO_GZIP)
install(TARGETS z)
install(FILES zconf.h zlib.h TYPE INCLUDE)
END
    build "$3" &&
      pc zlib "${2#*:}" z
    ;;
  esac
}

one() { # NAME VERSION SHA-256
  set -euo pipefail
  dpkg-source --require-strong-checksums -x "$(dsc "$1" "$2")" "$work/$1" >"$work/$1.log" 2>&1 &&
    build_one "$1" "$2" "$work/$1" >>"$work/$1.log" 2>&1 &&
    install -D -m 644 "$work/$1/debian/copyright" "$prefix/share/doc/$1/copyright" || {
    tail -n 20 "$work/$1.log" >&2
    echo "dependencies: $1: the build failed; all of its output: $work/$1.log" >&2
    return 1
  }
}

mapfile -t rows < <(grep -v '^#' "$home/dependencies.txt" | if [ "$target" = windows ]; then cat; else grep -v ^cmocka; fi) # only its tests are built
stamp=$(cat "$0" "$home/dependencies.txt" "$home/$target.cmake" "$home/dependencies.cmake" | sha256sum)
[ "$(cat "$prefix/stamp" 2>/dev/null)" != "$stamp" ] || {
  notice
  exit 0
}
command -v dpkg-source >/dev/null || fail "expected dpkg-source to unpack the sources, found none; install dpkg-dev"

chosen=() missing=() updated='' fetch=yes
[ $# -eq 1 ] || fetch=
for row in "${rows[@]}"; do
  # shellcheck disable=SC2086 # several words
  choose $row
done
[ ${#missing[@]} -eq 0 ] || code=3 fail "expected the source packages ${missing[*]} in $sources, with the checksums of src/cmake/dependencies.txt, found none of them;
  on a Debian 12 with deb-src lines in its list of sources, apt-get source --download-only ${missing[*]} gets them"

rm -rf "$prefix" "$work"
mkdir -p "$prefix/lib/pkgconfig" "$prefix/share/doc" "$work"
printf '%s\n' "${chosen[@]}" >"$prefix/built"
notice
echo "dependencies: building for $target: ${chosen[*]%% *}" >&2
export -f build build_one pc dsc one
export home target prefix sources work level pcre2 expat expat_flags
! command -v ninja >/dev/null || export CMAKE_GENERATOR=Ninja
# One process per library, because most of the time is spent on CMake's checks, which run in sequence.
sort -r "$prefix/built" | xargs -P "$(nproc)" -L 1 bash -c 'one "$@"' one || fail "not all of them could be built"
rm -rf "$work"
echo "$stamp" >"$prefix/stamp"
