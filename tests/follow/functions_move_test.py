# Goal: libraries of functions move with Redis' files, in a follower's copy and stream, and survive a crash, a backup
# and a new password; each is called where it arrives. Method: a redis-server with two libraries, and mayfly beside it.
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from redis_home import Connection, RedisProcess, ServerProcess, wait_until

MAYFLY = sys.argv.pop() if len(sys.argv) > 1 else "mayfly"


# A function that may write, which a follower refuses to its clients, and one that may not.
def library(name, answer):
    return f"""#!lua name={name}
        local function answer() return '{answer}' end
        redis.register_function('{name}', answer)
        redis.register_function{{function_name='{name}_reads', callback=answer, flags={{'no-writes'}}}}"""


def names(connection):
    return sorted(one[1] for one in connection.ask("FUNCTION", "LIST"))


class Functions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def redis(self, name, *flags):
        if shutil.which("redis-server") is None:
            self.skipTest("there is no redis-server")
        redis = RedisProcess(self.folder / name, *flags).start()
        self.addCleanup(redis.stop)
        return redis

    def serve(self, name, *flags):
        (self.folder / name).mkdir(exist_ok=True)
        server = ServerProcess(MAYFLY, "--disk-reserve", "0", *flags, folder=self.folder / name)
        server.start()
        self.addCleanup(server.stop)
        return server

    def mayfly(self, *arguments, code=0):
        run = subprocess.run([MAYFLY, *map(str, arguments)], capture_output=True, timeout=120, text=True)
        self.assertEqual(run.returncode, code, (arguments, run.stdout, run.stderr))

    def filled(self, *flags):
        redis = self.redis("redis", *flags)
        one = redis.connect()
        for reply in one.all([("SET", "k", "v"), ("FUNCTION", "LOAD", library("one", "1")),
                              ("FUNCTION", "LOAD", library("two", "2" * 5000))]):
            self.assertFalse(isinstance(reply, bytes) and reply.startswith(b"-"), reply)
        return redis, one

    def check(self, connection, wanted=(b"one", b"two"), answers=(b"1", b"2" * 5000)):
        self.assertEqual(names(connection), list(wanted))
        for name, answer in zip(("one", "two"), answers):
            self.assertEqual(connection.ask("FCALL", name, 0), answer)

    def check_follower(self, connection, name, answer):
        for command in "FCALL", "FCALL_RO":
            self.assertRegex(connection.ask(command, name, 0), b"-READONLY")
            self.assertEqual(connection.ask(command, f"{name}_reads", 0), answer)

    def test_files_take_them_in_and_out(self):
        redis, one = self.filled("--appendonly", "yes", "--aof-use-rdb-preamble", "no")
        one.ask("SAVE")
        (self.folder / "served").mkdir()
        self.mayfly("import", self.folder / "served" / "data", redis.folder / "dump.rdb", "--create")
        self.mayfly("export", self.folder / "served" / "data", self.folder / "folder.rdb")
        server = self.serve("served")
        mine = Connection(server.port)
        self.check(mine)
        self.assertEqual(mine.ask("FUNCTION", "RESTORE", one.ask("FUNCTION", "DUMP"), "FLUSH"), b"+OK")
        self.check(mine)
        self.assertEqual(one.ask("FUNCTION", "RESTORE", mine.ask("FUNCTION", "DUMP"), "FLUSH"), b"+OK")
        self.check(one)
        mine.all([("FUNCTION", "FLUSH"), ("FUNCTION", "LOAD", library("one", "old")),
                  ("FUNCTION", "LOAD", library("three", "3"))])
        url = f"redis://127.0.0.1:{server.port}"
        self.mayfly("import", "--url", url, redis.folder / "dump.rdb")
        self.check(mine, (b"one", b"three", b"two"))
        self.mayfly("export", "--url", url, self.folder / "server.rdb")
        for name, wanted in ("folder", (b"one", b"two")), ("server", (b"one", b"three", b"two")):
            (self.folder / name).mkdir()
            shutil.copy(self.folder / f"{name}.rdb", self.folder / name / "dump.rdb")
            self.check(self.redis(name).connect(), wanted)
        (self.folder / "aof").mkdir()
        self.mayfly("import", self.folder / "aof" / "data", redis.folder / "appendonlydir", "--create")
        self.check(Connection(self.serve("aof").port))

    def test_a_follower_has_those_of_its_leader(self):
        redis, leader = self.filled("--repl-diskless-sync-delay", 0)
        server = self.serve("mayfly")
        mayfly = Connection(server.port)
        mayfly.ask("FUNCTION", "LOAD", library("own", "0"))
        mayfly.ask("REPLICAOF", "127.0.0.1", redis.port)
        self.assertTrue(wait_until(lambda: names(mayfly) == [b"one", b"two"]))
        self.check_follower(mayfly, "one", b"1")
        self.check_follower(mayfly, "two", b"2" * 5000)
        leader.all([("FUNCTION", "DELETE", "two"), ("MULTI",), ("FUNCTION", "LOAD", "REPLACE", library("one", "changed")),
                    ("SET", "k", "with"), ("EXEC",)])
        self.assertTrue(wait_until(lambda: names(mayfly) == [b"one"] and mayfly.ask("GET", "k") == b"with"))
        self.check_follower(mayfly, "one", b"changed")
        self.assertRegex(mayfly.ask("FUNCTION", "LOAD", library("own", "0")), b"-READONLY")
        self.assertEqual(mayfly.info("replication")["follow_failed_commands"], "0")

    def test_a_leader_hands_them_on(self):
        leading = self.serve("leading")
        leader = Connection(leading.port)
        for name, answer in ("one", "1"), ("two", "2" * 5000):
            leader.ask("FUNCTION", "LOAD", library(name, answer))
        mayfly = Connection(self.serve("mayfly").port)
        mayfly.ask("REPLICAOF", "127.0.0.1", leading.port)
        self.assertTrue(wait_until(lambda: names(mayfly) == [b"one", b"two"]))
        self.check_follower(mayfly, "one", b"1")
        self.check_follower(mayfly, "two", b"2" * 5000)
        leader.all([("FUNCTION", "DELETE", "two"), ("MULTI",), ("FUNCTION", "LOAD", "REPLACE", library("one", "changed")),
                    ("SET", "k", "with"), ("EXEC",)])
        self.assertTrue(wait_until(lambda: mayfly.ask("GET", "k") == b"with"))
        self.assertEqual(names(mayfly), [b"one"])
        self.check_follower(mayfly, "one", b"changed")
        mayfly.ask("REPLICAOF", "NO", "ONE")
        self.check(mayfly, (b"one",), (b"changed",))
        self.assertRegex(mayfly.ask("FCALL_RO", "one", 0), b"-ERR Can not execute a script with write flag")

    def test_they_survive_a_crash_a_backup_and_a_new_password(self):
        server = self.serve("first")
        one = Connection(server.port)
        for name, answer in ("one", "1"), ("two", "2" * 5000):
            self.assertEqual(one.ask("FUNCTION", "LOAD", library(name, answer)), name.encode())
        server.kill()
        server.restart()
        one = Connection(server.port)
        self.check(one)
        one.ask("FLUSHALL")
        self.check(one)
        server.stop()
        data = self.folder / "first" / "data"
        self.mayfly("backup", data, self.folder / "backup")
        (self.folder / "second").mkdir()
        self.mayfly("restore", self.folder / "backup", self.folder / "second" / "data", "-y")
        self.check(Connection(self.serve("second").port))
        (self.folder / "password").write_text("a password that is long enough")
        (self.folder / "third").mkdir()
        self.mayfly("reencrypt", data, self.folder / "third" / "data", "--new-key-file", self.folder / "password")
        self.check(Connection(self.serve("third", "--encryption-key-file", self.folder / "password").port))


if __name__ == "__main__":
    unittest.main()
