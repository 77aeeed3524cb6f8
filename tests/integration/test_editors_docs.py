#!/usr/bin/env python3
"""docs/editors.md: tries its patterns on the program's output for the demo, an archive and a text, line by line: those
of the Visual Studio Code task in node, the others in Vim, Neovim and Emacs, if installed.

usage: test_editors_docs.py SOURCE_DIR PROGRAM
exit:  0 all passed, 1 not"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, PROGRAM = "", ""
# names of the severities in each editor
SEVERITIES = {"error": ("error", "e", 2), "warning": ("warning", "w", 1), "note": ("note", "n", 0)}
TEXT, SUPPRESSION = ".lightlint-ignore.yaml", b"suppress:\n  - rule: GRX265\n    file: none.grxla\n    reason: to be seen\n"
MEMBER = "/Assets/tpp/a/two.grxla"
NODE = """
const [tasks, output] = process.argv.slice(1).map((path) => require('fs').readFileSync(path, 'utf8'));
const matchers = JSON.parse(tasks).tasks[0].problemMatcher.map(({ pattern }) => ({ ...pattern, regexp: new RegExp(pattern.regexp) }));
console.log(JSON.stringify(output.split('\\n').map((line) => matchers.flatMap(({ regexp, kind, ...groups }) => {
    const match = regexp.exec(line);
    const part = (name) => match[groups[name]];
    return match ? [[part('file'), kind === 'file' ? 0 : Number(part('line')), kind === 'file' ? 0 : Number(part('column')), part('severity'), part('message'), part('code')]] : [];
}))));
"""
VIM = """call writefile(map(getqflist(), {_, one -> json_encode([bufname(one.bufnr), one.lnum, one.col, one.type, one.text])}), '%s')"""
EMACS = r"""(with-temp-buffer
  (insert-file-contents "%s")
  (compilation-mode)
  (compilation--ensure-parse (point-max))
  (goto-char (point-min))
  (while (not (eobp))
    (let* ((message (get-text-property (point) 'compilation-message))
           (place (and message (compilation--message->loc message))))
      (when message
        (princ (format "%%d\t%%s\t%%d\t%%d\t%%d\n" (line-number-at-pos) (caar (compilation--loc->file-struct place))
                       (or (compilation--loc->line place) 0) (or (compilation--loc->col place) 0) (compilation--message->type message)))))
    (forward-line 1)))"""


def block(language):
    with open(os.path.join(SOURCE, "docs/editors.md"), encoding="utf-8") as file:
        found = re.findall(r"^```%s\n(.*?)^```$" % language, file.read(), re.M | re.S)
    if len(found) != 1:
        raise AssertionError(f"docs/editors.md: expected one block of {language}, found {len(found)}")
    return found[0]


def run(*command, cwd, **more):
    return subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False, **more)


def make_files(folder):
    """Makes the demo, names that may confuse patterns, a member of an archive, and a finding with a line."""
    sys.path.insert(0, os.path.join(SOURCE, "tests/cli"))
    sys.argv = [sys.argv[0], PROGRAM, SOURCE]
    from cli_test import BAD, archive
    shutil.copytree(os.path.join(SOURCE, "corpus/demo"), os.path.join(folder, "demo"))
    for name, data in (("a b: [c] +0x10!.grxla", BAD), ("mod.fpk", archive([(MEMBER, BAD)])),
                       (TEXT, SUPPRESSION)):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


class EditorsDocs(unittest.TestCase):
    ENDS = (" findings not shown (", " files with ")  # lines after the findings

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="lightlint-editors-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        make_files(cls.folder)
        cls.lines = run(PROGRAM, "--format", "concise", ".", cwd=cls.folder).stdout.splitlines()
        found = run(PROGRAM, "--format", "jsonl", ".", cwd=cls.folder).stdout.splitlines()
        cls.findings = [one for one in map(json.loads, found) if one["type"] == "finding"]
        with open(os.path.join(cls.folder, "output.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(cls.lines))

    def expected(self, finding):
        """File, (line, column), and start of the message, as editors should show them."""
        place = finding["inner"]["offset"] if "member" in finding else finding["offset"]
        position = (0, 0)
        if finding["file"] == TEXT:
            before = SUPPRESSION[:finding["offset"]]
            position = (before.count(b"\n") + 1, finding["offset"] - before.rfind(b"\n"))
        start = f"!{finding['member']}:+{place:#x}: " if "member" in finding else f"+{place:#x}: " if position == (0, 0) else ""
        return finding["file"], position, start

    def test_all_kinds_are_there(self):
        self.assertEqual(len(self.lines), len(self.findings) + len(self.ENDS))
        for line, end in zip(self.lines[-len(self.ENDS):], self.ENDS):
            self.assertIn(end, line)
        self.assertEqual({one["severity"] for one in self.findings}, set(SEVERITIES))
        self.assertIn(MEMBER, [one.get("member") for one in self.findings])
        self.assertIn(TEXT, [one["file"] for one in self.findings])

    def test_task_of_visual_studio_code(self):
        if not shutil.which("node"):
            self.skipTest("no node")
        task, = json.loads(block("json"))["tasks"]
        called = run(PROGRAM, *task["args"], cwd=self.folder)
        self.assertEqual(called.stdout.splitlines(), self.lines)
        with open(os.path.join(self.folder, "tasks.json"), "w", encoding="utf-8") as file:
            file.write(block("json"))
        done = run("node", "-e", NODE, "tasks.json", "output.txt", cwd=self.folder)
        self.assertEqual(done.stderr, "")
        matches = json.loads(done.stdout)
        self.assertEqual([matches.pop() for _ in self.ENDS], [[] for _ in self.ENDS], "these lines are no findings")
        for finding, found in zip(self.findings, matches, strict=True):
            (file, line, column, severity, message, code), = found
            name, position, start = self.expected(finding)
            self.assertEqual((file, (line, column), severity, code), (name, position, SEVERITIES[finding["severity"]][0], finding["rule"]))
            self.assertTrue(message.startswith(start) and f"; found {finding['found']}" in message, message)

    def check_vim(self, *command):
        if not shutil.which(command[0]) or (command[0] == "vim" and "+quickfix" not in run("vim", "--version", cwd=self.folder).stdout):
            self.skipTest(f"no {command[0]} with a list of errors")
        compilers = os.path.join(self.folder, "vim", "compiler")
        os.makedirs(compilers, exist_ok=True)
        with open(os.path.join(compilers, "lightlint.vim"), "w", encoding="utf-8") as file:
            file.write(block("vim"))
        result = os.path.join(self.folder, "vim", "found")
        path = os.pathsep.join([os.path.dirname(PROGRAM), os.environ["PATH"]])
        run(*command, "--cmd", "set rtp^=vim", "-c", "compiler lightlint", "-c", "silent make! .", "-c", VIM % result, "-c", "qa!", cwd=self.folder,
            env={**os.environ, "PATH": path, "HOME": self.folder})
        with open(result, encoding="utf-8") as file:
            found = [json.loads(line) for line in file]
        os.remove(result)
        self.assertEqual(len(found), len(self.findings))
        for finding, (file, line, column, severity, message) in zip(self.findings, found):
            name, position, start = self.expected(finding)
            start = start[1:] if start.startswith("!") else start
            self.assertEqual((file, (line, column), severity), (name, position, SEVERITIES[finding["severity"]][1]))
            self.assertTrue(message.startswith(start) and f"; found {finding['found']}" in message, message)

    def test_vim(self):
        self.check_vim("vim", "-es", "-u", "NONE", "-N")

    def test_neovim(self):
        self.check_vim("nvim", "--headless", "-es", "-u", "NONE")

    def test_emacs(self):
        if not shutil.which("emacs"):
            self.skipTest("no emacs")
        for name, text in (("init.el", block("elisp")), ("show.el", EMACS % "output.txt")):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        done = run("emacs", "-Q", "--batch", "-l", "init.el", "-l", "show.el", cwd=self.folder)
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        self.assertEqual([int(row[0]) for row in rows], list(range(1, len(self.findings) + 1)), done.stderr)
        for finding, (_, file, line, column, severity) in zip(self.findings, rows):
            name, position, _ = self.expected(finding)
            self.assertEqual((file, (int(line), int(column)), int(severity)), (name, position, SEVERITIES[finding["severity"]][2]))


if __name__ == "__main__":
    SOURCE, PROGRAM = map(os.path.abspath, sys.argv[1:3])
    sys.argv[1:3] = []
    unittest.main(verbosity=2)
