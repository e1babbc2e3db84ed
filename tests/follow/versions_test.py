# Goal: data come in from other versions than Debian's Redis 7.0: by file and by following, with all types, deadlines to
# the millisecond, deadlines of hash fields and functions where the version has them; and what goes out is loaded there.
# Method: the servers of Debian's neighbouring releases (fetch_versions.sh), a load, and digests of every key on both sides.
#   versions_test.py FOLDER MAYFLY
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

from load import Load
from redis_home import Connection, RedisProcess, ServerProcess, fill, fill_streams, version_of, wait_until

MAYFLY = sys.argv.pop()
SERVERS = pathlib.Path(sys.argv.pop())
SEED = 20261119
KEYS = 1000
FAR = 4102444800000
LIBRARY = "#!lua name=lib\nredis.register_function('one', function() return 'one' end)"


class Version:
    """One of the servers: what it can, and what it is filled with."""

    name = None
    has_functions = has_field_deadlines = loads_ours = True

    def setUp(self):
        print(f"seed {SEED}")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.redis = self.start("theirs", "--repl-diskless-sync-delay", 0)
        self.theirs = self.redis.connect()
        fill(self.theirs, random.Random(SEED), KEYS)
        self.theirs.ask("SELECT", 5)
        fill_streams(self.theirs, consumers=version_of(self.redis.program) >= (6, 2))
        self.theirs.ask("SELECT", 0)
        self.mark("before")

    def start(self, name, *flags):
        redis = RedisProcess(self.folder / name, *flags, program=str(SERVERS / self.name)).start()
        self.addCleanup(redis.stop)
        return redis

    def serve(self, name, *flags):
        (self.folder / name).mkdir(exist_ok=True)
        server = ServerProcess(MAYFLY, "--disk-reserve", "0", "--enable-debug-command", "yes", *flags, folder=self.folder / name)
        server.start()
        self.addCleanup(server.kill)
        return server

    def mayfly(self, *arguments):
        run = subprocess.run([MAYFLY, *map(str, arguments)], capture_output=True, timeout=120, text=True)
        self.assertEqual(run.returncode, 0, (arguments, run.stdout, run.stderr))

    def mark(self, word):
        """Keys with deadlines that are known, so that they need not be asked of an old version."""
        requests = [("SET", f"{word}:string", word), ("PEXPIREAT", f"{word}:string", FAR + 123),
                    ("HSET", f"{word}:hash", "a", "1", "b", "2"), ("PEXPIREAT", f"{word}:hash", FAR + 7)]
        if self.has_field_deadlines:
            requests += [("HSET", f"{word}:fields", *sum(((f"f{n}", n) for n in range(300)), ())),
                         ("HPEXPIREAT", f"{word}:fields", FAR + 9, "FIELDS", 2, "f0", "f299"),
                         ("HSET", f"{word}:few", "a", "1", "b", "2"), ("HPEXPIREAT", f"{word}:few", FAR + 11, "FIELDS", 1, "b")]
        if self.has_functions:
            requests += [("FUNCTION", "LOAD", "REPLACE", LIBRARY)]
        for request, reply in zip(requests, self.theirs.all(requests)):
            self.assertFalse(isinstance(reply, bytes) and reply.startswith(b"-"), (request, reply))

    def check_mark(self, mine, word):
        self.assertEqual(mine.ask("PEXPIRETIME", f"{word}:string"), FAR + 123)
        self.assertEqual(mine.ask("PEXPIRETIME", f"{word}:hash"), FAR + 7)
        if self.has_field_deadlines:
            self.assertEqual(mine.ask("HPEXPIRETIME", f"{word}:fields", "FIELDS", 3, "f0", "f1", "f299"), [FAR + 9, -1, FAR + 9])
            self.assertEqual(mine.ask("HPEXPIRETIME", f"{word}:few", "FIELDS", 2, "a", "b"), [-1, FAR + 11])
        if self.has_functions:
            self.assertEqual(mine.ask("FCALL", "one", 0), b"one")

    def differences(self, mine):
        """Keys that are not the same, at most ten. Scores are compared as numbers: in digests, Redis writes them with
        other digits since 7.2."""
        found = []
        for database in (0, 3, 5):
            both = (mine, self.theirs)
            names = [one.ask("SELECT", database) and sorted(one.ask("KEYS", "*")) for one in both]
            found += [(database, key) for key in set(names[0]) ^ set(names[1])]
            keys = sorted(set(names[0]) & set(names[1]))
            kinds = self.theirs.all([("TYPE", key) for key in keys])
            told = []
            for one in both:
                values = one.all([("ZRANGE", key, 0, -1, "WITHSCORES") if kind == b"+zset" else ("DEBUG", "DIGEST-VALUE", key)
                                  for key, kind in zip(keys, kinds)])
                told.append([(value[::2], [float(score) for score in value[1::2]]) if kind == b"+zset" else
                             (value, self.groups(one, key) if kind == b"+stream" else None)
                             for key, kind, value in zip(keys, kinds, values)])
            found += [(database, key, a, b) for key, a, b in zip(keys, *told) if a != b]
            for one in both:
                one.ask("SELECT", 0)
        return found[:10]

    def groups(self, connection, stream):
        """Groups of consumers, as every version tells of them."""
        found = {}
        for told in connection.ask("XINFO", "GROUPS", stream):
            group = dict(zip(told[::2], told[1::2]))
            pending = connection.ask("XPENDING", stream, group[b"name"], "-", "+", 10_000)
            found[group[b"name"]] = (group[b"consumers"], group[b"last-delivered-id"],
                                     [(entry, owner, count) for entry, owner, _, count in pending])
        return found

    def check_same(self, mine):
        self.assertTrue(wait_until(lambda: not self.differences(mine), 30), self.differences(mine))

    def test_a_file_comes_in_and_goes_out(self):
        self.assertEqual(self.theirs.ask("SAVE"), b"+OK")
        self.mayfly("import", self.folder / "mine" / "data", self.redis.folder / "dump.rdb", "--create")
        mine = Connection(self.serve("mine").port)
        self.check_same(mine)
        self.check_mark(mine, "before")
        if not self.loads_ours:
            return
        version = ["--rdb-version", 12] if self.has_field_deadlines else []
        self.mayfly("export", self.folder / "mine" / "data", self.folder / "out.rdb", *version)
        (self.folder / "back").mkdir()
        shutil.copy(self.folder / "out.rdb", self.folder / "back" / "dump.rdb")
        back = self.start("back").connect()
        self.assertEqual(back.ask("DEBUG", "DIGEST"), self.theirs.ask("DEBUG", "DIGEST"))
        self.assertEqual(self.differences(back), [])
        self.check_mark(back, "before")

    def test_values_are_dumped_and_restored(self):
        mine = Connection(self.serve("mine").port)
        for database in (0, 5):
            self.theirs.ask("SELECT", database), mine.ask("SELECT", database)
            keys = self.theirs.ask("KEYS", "*")
            for key, payload in zip(keys, self.theirs.all([("DUMP", key) for key in keys])):
                self.assertEqual(mine.ask("RESTORE", key, 0, payload), b"+OK", key)
                if self.loads_ours:
                    self.assertEqual(self.theirs.ask("RESTORE", b"back", 0, mine.ask("DUMP", key), "REPLACE"), b"+OK", key)
                    self.theirs.ask("PERSIST", key)
                    self.assertEqual(*self.theirs.ask("DEBUG", "DIGEST-VALUE", key, b"back"), key)

    def test_it_is_followed_under_load(self):
        load = Load(self.redis.port, SEED, KEYS)
        self.addCleanup(load.stop)
        load.start()
        self.assertTrue(wait_until(lambda: load.writes > 200))
        mine = Connection(self.serve("mine", "--follow", f"127.0.0.1:{self.redis.port}").port)
        self.assertTrue(wait_until(lambda: mine.info("replication")["master_link_status"] == "up"))
        before = load.writes
        self.assertTrue(wait_until(lambda: load.writes > before + 2000))
        load.stop()
        self.mark("later")
        wait_until(lambda: not any(self.theirs.ask("EXISTS", f"short:{n}") for n in range(50)), 10)
        self.check_same(mine)
        link = mine.info("replication")
        self.assertEqual((link["follow_failed_commands"], link["follow_left_out"]), ("0", ""), link)
        self.assertEqual(mine.ask("REPLICAOF", "NO", "ONE"), b"+OK")
        self.check_same(mine)
        for word in ("before", "later"):
            self.check_mark(mine, word)


class Redis6(Version, unittest.TestCase):
    name = "redis-6.0"
    has_functions = has_field_deadlines = loads_ours = False  # Its files are of version 9.


class Redis8(Version, unittest.TestCase):
    name = "redis-8.0"


class Valkey8(Version, unittest.TestCase):
    name = "valkey-8.0"
    has_field_deadlines = False


if __name__ == "__main__":
    unittest.main()
