# Goal: a mayfly that follows a Redis holds what it holds, key by key and deadline by deadline, goes on after either
# side was killed, and takes over without losing a write.
# Method: a real redis-server under write load with all types; the two are compared when the load has ended and the
# offsets agree. FOLLOW_KEYS=1000000 makes it the test of a whole migration.
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time
import unittest

from load import Load
from redis_home import (Connection, RedisProcess, ServerProcess, contents, differences, fill, fill_streams, streams_of,
                        wait_until)

MAYFLY = sys.argv.pop() if len(sys.argv) > 1 else "mayfly"
SEED = int(os.environ.get("FOLLOW_SEED", 20261118))
KEYS = int(os.environ.get("FOLLOW_KEYS", 1000))
MIGRATED = max(KEYS, 25_000)  # In each of two databases, where a whole migration is tried.
WAIT_SECONDS = 60 + MIGRATED // 500


@unittest.skipIf(shutil.which("redis-server") is None, "there is no redis-server")
class Follow(unittest.TestCase):
    def setUp(self):
        print(f"seed {SEED}")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "mayfly").mkdir()

    def redis(self, *flags):
        redis = RedisProcess(self.folder / "redis", *flags).start()
        self.addCleanup(redis.stop)
        return redis

    def serve(self, *flags):
        server = ServerProcess(MAYFLY, "--disk-reserve", "0", "--enable-debug-command", "yes", *flags, folder=self.folder / "mayfly")
        server.start()
        self.addCleanup(server.stop)
        return server

    def load(self, redis, keys=KEYS):
        load = Load(redis.port, SEED, keys)
        self.addCleanup(load.stop)
        load.start()
        return load

    def in_step(self, redis, mayfly):
        """Whether the follower has applied all that the leader has."""
        link = mayfly.info("replication")
        return (link.get("master_link_status") == "up" and
                int(link["slave_repl_offset"]) >= int(redis.info("replication")["master_repl_offset"]) and link)

    def await_step(self, redis, mayfly):
        """Is patient with a follower that comes nearer: on a busy machine, or with a sanitizer, it may be slow."""
        reached, since = None, time.monotonic()
        while not (link := self.in_step(redis, mayfly)):
            offset = mayfly.info("replication").get("slave_repl_offset")
            if offset != reached:
                reached, since = offset, time.monotonic()
            if time.monotonic() - since > WAIT_SECONDS:
                self.fail((mayfly.info("replication"), redis.info("replication")))
            time.sleep(0.02)
        self.assertEqual((link["follow_failed_commands"], link["follow_left_out"]), ("0", ""), link)
        return link

    def check_same(self, redis, mayfly):
        wait_until(lambda: not any(key.startswith(b"short:") for _, key in contents(redis, 4)), 10)
        mine = wait_until(lambda: not differences(contents(redis), contents(mayfly)), 5)
        self.assertTrue(mine, differences(contents(redis), contents(mayfly)))
        # Groups of consumers are not among the contents.
        for database in (0, 3):
            redis.ask("SELECT", database), mayfly.ask("SELECT", database)
            if redis.ask("EXISTS", "events"):
                self.assertEqual(*(streams_of(one, ["events"], seen=False, positions=False) for one in (redis, mayfly)))
        redis.ask("SELECT", 0), mayfly.ask("SELECT", 0)
        self.assertEqual(mayfly.ask("DEBUG", "DIGEST"), redis.ask("DEBUG", "DIGEST"))
        self.assertEqual(mayfly.ask("FUNCTION", "LIST", "WITHCODE"), redis.ask("FUNCTION", "LIST", "WITHCODE"))

    def test_under_load_and_over(self):
        redis = self.redis("--repl-diskless-sync-delay", 0)
        leader = redis.connect()
        fill(leader, random.Random(SEED), MIGRATED)
        load = self.load(redis, MIGRATED)
        wait_until(lambda: load.writes > 200)
        began = time.monotonic()
        server = self.serve("--follow", f"127.0.0.1:{redis.port}")
        mayfly = Connection(server.port)
        link = wait_until(lambda: mayfly.info("replication")["master_link_status"] == "up", WAIT_SECONDS)
        self.assertTrue(link, mayfly.info("replication"))
        copied = time.monotonic() - began
        self.assertIn(b"READONLY", mayfly.ask("SET", "k", "v"))
        self.assertIn(b"READONLY", mayfly.ask("EVAL", "return redis.call('SET', 'k', 'v')", 0))
        self.assertEqual(mayfly.ask("ROLE")[:3], [b"slave", b"127.0.0.1", redis.port])
        before = load.writes
        wait_until(lambda: load.writes > before + 2000)
        lag = mayfly.info("replication")["follow_lag_bytes"]
        load.stop()
        stopped = time.monotonic()
        link = self.await_step(leader, mayfly)
        print(f"{leader.ask('DBSIZE')} keys in database 0, {load.writes} commands of the load meanwhile; copied in "
              f"{copied:.1f} s, {lag} bytes behind under load, none {time.monotonic() - stopped:.2f} s after it")
        self.assertEqual((link["role"], link["follow_lag_bytes"], link["follow_full_copies"]), ("slave", "0", "1"))
        self.assertIn("state=online", leader.info("replication")["slave0"])
        self.check_same(leader, mayfly)
        # A write, and the end of following at once: what was received is there.
        leader.all([("SELECT", 0)] + [("SET", b"last:%d" % n, n) for n in range(500)])
        self.await_step(leader, mayfly)
        self.assertEqual(mayfly.ask("REPLICAOF", "NO", "ONE"), b"+OK")
        self.assertEqual(mayfly.info("replication")["role"], "master")
        self.check_same(leader, mayfly)
        self.assertEqual(mayfly.ask("SET", "own", "write"), b"+OK")
        # The flag does not undo it.
        server.kill()
        server.restart()
        mayfly = Connection(server.port)
        self.assertEqual(mayfly.info("replication")["role"], "master")
        self.assertEqual(mayfly.ask("GET", "own"), b"write")

    def test_resumes_when_killed(self):
        redis = self.redis("--repl-backlog-size", 64 << 20, "--repl-diskless-sync-delay", 0)
        leader = redis.connect()
        fill(leader, random.Random(SEED), KEYS)
        server = self.serve("--follow", f"127.0.0.1:{redis.port}")
        self.await_step(leader, Connection(server.port))
        load = self.load(redis)
        for _ in range(3):
            before = load.writes
            wait_until(lambda: load.writes > before + 1000)
            server.kill()
            server.restart()
        load.stop()
        mayfly = Connection(server.port)
        link = self.await_step(leader, mayfly)
        self.assertEqual((link["follow_full_copies"], link["follow_resumptions"]), ("0", "1"))
        self.assertEqual(leader.info("stats")["sync_full"], "1")
        self.check_same(leader, mayfly)

    def test_copies_again_when_the_leader_was_killed(self):
        redis = self.redis("--appendonly", "yes", "--appendfsync", "always", "--repl-diskless-sync-delay", 0)
        leader = redis.connect()
        fill(leader, random.Random(SEED), KEYS)
        server = self.serve()
        mayfly = Connection(server.port)
        self.assertEqual(mayfly.ask("SET", "of", "before"), b"+OK")
        self.assertEqual(mayfly.ask("REPLICAOF", "127.0.0.1", redis.port), b"+OK")
        self.await_step(leader, mayfly)
        self.assertEqual(mayfly.ask("EXISTS", "of"), 0)
        load = self.load(redis)
        wait_until(lambda: load.writes > 1000)
        redis.kill()
        load.stop()
        self.assertTrue(wait_until(lambda: mayfly.info("replication")["master_link_status"] == "down"))
        self.assertEqual(mayfly.ask("GET", "packed"), b"abc" * 5000)  # Reads go on.
        redis.start()
        leader = redis.connect()
        link = self.await_step(leader, mayfly)
        self.assertEqual(link["follow_full_copies"], "2")
        self.check_same(leader, mayfly)

    def test_either_side_is_killed_in_the_middle_of_a_copy(self):
        redis = self.redis("--appendonly", "yes", "--appendfsync", "always", "--repl-diskless-sync-delay", 0,
                           "--rdb-key-save-delay", 1000 if KEYS <= 1000 else 0)
        leader = redis.connect()
        fill(leader, random.Random(SEED), KEYS)
        load = self.load(redis)
        server = self.serve("--follow", f"127.0.0.1:{redis.port}")

        def in_a_copy(mayfly):
            link = mayfly.info("replication")
            self.assertEqual(link["follow_full_copies"], "0")
            return link["master_sync_in_progress"] == "1" and int(link["master_sync_read_bytes"]) > 15 * KEYS

        mayfly = Connection(server.port)
        self.assertTrue(wait_until(lambda: in_a_copy(mayfly), WAIT_SECONDS), mayfly.info("replication"))
        server.kill()
        server.restart()
        mayfly = Connection(server.port)
        self.assertTrue(wait_until(lambda: in_a_copy(mayfly), WAIT_SECONDS), mayfly.info("replication"))
        self.assertEqual(mayfly.ask("DBSIZE"), 0)  # A half of a copy is never shown.
        redis.kill()
        load.stop()
        redis.start()
        leader = redis.connect()
        load = self.load(redis)
        wait_until(lambda: load.writes > 500, WAIT_SECONDS)
        leader.ask("CONFIG", "SET", "rdb-key-save-delay", 0)
        load.stop()
        link = self.await_step(leader, mayfly)
        self.assertEqual(link["follow_full_copies"], "1")
        self.check_same(leader, mayfly)

    def test_a_copy_with_a_length_and_a_password(self):
        redis = self.redis("--requirepass", "secret", "--repl-diskless-sync", "no", "--masterauth", "x")
        leader = redis.connect()
        leader.ask("AUTH", "secret")
        fill(leader, random.Random(SEED), KEYS)
        server = self.serve("--follow", f"127.0.0.1:{redis.port}")
        mayfly = Connection(server.port)
        self.assertTrue(wait_until(lambda: "NOAUTH" in mayfly.info("replication")["follow_last_error"]))
        self.assertEqual(mayfly.ask("CONFIG", "SET", "masterauth", "secret"), b"+OK")
        self.await_step(leader, mayfly)
        self.check_same(leader, mayfly)

    def test_the_leader_decides_when_its_rows_are_dead(self):
        redis = self.redis("--repl-diskless-sync-delay", 0)
        leader = redis.connect()
        server = self.serve("--follow", f"127.0.0.1:{redis.port}")
        mayfly = Connection(server.port)
        self.await_step(leader, mayfly)
        leader.ask("DEBUG", "SET-ACTIVE-EXPIRE", 0)
        leader.ask("SET", "k", "v", "PX", 1)
        # Readers hide it by their own clock; its bytes stay until the leader says DEL.
        self.assertTrue(wait_until(lambda: self.in_step(leader, mayfly)))
        self.assertTrue(wait_until(lambda: mayfly.ask("EXISTS", "k") == 0))
        self.assertEqual(mayfly.ask("DBSIZE"), 0)
        self.assertEqual(leader.ask("GET", "k"), None)  # Redis notices, and propagates it.
        self.await_step(leader, mayfly)
        # What is prolonged by the leader lives on, however late that arrives.
        os.kill(server.process.pid, 19)
        leader.all([("SET", "slid", "v", "PX", 300), ("PEXPIREAT", "slid", 4102444800000)])
        time.sleep(0.4)
        os.kill(server.process.pid, 18)
        self.await_step(leader, mayfly)
        self.assertEqual(mayfly.ask("PEXPIRETIME", "slid"), 4102444800000)

    def test_streams_are_copied_and_followed(self):
        redis = self.redis("--repl-diskless-sync-delay", 0)
        leader = redis.connect()
        fill_streams(leader)
        mayfly = Connection(self.serve("--follow", f"127.0.0.1:{redis.port}").port)
        self.await_step(leader, mayfly)
        self.assertEqual(streams_of(mayfly), streams_of(leader))
        replies = leader.all([
            ("XADD", "grouped", "*", "a", "b"), ("XADD", "grouped", "MAXLEN", "~", 300, "*", "a", "b"),
            ("XADD", "new", "NOMKSTREAM", "*", "a", "b"), ("XADD", "new", "7-*", "a", "b"), ("XTRIM", "mixed", "MINID", "20-6"),
            # Redis sends them as exact trims, with the LIMIT, which a client may not say.
            ("XADD", "grouped", "MAXLEN", "~", 250, "LIMIT", 200, "*", "a", "b"), ("XTRIM", "large", "MAXLEN", "~", 29_000, "LIMIT", 700),
            ("XTRIM", "large", "MINID", "~", "1500-0", "LIMIT", 0),
            ("XREADGROUP", "GROUP", "g1", "dora", "COUNT", 7, "STREAMS", "grouped", ">"),
            ("XREADGROUP", "GROUP", "g2", "emil", "COUNT", 7, "NOACK", "STREAMS", "grouped", ">"),
            ("XCLAIM", "grouped", "g1", "emil", 0, "11-3", "12-0", "IDLE", 5000),
            ("XCLAIM", "grouped", "g1", "emil", 0, "350-2", "FORCE", "JUSTID", "LASTID", "360-0"),
            ("XAUTOCLAIM", "grouped", "g1", "fred", 0, "20-0", "COUNT", 30), ("XACK", "grouped", "g1", "30-2", "31-3"),
            ("XDEL", "grouped", "40-0", "370-2"), ("XGROUP", "DELCONSUMER", "grouped", "g1", "bob"),
            ("XGROUP", "SETID", "grouped", "g2", "200-0", "ENTRIESREAD", 190), ("XGROUP", "DESTROY", "large", "g"),
            ("XSETID", "emptied", "90-1", "ENTRIESADDED", 12, "MAXDELETEDID", "80-0")])
        for reply in replies:
            self.assertFalse(isinstance(reply, bytes) and reply.startswith(b"-"), replies)
        self.await_step(leader, mayfly)
        # Redis tells its replicas what was read by XCLAIM with LASTID, which has no count.
        self.assertEqual(streams_of(mayfly, seen=False, positions=False),
                         streams_of(leader, seen=False, positions=False))

    def test_what_cannot_be_applied_is_counted(self):
        redis = self.redis("--repl-diskless-sync-delay", 0)
        leader = redis.connect()
        server = self.serve("--follow", f"127.0.0.1:{redis.port}")
        mayfly = Connection(server.port)
        self.await_step(leader, mayfly)
        # A name here has at most 65,536 bytes.
        long = b"k" * 70_000
        leader.all([("MULTI",), ("SET", "a", "1"), ("SET", long, "v"), ("SET", "b", "2"), ("EXEC",), ("SET", "", "x")])
        link = wait_until(lambda: self.in_step(leader, mayfly))
        self.assertEqual(link["follow_failed_commands"], "1", link)
        self.assertIn("SET", link["follow_last_failure"])
        self.assertEqual(mayfly.ask("GET", ""), b"x")
        self.assertEqual(mayfly.ask("MGET", "a", "b"), [b"1", b"2"])


if __name__ == "__main__":
    unittest.main()
