# Goal: backup, restore, check and prove work on a folder and on a running server, and a restore asks before it loses rows.
# Method: the executable in pipes and on a terminal; a restore is tried with rows that died after the backup.
import json
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

    def test_raw_reports_are_lines_of_cells(self):
        for target in (self.data, self.served()[1]):
            lines = [line.split("\t") for line in self.good("check", target, "--raw").splitlines()]
            self.assertEqual([name for name, _ in lines], list(self.objects("check", target)[0]))
            self.assertIn(["clean", "yes"], lines)
            *keyspaces, verdict = [line.split("\t") for line in self.good("prove", target, "--raw").splitlines()]
            self.assertEqual({line[0] for line in keyspaces} - {"holder"}, {"keyspace"})
            self.assertEqual({len(line) for line in keyspaces if line[0] == "keyspace"}, {8})
            self.assertEqual((verdict[0], verdict[2:]), ("proof", ["yes", "0"]))
            self.assertTrue(verdict[1].isdigit(), verdict)
        report = self.good("backup", self.data, self.folder / "b", "--raw")
        lines = dict(line.split("\t") for line in report.splitlines())
        self.assertEqual((lines["file"], lines["rows"]), (str(self.folder / "b"), "1"))
        files = [one for one in self.objects("prove", self.data, "--files") if "file" in one]
        self.good("compact", self.data)
        self.assertEqual([one["keyspace"] for one in files], ["default"] * len(files))

    def fill(self, target):
        """Many rows in files."""
        rows = b"".join(b'{"key": "k%d", "value": "%s"}\n' % (n, b"x" * 100) for n in range(5000))
        self.good("import", target, given=rows)
        self.good("compact", target)

    def damage(self, folder):
        """Changes bytes of blocks in the middle of the rows."""
        largest = max(folder.glob("*.sst"), key=lambda path: path.stat().st_size)
        content = bytearray(largest.read_bytes())
        self.assertGreater(len(content), 16000)
        # Not at the beginning: a server reads the first rows when it starts.
        for at in range(len(content) // 4, len(content) // 2, 1000):
            content[at] ^= 0xFF
        largest.write_bytes(content)

    def test_damage_of_a_server_has_its_exit_code(self):
        server, url = self.served()
        self.fill(url)
        server.stop()
        self.damage(server.folder / "data")
        code, output, errors = self.run_mayfly("check", f"redis://127.0.0.1:{self.serve().port}")
        self.assertEqual((code, output), (3, b""), errors)
        self.assertIn(b"Corruption: the server's job failed", errors)

    def test_damage_has_its_exit_code(self):
        self.fill(self.data)
        self.good("del", self.data, "k1", "k4999")  # So that the next compaction reads the file.
        self.damage(self.data)
        for flags in ([], ["--repair"]):
            code, output, errors = self.run_mayfly("check", self.data, *flags)
            self.assertEqual(code, 3, errors)
            self.assertIn(b"could not be read", output)
            self.assertEqual(b"nothing was repaired" in output, bool(flags))
        code, output, _ = self.run_mayfly("check", self.data, "--json")
        report, *damage = map(json.loads, output.splitlines())
        self.assertEqual((code, report["clean"], {tuple(one) for one in damage} - {("finding",)}),
                         (3, False, {("damage",)}))
        code, output, _ = self.run_mayfly("backup", self.data, self.folder / "rest", "--salvage", "--json")
        report, *damage = map(json.loads, output.splitlines())
        self.assertEqual((code, {tuple(one) for one in damage}), (3, {("damage",)}))
        code, _, errors = self.run_mayfly("compact", self.data)
        self.assertEqual(code, 3, errors)
        self.assertIn(b"is damaged; `mayfly check` tells where", errors)

    def test_a_folder_that_is_served_points_to_the_server(self):
        server, _ = self.served()
        self.assertIn("mayfly prove --url", self.bad(1, "prove", server.folder / "data"))

    def test_a_restore_that_loses_rows_needs_a_yes(self):
        file = self.backup_of_mortals()
        new = self.folder / "new"
        code, output, errors = self.run_mayfly("restore", file, new, *SHIFT)
        self.assertEqual(code, 1)
        self.assertIn(b"1 row of 1 keyspace; 1 had died and were left out", output)
        self.assertTrue(errors.startswith(b"mayfly: Invalid: there is no terminal to ask at; --yes answers: "), errors)
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
        self.assertIn("stop it and name its folder", self.bad(1, "reencrypt", "redis://localhost"))
        self.assertIn("restore to a new folder", self.bad(1, "restore", "file", "redis://localhost"))
        for command in ("check", "prove"):
            self.assertIn("Connection refused", self.bad(1, command, "redis://127.0.0.1:1"))


if __name__ == "__main__":
    unittest.main()
