#!/usr/bin/env python3
"""Output generated from the tables of the command line: help, manual pages, completion scripts. Each is compared with
the others.

    test_pages.py BINARY PAGES SOURCE_DIR [unittest arguments]

PAGES is the build tool that makes the manual pages. Tests for shells that are not installed are skipped."""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import unittest

LIGHTLINT, PAGES, SOURCE = (os.path.abspath(path) for path in sys.argv[1:4])
MAN_PAGES = ["lightlint.1", "lightlint-rules.5", "lightlint-config.5"]
SHELLS = ["bash", "zsh", "fish", "powershell"]


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True, **more).stdout.decode()


def page(name):
    with open(os.path.join(SOURCE, "docs", name), encoding="utf-8") as file:
        return file.read()


def completion(shell):
    return run(LIGHTLINT, "completions", shell)


def with_program(place):
    """An environment in which the scripts find the program by name."""
    binaries = os.path.join(place, ".binaries")
    os.mkdir(binaries)
    os.symlink(LIGHTLINT, os.path.join(binaries, "lightlint"))
    return dict(os.environ, HOME=place, PATH=binaries + ":/usr/bin:/bin")


def proposed(*words):
    """The program's proposals for the last word of a line."""
    found = run(LIGHTLINT, "completions", "line", "--", *words[:-1], "." + words[-1])
    return {row.split("\t")[0] for row in found.split("\n")} - {""}


HELP = run(LIGHTLINT, "--help")
# help shows the options of other commands
COMMANDS = sorted(set(re.findall(r"^(?:usage:|      ) lightlint \[?([a-z]+)", HELP, re.M)) - {"help"})
OPTIONS_OF = {command: set(re.findall(r"^ +(?:-\w, )?(--[a-z0-9-]+)", run(LIGHTLINT, command, "--help"), re.M)) for command in COMMANDS}
OPTIONS = sorted(set().union(*OPTIONS_OF.values()))


class Tables(unittest.TestCase):
    def test_the_help_was_understood(self):
        self.assertIn("--fail-on", OPTIONS)
        self.assertEqual(len(COMMANDS), 15)

    def test_a_command_takes_the_options_of_its_help_and_no_other(self):
        """Other errors, such as missing arguments or files, do not matter."""
        for command in COMMANDS:
            for option in set(OPTIONS) - {"--help", "--version"}:
                done = subprocess.run([LIGHTLINT, command, option + "=x"], capture_output=True, check=False, stdin=subprocess.DEVNULL)
                if b"takes no value" in done.stderr:
                    done = subprocess.run([LIGHTLINT, command, option], capture_output=True, check=False, stdin=subprocess.DEVNULL)
                refused = b"is not an option of" in done.stderr
                self.assertEqual(refused, option not in OPTIONS_OF[command], (command, option, done.stderr))
                self.assertNotIn(b"unknown option", done.stderr)

    def test_the_help_without_a_command_is_that_of_check(self):
        self.assertEqual(set(re.findall(r"^ +(?:-\w, )?(--[a-z0-9-]+)", HELP, re.M)), OPTIONS_OF["check"])


class Extensions(unittest.TestCase):
    """Documents and tools that list the extensions agree with the program."""

    def setUp(self):
        with tempfile.TemporaryDirectory() as place:
            done = subprocess.run([LIGHTLINT, "check", "--isolated", place], capture_output=True, check=True)
        self.known = set(re.search(r"known:(( \.[a-z0-9]+)+)", done.stderr.decode()).group(1).split())
        self.assertLessEqual({".grxla", ".rgm"}, self.known)

    def test_hooks_take_them_all(self):
        with open(os.path.join(SOURCE, ".pre-commit-hooks.yaml"), encoding="utf-8") as file:
            patterns = re.findall(r"files: '(.*)'", file.read())
        self.assertTrue(patterns)
        for pattern in patterns:
            listed = re.fullmatch(r"\(\?i\)\\\.\(([a-z0-9|]+)\)\$(?:\|_fpkd\?/\|\\\.fpkd\?\\\.xml\$)?", pattern).group(1)
            self.assertEqual({"." + name for name in listed.split("|")}, self.known)

    def test_git_keeps_them_as_they_are(self):
        with open(os.path.join(SOURCE, ".gitattributes"), encoding="utf-8") as file:
            binary = set(re.findall(r"^\*(\.[a-z0-9]+) binary$", file.read(), re.M))
        self.assertEqual(binary, self.known)


