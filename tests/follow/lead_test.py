# Goal: a mayfly that is followed by a redis-server and by a mayfly hands over everything, in order, at once where it
# was at once, and nothing that is dead; nothing is lost between the copy and the stream, nor when either side is killed.
# Method: writers of all types on several connections, a leader and followers; they are compared key by key when the
# offsets agree.
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from redis_home import (Connection, RedisProcess, ServerProcess, contents, differences, fill, fill_streams, streams_of,
                        wait_until, write)

MAYFLY = sys.argv.pop() if len(sys.argv) > 1 else "mayfly"
SEED = int(os.environ.get("LEAD_SEED", 20261119))
KEYS = int(os.environ.get("LEAD_KEYS", 500))
WAIT_SECONDS = 90 + KEYS // 500


class Writer(threading.Thread):
    """Commands whose effect depends on when and where they run, on keys that other writers use as well."""

    def __init__(self, port, seed):
        super().__init__(daemon=True)
        self.port, self.chance, self.going = port, random.Random(seed), True
        self.writes, self.errors, self.marked = 0, set(), 0
        self.name_of = seed

    def run(self):
        try:
            one = Connection(self.port)
            while self.going:
                requests = [("SELECT", self.chance.choice((0, 0, 3)))]
                for _ in range(15):
                    requests += self.some()
                requests += [("SELECT", 0), ("RPUSH", b"mark:%d" % self.name_of, self.marked)]
                for reply in one.all(requests):
                    if isinstance(reply, bytes) and reply.startswith(b"-") and not reply.startswith(b"-WRONGTYPE"):
                        self.errors.add(reply)
                self.marked += 1
                self.writes += len(requests)
                time.sleep(0.002)
        except (ConnectionError, OSError):
            pass  # The server was killed.

    def some(self):
        chance, n = self.chance, self.chance.randrange(KEYS)
        key = b"%s:%d" % (chance.choice((b"string", b"hash", b"list", b"set", b"zset")), n)
        return chance.choice([
            lambda: write(chance, n, KEYS), lambda: write(chance, n, KEYS), lambda: [("DEL", key)],
            lambda: [("SET", b"short:%d" % (n % 40), b"x", "PX", chance.randrange(1, 60))],
            lambda: [("PEXPIRE", b"short:%d" % (n % 40), 30), ("APPEND", b"short:%d" % (n % 40), "y")],
            lambda: [("SET", b"string:%d" % n, n, "EX", 1000 + n), ("GETEX", b"string:%d" % n, "PX", 5_000_000 + n)],
            lambda: [("SPOP", b"set:%d" % n), ("SPOP", b"set:%d" % n, 3)],
            lambda: [("INCRBYFLOAT", "float", 0.1), ("HINCRBYFLOAT", "floats", n % 9, 0.7)],
            lambda: [("MULTI",), ("INCR", "counter"), ("RPUSH", "log", n), ("LTRIM", "log", -50, -1), ("EXEC",)],
            lambda: [("EVAL", "redis.call('SET', KEYS[1], redis.call('TIME')[2]); return redis.call('INCRBY', KEYS[2], 2)",
                      2, b"script:%d" % n, "sum")],
            lambda: [("XADD", "events", "MAXLEN", "~", 50, "*", "n", n), ("XADD", "other", "*", "a", "b")],
            lambda: [("XGROUP", "CREATE", "events", "g", "$", "MKSTREAM"),
                     ("XREADGROUP", "GROUP", "g", b"c%d" % (n % 3), "COUNT", 3, "STREAMS", "events", ">"),
                     ("XAUTOCLAIM", "events", "g", b"c%d" % (n % 2), 1, "0-0", "COUNT", 2)],
            lambda: [("RPUSH", "queue", n, n), ("BLMOVE", "queue", "done", "LEFT", "RIGHT", 1), ("BRPOP", "queue", "none", 1),
                     ("LTRIM", "done", -9, -1)],
            lambda: [("ZADD", "scores", chance.random(), n), ("BZPOPMIN", "none", "scores", 1)],
            lambda: [("SUNIONSTORE", b"union:%d" % n, b"set:%d" % n, b"short:%d" % n),
                     ("PEXPIRE", b"set:%d" % n, chance.randrange(1, 90)), ("COPY", b"set:%d" % n, b"union:%d" % n, "REPLACE")],
            lambda: [("RENAME", b"list:%d" % n, b"list:%d" % (n // 2)), ("SORT", b"union:%d" % n, "ALPHA", "STORE", "sorted")],
            lambda: [("HSET", b"fields:%d" % (n % 20), n % 7, n), ("HPEXPIRE", b"fields:%d" % (n % 20), n % 80 + 1, "FIELDS", 1, n % 7),
                     ("HSETNX", b"fields:%d" % (n % 20), n % 7, "new")],
            lambda: [("PFADD", b"counted:%d" % (n % 5), n), ("PFCOUNT", b"counted:%d" % (n % 5)),
                     ("PFMERGE", "counted", b"counted:%d" % (n % 5), b"counted:%d" % (n % 3))],
            lambda: [("GEOADD", "places", chance.uniform(-180, 180), chance.uniform(-85, 85), n),
                     ("GEOSEARCHSTORE", "near", "places", "FROMMEMBER", n, "BYRADIUS", 3000, "km")],
            # A Redis of 7.0 does not know these.
            lambda: [("MSETEX", 2, b"pair:%d" % (n % 9), n, b"pair:%d" % (n % 4), n, "PX", chance.randrange(1, 90)),
                     ("MSETEX", 1, b"pair:%d" % (n % 9), n, "KEEPTTL"), ("SET", b"pair:%d" % (n % 9), n + 1, "IFEQ", n, "KEEPTTL"),
                     ("SET", b"pair:%d" % (n % 8), n, "IFNE", n + 1, "PX", chance.randrange(1, 90)), ("SET", "pair:5", n, "IFNE", n),
                     ("DELEX", b"pair:%d" % (n % 7), "IFEQ", n), ("DELIFEQ", b"pair:%d" % (n % 3), n)],
        ])()

    def stop(self):
        self.going = False
        self.join()


@unittest.skipIf(shutil.which("redis-server") is None, "there is no redis-server")
class Lead(unittest.TestCase):
    def setUp(self):
        print(f"seed {SEED}")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def serve(self, name, *flags):
        (self.folder / name).mkdir(exist_ok=True)
        server = ServerProcess(MAYFLY, "--disk-reserve", "0", *flags, folder=self.folder / name)
        server.start()
        self.addCleanup(server.stop)
        return server

    def redis(self, name, *flags):
        redis = RedisProcess(self.folder / name, *flags).start()
        self.addCleanup(redis.stop)
        return redis

    def writers(self, port, count=3):
        writers = [Writer(port, SEED + i) for i in range(count)]
        for writer in writers:
            self.addCleanup(writer.stop)
            writer.start()
        return writers

    def stop(self, writers):
        for writer in writers:
            writer.stop()
            self.assertEqual(writer.errors - {b"-BUSYGROUP Consumer Group name already exists", b"-ERR no such key",
                                              b"-ERR ERR no such key"}, set())

    def in_step(self, leader, follower):
        """The follower's lines once it has applied all that the leader has sent."""
        link = follower.info("replication")
        if link.get("master_link_status") != "up":
            return None
        end = int(leader.info("replication")["master_repl_offset"])
        return link if int(link["slave_repl_offset"]) >= end else None

    def await_step(self, leader, follower):
        link = wait_until(lambda: self.in_step(leader, follower), WAIT_SECONDS)
        self.assertTrue(link, (leader.info("replication"), follower.info("replication")))
        return link

    def check_same(self, leader, *followers):
        # What dies while it is compared is dead first.
        def settled():
            soon = time.time() * 1000 + 100_000
            return not any(0 < deadline < soon for _, _, deadline in contents(leader, 4).values())
        self.assertTrue(wait_until(settled, 20))
        time.sleep(0.2)  # Fields.
        mine = contents(leader, 4)
        for follower in followers:
            self.await_step(leader, follower)
            wait_until(lambda: not differences(mine, contents(follower, 4)), 5)
            self.assertEqual(differences(mine, contents(follower, 4)), [])

    def test_a_redis_and_a_mayfly_follow_under_load(self):
        leader = self.serve("leader", "--threads", 3)
        mine = Connection(leader.port)
        fill(mine, random.Random(SEED), KEYS)
        writers = self.writers(leader.port)
        self.assertTrue(wait_until(lambda: sum(one.writes for one in writers) > 1000))
        redis = self.redis("redis", "--replicaof", "127.0.0.1", leader.port)
        mayfly = self.serve("mayfly", "--follow", f"127.0.0.1:{leader.port}")
        followers = [redis.connect(), Connection(mayfly.port)]
        for follower in followers:
            self.assertTrue(wait_until(lambda: follower.info("replication")["master_link_status"] == "up", WAIT_SECONDS))
        before = sum(one.writes for one in writers)
        self.assertTrue(wait_until(lambda: sum(one.writes for one in writers) > before + 3000))
        self.stop(writers)
        for follower in followers:
            self.await_step(mine, follower)
        self.check_same(mine, *followers)
        # No write is missing, from before the copy, while it was made, or behind it.
        for writer in writers:
            expected = [b"%d" % n for n in range(writer.marked)]
            for follower in followers:
                self.assertEqual(follower.ask("LRANGE", b"mark:%d" % writer.name_of, 0, -1), expected)
        link = followers[1].info("replication")
        self.assertEqual((link["follow_failed_commands"], link["follow_left_out"]), ("0", ""), link)
        lines = mine.info("replication")
        self.assertEqual((lines["role"], lines["connected_slaves"]), ("master", "2"))
        self.assertIn("state=online", lines["slave0"])
        role = mine.ask("ROLE")
        self.assertEqual((role[0], sorted(one[1] for one in role[2])),
                         (b"master", sorted(b"%d" % one.port for one in (redis, mayfly))))
        self.assertEqual(len(mine.ask("CLIENT", "LIST", "TYPE", "replica").splitlines()), 2)
        self.assertIn(b"flags=S", mine.ask("CLIENT", "LIST", "TYPE", "replica"))
        # The same streams, with their groups.
        for follower in followers:
            self.assertEqual(streams_of(follower, seen=False, times=False), streams_of(mine, seen=False, times=False))

    def test_every_type_is_copied(self):
        leader = self.serve("leader")
        mine = Connection(leader.port)
        fill(mine, random.Random(SEED), KEYS)
        mine.ask("SELECT", 1)
        fill_streams(mine)
        mine.all([("SELECT", 0), ("HSET", "h", "a", "1", "b", "2"), ("HPEXPIREAT", "h", 4102444800007, "FIELDS", 1, "a"),
                  ("SET", "mortal", "v", "PXAT", 4102444800123), ("SET", "dead", "v", "PX", 1)])
        redis = self.redis("redis", "--replicaof", "127.0.0.1", leader.port)
        plain = self.redis("plain", "--replicaof", "127.0.0.1", leader.port, "--repl-diskless-load", "disabled")
        mayfly = self.serve("mayfly", "--follow", f"127.0.0.1:{leader.port}")
        followers = [redis.connect(), plain.connect(), Connection(mayfly.port)]
        for follower in followers:
            self.await_step(mine, follower)
        self.check_same(mine, *followers)
        for one in (mine, *followers):
            one.ask("SELECT", 1)
        for follower in followers:
            self.assertEqual(streams_of(follower, seen=False), streams_of(mine, seen=False))
            follower.ask("SELECT", 0)
        self.assertEqual(followers[2].ask("HPEXPIRETIME", "h", "FIELDS", 2, "a", "b"), [4102444800007, -1])
        # What the two copies are to Redis itself.
        self.assertEqual(followers[0].ask("DEBUG", "DIGEST"), followers[1].ask("DEBUG", "DIGEST"))

    def test_from_redis_through_mayfly_to_redis(self):
        first = self.redis("first", "--repl-diskless-sync-delay", 0)
        one = first.connect()
        fill(one, random.Random(SEED), KEYS)
        one.ask("SELECT", 1)
        fill_streams(one)
        middle = self.serve("middle", "--follow", f"127.0.0.1:{first.port}")
        self.await_step(one, Connection(middle.port))
        last = self.redis("last", "--replicaof", "127.0.0.1", middle.port).connect()
        self.assertTrue(wait_until(lambda: last.info("replication")["master_link_status"] == "up", WAIT_SECONDS))
        self.assertEqual(one.ask("DEBUG", "DIGEST"), last.ask("DEBUG", "DIGEST"))
        # Changes take the same way.
        chance = random.Random(SEED + 1)
        one.all([("SELECT", 0)] + sum((write(chance, n, KEYS) for n in range(KEYS)), []))
        self.assertTrue(wait_until(lambda: one.ask("DEBUG", "DIGEST") == last.ask("DEBUG", "DIGEST"), 30))
        keys = sorted(one.ask("KEYS", "*"))
        self.assertEqual(one.ask("DEBUG", "DIGEST-VALUE", *keys), last.ask("DEBUG", "DIGEST-VALUE", *keys))
        self.assertEqual(one.all([("PEXPIRETIME", key) for key in keys]), last.all([("PEXPIRETIME", key) for key in keys]))

    def test_redis_cli_fetches_a_file(self):
        mine = Connection(self.serve("leader").port)
        fill(mine, random.Random(SEED), KEYS)
        (self.folder / "other").mkdir()
        port = mine.socket.getpeername()[1]
        run = subprocess.run(["redis-cli", "-p", str(port), "--rdb", str(self.folder / "other" / "dump.rdb")],
                             capture_output=True, text=True, timeout=60)
        self.assertIn("Transfer finished with success", run.stderr + run.stdout)
        self.assertEqual(differences(contents(mine, 4), contents(self.redis("other").connect(), 4)), [])

    def test_goes_on_where_it_was(self):
        leader = self.serve("leader", "--repl-backlog-size", "64mb")
        mine = Connection(leader.port)
        fill(mine, random.Random(SEED), KEYS)
        redis = self.redis("redis", "--replicaof", "127.0.0.1", leader.port)
        mayfly = self.serve("mayfly", "--follow", f"127.0.0.1:{leader.port}")
        for follower in (redis.connect(), Connection(mayfly.port)):
            self.await_step(mine, follower)
        writers = self.writers(leader.port)
        for _ in range(2):
            before = sum(one.writes for one in writers)
            self.assertTrue(wait_until(lambda: sum(one.writes for one in writers) > before + 1000))
            mayfly.kill()
            mine.ask("CLIENT", "KILL", "TYPE", "replica")
            mayfly.restart()
        self.stop(writers)
        followers = [redis.connect(), Connection(mayfly.port)]
        for follower in followers:
            self.await_step(mine, follower)
        self.check_same(mine, *followers)
        stats = mine.info("stats")
        self.assertEqual(stats["sync_full"], "2", stats)
        self.assertGreaterEqual(int(stats["sync_partial_ok"]), 3)

    def test_a_follower_behind_its_backlog_takes_a_copy(self):
        leader = self.serve("leader", "--repl-backlog-size", "16kb")
        mine = Connection(leader.port)
        fill(mine, random.Random(SEED), KEYS)
        mayfly = self.serve("mayfly", "--follow", f"127.0.0.1:{leader.port}")
        self.await_step(mine, Connection(mayfly.port))
        mayfly.kill()
        mine.all([("SET", b"big:%d" % n, b"x" * 1000) for n in range(500)])
        mayfly.restart()
        other = Connection(mayfly.port)
        self.await_step(mine, other)
        self.check_same(mine, other)
        self.assertEqual((mine.info("stats")["sync_full"], mine.info("stats")["sync_partial_err"]), ("2", "1"))
        # One that stops reading is disconnected at its output limit, and comes again.
        mine.ask("CONFIG", "SET", "client-output-buffer-limit", "replica 1mb 0 0")
        other.ask("REPLICAOF", "NO", "ONE")
        other.ask("REPLICAOF", "127.0.0.1", leader.port)
        self.await_step(mine, other)
        os.kill(mayfly.process.pid, signal.SIGSTOP)
        mine.all([("SET", b"big:%d" % (n % 100), b"y" * 20_000) for n in range(1500)])
        self.assertTrue(wait_until(lambda: mine.info("replication")["connected_slaves"] == "0", 20))
        os.kill(mayfly.process.pid, signal.SIGCONT)
        self.await_step(mine, other)
        self.check_same(mine, other)

    def test_either_side_is_killed_in_a_copy(self):
        leader = self.serve("leader")
        mine = Connection(leader.port)
        fill(mine, random.Random(SEED), KEYS)
        mine.all([("SET", b"large:%d" % n, os.urandom(30_000)) for n in range(700)])
        mayfly = self.serve("mayfly", "--follow", f"127.0.0.1:{leader.port}")
        self.assertTrue(wait_until(lambda: int(mine.info("stats")["sync_full"]) > 0))
        mayfly.kill()
        mayfly.restart()
        self.assertTrue(wait_until(lambda: int(mine.info("stats")["sync_full"]) > 1))
        leader.kill()
        leader.restart()
        mine = Connection(leader.port)
        other = Connection(mayfly.port)
        self.await_step(mine, other)
        self.check_same(mine, other)
        # And in the stream: another id, so another copy.
        writers = self.writers(leader.port, 2)
        self.assertTrue(wait_until(lambda: sum(one.writes for one in writers) > 500))
        leader.kill()
        for writer in writers:
            writer.stop()
        leader.restart()
        mine = Connection(leader.port)
        self.await_step(mine, other)
        self.check_same(mine, other)

    def test_deaths_are_the_leaders_decision(self):
        leader = self.serve("leader", "--reaper", "no")
        mine = Connection(leader.port)
        redis = self.redis("redis", "--replicaof", "127.0.0.1", leader.port)
        mayfly = self.serve("mayfly", "--follow", f"127.0.0.1:{leader.port}")
        followers = [redis.connect(), Connection(mayfly.port)]
        for follower in followers:
            self.await_step(mine, follower)
        mine.all([("SET", "k", "v", "PX", 1), ("SET", "n", 5, "PX", 1), ("SADD", "s", "a"), ("PEXPIRE", "s", 1),
                  ("HSET", "h", "f", "v", "g", "w"), ("HPEXPIRE", "h", 1, "FIELDS", 1, "f")])
        wait_until(lambda: mine.ask("EXISTS", "k", "n", "s") == 0)
        for follower in followers:  # Nothing was removed yet, and nothing dead is shown.
            self.await_step(mine, follower)
            # By its own clock, which may be some ms behind.
            self.assertTrue(wait_until(lambda: follower.ask("EXISTS", "k", "n", "s") == 0, 5),
                            follower.info("server"))
        self.assertEqual(followers[1].ask("HGETALL", "h"), [b"g", b"w"])
        # A write that meets a dead row: the death first.
        mine.all([("INCR", "n"), ("SADD", "t", "b"), ("SUNIONSTORE", "u", "s", "t"), ("HSETNX", "h", "f", "new"),
                  ("SETNX", "k", "other")])
        for follower in followers:
            self.await_step(mine, follower)
            self.assertEqual(follower.all([("GET", "n"), ("SMEMBERS", "u"), ("GET", "k"), ("HGET", "h", "f")]),
                             [b"1", [b"b"], b"other", b"new"])
            self.assertEqual(follower.ask("PTTL", "n"), -1)
        # A purge.
        mine.all([("SET", "p", "v", "PX", 1), ("HSET", "q", "f", "v", "g", "w"), ("HPEXPIRE", "q", 1, "FIELDS", 1, "f")])
        wait_until(lambda: mine.ask("EXISTS", "p") == 0 and mine.ask("HEXISTS", "q", "f") == 0)
        mine.ask("TTL.PURGE")
        for follower in followers:
            self.await_step(mine, follower)
        self.assertEqual(followers[0].ask("HGETALL", "q"), [b"g", b"w"])
        self.assertEqual(followers[0].ask("DBSIZE"), mine.ask("DBSIZE"))

    def test_entries_that_died_of_age_are_told_before_what_depends_on_them(self):
        leader = self.serve("leader", "--reaper", "no", "--manual-clock", "--enable-debug-command", "yes")
        mine = Connection(leader.port)
        redis = self.redis("redis", "--replicaof", "127.0.0.1", leader.port)
        followers = [redis.connect(), Connection(self.serve("mayfly", "--follow", f"127.0.0.1:{leader.port}").port)]
        for follower in followers:
            self.await_step(mine, follower)
        for key in ("trimmed", "added", "set", "copied"):
            mine.all([("XADD", key, "1-1", "a", "b"), ("XADD", key, "2-1", "a", "b"), ("XADD", key, "MAXAGE", 10, "9-9", "dies", "soon"),
                      ("XMAXAGE", key, 0)])
        mine.ask("DEBUG", "CLOCK", "ADVANCE", 10)
        replies = mine.all([("XTRIM", "trimmed", "MAXLEN", 1), ("XADD", "added", "MAXLEN", 2, "10-1", "c", "d"), ("XSETID", "set", "3-0"),
                            ("XADD", "set", "4-1", "c", "d"), ("COPY", "copied", "copy")])
        self.assertEqual(replies, [1, b"10-1", b"+OK", b"4-1", 1])
        for key, left in (("trimmed", [b"2-1"]), ("added", [b"2-1", b"10-1"]), ("set", [b"1-1", b"2-1", b"4-1"]),
                          ("copy", [b"1-1", b"2-1"])):
            self.assertEqual([entry[0] for entry in mine.ask("XRANGE", key, "-", "+")], left)
            for follower in followers:
                self.await_step(mine, follower)
                self.assertEqual([entry[0] for entry in follower.ask("XRANGE", key, "-", "+")], left, key)

    def test_counts_of_a_stream_at_the_last_integer(self):
        leader = self.serve("leader")
        mine = Connection(leader.port)
        redis = self.redis("redis", "--replicaof", "127.0.0.1", leader.port)
        followers = [redis.connect(), Connection(self.serve("mayfly", "--follow", f"127.0.0.1:{leader.port}").port)]
        for follower in followers:
            self.await_step(mine, follower)
        most = 2 ** 63 - 1
        mine.all([("XADD", "s", "1-1", "a", "b"), ("XADD", "s", "2-1", "a", "b"), ("XGROUP", "CREATE", "s", "g", 0, "ENTRIESREAD", most),
                  ("XREADGROUP", "GROUP", "g", "one", "STREAMS", "s", ">"), ("XCLAIM", "s", "g", "two", 0, "1-1", "RETRYCOUNT", most),
                  ("XCLAIM", "s", "g", "three", 0, "1-1"), ("XADD", "s", "3-1", "a", "b"),
                  ("XREADGROUP", "GROUP", "g", "one", "STREAMS", "s", ">")])
        pending = [entry[:2] for entry in mine.ask("XPENDING", "s", "g", "-", "+", 10)]
        self.assertEqual(pending, [[b"1-1", b"three"], [b"2-1", b"one"], [b"3-1", b"one"]])
        for follower in followers:
            self.await_step(mine, follower)
            self.assertEqual([entry[:2] for entry in follower.ask("XPENDING", "s", "g", "-", "+", 10)], pending)
            told = follower.ask("XINFO", "GROUPS", "s")[0]
            self.assertEqual(dict(zip(told[::2], told[1::2]))[b"last-delivered-id"], b"3-1")

    def test_clocks_that_differ(self):
        leader = self.serve("leader", "--reaper", "no", "--manual-clock", "--enable-debug-command", "yes")
        mine = Connection(leader.port)
        behind = Connection(self.serve("behind").port)
        ahead = Connection(self.serve("ahead", "--manual-clock", "--enable-debug-command", "yes").port)
        # A clock is never set back, so the follower that is behind has the machine's, and the leader is five minutes
        # ahead of that, the other follower ten.
        for one, minutes in ((mine, 5), (ahead, 10)):
            self.assertGreater(one.ask("DEBUG", "CLOCK", "SET", int(time.time() * 1000) + minutes * 60_000), 0)
        followers = [behind, ahead]
        for follower in followers:
            self.assertEqual(follower.ask("REPLICAOF", "127.0.0.1", leader.port), b"+OK")
            self.await_step(mine, follower)
        mine.all([("SET", "short", "v", "PX", 1), ("SET", "minute", "v", "PX", 60_000), ("SET", "hour", "v", "PX", 3_600_000),
                  ("INCR", "n"), ("PEXPIRE", "n", 60_000)])
        deadline = mine.ask("PEXPIRETIME", "hour")
        mine.ask("DEBUG", "CLOCK", "ADVANCE", 10)
        self.assertEqual(mine.ask("EXISTS", "short"), 0)
        for follower in followers:
            self.await_step(mine, follower)
            self.assertEqual(follower.ask("PEXPIRETIME", "hour"), deadline)
        # By the clock of each: what one shows for longer, the other hides earlier.
        self.assertEqual(behind.ask("EXISTS", "short", "minute", "hour"), 3)
        self.assertEqual(ahead.ask("EXISTS", "short", "minute", "hour"), 1)
        # But the leader decides: what it prolongs lives, what it removes is gone.
        mine.all([("PERSIST", "minute"), ("INCR", "n"), ("TTL.PURGE",)])
        for follower in followers:
            self.await_step(mine, follower)
            self.assertEqual(follower.all([("EXISTS", "short"), ("PTTL", "minute")]), [0, -1])
        mine.ask("PERSIST", "n")
        self.await_step(mine, ahead)
        self.assertEqual(ahead.ask("GET", "n"), b"2")

    @unittest.skipIf(subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0,
                     "nothing may be mounted here")
    def test_a_follower_with_a_full_disk(self):
        leader = self.serve("leader", "--repl-backlog-size", "128mb")
        mine = Connection(leader.port)
        mine.ask("SET", "first", "v")
        # Its folder is a disk of 40 MB in a namespace of its own.
        home = self.folder / "follower"
        home.mkdir()
        starter = self.folder / "start"
        starter.write_text(f"#!/bin/sh\nexec unshare -m sh -c 'mount -t tmpfs -o size=40m none {home}/data && exec \"$0\" \"$@\"' "
                           f"{MAYFLY} \"$@\"\n")
        starter.chmod(0o755)
        (home / "data").mkdir()
        server = ServerProcess(starter, "--disk-reserve", "1mb", "--follow", f"127.0.0.1:{leader.port}", folder=home)
        server.start()
        self.addCleanup(server.kill)
        follower = Connection(server.port)
        self.await_step(mine, follower)
        chance = random.Random(SEED)
        for n in range(60):
            mine.all([("SET", b"large:%d" % n, chance.randbytes(1 << 20)), ("SET", b"small:%d" % n, n)])
        link = wait_until(lambda: (follower.info("replication")["follow_last_error"] or None), 60)
        self.assertTrue(link, follower.info("replication"))
        self.assertEqual(follower.ask("GET", "first"), b"v")  # Reads go on.
        mine.ask("SET", "last", "v")
        # There is room again: it goes on where it was.
        subprocess.run(["nsenter", "-t", str(server.process.pid), "-m", "mount", "-o", "remount,size=400m", f"{home}/data"],
                       check=True)
        self.await_step(mine, follower)
        self.check_same(mine, follower)
        self.assertEqual(mine.info("stats")["sync_full"], "1")

    def test_whole_databases_policies_and_messages(self):
        leader = self.serve("leader")
        mine = Connection(leader.port)
        redis = self.redis("redis", "--replicaof", "127.0.0.1", leader.port)
        mayfly = self.serve("mayfly", "--follow", f"127.0.0.1:{leader.port}")
        followers = [redis.connect(), Connection(mayfly.port)]
        for follower in followers:
            self.await_step(mine, follower)
        heard = [redis.connect(), Connection(mayfly.port)]
        for one in heard:
            one.ask("SUBSCRIBE", "news")
        mine.all([("SET", "a", 1), ("SELECT", 1), ("SET", "b", 2, "PX", 50), ("SWAPDB", 0, 1), ("SET", "c", 3), ("SELECT", 2),
                  ("SET", "d", 4), ("MOVE", "d", 0), ("SET", "e", 5), ("FLUSHDB",), ("SET", "f", 6), ("PUBLISH", "news", "n")])
        mine.all([("TTL.POLICY", "SET", "default-ttl", 100_000), ("SET", "g", 7), ("HSET", "h", "f", "v")])
        self.assertTrue(wait_until(lambda: mine.all([("SELECT", 0), ("EXISTS", "b")])[-1] == 0))
        for follower in followers:
            self.await_step(mine, follower)
            self.assertEqual(differences(contents(mine, 4), contents(follower, 4)), [])
        mine.ask("SELECT", 2)
        self.assertGreater(mine.ask("PEXPIRETIME", "g"), 0)
        for one in heard:
            self.assertEqual(one.read(), [b"message", b"news", b"n"])
        mine.ask("FLUSHALL")
        for follower in followers:
            self.await_step(mine, follower)
            self.assertEqual(contents(follower, 4), {})

    def test_wait_counts_who_has_it(self):
        leader = self.serve("leader")
        mine = Connection(leader.port)
        self.assertEqual(mine.ask("WAIT", 1, 10), 0)
        mayfly = self.serve("mayfly", "--follow", f"127.0.0.1:{leader.port}")
        redis = self.redis("redis", "--replicaof", "127.0.0.1", leader.port)
        followers = [Connection(mayfly.port), redis.connect()]
        for follower in followers:
            self.await_step(mine, follower)
        for n in range(20):
            mine.ask("SET", "k", n)
            self.assertEqual(mine.ask("WAIT", 2, 30_000), 2)
            for follower in followers:
                self.assertEqual(follower.ask("GET", "k"), b"%d" % n)
        os.kill(redis.process.pid, signal.SIGSTOP)
        mine.ask("SET", "k", "x")
        self.assertEqual(mine.ask("WAIT", 1, 30_000), 1)
        self.assertEqual(mine.ask("WAIT", 2, 50), 1)
        os.kill(redis.process.pid, signal.SIGCONT)
        self.assertEqual(mine.ask("WAIT", 2, 30_000), 2)
        self.assertEqual(mine.all([("MULTI",), ("SET", "k", "y"), ("WAIT", 2, 0), ("EXEC",)])[-1][0], b"+OK")
        self.assertEqual(mine.ask("WAITAOF", 1, 0, 1000), [1, 0])
        self.assertIn(b"not offered", mine.ask("WAITAOF", 0, 1, 1000))
        # Writes are refused without followers.
        mine.ask("CONFIG", "SET", "min-replicas-to-write", 3)
        self.assertIn(b"NOREPLICAS", mine.ask("SET", "k", "v"))
        self.assertIn(b"NOREPLICAS", mine.ask("EVAL", "return redis.call('SET', 'k', 'v')", 0))
        mine.ask("CONFIG", "SET", "min-replicas-to-write", 2)
        self.assertTrue(wait_until(lambda: mine.ask("SET", "k", "v") == b"+OK"))

    def test_a_follower_is_followed_and_takes_over(self):
        leader = self.serve("leader")
        mine = Connection(leader.port)
        fill(mine, random.Random(SEED), KEYS)
        middle = self.serve("middle", "--follow", f"127.0.0.1:{leader.port}")
        between = Connection(middle.port)
        self.await_step(mine, between)
        last = self.redis("last", "--replicaof", "127.0.0.1", middle.port).connect()
        self.assertTrue(wait_until(lambda: last.info("replication")["master_link_status"] == "up", WAIT_SECONDS))
        writers = self.writers(leader.port, 2)
        self.assertTrue(wait_until(lambda: sum(one.writes for one in writers) > 1500))
        self.stop(writers)
        self.await_step(mine, between)
        self.check_same(mine, between)
        wait_until(lambda: not differences(contents(mine, 4), contents(last, 4)), 20)
        self.assertEqual(differences(contents(mine, 4), contents(last, 4)), [])
        # Its followers stay with it.
        self.assertEqual(between.ask("REPLICAOF", "NO", "ONE"), b"+OK")
        self.assertEqual(between.all([("SELECT", 0), ("SET", "own", "write")])[-1], b"+OK")
        self.assertTrue(wait_until(lambda: last.ask("GET", "own") == b"write"))

    def test_permission_and_password(self):
        leader = self.serve("leader", "--requirepass", "secret")
        mine = Connection(leader.port)
        self.assertIn(b"NOAUTH", mine.ask("PSYNC", "?", -1))
        mine.ask("AUTH", "secret")
        mine.ask("ACL", "SETUSER", "copier", "on", ">pass", "+psync", "+replconf", "+ping")
        mine.ask("ACL", "SETUSER", "reader", "on", ">pass", "+@all", "-psync", "-sync", "~*")
        mine.ask("SET", "k", "v")
        reader = Connection(leader.port)
        reader.ask("AUTH", "reader", "pass")
        self.assertIn(b"NOPERM", reader.ask("PSYNC", "?", -1))
        mayfly = self.serve("mayfly", "--masteruser", "copier", "--masterauth", "pass", "--follow", f"127.0.0.1:{leader.port}")
        self.await_step(mine, Connection(mayfly.port))
        self.assertEqual(Connection(mayfly.port).ask("GET", "k"), b"v")


if __name__ == "__main__":
    unittest.main()
