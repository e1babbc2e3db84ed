# Goal: `mayfly prove` reports correctly, by its output and by its exit code, and changes nothing.
# Method: databases in known conditions, made by a small program; it is run as a user runs it.
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MAKE_DATABASE = sys.argv.pop()
MAYFLY = sys.argv.pop()

INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


class MayflyProve(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.database = self.folder / "db"

    def make(self, condition):
        subprocess.run([MAKE_DATABASE, self.database, condition], check=True, timeout=120)

    def prove(self, *arguments):
        run = subprocess.run([MAYFLY, "prove", *arguments], capture_output=True, text=True,
                             timeout=120)
        return run.returncode, run.stdout, run.stderr

    def line_of(self, output, word):
        return next(line for line in output.splitlines() if line.startswith(word))

    def state_of_files(self):
        return sorted((str(path), path.stat().st_size, path.stat().st_mtime_ns)
                      for path in self.database.rglob("*"))

    def test_says_that_a_promise_is_kept(self):
        self.make("kept")
        before = self.state_of_files()
        code, output, errors = self.prove(self.database)
        self.assertEqual((code, errors), (0, ""), output)
        self.assertEqual(self.state_of_files(), before)
        self.assertRegex(self.line_of(output, "secrets"),
                         rf"^secrets +1h +{INSTANT} +{INSTANT} +1 +0 +kept$")
        self.assertIn("\nand 1 empty keyspace that promises nothing\n", output)
        self.assertNotIn("in the way", output)
        self.assertNotIn("files that", output)

    def test_says_that_a_promise_is_broken_and_why(self):
        self.make("broken")
        before = self.state_of_files()
        code, output, errors = self.prove(self.database)
        self.assertEqual((code, errors), (3, ""), output)
        self.assertEqual(self.state_of_files(), before)
        self.assertRegex(self.line_of(output, "secrets"), r" 2 +1 +BROKEN$")
        self.assertIn("has 1 dead rows that nobody has purged", output)

    def test_finds_what_is_there_and_nothing_else(self):
        self.make("kept")
        code, output, _ = self.prove(self.database, "--find", "alice-is-alive")
        self.assertEqual(code, 3, output)
        self.assertIn("FOUND", output)
        self.assertRegex(output, r"\.(sst|log): .*")
        for search in (["--find", "bob-was-here"], ["--find-hex", b"bob-was-here".hex()],
                       ["--find-hex", b"bob-was-here".hex().upper()]):
            code, output, errors = self.prove(self.database, *search)
            self.assertEqual((code, errors), (0, ""), output)
            self.assertIn("not found", output)

    def test_finds_the_dead_that_were_not_purged(self):
        self.make("broken")
        code, output, _ = self.prove("--find", "bob-was-here", self.database)
        self.assertEqual(code, 3)
        self.assertIn("FOUND", output)

    def test_tells_of_files_in_columns(self):
        self.make("kept")
        code, output, _ = self.prove(self.database, "--files")
        self.assertEqual(code, 0)
        table = output.split("files that may hold something of secrets\n")[1].splitlines()
        self.assertRegex(table[0], r"^role +file +level +size +first deadline +last deadline")
        self.assertRegex(table[1], r"^rows +\d+\.sst +\d+ +[\d.]+ Ki?B +- +- +0% +0$")
        ends = {re.search(r"tombstones|\d+$", line).end() for line in table[:2]}
        self.assertEqual(len(ends), 1, "columns stand under each other")

    def test_names_a_backup(self):
        self.make("backed-up")
        backup = pathlib.Path(str(self.database) + ".backup")
        code, output, _ = self.prove(self.database)
        self.assertEqual(code, 0, "a backup is elsewhere, and no broken promise")
        self.assertIn(backup.name, output)
        backup.unlink()
        self.assertNotIn(backup.name, self.prove(self.database)[1])

    def test_says_that_a_database_is_in_use(self):
        holder = subprocess.Popen([MAKE_DATABASE, self.database, "held"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(holder.stdout.close)
        self.assertEqual(holder.stdout.readline(), "open\n")
        code, output, errors = self.prove(self.database)
        holder.stdin.close()
        self.assertEqual(holder.wait(timeout=120), 0)
        self.assertEqual((code, output), (1, ""))
        self.assertIn("Busy", errors)
        self.assertIn(str(self.database), errors)
        self.assertEqual(self.prove(self.database)[0], 0, "when it is free, it tells")

    def test_makes_no_database_where_there_is_none(self):
        code, output, errors = self.prove(self.folder / "nothing")
        self.assertEqual((code, output), (1, ""))
        self.assertIn("NotFound", errors)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_refuses_wrong_calls_with_exit_code_2(self):
        for arguments, word in (([], "TARGET"), ([self.database, "--find", ""], "--find"),
                                ([self.database, "--find-hex", "0"], "--find-hex"),
                                ([self.database, "--find-hex", "0g"], "hexadecimal"),
                                ([self.database, "--find", "a", "--find-hex", "00"], "excludes"),
                                ([self.database, "--found"], "--found")):
            code, output, errors = self.prove(*arguments)
            self.assertEqual((code, output), (2, ""), arguments)
            self.assertIn(word, errors)


if __name__ == "__main__":
    unittest.main()