class Manual(unittest.TestCase):
    def test_options_are_those_of_the_help(self):
        tags = re.findall(r'^\.TP\n\.B "(?:-\w, )?(--[a-z-]+)', page("lightlint.1").replace("\\-", "-"), re.M)
        self.assertEqual(sorted(tags), OPTIONS)

    def test_formats_are_those_that_check_takes(self):
        part = page("lightlint.1").replace("\\-", "-").split(".SH FORMATS")[1].split(".PP")[0]
        formats = re.findall(r'^\.B "([a-z-]+)"', part, re.M)
        done = subprocess.run([LIGHTLINT, "--format", "no", SOURCE], capture_output=True, check=False)
        known = done.stderr.decode().strip().split("there are: ")[1].split(", ")
        self.assertEqual(formats, known)

    def test_rules_are_those_of_the_catalogue(self):
        tags = re.findall(r'^\.B "([A-Z]+\d{3}) ', page("lightlint-rules.5"), re.M)
        listed = re.findall(r'"id":"([A-Z]+\d{3})"', run(LIGHTLINT, "rules", "--isolated", "--format", "json").replace('": "', '":"'))
        self.assertTrue(listed)
        self.assertEqual(tags, listed)

    def test_pages_are_fresh(self):
        for name in MAN_PAGES:
            made = run(PAGES, os.path.join(SOURCE, "docs", "man", name + ".in"))
            self.assertEqual(made, page(name), name + " is stale: run ./dev update")

    def test_version_stands_in_the_pages(self):
        version = run(LIGHTLINT, "version").strip()
        for name in MAN_PAGES:
            self.assertIn('"%s"' % version, page(name).splitlines()[1], name)

    def test_rules_that_pages_name_exist(self):
        ids = set(re.findall(r"\b[A-Z]{2,5}\d{3}\b", page("lightlint.1") + page("lightlint-config.5")))
        self.assertTrue(ids)
        for rule in ids:
            run(LIGHTLINT, "explain", "--isolated", rule)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not here")
    def test_pages_are_sound_for_mandoc(self):
        """Pages have no date, so that their bytes do not depend on the time of the build."""
        for name in MAN_PAGES:
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", os.path.join(SOURCE, "docs", name)], capture_output=True,
                                  check=False)
            self.assertRegex((done.stdout + done.stderr).decode(), r"\A(.*: WARNING: missing date, using \"\": TH\n)?\Z", name)

    @unittest.skipUnless(shutil.which("groff"), "groff is not here")
    def test_pages_are_sound(self):
        for name in MAN_PAGES:
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", os.path.join(SOURCE, "docs", name)],
                                  capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""), name)


class Completions(unittest.TestCase):
    def test_every_script_asks_the_program(self):
        for shell in SHELLS:
            self.assertRegex(completion(shell), r" completions line '?--'? ", shell)

    def test_an_unknown_shell_is_refused(self):
        done = subprocess.run([LIGHTLINT, "completions", "bsh"], capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"did you mean 'bash'?", done.stderr)

    def test_each_command_proposes_its_own_options(self):
        for command in COMMANDS:
            self.assertEqual(proposed(command, "--"), OPTIONS_OF[command], command)
        self.assertEqual(proposed("--"), OPTIONS_OF["check"])

    def test_formats_are_those_that_each_command_can_write(self):
        for command in (command for command, options in OPTIONS_OF.items() if "--format" in options):
            more = ["--diff"] if command == "sweep" else []  # a sweep itself has only one format
            done = subprocess.run([LIGHTLINT, command, *more, "--format", "?", "x"], capture_output=True, check=False)
            self.assertEqual(set(re.search("there are: (.*)", done.stderr.decode()).group(1).split(", ")),
                             proposed(command, "--format", ""), command)

    def test_lines(self):
        """":files" means that a file name is possible."""
        for words, wanted in ((["com"], {"completions", ":files"}), (["check", "com"], {":files"}), (["explain", "GRX265"], {"GRX265"}),
                              (["explain", "GRX265", "GRX2"], set()), (["--fail-on=no"], {"--fail-on=note"}), (["--fail-on", "=", "no"], {"note"}),
                              (["--fail-on", "="], {"error", "warning", "note", "never"}), (["--output="], {":files"}), (["-j", ""], set()),
                              (["-qo", ""], {":files"}), (["-qv", "dump", "--scr"], {"--script"}), (["x.rgm", "--statis"], {"--statistics"}),
                              (["--severity", "GRX265="], {"GRX265="}), (["--severity", "GRX265=no"], set()),
                              (["config", "show", ""], {":files"}), (["version", ""], set()), (["help", "expl"], {"explain"}), (["fields", "gr"], {"grx"}), (["-"], {"--" + name[2:] for name in OPTIONS_OF["check"]} |
                              {"-0", "-o", "-q", "-v", "-j", "-h"})):
            self.assertEqual(proposed(*words), wanted, words)
        self.assertEqual(subprocess.run([LIGHTLINT, "completions", "line"], capture_output=True, check=False).returncode, 2)
        self.assertEqual(subprocess.run([LIGHTLINT, "completions", "line", ""], capture_output=True, check=False).returncode, 0)

    def test_powershell_brackets_are_balanced(self):
        script = re.sub(r"'[^']*'|\"[^\"]*\"", "", completion("powershell"))
        for opening, closing in ("()", "{}", "[]"):
            self.assertEqual(script.count(opening), script.count(closing))


