#!/usr/bin/env python3
"""Goal: the references of the headers and of the Python package are made without a warning, and lack nothing.
Method: Doxygen and Sphinx, on them and on a wrong one."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop())
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def make_reference(root, output):
    return subprocess.run(["doxygen", "docs/reference/Doxyfile"], cwd=root, capture_output=True, text=True,
                          env={**os.environ, "MAYFLY_REFERENCE_DIR": str(output)})


class Reference(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="mayfly-reference-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_the_public_headers_have_one(self):
        made = make_reference(ROOT, self.folder)
        self.assertEqual(made.stderr, "")
        self.assertEqual(made.returncode, 0)
        html = self.folder / "html"
        keyspace = (html / "classmayfly_1_1KeyspaceWriter.html").read_text()
        self.assertIn("Writes the row, replacing any row under the key.", keyspace)
        self.assertIn("Where the files are; created if missing.",
                      (html / "structmayfly_1_1DatabaseOptions.html").read_text())
        self.assertIn("Commits.", (html / "c_8h.html").read_text())
        self.assertIn("Open elsewhere, or in the way of a transaction.", (html / "kvstore_8h.html").read_text())
        # Code in a header stays code, with all its characters.
        self.assertIn('<pre class="fragment">', (html / "database_8h.html").read_text())
        for header in (ROOT / "include" / "mayfly").glob("*.h"):
            page = header.name.replace("_", "__").replace(".h", "_8h.html")
            self.assertTrue((html / page).exists(), page)

    def test_a_warning_fails(self):
        root = self.folder / "root"
        (root / "include" / "mayfly").mkdir(parents=True)
        (root / "docs").mkdir()
        shutil.copytree(ROOT / "docs" / "reference", root / "docs" / "reference")
        (root / "include" / "mayfly" / "wrong.h").write_text("// wrong.h - a header.\n\n"
                                                             "/** @param y is not there. */\nvoid F(int x);\n")
        made = make_reference(root, self.folder)
        self.assertNotEqual(made.returncode, 0)
        self.assertIn("wrong.h", made.stderr)


class PythonReference(unittest.TestCase):
    def setUp(self):
        if not any((BUILD / "python" / "mayfly").glob("_mayfly*.so")):
            self.skipTest("a build of a few targets has no Python package; `make test` has")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="mayfly-reference-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def python(self, *arguments):
        return subprocess.run(["/usr/bin/python3", *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(BUILD / "python"),
                                   "PYTHONDONTWRITEBYTECODE": "1"})

    def make(self, source):
        return self.python("-m", "sphinx", "-q", "-W", "-d", self.folder / "trees", source, self.folder / "html")

    def test_the_package_has_one(self):
        made = self.make(ROOT / "docs/reference/python")
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        page = (self.folder / "html/index.html").read_text()
        named = self.python("-c", "import mayfly; print(*(name for name in mayfly.__all__ if "
                            "callable(getattr(mayfly, name))))").stdout.split()
        self.assertGreater(len(named), 40)
        self.assertEqual([name for name in named if f'id="mayfly.{name}"' not in page and
                          f'id="mayfly.kvstore.{name}"' not in page], [])
        for call in ("Database.put", "Hash.field_deadline", "aio.Database.put", "tables.Table.put", "django"):
            self.assertRegex(page, rf'id="(module-)?mayfly\.{call}"')

    def test_a_warning_fails(self):
        source = self.folder / "source"
        shutil.copytree(ROOT / "docs/reference/python", source)
        (source / "index.rst").write_text("mayfly\n======\n\n.. autoclass:: mayfly.Missing\n")
        made = self.make(source)
        self.assertNotEqual(made.returncode, 0)
        self.assertIn("Missing", made.stderr)


if __name__ == "__main__":
    unittest.main()
