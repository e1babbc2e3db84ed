#!/usr/bin/env python3
"""Goal: a page that is wrong fails. Method: small pages, each with one fault, beside right ones."""

import contextlib
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(sys.argv.pop())

RIGHT = """
```console
$ redis-cli SET a 1 EX 100
OK
$ redis-cli HGET a f
(error) WRONGTYPE ...
$ folder=x; mkdir $folder
```

    $ ls -d $folder
    x

```console
$ (sleep 1; echo done > later.txt) &
$ sleep 0.1; cat later.txt
done
```

```redis
> GET a
"1"
```
<!-- terminal -->
```console
$ test -t 1 && redis-cli GET a
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
"""

# The name of a page: its text, and what the runner says about it, behind the name.
WRONG = {
    "output": ("```console\n$ echo 1\n2\n```\n", ".md:2: the output differs"),
    "longer_output": ("```console\n$ echo 1\n1\n2\n```\n", ".md:2: the output differs"),
    "shorter_output": ("```console\n$ printf '1\\n2\\n'\n1\n```\n", ".md:2: the output differs"),
    "exit_code": ("```console\n$ false\n```\n", ".md:2: `false` ended with 1"),
    "usage": ("```sh\nmayfly nosuchcommand\n```\n", ".md:2: `mayfly nosuchcommand\n` ended with 2"),
    "error_reply": ("```redis\n> NOSUCH\n```\n", "(error) ERR unknown command"),
    "language": ("```rust\nfn main() {}\n```\n", ".md:2: no way to run a block of language 'rust'"),
    "indented": ("Text.\n\n    something\n", ".md:3: no way to run"),
    "no_reason": ("<!-- not run: -->\n```rust\n```\n", ".md:1: `not run` without a reason"),
    "bare_marker": ("<!-- not run -->\n```rust\n```\n", ".md:1: `not run` without a reason"),
    "lost_marker": ("<!-- not run: why -->\nText.\n", ".md:1: `not run` is not in front of a block"),
    "open_fence": ("```sh\nls\n", ".md:1: this fence is not closed"),
    "cpp": ("```cpp\nint x = nothing;\n```\n", ".md:2:9: error"),
    "cpp_warning": ("```cpp\nint unused = 1;\n```\n", ".md:2:5: error: unused variable"),
    "cpp_status": ('```cpp\nreturn mayfly::Status::Invalid("broken");\n```\n', "Invalid: broken"),
    "c": ("```c\nint main(void) { return 3; }\n```\n", "ended with 3"),
    "python": ("```python\n1 / 0\n```\n", "ZeroDivisionError"),
    "doctest": ("```python\n>>> 1 + 1\n3\n```\n", "Expected:"),
    "output_block": ("```python\nprint(1)\n```\n```output\n2\n```\n", ".md:5: the output differs"),
    "no_output": ("```output\n2\n```\n", ".md:2: output of a block that is not run"),
    "never": ("```console\n$ sleep 0.1; echo 1\n2\n```\n", ".md:2: the output differs"),
    "never_succeeds": ("```console\n$ sleep 0.1; false\n2\n```\n", ".md:2: `false` ended with 1"),
    "leftover": ("```console\n$ sleep 4711.47 &\n$ false\n```\n", ".md:3: `false` ended with 1"),
}


def run(readme, pages):
    """Runs the runner on a README and pages of docs/."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for folder in ("include", "examples", "bench", "scripts", "packages.txt"):
            (root / folder).symlink_to(ROOT / folder)
        (root / "docs").mkdir()
        (root / "README.md").write_text(readme)
        for page, text in pages.items():
            (root / "docs" / f"{page}.md").write_text(text)
        return subprocess.run(
            [sys.executable, HERE / "run_blocks.py", "--root", root, "--build", BUILD,
             "--patience", "5"],
            capture_output=True, text=True)


class RunBlocks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ran = run(RIGHT, {page: text for page, (text, _) in WRONG.items()})

    def test_wrong_pages_fail_each_for_its_reason(self):
        self.assertEqual(self.ran.returncode, 1)
        for page, (_, reason) in WRONG.items():
            with self.subTest(page):
                self.assertIn(f"docs/{page}.md: FAILED", self.ran.stdout)
                whole = f"docs/{page}{reason}" if reason.startswith(".md") else reason
                self.assertIn(whole, self.ran.stderr)

    def test_every_language_runs(self):
        self.assertIn("README.md: 13 blocks", self.ran.stdout, self.ran.stderr)

    def test_nothing_is_left_running(self):
        for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):  # It has ended.
                self.assertNotIn(b"4711.47", process.read_bytes().split(b"\0"))

    def test_right_pages_pass(self):
        ran = run("```console\n$ echo 1\n1\n```\n", {})
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))


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
