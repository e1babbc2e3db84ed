# Goal: backup, restore, check and prove work on a folder and on a running server, and a restore asks before it loses rows.
# Method: the executable in pipes and on a terminal; a restore is tried with rows that died after the backup.
import unittest

from cli_home import CliTest

SHIFT = ("--deadlines", "shift", "--shift-ms=-7200000")


class Upkeep(CliTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "db"
        self.good("put", self.data, "k", "v", "--create")

    def served(self):
        server = self.serve()
        url = f"redis://127.0.0.1:{server.port}"
        self.good("put", url, "k", "planted-bytes")
        return server, url

    def backup_of_mortals(self):
        """A backup with a row for ever, and one that SHIFT makes dead."""
        self.good("put", self.data, "mortal", "v", "--ttl", "1h")
        file = self.folder / "backup"
        self.good("backup", self.data, file)
        return file

    def test_a_server_is_backed_up_and_the_backup_restored(self):
        server, url = self.served()
        path = server.folder / "data" / "backups" / "monday"
        self.assertEqual(self.good("backup", "--url", url, "monday").split(" bytes")[0].rsplit(",")[0],
                         f"{path}: 1 row")
        self.assertIn("1 row of", self.good("restore", path, self.folder / "new"))
        self.assertEqual(self.good("get", self.folder / "new", "k"), "planted-bytes")
        (report,) = self.objects("backup", url)
        self.assertEqual(report["rows"], 1)
        self.assertIn("the server's job failed", self.bad(1, "backup", url, "monday"))
        self.assertIn("name", self.bad(1, "backup", url, "../outside").lower())
        self.assertIn("stop the server", self.bad(1, "backup", url, "--salvage"))

    def test_a_server_is_checked_and_proved(self):
        _, url = self.served()
        self.assertRegex(self.good("check", url),
                         r"^1 row, \d+ members and versions, \d+ index entries\nnothing is wrong\n$")
        (report,) = self.objects("check", url, "--repair")
        self.assertEqual((report["clean"], report["rows"]), (True, 1))
        self.assertIn("db0", self.good("prove", url))
        self.assertIn("not found in any file", self.good("prove", url, "--find", "no such bytes"))
        for find in (["--find", "planted-bytes"], ["--find-hex", b"planted-bytes".hex()]):
            code, output, errors = self.run_mayfly("prove", url, *find)
            self.assertEqual((code, errors), (3, b""), output)
            self.assertIn(b"FOUND", output)
        self.assertIn("files of a folder", self.bad(1, "prove", url, "--files"))
        *_, verdict = self.objects("prove", url)
        self.assertEqual((verdict["kept"], verdict["found"]), (True, 0))

    def test_a_folder_is_checked_and_proved(self):
        self.assertRegex(self.good("check", self.data), r"^1 row, .*\nnothing is wrong\n$")
        (report,) = self.objects("check", self.data)
        self.assertEqual(report["faults"], 0)
        self.assertIn("no promise", self.good("prove", self.data))

    def test_a_folder_that_is_served_points_to_the_server(self):
        server, _ = self.served()
        self.assertIn("mayfly prove --url", self.bad(1, "prove", server.folder / "data"))

    def test_a_restore_that_loses_rows_needs_a_yes(self):
        file = self.backup_of_mortals()
        new = self.folder / "new"
        code, output, errors = self.run_mayfly("restore", file, new, *SHIFT)
        self.assertEqual(code, 1)
        self.assertIn(b"1 row of 1 keyspace; 1 had died and were left out", output)
        self.assertIn(b"--yes", errors)
        self.assertFalse(new.exists())
        self.good("restore", file, new, "--yes", *SHIFT)
        self.assertEqual(self.good("count", new), "1\n")
        self.good("restore", file, self.folder / "frozen", "--deadlines", "strip")
        self.assertEqual(self.good("count", self.folder / "frozen"), "2\n")

    def test_a_restore_asks_on_a_terminal(self):
        file = self.backup_of_mortals()
        for answer, code in (("n", 1), ("", 1), ("y", 0)):
            asked = self.terminal("restore", file, self.folder / "new", *SHIFT)
            asked.wait_for("1 had died and were left out")
            asked.wait_for("[y/N] ")
            asked.type(answer + "\n")
            self.assertEqual(asked.finish()[0], code, answer)
            self.assertEqual((self.folder / "new").exists(), code == 0, answer)

    def test_a_restore_that_is_interrupted_leaves_nothing(self):
        asked = self.terminal("restore", self.backup_of_mortals(), self.folder / "new", *SHIFT)
        asked.wait_for("\rrestore  ")
        asked.wait_for("[y/N] ")
        asked.interrupt()
        self.assertEqual(asked.finish()[0], 130)
        self.assertFalse((self.folder / "new").exists())

    def test_a_backup_shows_its_progress_on_a_terminal(self):
        code, text = self.terminal("backup", self.data, self.folder / "backup").finish()
        self.assertEqual(code, 0)
        self.assertIn("\rbackup  ", text)
        self.assertIn("1 row of 1 keyspace", text)

    def test_wrong_use(self):
        for arguments, word in ((["backup"], "TARGET"), (["check"], "TARGET"),
                                (["restore", "file"], "DIR"),
                                (["prove", self.data, "--find-hex", "xyz"], "hexadecimal"),
                                (["prove", self.data, "--find", "a", "--find-hex", "61"], "excludes"),
                                (["restore", "file", "dir", "--url", "redis://h"], "--url")):
            self.assertIn(word, self.bad(2, *arguments))
        self.assertIn("name the FILE", self.bad(1, "backup", self.data))
        self.assertIn("restore to a new folder", self.bad(1, "restore", "file", "redis://localhost"))
        for command in ("check", "prove"):
            self.assertIn("Connection refused", self.bad(1, command, "redis://127.0.0.1:1"))


if __name__ == "__main__":
    unittest.main()
