# Goal: the executable does what its help says, refuses what it should, and leaves nothing behind.
# Method: it is run as a user runs it, with a temporary folder of its own.
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

MAYFLY = pathlib.Path(sys.argv.pop())


class MayflyApp(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def start(self, *arguments):
        return subprocess.Popen([MAYFLY, *arguments], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "TMPDIR": str(self.temporary)})

    def run_mayfly(self, *arguments):
        process = self.start(*arguments)
        output, errors = process.communicate(timeout=120)
        return process.returncode, output, errors

    def leaves_nothing_behind(self):
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_prints_its_version(self):
        for arguments in (["version"], ["--version"]):
            code, output, errors = self.run_mayfly(*arguments)
            self.assertEqual((code, errors), (0, ""))
            self.assertRegex(output, r"^mayfly \d+\.\d+\.\d+\n$")

    def test_shows_the_demo_and_removes_its_folder(self):
        code, output, errors = self.run_mayfly("demo")
        self.assertEqual((code, errors), (0, ""), output)
        self.assertIn("Busy: ", output)
        before, after = output.split("At the deadline it is gone")
        self.assertIn("get session:ann -> logged in", before)
        self.assertIn("get session:ann -> NotFound", after)
        self.assertEqual(output.count("put code:4711 if absent -> true"), 2)
        self.assertEqual(output.count("put code:4711 if absent -> false"), 1)
        self.assertIn("inside -> true, outside -> false", output)
        self.assertIn("0 faults", output)
        self.leaves_nothing_behind()

    def test_shows_the_demo_twice_in_one_folder(self):
        first = self.run_mayfly("demo", "--dir", self.folder / "db")
        second = self.run_mayfly("demo", "--dir", self.folder / "db")
        self.assertEqual((first[0], first[2]), (0, ""), first)
        self.assertEqual((second[0], second[2]), (0, ""), second)
        self.assertIn("earlier demo", second[1])
        self.assertEqual(first[1].splitlines()[1:], second[1].splitlines()[2:])
        self.leaves_nothing_behind()

    def test_does_not_touch_a_folder_that_holds_something_else(self):
        (self.folder / "thesis.txt").write_text("precious")
        code, _, errors = self.run_mayfly("demo", "--dir", self.folder)
        self.assertEqual(code, 1)
        self.assertIn(str(self.folder), errors)
        self.assertEqual((self.folder / "thesis.txt").read_text(), "precious")

    def test_says_why_a_folder_cannot_be_made(self):
        (self.folder / "file").write_text("")
        code, _, errors = self.run_mayfly("demo", "--dir", self.folder / "file" / "db")
        self.assertEqual(code, 1)
        self.assertIn(str(self.folder / "file" / "db"), errors)

    def test_refuses_wrong_values_with_exit_code_2_as_well(self):
        for arguments, word in ((["serve", "--port", "banana"], "port"),
                                (["serve", "--appendfsync", "sometimes"], "appendfsync"),
                                (["restore", "FILE", "DIR", "--shift-ms", "5"], "--shift-ms"),
                                (["restore", "FILE", "DIR", "--deadlines", "never"], "--deadlines")):
            code, output, errors = self.run_mayfly(*arguments)
            self.assertEqual((code, output), (2, ""), arguments)
            self.assertIn(word, errors)

    def test_speaks_of_flags_and_not_of_options_in_code(self):
        for command in ("check", "prove"):
            code, _, errors = self.run_mayfly(command, self.folder / "nowhere")
            self.assertEqual(code, 1, errors)
            self.assertIn("there is no database", errors)
            self.assertNotIn("create_if_missing", errors)

    def test_a_restore_that_fails_leaves_nothing_behind(self):
        file = self.folder / "backup"
        file.write_text("no backup")
        code, _, errors = self.run_mayfly("restore", file, self.folder / "new" / "db")
        self.assertEqual(code, 1, errors)
        self.assertFalse((self.folder / "new").exists())
        (self.folder / "empty").mkdir()
        code, _, errors = self.run_mayfly("restore", file, self.folder / "empty")
        self.assertEqual(code, 1, errors)
        self.assertEqual(list((self.folder / "empty").iterdir()), [])
        # An existing file stays, whatever it is.
        self.assertEqual(self.run_mayfly("demo", "--dir", self.folder / "db")[0], 0)
        self.assertEqual(self.run_mayfly("restore", file, self.folder / "db")[0], 1)
        self.assertEqual(self.run_mayfly("check", self.folder / "db")[0], 0)
        (self.folder / "thesis.txt").write_text("precious")
        self.assertEqual(self.run_mayfly("restore", file, self.folder)[0], 1)
        self.assertEqual((self.folder / "thesis.txt").read_text(), "precious")

    def test_refuses_wrong_calls_with_exit_code_2(self):
        for arguments, word in (([], "subcommand"), (["dmeo"], "dmeo"), (["demo", "--dir"], "--dir"),
                                (["demo", "--folder", "x"], "--folder")):
            code, output, errors = self.run_mayfly(*arguments)
            self.assertEqual((code, output), (2, ""), arguments)
            self.assertIn(word, errors)

    def test_stops_on_ctrl_c_and_removes_its_folder(self):
        process = self.start("demo")
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        # It may have printed everything before the signal came.
        self.assertIn((process.returncode, errors), [(130, "mayfly: interrupted\n"), (0, "")])
        self.leaves_nothing_behind()

    def test_removes_its_folder_when_nobody_reads_its_output(self):
        process = self.start("demo")
        process.stdout.close()
        process.stderr.read()
        self.assertEqual(process.wait(timeout=120), 1)
        process.stderr.close()
        self.leaves_nothing_behind()


if __name__ == "__main__":
    unittest.main()
