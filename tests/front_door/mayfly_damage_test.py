# Goal: damage on the disk is detected, reported wherever an operator reads, and sound rows can be salvaged.
# Method: a served database is stopped, bytes in the middle of its largest file are flipped, and it is served,
# checked and salvaged as a user would.
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
import redis
from server_process import ServerProcess

MAYFLY = sys.argv.pop()
ROWS = 20000
WAIT_SECONDS = 60
LIVE_SECONDS = 100000


def key(row):
    return f"row:{row:06}"


class MayflyDamage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.directory = pathlib.Path(cls.folder.name) / "data"
        server = ServerProcess(MAYFLY, "--engine", "rocks", folder=cls.folder.name)
        server.start()
        client = redis.Redis(port=server.port)
        pipeline = client.pipeline(transaction=False)
        for row in range(ROWS):
            pipeline.set(key(row), "v" * 200, ex=LIVE_SECONDS)
        pipeline.execute()
        pipeline.close()
        client.close()
        assert server.stop() == 0
        # A second start writes what the log held into files.
        server.start()
        assert server.stop() == 0
        largest = max(cls.directory.glob("*.sst"), key=lambda path: path.stat().st_size)
        content = bytearray(largest.read_bytes())
        for at in range(len(content) // 2, len(content) // 2 + 8):
            content[at] ^= 0x5A
        largest.write_bytes(content)

    def run_mayfly(self, *arguments):
        run = subprocess.run([MAYFLY, *map(str, arguments)], capture_output=True, text=True,
                             timeout=120)
        return run.returncode, run.stdout, run.stderr

    def health(self, server):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{server.http_port}/health",
                                        timeout=30) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def test_is_told_once_seen_and_the_rest_is_served(self):
        server = ServerProcess(MAYFLY, folder=self.folder.name)
        server.start()
        self.addCleanup(server.stop)
        client = redis.Redis(port=server.port, decode_responses=True)
        self.addCleanup(client.close)
        unreadable = 0
        for row in range(ROWS):
            try:
                self.assertEqual(client.get(key(row)), "v" * 200)
            except redis.ResponseError as error:
                self.assertIn("checksum", str(error))
                unreadable += 1
        self.assertGreater(unreadable, 0)
        self.assertLess(unreadable, ROWS / 10)
        status, text = self.health(server)
        self.assertEqual(status, 503)
        self.assertIn("damaged", text)
        self.assertEqual(client.info("persistence")["aof_last_write_status"], "err")
        self.assertGreater(client.info("mayfly")["damage_seen"], 0)
        with urllib.request.urlopen(f"http://127.0.0.1:{server.http_port}/metrics",
                                    timeout=30) as response:
            self.assertRegex(response.read().decode(), r"(?m)^mayfly_damage_seen_total [1-9]")

    def test_check_finds_it(self):
        code, output, errors = self.run_mayfly("check", self.directory)
        self.assertEqual(code, 3, output + errors)
        self.assertIn("1 place could not be read", output)
        self.assertIn("--salvage", output)
        # Lost rows leave entries of the index behind, which contain their keys.
        self.assertIn("without its row", output)
        self.assertNotIn("row:0", output + errors)
        self.assertIn("'row:0", self.run_mayfly("check", "--show-keys", self.directory)[1])

    def test_a_backup_fails_and_a_salvage_saves_the_rest(self):
        file = pathlib.Path(self.folder.name) / "saved"
        code, output, errors = self.run_mayfly("backup", self.directory, file)
        self.assertEqual(code, 1, output)
        self.assertIn("Corruption", errors)
        self.assertFalse(file.exists())
        code, output, errors = self.run_mayfly("backup", "--salvage", self.directory, file)
        self.assertEqual(code, 3, errors)
        saved = int(output.split(": ")[1].split(" ")[0])
        self.assertGreater(saved, ROWS * 0.9)
        self.assertLess(saved, ROWS)
        self.assertIn("no promise covers it", output)
        restored = pathlib.Path(self.folder.name) / "restored"
        code, output, errors = self.run_mayfly("restore", file, restored)
        self.assertEqual(code, 0, errors)
        self.assertIn(f"{saved} rows", output)
        self.assertEqual(self.run_mayfly("check", restored)[0], 0)

    def test_a_missing_file_is_told_with_the_way_out(self):
        newest = max(path.name for path in self.directory.glob("*.log"))
        for name in ("MAYFLY", "CURRENT", newest):
            damaged = pathlib.Path(self.folder.name) / f"missing-{name}"
            shutil.copytree(self.directory, damaged)
            (damaged / name).unlink()
            code, output, errors = self.run_mayfly("check", damaged)
            self.assertEqual(code, 3, (name, output, errors))
            self.assertIn("log" if name == newest else name, output)
            self.assertIn("mayfly backup --salvage", output)
            self.assertIn("Corruption", errors)
            code, output, errors = self.run_mayfly("serve", "--dir", damaged, "--port", 0,
                                                   "--http-port", 0)
            self.assertEqual(code, 1, (name, output, errors))
            self.assertIn("Corruption", errors)
            self.assertIn("mayfly backup --salvage", errors)
            shutil.rmtree(damaged)

    def test_a_salvage_does_without_any_file(self):
        saved = {}
        for number, name in enumerate(sorted(path.name for path in self.directory.iterdir())):
            damaged = pathlib.Path(self.folder.name) / f"without-{number}"
            shutil.copytree(self.directory, damaged)
            (damaged / name).unlink()
            file = damaged.with_suffix(".saved")
            code, output, errors = self.run_mayfly("backup", "--salvage", damaged, file)
            self.assertEqual(code, 3, (name, output, errors))
            self.assertNotIn("row:0", output + errors)
            saved[name] = int(output.split(": ")[1].split(" ")[0])
            restored = damaged.with_suffix(".restored")
            self.assertEqual(self.run_mayfly("restore", file, restored)[0], 0, name)
            self.assertEqual(self.run_mayfly("check", restored)[0], 0, name)
            for path in (damaged, restored):
                shutil.rmtree(path)
        for name, rows in saved.items():
            if not name.endswith((".sst", ".log")):
                self.assertGreater(rows, ROWS * 0.9, name)


