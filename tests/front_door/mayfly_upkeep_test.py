# Goal: a database that is served can be backed up, checked and restored from, while clients go on.
# Method: commands over a socket, then the executable on the files they left.
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
ROWS = 5000
WAIT_SECONDS = 60


class MayflyUpkeep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.backups = self.folder / "data" / "backups"
        self.server = ServerProcess(MAYFLY, "--enable-debug-command", "local", folder=self.folder)
        self.server.start()
        self.addCleanup(self.server.stop)
        self.client = redis.Redis(port=self.server.port, decode_responses=True)
        self.addCleanup(self.client.close)
        pipeline = self.client.pipeline(transaction=False)
        for row in range(ROWS):
            pipeline.set(f"row:{row}", "v", ex=3600)
        pipeline.hset("hash", mapping={"a": 1, "b": 2})
        pipeline.execute()
        pipeline.close()

    def job(self, number):
        reply = self.client.execute_command("TTL.JOB", "GET", number)
        return dict(zip(reply[::2], reply[1::2]))

    def finished(self, number):
        end = time.monotonic() + WAIT_SECONDS
        while self.job(number)["state"] in ("waiting", "running"):
            self.assertLess(time.monotonic(), end, "the job does not end")
        return self.job(number)

    def run_mayfly(self, *arguments):
        return subprocess.run([MAYFLY, *map(str, arguments)], capture_output=True, text=True,
                              timeout=120)

    def restored_rows(self, file):
        directory = self.folder / ("restored-" + file.name)
        run = self.run_mayfly("restore", file, directory)
        self.assertEqual(run.returncode, 0, run.stderr)
        check = self.run_mayfly("check", directory)
        self.assertEqual(check.returncode, 0, check.stdout)
        return int(run.stdout.split(": ")[1].split(" ")[0])

    def bgsave(self):
        """Returns INFO persistence as it is when the backup is over."""
        self.assertIn(self.client.execute_command("BGSAVE"), (True, "Background saving started"))
        end = time.monotonic() + WAIT_SECONDS
        while self.client.info("persistence")["rdb_bgsave_in_progress"]:
            self.assertLess(time.monotonic(), end, "it does not end")
        return self.client.info("persistence")

    def test_bgsave_writes_a_backup_that_can_be_restored(self):
        info = self.bgsave()
        self.assertEqual(info["rdb_saves"], 1)
        self.assertEqual(info["rdb_last_bgsave_status"], "ok")
        (file,) = self.backups.iterdir()
        self.assertEqual(self.restored_rows(file), ROWS + 1)

    def test_bgsave_keeps_as_many_as_it_is_told(self):
        self.client.config_set("backups-keep", 2)
        for done in range(4):
            self.assertEqual(self.bgsave()["rdb_saves"], done + 1)
        self.assertEqual(len(list(self.backups.iterdir())), 2)

    def test_a_backup_has_the_name_it_was_asked_for(self):
        job = self.finished(self.client.execute_command("TTL.BACKUP", "before-upgrade"))
        self.assertEqual(job["state"], "done", job)
        self.assertEqual(self.restored_rows(self.backups / "before-upgrade"), ROWS + 1)
        again = self.finished(self.client.execute_command("TTL.BACKUP", "before-upgrade"))
        self.assertEqual(again["state"], "failed")
        for name in ("../out", ".hidden", "a/b"):
            with self.assertRaises(redis.ResponseError):
                self.client.execute_command("TTL.BACKUP", name)
        self.assertEqual([file.name for file in self.backups.iterdir()], ["before-upgrade"])

    def test_a_proof_can_search_beside_a_backup(self):
        self.finished(self.client.execute_command("TTL.BACKUP", "one"))
        proof = self.finished(self.client.execute_command("TTL.PROVE", "FIND", "no such bytes"))
        self.assertEqual(proof["state"], "done", proof)

    def test_a_check_tells_what_it_found(self):
        job = self.finished(self.client.execute_command("TTL.CHECK"))
        self.assertEqual(job["state"], "done", job)
        result = dict(zip(job["result"][::2], job["result"][1::2]))
        self.assertEqual(result["clean"], 1, result)
        self.assertEqual(result["rows"], ROWS + 1)
        self.assertEqual(result["findings"], [])

    def test_compaction_is_a_job_that_removes_what_is_gone(self):
        self.client.set("secret", "very-secret-bytes" * 1000)
        self.client.delete("secret")
        self.assertEqual(self.client.execute_command("ACL", "DRYRUN", "default", "TTL.COMPACT"), "OK")
        self.client.execute_command("ACL", "SETUSER", "clerk", "on", "nopass", "+@all", "-@dangerous", "~*")
        self.assertIn("no permissions", self.client.execute_command("ACL", "DRYRUN", "clerk", "TTL.COMPACT"))
        job = self.finished(self.client.execute_command("TTL.COMPACT"))
        self.assertEqual((job["kind"], job["state"]), ("compact", "done"), job)
        result = dict(zip(job["result"][::2], job["result"][1::2]))
        self.assertEqual((result["held-up"], result["stopped-by-clock"]), (0, 0), result)
        for file in (self.folder / "data").rglob("*"):
            if file.is_file():
                self.assertNotIn(b"very-secret-bytes", file.read_bytes(), file)
        with self.assertRaises(redis.ResponseError):
            self.client.execute_command("TTL.COMPACT", "NOW")

    def result(self, job):
        self.assertEqual(job["state"], "done", job)
        return dict(zip(job["result"][::2], job["result"][1::2]))

    def rows_of(self, folder):
        """The rows of a restored database, as a server of its own has them."""
        server = ServerProcess(MAYFLY, "--dir", str(folder), folder=self.folder / "another")
        (self.folder / "another").mkdir(exist_ok=True)
        server.start()
        client = redis.Redis(port=server.port)
        self.addCleanup(client.close)
        rows, ttl = client.dbsize(), client.ttl("row:1")
        self.assertEqual(server.stop(), 0)
        return rows, ttl

    def test_a_backup_is_restored_beside_the_database_which_goes_on(self):
        self.finished(self.client.execute_command("TTL.BACKUP", "monday"))
        self.client.delete("hash")
        listed, = self.client.execute_command("TTL.BACKUPS")
        listed = dict(zip(listed[::2], listed[1::2]))
        self.assertEqual((listed["name"], listed["bytes"]),
                         ("monday", (self.backups / "monday").stat().st_size))
        self.assertLess(abs(listed["written-at"] / 1000 - (self.backups / "monday").stat().st_mtime), 1)
        job = self.finished(self.client.execute_command("TTL.RESTORE", "monday", "as-of-monday"))
        self.assertEqual(job["kind"], "restore")
        result = self.result(job)
        folder = self.backups / "as-of-monday"
        self.assertEqual(result, {"folder": result["folder"], "keyspaces": result["keyspaces"], "rows": ROWS + 1,
                                  "dropped-rows": 0, "lost-collections": 0})
        self.assertTrue(folder.samefile(result["folder"]))
        self.assertEqual(self.client.dbsize(), ROWS, "the database that is served is another")
        proof = self.result(self.finished(self.client.execute_command("TTL.PROVE")))
        self.assertIn("as-of-monday", str(proof["holders"]), "a proof names what holds rows")
        rows, ttl = self.rows_of(folder)
        self.assertEqual(rows, ROWS + 1)
        self.assertTrue(0 < ttl <= 3600)
        self.assertEqual([entry[1] for entry in self.client.execute_command("TTL.BACKUPS")], ["monday"],
                         "a folder is no backup")

    def test_a_restore_treats_deadlines_as_it_is_asked_to(self):
        self.finished(self.client.execute_command("TTL.BACKUP", "one"))
        self.result(self.finished(self.client.execute_command("TTL.RESTORE", "one", "stripped", "DEADLINES", "strip")))
        self.assertEqual(self.rows_of(self.backups / "stripped"), (ROWS + 1, -1))
        for words in (["DEADLINES"], ["DEADLINES", "none"], ["honour"], ["DEADLINES", "strip", "x"]):
            with self.assertRaisesRegex(redis.ResponseError, "syntax"):
                self.client.execute_command("TTL.RESTORE", "one", "another", *words)

    def test_no_name_leads_a_restore_out_of_the_folder_or_over_another(self):
        self.finished(self.client.execute_command("TTL.BACKUP", "one"))
        (self.backups / "taken").mkdir()
        (self.backups / "link").symlink_to(self.folder / "nowhere")
        (self.folder / "data" / "outside").write_bytes((self.backups / "one").read_bytes())
        before = sorted(str(path) for path in self.folder.rglob("*") if "data/backups" in str(path))
        for backup, folder in (("../outside", "new"), ("one", "../new"), ("one", "/tmp/new"), ("one", ".new"),
                               ("one", ".."), ("one", ""), ("", "new"), ("one", "a/b"), ("one", "x" * 201),
                               ("one", "a\0b"), ("one", "taken"), ("one", "one"), ("one", "link"), ("none", "new"),
                               ("taken", "new"), (".", "new")):
            with self.assertRaises(redis.ResponseError, msg=(backup, folder)):
                self.client.execute_command("TTL.RESTORE", backup, folder)
        self.assertEqual(before, sorted(str(path) for path in self.folder.rglob("*") if "data/backups" in str(path)))
        self.assertEqual(list((self.backups / "taken").iterdir()), [])
        self.client.execute_command("ACL", "SETUSER", "clerk", "on", "nopass", "+@all", "-@dangerous", "~*")
        for command in (["TTL.RESTORE", "one", "new"],):
            self.assertIn("no permissions", self.client.execute_command("ACL", "DRYRUN", "clerk", *command))
        self.client.execute_command("ACL", "SETUSER", "clerk", "-@admin")
        self.assertIn("no permissions", self.client.execute_command("ACL", "DRYRUN", "clerk", "TTL.BACKUPS"))

    def test_a_restore_that_fails_or_is_ended_leaves_nothing(self):
        self.backups.mkdir()
        (self.backups / "no-backup").write_bytes(b"something else")
        job = self.finished(self.client.execute_command("TTL.RESTORE", "no-backup", "new"))
        self.assertEqual((job["state"], "not a backup" in job["error"]), ("failed", True), job)
        self.assertEqual([entry.name for entry in self.backups.iterdir()], ["no-backup"])

        # With enough rows it runs for long enough to be ended while it writes.
        rows = 100_000
        while True:
            self.client.execute_command("DEBUG", "POPULATE", rows, "many", 100)
            self.finished(self.client.execute_command("TTL.BACKUP", f"large-{rows}"))
            number = self.client.execute_command("TTL.RESTORE", f"large-{rows}", f"new-{rows}")
            while self.job(number)["state"] in ("waiting", "running") and self.job(number)["all"] == 0:
                pass  # It checks the file first.
            try:
                self.client.execute_command("TTL.JOB", "CANCEL", number)
            except redis.ResponseError:
                pass
            job = self.finished(number)
            if job["state"] == "cancelled":
                break
            self.assertEqual(job["state"], "done", job)
            rows *= 2
            self.assertLess(rows, 2_000_000, "no restore could be ended")
        self.assertGreater(job["all"], 0)
        self.assertFalse((self.backups / f"new-{rows}").exists())
        self.assertEqual([entry for entry in self.backups.iterdir() if entry.name.endswith(".partial")], [])
        again = self.finished(self.client.execute_command("TTL.RESTORE", f"large-{rows}", f"new-{rows}"))
        self.assertEqual(self.result(again)["rows"], self.client.dbsize())

    def test_a_restore_that_is_cut_off_by_the_end_of_the_server_leaves_nothing(self):
        for ends in (self.server.stop, self.server.kill):
            rows = 100_000
            while True:
                with redis.Redis(port=self.server.port) as client:
                    client.execute_command("DEBUG", "POPULATE", rows, "many", 100)
                    self.finished(client.execute_command("TTL.BACKUP", f"{ends.__name__}-{rows}"))
                    client.execute_command("TTL.RESTORE", f"{ends.__name__}-{rows}", f"new-{ends.__name__}-{rows}")
                    end = time.monotonic() + WAIT_SECONDS
                    while not list(self.backups.glob("*.partial")):
                        self.assertLess(time.monotonic(), end, "it does not begin")
                ends()
                left = list(self.backups.glob("*.partial"))
                self.server.restart()
                self.assertEqual([entry for entry in self.backups.glob("*.partial")], [])
                if not (self.backups / f"new-{ends.__name__}-{rows}").exists():
                    break
                rows *= 2
                self.assertLess(rows, 2_000_000, "no restore could be cut off")
            self.assertEqual(len(left), 1 if ends == self.server.kill else 0, "what a kill leaves goes with the start")
            proof = self.result(self.finished(self.client.execute_command("TTL.PROVE")))
            self.assertNotIn("new-", str(proof["holders"]))

    def test_a_database_in_memory_does_not_say_that_it_is_saved(self):
        server = ServerProcess(MAYFLY, "--dir", "", folder=self.folder / "memory")
        (self.folder / "memory").mkdir()
        server.start()
        self.addCleanup(server.stop)
        client = redis.Redis(port=server.port)
        self.addCleanup(client.close)
        for command in (["SAVE"], ["BGSAVE"], ["TTL.BACKUP"], ["TTL.BACKUPS"], ["TTL.RESTORE", "a", "b"]):
            with self.assertRaisesRegex(redis.ResponseError, "in memory"):
                client.execute_command(*command)


if __name__ == "__main__":
    unittest.main()
