# Goal: a database that is served with a password is encrypted everywhere: in its folder, in its
# backups, and by the commands on files.
# Method: planted bytes, the server killed, and a search of every file it left.
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
import redis
from server_process import ServerProcess

MAYFLY = sys.argv.pop()
ROWS = 2000
WAIT_SECONDS = 60
PLANTED = b"plantedbytes"


class MayflyEncryption(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = self.folder / "data"
        self.key = self.folder / "key"
        self.key.write_text("correct horse\n")
        self.other = self.folder / "other key"
        self.other.write_text("battery staple\n")

    def serve(self, *flags):
        server = ServerProcess(MAYFLY, *flags, folder=self.folder)
        server.start()
        self.addCleanup(server.stop)
        client = redis.Redis(port=server.port)
        self.addCleanup(client.close)
        return server, client

    def fill(self, client):
        pipeline = client.pipeline(transaction=False)
        for row in range(ROWS):
            pipeline.set(PLANTED + str(row).encode(), PLANTED, ex=3600)
        pipeline.execute()

    def run_mayfly(self, *arguments):
        return subprocess.run([MAYFLY, *map(str, arguments)], capture_output=True, text=True,
                              timeout=120)

    def expect(self, code, *arguments):
        run = self.run_mayfly(*arguments)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        for secret in ("correct horse", "battery staple"):
            self.assertNotIn(secret, run.stdout + run.stderr)
        return run.stdout + run.stderr

    def showing(self, folder):
        return [file for file in folder.rglob("*")
                if file.is_file() and PLANTED in file.read_bytes()]

    def test_everything_a_server_leaves_is_encrypted(self):
        server, client = self.serve("--encryption-key-file", str(self.key))
        self.fill(client)
        client.execute_command("BGSAVE")
        end = time.monotonic() + WAIT_SECONDS
        while client.info("persistence")["rdb_bgsave_in_progress"]:
            self.assertLess(time.monotonic(), end, "it does not end")
        self.assertNotIn("correct horse", str(client.config_get("*")) + str(client.info("all")))
        server.kill()
        (backup,) = (self.data / "backups").iterdir()
        self.assertGreater(len(list(self.data.iterdir())), 5)
        self.assertEqual(self.showing(self.data), [])

        self.assertIn("it is encrypted", self.expect(1, "check", self.data))
        self.assertIn("wrong password",
                      self.expect(1, "check", self.data, "--encryption-key-file", self.other))
        self.expect(0, "check", self.data, "--encryption-key-file", self.key)
        found = self.expect(3, "prove", self.data, "--find", PLANTED.decode(),
                            "--encryption-key-file", self.key)
        self.assertIn("FOUND", found)
        self.expect(0, "backup", self.data, self.folder / "second", "--encryption-key-file",
                    self.key)
        self.assertNotIn(PLANTED, (self.folder / "second").read_bytes())

        restored = self.folder / "restored"
        self.assertIn("the backup", self.expect(1, "restore", backup, self.folder / "nothing"))
        self.expect(0, "restore", backup, restored, "--encryption-key-file", self.other,
                    "--backup-key-file", self.key)
        self.assertEqual(self.showing(restored), [])
        self.expect(0, "check", restored, "--encryption-key-file", self.other)

    def test_a_database_gets_another_password(self):
        server, client = self.serve()
        self.fill(client)
        server.stop()
        self.assertNotEqual(self.showing(self.data), [])
        encrypted = self.folder / "encrypted"
        self.expect(0, "reencrypt", self.data, encrypted, "--new-key-file", self.key)
        self.assertEqual(self.showing(encrypted), [])
        self.expect(1, "reencrypt", encrypted, "--encryption-key-file", self.other,
                    "--new-key-file", self.other)
        self.expect(0, "reencrypt", encrypted, "--encryption-key-file", self.key,
                    "--new-key-file", self.other)
        self.expect(1, "check", encrypted, "--encryption-key-file", self.key)
        plain = self.folder / "plain"
        self.expect(0, "reencrypt", encrypted, plain, "--encryption-key-file", self.other)
        self.expect(0, "check", plain)

    def test_a_server_says_what_is_wrong_with_a_password(self):
        missing = self.expect(1, "serve", "--dir", self.data, "--port", 0, "--http-port", -1,
                              "--encryption-key-file", self.folder / "missing")
        self.assertIn("missing", missing)
        memory = self.expect(1, "serve", "--port", 0, "--http-port", -1,
                             "--encryption-key-file", self.key)
        self.assertIn("in memory", memory)


if __name__ == "__main__":
    unittest.main()