class MayflyDamageWhileServed(unittest.TestCase):
    def test_a_stop_that_cannot_be_recorded_is_told(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        directory = pathlib.Path(folder.name) / "data"
        with ServerProcess(MAYFLY, "--engine", "rocks", folder=folder.name) as server:
            with redis.Redis(port=server.port) as client:
                client.mset({key(row): "v" * 200 for row in range(ROWS)})
        # A second start writes what the log held into files.
        with ServerProcess(MAYFLY, folder=folder.name) as server:
            self.assertEqual(server.stop(), 0)
        largest = max(directory.glob("*.sst"), key=lambda path: path.stat().st_size)
        content = bytearray(largest.read_bytes())
        for at in range(len(content) // 2, len(content) // 2 + 8):
            content[at] ^= 0x5A
        largest.write_bytes(content)

        # Keeping a promise means rewriting files, and RocksDB refuses writes after it met damage,
        # which a compaction may do before the promise is made.
        server = ServerProcess(MAYFLY, folder=folder.name)
        server.start()
        self.addCleanup(server.stop)
        with redis.Redis(port=server.port) as client:
            end = time.monotonic() + WAIT_SECONDS
            with self.assertRaises(redis.ResponseError):
                client.execute_command("TTL.POLICY", "SET", "purge-within", 1000)
                client.delete(key(0))
                while time.monotonic() < end:
                    client.set("probe", "x")
                    time.sleep(0.05)
        self.assertEqual(server.stop(), 1)
        log = server.log.read_text(errors="replace")
        self.assertIn("closed, but not in good order", log)
        self.assertNotIn("everything is on disk", log[log.rindex("ready on port"):])


if __name__ == "__main__":
    unittest.main()