@unittest.skipUnless(shutil.which("bash"), "bash is not here")
class Bash(unittest.TestCase):
    def complete(self, line):
        """Proposals for the last word of a line. '=' is a separate word, as in bash."""
        words = line.split(" ")
        array = " ".join("'%s'" % part for word in words for part in (re.split("(=)", word) if "=" in word else [word])
                         if part or word == "")
        if line.endswith("="):
            array += " ''"
        script = completion("bash") + "\nCOMP_WORDS=(%s)\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_lightlint\n" \
            "printf '%%s\\n' \"${COMPREPLY[@]}\"\n" % array
        with tempfile.TemporaryDirectory() as place:
            return set(run("bash", "--norc", "-c", script, cwd=place, env=with_program(place)).split("\n")) - {""}

    def test_commands(self):
        self.assertEqual(self.complete("lightlint c"), {"check", "census", "config", "completions"})

    def test_options_of_the_command(self):
        self.assertEqual(self.complete("lightlint sweep --m"), {"--merge"})
        self.assertEqual(self.complete("lightlint check --m"), {"--max-per-rule", "--max-per-file"})
        self.assertEqual(self.complete("lightlint --merg"), set())
        self.assertEqual(self.complete("lightlint some.grxla --stat"), {"--statistics"})

    def test_values(self):
        self.assertEqual(self.complete("lightlint --fail-on n"), {"note", "never"})
        self.assertEqual(self.complete("lightlint --fail-on=n"), {"note", "never"})
        self.assertEqual(self.complete("lightlint --game mp"), {"mp1", "mp2", "mp3"})
        self.assertEqual(self.complete("lightlint dump --format "), {"text", "json"})
        self.assertIn("sarif-github", self.complete("lightlint --format sarif"))

    def test_rules(self):
        self.assertIn("GRX265", self.complete("lightlint explain GRX2"))
        self.assertIn("grx/name-hash", self.complete("lightlint --select grx/name"))
        self.assertIn("grx/name-hash=", self.complete("lightlint --severity grx/name"))

    def test_a_value_is_not_taken_for_a_command(self):
        self.assertEqual(self.complete("lightlint --output sweep --merg"), set())
        self.assertEqual(self.complete("lightlint --color always sweep --merg"), {"--merge"})

    def test_words_of_a_command(self):
        self.assertEqual(self.complete("lightlint baseline "), {"create", "update", "prune"})
        self.assertEqual(self.complete("lightlint completions z"), {"zsh"})

    def type(self, keys, place):
        """The words of the command line in a real bash after typing `keys` in a directory."""
        shutil.rmtree(os.path.join(place, ".binaries"), ignore_errors=True)
        pid, terminal = pty.fork()
        if pid == 0:
            try:
                os.chdir(place)
                os.environ.update(with_program(place), TERM="dumb", INPUTRC="/dev/null", HISTFILE="/dev/null")
                os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
            finally:
                os._exit(127)
        with os.fdopen(terminal, "r+b", buffering=0) as stream:
            def until(mark):
                seen = b""
                while not seen.endswith(mark) and select.select([stream], [], [], 20)[0]:
                    seen += stream.read(4096)
                return seen
            with open(os.path.join(place, ".script"), "w", encoding="utf-8") as file:
                file.write(completion("bash") + "bind 'set bell-style none'\nshow() { printf '<%s>' \"$@\"; echo END; }\nPS1='re''ady> '\n")
            stream.write(b". ./.script\n")
            until(b"ready> ")
            stream.write(keys.encode() + b"\x01show \r")  # go to the start of the line, and run `show`
            shown = until(b"END\r\nready> ").decode()
            stream.write(b"exit\n")
        os.waitpid(pid, 0)
        return re.search(r"\n((?:<[^>]*>)+)END", shown).group(1)

    def test_names_of_files_are_quoted(self):
        with tempfile.TemporaryDirectory() as place:
            for name in ("my file.grxla", "dumplings.grxla", "census report.grxla", "b[a]*.grxla"):
                with open(os.path.join(place, name), "w", encoding="utf-8"):
                    pass
            os.mkdir(os.path.join(place, "sweep"))
            os.mkdir(os.path.join(place, "old files"))
            for keys, words in (("my", "<my file.grxla>"), ("my\\ f", "<my file.grxla>"), ("check my", "<check><my file.grxla>"),
                                ("'b[", "<b[a]*.grxla>"), ("old", "<old files/>"), ("cens", "<census>"), ("census\\ r", "<census report.grxla>"),
                                ("swe", "<sweep>"), ("check swe", "<check><sweep/>"), ("dumpl", "<dumplings.grxla>")):
                self.assertEqual(self.type("lightlint " + keys + "\t", place), "<lightlint>" + words, keys)
            self.assertEqual(self.type("lightlint --severity GRX265\tnote", place), "<lightlint><--severity><GRX265=note>")


