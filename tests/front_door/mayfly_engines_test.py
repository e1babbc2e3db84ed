# Goal: what the commands do on a folder they do on one of the memory-first engine, whose rows are in tables and in a log.
# Method: a server writes, is killed, and its folder is checked, proved, backed up, restored, damaged and salvaged,
# encrypted, and served by RocksDB again.
import pathlib
import sys
import unittest

import redis

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from cli_home import CliTest  # noqa: E402

ROWS = 400


class MemoryFirstFolder(CliTest):
    def setUp(self):
        super().setUp()
        server = self.serve("--engine", "memory-first")
        with redis.Redis(port=server.port) as client:
            client.mset({f"old:{row}": f"old-value-{row}" for row in range(ROWS)})
            # Ends with its job: rows that come while it works would go to tables, too.
            self.good("compact", "--url", f"redis://127.0.0.1:{server.port}")
            client.mset({f"young:{row}": f"young-value-{row}" for row in range(ROWS)})
            client.delete("old:0")
        server.kill()
        self.data = server.folder / "data"
        self.assertTrue(list((self.data / "hot").glob("segment-*")))

    def rows(self, folder):
        return int(self.good("check", folder).split(" row")[0])

    def test_a_folder_is_checked_proved_backed_up_and_restored(self):
        self.assertEqual(self.rows(self.data), 2 * ROWS - 1)
        code, output, _ = self.run_mayfly("prove", self.data, "--find", "young-value-7")
        self.assertEqual(code, 3, output)
        self.assertIn(b"FOUND", output)
        self.assertIn("not found in any file", self.good("prove", self.data, "--find", "no such bytes"))
        file = self.folder / "backup"
        self.good("backup", self.data, file)
        self.good("restore", file, self.folder / "new")
        self.assertEqual(self.rows(self.folder / "new"), 2 * ROWS - 1)

    def test_a_salvage_loses_the_damaged_record_and_names_it(self):
        segment = max(self.data.glob("hot/segment-*"), key=lambda path: path.read_bytes().count(b"young-value-"))
        raw = bytearray(segment.read_bytes())
        at = raw.index(b"young-value-7")
        raw[at] ^= 1
        segment.write_bytes(raw)
        file = self.folder / "saved"
        code, output, errors = self.run_mayfly("backup", "--salvage", self.data, file)
        said = (output + errors).decode()
        self.assertEqual(code, 3, said)
        self.assertIn(f"hot/{segment.name}: ", said)
        self.assertIn("may be missing, old, or back", said)
        self.good("restore", file, self.folder / "restored")
        saved = self.rows(self.folder / "restored")
        # A command of many keys is one record.
        self.assertGreaterEqual(saved, ROWS - 1)
        self.assertLess(saved, 2 * ROWS - 1)

    def test_a_salvage_does_without_the_log_and_says_so(self):
        for path in self.data.glob("hot/segment-*"):
            path.unlink()
        code, output, errors = self.run_mayfly("backup", "--salvage", self.data, self.folder / "saved")
        self.assertEqual(code, 3, errors)
        self.assertIn("no segment of the log is there", (output + errors).decode())

    def test_a_folder_is_encrypted_and_back(self):
        key = self.folder / "key"
        key.write_text("correct horse")
        key.chmod(0o600)
        new = self.folder / "new"
        self.good("reencrypt", self.data, new, "--new-key-file", key)
        for path in new.rglob("*"):
            if path.is_file():
                self.assertNotIn(b"-value-", path.read_bytes(), path)
        self.assertIn("encrypted", self.bad(1, "get", new, "young:7"))
        report = self.good("check", new, "--encryption-key-file", key)
        self.assertIn(f"{2 * ROWS - 1} rows", report)
        plain = self.folder / "plain"
        self.good("reencrypt", new, plain, "--encryption-key-file", key)
        self.assertEqual(self.rows(plain), 2 * ROWS - 1)

    def test_rocks_by_name_is_the_way_back(self):
        server = self.serve("--engine", "rocks")
        with redis.Redis(port=server.port) as client:
            self.assertEqual(client.dbsize(), 2 * ROWS - 1)
            self.assertEqual(client.get("young:7"), b"young-value-7")
        server.stop()
        self.assertFalse((self.data / "hot").exists())
        self.assertFalse((self.data / "hot.removed").exists())
        self.assertEqual(self.rows(self.data), 2 * ROWS - 1)


if __name__ == "__main__":
    unittest.main()
