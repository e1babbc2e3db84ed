"""Goal: the page has correct types, is the same whenever it is built, and carries the notices of what is in it.
Method: the compiler's check; builds in two folders, compared with each other and with what is in the binary's build.
  page_build_test.py SOURCE BUILT     SOURCE: console/; BUILT: the copy that was built, with its packages and dist/
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILT = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
del sys.argv[1:3]


def run(*command, folder):
    return subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=300)


def files_of(folder):
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def differing(a, b):
    return sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))


class PageBuild(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def copy(self, name):
        """The sources in another folder, with the packages that are installed already."""
        page = self.folder / name
        shutil.copytree(SOURCE, page, ignore=shutil.ignore_patterns("node_modules", "dist"))
        (page / "node_modules").symlink_to(BUILT / "node_modules")
        return page

    def build(self, page):
        built = run("node", "build.mjs", f"--docs={SOURCE.parent / 'docs'}", folder=page)
        self.assertEqual(built.returncode, 0, built.stderr)
        return files_of(page / "dist")

    def test_types_are_correct(self):
        page = self.copy("types")
        checked = run("npm", "run", "--silent", "check", folder=page)
        self.assertEqual((checked.returncode, checked.stdout), (0, ""), checked.stderr)
        source = page / "src" / "main.tsx"
        source.write_text(source.read_text() + "\nconst wrong: number = 'a text';\nvoid wrong;\n")
        self.assertIn("TS2322", run("npm", "run", "--silent", "check", folder=page).stdout, "an error would be found")

    def test_two_builds_are_equal(self):
        first = self.build(self.copy("first"))
        second = self.build(self.copy("a/second"))
        self.assertEqual(differing(first, second), [])
        self.assertEqual(differing(first, files_of(BUILT / "dist")), [], "the binary has another build: make it anew")
        self.assertIn("index.html", first)

    def test_the_notices_of_all_packages_in_the_page_are_there(self):
        notices = self.build(self.copy("page"))["third-party-notices.txt"].decode()
        wanted = json.loads((SOURCE / "package.json").read_text())["dependencies"]
        self.assertTrue(wanted)
        for name, version in wanted.items():
            self.assertIn(f"{name} {version} (", notices)
            self.assertIn((BUILT / "node_modules" / name / "LICENSE").read_text().strip(), notices)


if __name__ == "__main__":
    unittest.main()
