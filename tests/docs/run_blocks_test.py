#!/usr/bin/env python3
"""Goal: a page that is wrong fails. Method: small pages, each with one fault, and right ones."""

import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(sys.argv.pop())


def run(text):
    """The exit code of the runner for a page, and what it says."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for folder in ("include", "examples", "bench", "scripts", "packages.txt"):
            (root / folder).symlink_to(ROOT / folder)
        (root / "docs").mkdir()
        (root / "README.md").write_text(textwrap.dedent(text).lstrip("\n"))
        ran = subprocess.run([sys.executable, HERE / "run_blocks.py", "--root", root, "--build", BUILD],
                             capture_output=True, text=True)
        return ran.returncode, ran.stdout + ran.stderr


class RunBlocks(unittest.TestCase):
    def fails(self, text, reason):
        code, said = run(text)
        self.assertEqual(code, 1, said)
        self.assertIn(reason, said)

    def passes(self, text, blocks):
        code, said = run(text)
        self.assertEqual(code, 0, said)
        self.assertIn(f"{blocks} blocks", said)

    def test_every_language_runs(self):
        self.passes("""
            ```console
            $ redis-cli SET a 1 EX 100
            OK
            $ redis-cli HGET a f
            (error) WRONGTYPE ...
            $ folder=x; mkdir $folder
            ```

                $ ls -d $folder
                x

            ```redis
            > GET a
            "1"
            ```
            <!-- file: notes.txt -->
            ```toml
            port = 6379
            ```
            ```sh
            test -s notes.txt && echo "listens on 127.0.0.1:6379"
            ```
            ```output
            listens on 127.0.0.1:6379
            ```
            ```python
            import socket
            socket.create_connection(("127.0.0.1", int("127.0.0.1:6379".split(":")[1]))).close()
            number = 7
            ```
            ```python
            >>> number
            7
            ```
            ```cpp
            auto db = mayfly::Database::Open({});
            if (!db) return db.error();
            ```
            ```cpp
            #include <iostream>
            std::cout << (*db)->default_keyspace().name() << "\\n";
            ```
            ```output
            default
            ```
            <!-- not run: it is a picture -->
            ```
            ###
            ```
            """, 11)

    def test_an_output_that_differs(self):
        self.fails("```console\n$ echo 1\n2\n```\n", "README.md:2: the output differs")

    def test_a_shown_output_that_is_longer_or_shorter(self):
        self.fails("```console\n$ echo 1\n1\n2\n```\n", "the output differs")
        self.fails("```console\n$ printf '1\\n2\\n'\n1\n```\n", "the output differs")

    def test_a_command_that_fails(self):
        self.fails("```console\n$ false\n```\n", "`false` ended with 1")
        self.fails("```sh\nmayfly nosuchcommand\n```\n", "ended with 2")

    def test_nothing_is_left_running(self):
        self.fails("""
            ```console
            $ sleep 4711.47 &
            $ false
            ```
            """, "ended with 1")
        listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
        self.assertNotIn("sleep 4711.47", listed.stdout.splitlines())

    def test_an_error_reply_that_is_not_shown(self):
        self.fails("```redis\n> NOSUCH\n```\n", "unknown command")

    def test_a_block_nobody_can_run(self):
        self.fails("```rust\nfn main() {}\n```\n", "language 'rust'")
        self.fails("Text.\n\n    something\n", "README.md:3: no way to run")

    def test_a_marker_without_a_reason(self):
        self.fails("<!-- not run: -->\n```rust\n```\n", "README.md:1: `not run` without a reason")
        self.fails("<!-- not run -->\n```rust\n```\n", "without a reason")

    def test_a_marker_without_a_block(self):
        self.fails("<!-- not run: a reason -->\nText.\n", "is not in front of a block")

    def test_a_fence_that_is_open(self):
        self.fails("```sh\nls\n", "this fence is not closed")

    def test_code_that_does_not_compile_or_fails(self):
        self.fails("```cpp\nint x = nothing;\n```\n", "README.md:2:9: error")
        self.fails('```cpp\nreturn mayfly::Status::Invalid("broken");\n```\n', "broken")
        self.fails("```c\nint main(void) { return 3; }\n```\n", "ended with 3")

    def test_python_that_fails(self):
        self.fails("```python\n1 / 0\n```\n", "ZeroDivisionError")
        self.fails("```python\n>>> 1 + 1\n3\n```\n", "Expected:")

    def test_an_output_block_that_differs(self):
        self.fails("```python\nprint(1)\n```\n\n```output\n2\n```\n", "README.md:6: the output differs")
        self.fails("```output\n2\n```\n", "output of a block that is not run")


class Links(unittest.TestCase):
    def test_a_link_that_leads_nowhere_and_a_page_without_one(self):
        with tempfile.TemporaryDirectory() as name:
            docs = pathlib.Path(name) / "docs"
            docs.mkdir()
            (docs / "README.md").write_text("# A heading\n[a](#a-heading) [b](#b) [c](c.md) [d](d.md)\n")
            (docs / "c.md").write_text("[up](README.md#a-heading)\n")
            (docs / "e.md").write_text("Text.\n")
            ran = subprocess.run([sys.executable, HERE / "check_links.py", "--root", name],
                                 capture_output=True, text=True)
            self.assertEqual(ran.returncode, 1)
            self.assertEqual(ran.stderr.splitlines(), [
                "docs/README.md: #b has no such heading",
                "docs/README.md: d.md does not exist",
                "docs/README.md does not name e.md"])


if __name__ == "__main__":
    unittest.main()
