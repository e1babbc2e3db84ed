# Goal: moving in with Redis' files and out again loses nothing: every key, value and deadline, to the millisecond.
# Method: a redis-server is filled with all types in all encodings and saved; `mayfly import` reads its file into a
# folder and into a server, and both are compared with it key by key; `mayfly export` writes a file that another
# redis-server loads, whose DEBUG DIGEST must be the first one's.
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

from redis_home import (Connection, RedisProcess, ServerProcess, contents, differences, fill, fill_streams, streams_of,
                        wait_until, write)

MAYFLY = sys.argv.pop() if len(sys.argv) > 1 else "mayfly"
SEED = 20261118
KEYS = 400


@unittest.skipIf(shutil.which("redis-server") is None, "there is no redis-server")
class RedisFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def redis(self, name, *flags):
        redis = RedisProcess(self.folder / name, *flags).start()
        self.addCleanup(redis.stop)
        return redis

    def serve(self, folder):
        server = ServerProcess(MAYFLY, "--disk-reserve", "0", folder=folder)
        server.start()
        self.addCleanup(server.stop)
        return server

    def mayfly(self, *arguments, code=0):
        run = subprocess.run([MAYFLY, *map(str, arguments)], capture_output=True, timeout=120, text=True)
        self.assertEqual(run.returncode, code, (arguments, run.stdout, run.stderr))
        return run.stdout, run.stderr

    def filled(self):
        print(f"seed {SEED}")
        redis = self.redis("redis")
        one = redis.connect()
        fill(one, random.Random(SEED), KEYS)
        self.assertEqual(one.ask("SAVE"), b"+OK")
        return redis, one

    def check_loaded(self, file, one):
        """Another redis-server loads the file and holds the same."""
        (self.folder / "other").mkdir()
        shutil.copy(file, self.folder / "other" / "dump.rdb")
        other = self.redis("other").connect()
        self.assertEqual(differences(contents(one), contents(other)), [])
        self.assertEqual(one.ask("DEBUG", "DIGEST"), other.ask("DEBUG", "DIGEST"))

    def test_a_folder_holds_what_redis_held(self):
        redis, one = self.filled()
        folder = self.folder / "served"
        folder.mkdir()
        out, _ = self.mayfly("import", folder / "data", redis.folder / "dump.rdb", "--create")
        self.assertIn(", 0 had died", out)
        mine = Connection(self.serve(folder).port)
        self.assertEqual(differences(contents(one), contents(mine)), [])
        self.mayfly("export", folder / "data", self.folder / "out.rdb")
        self.check_loaded(self.folder / "out.rdb", one)

    def test_a_server_holds_what_redis_held(self):
        redis, one = self.filled()
        (self.folder / "served").mkdir()
        server = self.serve(self.folder / "served")
        url = f"redis://127.0.0.1:{server.port}"
        self.mayfly("import", "--url", url, redis.folder / "dump.rdb")
        self.assertEqual(differences(contents(one), contents(Connection(server.port))), [])
        self.mayfly("export", "--url", url, self.folder / "out.rdb")
        self.check_loaded(self.folder / "out.rdb", one)

    def test_large_collections_come_in_parts(self):
        redis = self.redis("redis")
        one = redis.connect()
        for begin in range(0, 60_000, 2000):
            some = range(begin, begin + 2000)
            one.all([("RPUSH", b"list", *(b"element-%08d" % i for i in some)),
                     ("SADD", b"set", *(b"element-%08d" % i for i in some)),
                     ("HSET", b"hash", *sum(((b"field-%d" % i, b"value-%d" % i) for i in some), ())),
                     ("ZADD", b"zset", *sum(((i / 3, b"element-%08d" % i) for i in some), ()))])
        one.ask("PEXPIREAT", b"list", 4102444800123)
        one.ask("SAVE")
        (self.folder / "served").mkdir()
        self.mayfly("import", self.folder / "served" / "data", redis.folder / "dump.rdb", "--create")
        server = self.serve(self.folder / "served")
        mine = Connection(server.port)
        self.assertEqual(differences(contents(one, 1), contents(mine, 1)), [])
        mine.ask("FLUSHALL")
        self.mayfly("import", "--url", f"redis://127.0.0.1:{server.port}", redis.folder / "dump.rdb")
        self.assertEqual(differences(contents(one, 1), contents(mine, 1)), [])

    def streams(self):
        """A redis-server with streams of all shapes, saved."""
        redis = self.redis("redis")
        one = redis.connect()
        fill_streams(one)
        self.assertEqual(one.ask("SAVE"), b"+OK")
        return redis, one

    def test_streams_move_in_and_out(self):
        redis, one = self.streams()
        (self.folder / "served").mkdir()
        data = self.folder / "served" / "data"
        self.mayfly("import", data, redis.folder / "dump.rdb", "--create")
        self.mayfly("export", data, self.folder / "out.rdb")
        mine = Connection(self.serve(self.folder / "served").port)
        wanted = streams_of(one)
        self.assertEqual(streams_of(mine), wanted)
        self.assertEqual(mine.ask("PEXPIRETIME", "grouped"), 4102444800123)
        (self.folder / "other").mkdir()
        shutil.copy(self.folder / "out.rdb", self.folder / "other" / "dump.rdb")
        other = self.redis("other", "--sanitize-dump-payload", "yes").connect()
        self.assertEqual(streams_of(other), wanted)
        self.assertEqual(one.ask("DEBUG", "DIGEST"), other.ask("DEBUG", "DIGEST"))

    def test_streams_move_through_a_server(self):
        redis, one = self.streams()
        (self.folder / "served").mkdir()
        server = self.serve(self.folder / "served")
        url = f"redis://127.0.0.1:{server.port}"
        self.mayfly("import", "--url", url, redis.folder / "dump.rdb")
        self.mayfly("export", "--url", url, self.folder / "out.rdb")
        # What comes in parts is claimed by commands, which say that its consumers were seen now.
        wanted = streams_of(one, seen=False)
        self.assertEqual(streams_of(Connection(server.port), seen=False), wanted)
        (self.folder / "other").mkdir()
        shutil.copy(self.folder / "out.rdb", self.folder / "other" / "dump.rdb")
        self.assertEqual(streams_of(self.redis("other").connect(), seen=False), wanted)

    def test_streams_are_dumped_and_restored(self):
        _, one = self.streams()
        (self.folder / "served").mkdir()
        mine = Connection(self.serve(self.folder / "served").port)
        back = self.redis("other", "--sanitize-dump-payload", "yes").connect()
        for key in one.ask("KEYS", "*"):
            self.assertEqual(mine.ask("RESTORE", key, 0, one.ask("DUMP", key)), b"+OK", key)
            self.assertEqual(back.ask("RESTORE", key, 0, mine.ask("DUMP", key)), b"+OK", key)
        wanted = streams_of(one)
        self.assertEqual(streams_of(mine), wanted)
        self.assertEqual(streams_of(back), wanted)
        # They go on as if they had always been here.
        for some in (one, mine, back):
            some.all([("XADD", "grouped", "900000-1", "n", "1"), ("XACK", "grouped", "g1", "10-3"),
                      ("XREADGROUP", "GROUP", "g1", "dora", "COUNT", 1, "STREAMS", "grouped", ">"),
                      ("XGROUP", "DELCONSUMER", "grouped", "g1", "bob"), ("XDEL", "grouped", "12-0")])
        wanted = streams_of(one, seen=False, times=False)
        self.assertEqual(streams_of(mine, seen=False, times=False), wanted)
        self.assertEqual(streams_of(back, seen=False, times=False), wanted)

    def test_streams_with_a_max_age_are_left_out_by_name(self):
        (self.folder / "served").mkdir()
        server = self.serve(self.folder / "served")
        mine = Connection(server.port)
        mine.all([("SET", "k", "v"), ("XADD", "aged", "MAXAGE", 3600000, "*", "a", "b"), ("XADD", "plain", "1-1", "a", "b")])
        self.assertRegex(mine.ask("DUMP", "aged"), b"-ERR DUMP of a stream with a max age is not offered")
        for number, target in enumerate((["--url", f"redis://127.0.0.1:{server.port}"],
                                         [self.folder / "served" / "data"])):
            _, errors = self.mayfly("export", *target, self.folder / f"{number}.rdb", code=3)
            self.assertIn("1 stream left out: they have a max age", errors)
            _, errors = self.mayfly("export", *target, self.folder / f"{number}.jsonl", code=3)
            self.assertIn("2 streams left out: JSON lines hold none", errors)
            self.assertEqual((self.folder / f"{number}.jsonl").read_text(), '{"key":"k","deadline":null,"value":"v"}\n')
            (self.folder / f"other{number}").mkdir()
            shutil.copy(self.folder / f"{number}.rdb", self.folder / f"other{number}" / "dump.rdb")
            other = self.redis(f"other{number}").connect()
            self.assertEqual(sorted(other.ask("KEYS", "*")), [b"k", b"plain"])

    def test_streams_with_a_max_age_are_written_without_it_if_asked(self):
        (self.folder / "served").mkdir()
        server = self.serve(self.folder / "served")
        mine = Connection(server.port)
        ids = mine.all([("XADD", "aged", "MAXAGE", 1, "*", "dead", "1"), ("XADD", "aged", "MAXAGE", 3600000, "*", "a", "b"),
                        ("XADD", "aged", "*", "c", "d"), ("XGROUP", "CREATE", "aged", "group", 0),
                        ("XREADGROUP", "GROUP", "group", "reader", "COUNT", 1, "STREAMS", "aged", ">")])[:3]
        # Without a policy any more, but with entries that have their deadlines.
        mine.all([("XADD", "was", "MAXAGE", 3600000, "7-7", "a", "b"), ("XMAXAGE", "was", 0)])
        self.assertTrue(wait_until(lambda: mine.ask("XLEN", "aged") == 2))
        self.assertRegex(mine.ask("DUMP", "was"), b"-ERR DUMP of a stream with a max age is not offered")
        self.assertEqual(mine.ask("DUMP", "aged", "maxage"), b"-ERR syntax error")
        wanted = streams_of(mine)
        self.assertEqual(wanted[b"aged"][0].pop(b"max-age"), 3600000)
        for number, target in enumerate((["--url", f"redis://127.0.0.1:{server.port}"],
                                         [self.folder / "served" / "data"])):
            _, errors = self.mayfly("export", "--no-max-age", *target, self.folder / f"{number}.rdb")
            self.assertNotIn("left out", errors)
            (self.folder / f"other{number}").mkdir()
            shutil.copy(self.folder / f"{number}.rdb", self.folder / f"other{number}" / "dump.rdb")
            other = self.redis(f"other{number}", "--sanitize-dump-payload", "yes").connect()
            self.assertEqual(streams_of(other), wanted)
            self.assertEqual([entry[0] for entry in other.ask("XRANGE", "aged", "-", "+")], ids[1:])
        redis = self.redis("restored", "--sanitize-dump-payload", "yes")
        other = redis.connect()
        for key in (b"aged", b"was"):
            self.assertEqual(other.ask("RESTORE", key, 0, mine.ask("DUMP", key, "NOMAXAGE")), b"+OK")
        self.assertEqual(streams_of(other), wanted)
        # The word is nothing to other values, nor to a Redis that is read by URL.
        self.assertEqual(mine.all([("SET", "k", "v"), ("DUMP", "k", "NOMAXAGE")])[1], mine.ask("DUMP", "k"))
        self.mayfly("export", "--no-max-age", "--url", f"redis://127.0.0.1:{redis.port}", self.folder / "theirs.rdb")

    def test_what_has_died_is_not_imported(self):
        redis = self.redis("redis")
        one = redis.connect()
        one.ask("DEBUG", "SET-ACTIVE-EXPIRE", 0)
        one.all([("SET", "dying", "x", "PX", 1), ("SET", "staying", "y", "PXAT", 4102444800000)])
        one.ask("SAVE")
        out, _ = self.mayfly("import", self.folder / "data", redis.folder / "dump.rdb", "--create")
        self.assertEqual(out, "1 row imported, 1 had died\n")

    def test_what_has_no_place_here_is_told(self):
        redis = self.redis("redis")
        one = redis.connect()
        one.all([("SET", "k", "v"), ("SET", "", "v"),
                 ("FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 1 end)")])
        one.ask("SAVE")
        out, errors = self.mayfly("import", self.folder / "data", redis.folder / "dump.rdb", "--create", code=3)
        self.assertEqual(out, "1 row imported, 0 had died\n")
        self.assertIn("1 x key of no bytes", errors)
        self.assertNotIn("library", errors)
        _, errors = self.mayfly("import", self.folder / "one", redis.folder / "dump.rdb", "--create", "--keyspace", "k",
                                code=3)
        self.assertIn("1 x library of functions, 1 x key of no bytes", errors)

    def test_damage_is_told_with_its_offset(self):
        redis, _ = self.filled()
        whole = (redis.folder / "dump.rdb").read_bytes()
        cut = self.folder / "cut.rdb"
        cut.write_bytes(whole[:len(whole) // 2])
        _, errors = self.mayfly("import", self.folder / "data", cut, "--create", code=1)
        self.assertRegex(errors, r"cut.rdb: offset \d+: the bytes end too early; \d+ rows before it are imported")

    def check_aof(self, redis, one, path, name):
        (self.folder / name).mkdir()
        self.mayfly("import", self.folder / name / "data", path, "--create")
        mine = Connection(self.serve(self.folder / name).port)
        self.assertEqual(differences(contents(one), contents(mine)), [])

    def test_append_only_files_are_replayed(self):
        print(f"seed {SEED}")
        redis = self.redis("redis", "--appendonly", "yes", "--auto-aof-rewrite-percentage", 0,
                           "--aof-timestamp-enabled", "yes")
        one = redis.connect()
        chance = random.Random(SEED)
        fill(one, chance, KEYS // 2)
        # Written with a deadline that has passed when the file is read, and prolonged before it.
        one.all([("SELECT", 0), ("SET", "slid", "v", "PX", 150), ("PEXPIREAT", "slid", 4102444800000),
                 ("SET", "died", "v", "PX", 1), ("MULTI",), ("SET", "a", 1), ("SET", "b", 2), ("EXEC",)])
        self.check_aof(redis, one, redis.folder / "appendonlydir", "commands")
        one.ask("BGREWRITEAOF")  # From now on, the file begins with an RDB.
        self.assertTrue(wait_until(lambda: one.info("persistence")["aof_rewrite_in_progress"] == "0" and
                                   list((redis.folder / "appendonlydir").glob("*.2.base.rdb"))))
        bounded = [("XADD", "bounded", "MAXLEN", "~", 100, "LIMIT", 200, f"{n}-1", "a", "b") for n in range(1, 500)]
        for reply in one.all(sum((write(chance, n, KEYS) for n in range(100)), bounded)):
            self.assertFalse(isinstance(reply, bytes) and reply.startswith(b"-"), reply)
        manifest = redis.folder / "appendonlydir" / "appendonly.aof.manifest"
        self.check_aof(redis, one, manifest, "parts")
        # One file, as before Redis 7; and one that is cut off.
        parts = [redis.folder / "appendonlydir" / line.split()[1] for line in manifest.read_text().splitlines()]
        whole = b"".join(part.read_bytes() for part in parts)
        (self.folder / "one.aof").write_bytes(whole)
        self.check_aof(redis, one, self.folder / "one.aof", "one")
        (self.folder / "cut.aof").write_bytes(whole + b"*3\r\n$3\r\nSET\r\n$1\r\nk")
        _, errors = self.mayfly("import", self.folder / "cut", self.folder / "cut.aof", "--create", code=3)
        self.assertIn("bytes of a command or transaction that is cut off", errors)

    def test_deadlines_of_fields_need_version_12(self):
        (self.folder / "served").mkdir()
        server = self.serve(self.folder / "served")
        mine = Connection(server.port)
        mine.all([("SET", "k", "v"), ("HSET", "h", "a", "1", "b", "2"),
                  ("HPEXPIREAT", "h", 4102444800007, "FIELDS", 1, "a")])
        url = f"redis://127.0.0.1:{server.port}"
        _, errors = self.mayfly("export", "--url", url, self.folder / "old.rdb", code=3)
        self.assertIn("--rdb-version 12", errors)
        self.mayfly("export", "--url", url, self.folder / "new.rdb", "--rdb-version", 12)
        self.mayfly("import", self.folder / "data", self.folder / "new.rdb", "--create")
        out, _ = self.mayfly("export", self.folder / "data")
        self.assertIn('{"name":"a","value":"1","deadline":4102444800007}', out)


if __name__ == "__main__":
    unittest.main()