@unittest.skipUnless(shutil.which("fish"), "fish is not here")
class Fish(unittest.TestCase):
    def complete(self, line):
        with tempfile.TemporaryDirectory() as place:
            script = os.path.join(place, "lightlint.fish")
            with open(script, "w", encoding="utf-8") as file:
                file.write(completion("fish"))
            found = run("fish", "--no-config", "-c", "source %s; complete -C '%s'" % (script, line), cwd=place,
                        env=with_program(place))
        return {row.split("\t")[0] for row in found.split("\n")} - {""}

    def test_commands(self):
        self.assertLessEqual({"check", "census", "config", "completions"}, self.complete("lightlint c"))

    def test_options_of_the_command(self):
        self.assertEqual(self.complete("lightlint sweep --m"), {"--merge"})
        self.assertEqual(self.complete("lightlint check --max"), {"--max-per-rule", "--max-per-file"})

    def test_values(self):
        self.assertEqual(self.complete("lightlint --fail-on n"), {"note", "never"})
        self.assertIn("GRX265", self.complete("lightlint explain GRX2"))
        self.assertEqual(self.complete("lightlint baseline c"), {"create"})


@unittest.skipUnless(shutil.which("zsh"), "zsh is not here")
class Zsh(unittest.TestCase):
    def complete(self, *words):
        """What the script passes on for the words of a line."""
        stand_in = '_files() { print files }\n_describe() { print -l -- ${(P)2} }\ncompset() { }\n'
        script = completion("zsh").replace('_lightlint "$@"\n', "")
        line = "words=(%s)\nCURRENT=%d\nPREFIX=%s\n_lightlint\n" % (" ".join("'%s'" % word for word in words), len(words), words[-1])
        with tempfile.TemporaryDirectory() as place:
            return run("zsh", "-f", "-c", stand_in + script + line, env=with_program(place)).split("\n")[:-1]

    def test_commands(self):
        found = self.complete("lightlint", "")
        self.assertEqual(sorted(row.split(":")[0] for row in found), sorted(COMMANDS + ["files", "help"]))

    def test_options_of_the_command(self):
        self.assertIn("--merge:join the outputs of all shards", self.complete("lightlint", "sweep", "--"))
        self.assertNotIn("--merge:join the outputs of all shards", self.complete("lightlint", "check", "--"))

    def test_values(self):
        self.assertEqual(self.complete("lightlint", "--fail-on=n"), ["--fail-on=note:", "--fail-on=never:"])
        self.assertEqual(self.complete("lightlint", "--config", ""), ["files"])
        self.assertEqual(self.complete("lightlint", "--config="), ["files"])
        self.assertIn("grx/name-hash=:The name hash is not the StrCode64 of the name.", self.complete("lightlint", "--severity", "grx/name-h"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[4:])
