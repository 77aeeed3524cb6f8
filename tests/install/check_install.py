#!/usr/bin/env python3
"""Installs a build into an empty folder, then builds and runs the consumer against it, with find_package() and with
pkg-config.

usage: check_install.py --cmake CMAKE --build DIR --config CONFIG --version VERSION --libdir LIBDIR --compiler CC
       [--flags FLAGS] [--hardened WORDS]
exit:  0 all passed, 1 not, 77 skipped (no pkg-config)"""
import argparse
import glob
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

import hardening

HERE = os.path.dirname(os.path.abspath(__file__))
CONSUMER = os.path.join(HERE, "consumer")
SOURCE = os.path.dirname(os.path.dirname(HERE))
COMPLETIONS = {"bash": "share/bash-completion/completions/lightlint", "zsh": "share/zsh/site-functions/_lightlint",
               "fish": "share/fish/vendor_completions.d/lightlint.fish"}


class Failure(Exception):
    """Why a check failed."""


def run(command, **environment):
    """Output of a command that must succeed."""
    done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode:
        raise Failure(f"exit code {done.returncode}: {shlex.join(command)}\n{done.stdout}")
    return done.stdout


class Installation:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.prefix = os.path.join(folder, "prefix")
        self.libdir = os.path.join(self.prefix, options.libdir)

    def install(self):
        run([self.options.cmake, "--install", self.options.build, "--config", self.options.config, "--prefix", self.prefix])
        for path in ("include/lightlint/lightlint.h", "share/lightlint/rules/core.yaml", "share/lightlint/rules/grx.yaml",
                     f"{self.options.libdir}/cmake/lightlint/lightlint-config.cmake",
                     f"{self.options.libdir}/cmake/lightlint/lightlint-config-version.cmake",
                     f"{self.options.libdir}/pkgconfig/lightlint.pc"):
            if not os.path.isfile(os.path.join(self.prefix, path)):
                raise Failure(f"not installed: {path}")

    def expect_output(self, words, *command, libraries=""):
        """Runs a command and expects the words in its output; `libraries`: value of LD_LIBRARY_PATH."""
        output = run([*command], LD_LIBRARY_PATH=libraries)
        if words not in output:
            raise Failure(f"{shlex.join(command)} says {output!r}, expected {words!r}")

    def check_program(self):
        program = os.path.join(self.prefix, "bin", "lightlint")
        if os.path.exists(program):
            self.expect_output(self.options.version, program, "version")
            self.check_pages()
            self.check_completions(program)
            self.check_hardening(program)

    def check_hardening(self, program):
        """The program, and the library if it is shared, are hardened like the build."""
        for path in [program, *glob.glob(os.path.join(self.libdir, "*.so"))]:
            faults = hardening.faults(path, self.options.hardened.split(","))
            if faults:
                raise Failure("; ".join(faults))

    def check_same(self, source, target):
        """An installed file equals that of the source tree."""
        path = os.path.join(self.prefix, target)
        if not os.path.isfile(path):
            raise Failure(f"not installed: {target}")
        with open(os.path.join(SOURCE, source), "rb") as one, open(path, "rb") as other:
            if one.read() != other.read():
                raise Failure(f"{target} is not {source}")

    def check_pages(self):
        """Every man page, schema, page of the docs and rule pack of the tree is installed."""
        places = {"docs/*.1": "share/man/man1", "docs/*.5": "share/man/man5", "docs/man/*.1": "share/man/man1",
                  "docs/man/*.5": "share/man/man5", "docs/schema/*.json": "share/lightlint/schema",
                  "rules/*": "share/lightlint/rules", "docs/*.md": "share/doc/lightlint/docs",
                  "docs/formats/*.md": "share/doc/lightlint/docs/formats", "docs/pictures/*": "share/doc/lightlint/docs/pictures", "*.md": "share/doc/lightlint",
                  "corpus/*.md": "share/doc/lightlint/corpus", "NOTICE": "share/doc/lightlint"}
        pages = set()
        for pattern, target in places.items():
            for path in glob.glob(os.path.join(SOURCE, pattern)):
                source = os.path.relpath(path, SOURCE)
                self.check_same(source, os.path.join(target, os.path.basename(path)))
                pages.add(os.path.basename(path))
        for name in ("lightlint.1", "finding.schema.json", "core.yaml", "design.md", "grx.md"):
            if name not in pages:
                raise Failure(f"{name} is nowhere in the source tree")
        self.check_same("LICENSE", "share/doc/lightlint/copyright")

    def check_completions(self, program):
        """Completions are installed where each shell looks for them, as the program prints them."""
        for shell, target in COMPLETIONS.items():
            with open(os.path.join(self.prefix, target), encoding="utf-8") as file:
                if file.read() != run([program, "completions", shell], LD_LIBRARY_PATH=""):
                    raise Failure(f"{target} is not what `lightlint completions {shell}` prints")

    def check_find_package(self):
        build = os.path.join(self.folder, "find_package")
        run([self.options.cmake, "-S", CONSUMER, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Release",
             f"-DCMAKE_C_COMPILER={self.options.compiler}", f"-DCMAKE_C_FLAGS={self.options.flags}"])
        run([self.options.cmake, "--build", build])
        self.expect_output(f"lightlint {self.options.version}: 1\n", os.path.join(build, "consumer"))

    def check_pkg_config(self):
        path = os.path.join(self.libdir, "pkgconfig")
        for static in ([], ["--static"]):
            asked = shlex.split(run(["pkg-config", *static, "--cflags", "--libs", f"lightlint = {self.options.version}"],
                                    PKG_CONFIG_PATH=path))
            missing = {"-llightlint", *(["-lpcre2-8", "-lcjson", "-lyaml", "-lz"] if static else [])} - set(asked)
            if missing:
                raise Failure(f"pkg-config {' '.join(static)} --libs lightlint: expected {sorted(missing)} too, found {asked}")
            program = os.path.join(self.folder, "consumer" + "".join(static))
            run([self.options.compiler, "-std=c11", *shlex.split(self.options.flags), os.path.join(CONSUMER, "consumer.c"), "-o",
                 program, *asked])
            self.expect_output(f"lightlint {self.options.version}: 1\n", program, libraries=self.libdir)

    def check_other_version(self):
        """find_package() refuses an older or much newer version."""
        build = os.path.join(self.folder, "version")
        copy = os.path.join(self.folder, "wants-more")
        shutil.copytree(CONSUMER, copy)
        path = os.path.join(copy, "CMakeLists.txt")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("lightlint 0.1", "lightlint 99.0"))
        try:
            run([self.options.cmake, "-S", copy, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                 f"-DCMAKE_C_COMPILER={self.options.compiler}"])
        except Failure as failure:
            if "lightlint" in str(failure) and "99.0" in str(failure):
                return
            raise
        raise Failure("version 99.0 was found, but must not be")


def main():
    parser = argparse.ArgumentParser(description="Checks an installation.")
    for name in ("cmake", "build", "config", "version", "libdir", "compiler"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--flags", default="")
    parser.add_argument("--hardened", default="", help="what LIGHTLINT_HARDENED holds, with commas")
    options = parser.parse_args()
    if not shutil.which("pkg-config"):
        print("skipped: no pkg-config")
        return 77
    try:
        with tempfile.TemporaryDirectory(prefix="lightlint-install-") as folder:
            it = Installation(options, folder)
            it.install()
            it.check_program()
            it.check_find_package()
            it.check_pkg_config()
            it.check_other_version()
    except (Failure, OSError) as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
