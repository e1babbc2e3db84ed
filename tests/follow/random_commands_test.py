# Goal: whatever commands a leader runs, a follower ends with the same: values, deadlines, groups of consumers.
# Method: the seeded random commands that tests/redis/differential.py sends to two servers are sent to a leader, with
# transactions, moves between databases and short deadlines among them. A mayfly that follows a Redis is compared with
# a Redis that does; followers of a mayfly are compared with it. FOLLOW_SEED and FOLLOW_COMMANDS choose others.
import os
import pathlib
import random
import shutil
import sys
import tempfile
import unittest

from redis_home import Connection, RedisProcess, ServerProcess, streams_of, wait_until

import differential  # Found beside server_process, where redis_home has looked, as the next.
import differential_commands

MAYFLY = sys.argv.pop() if len(sys.argv) > 1 else "mayfly"
SEED = int(os.environ.get("FOLLOW_SEED", 1))
COMMANDS = int(os.environ.get("FOLLOW_COMMANDS", 4000))

LINES = [line for table in (differential_commands.COMMANDS, differential_commands.STREAM_COMMANDS,
                            differential_commands.STREAM_COMMANDS, differential_commands.PLACE_COMMANDS)
         for line in table.strip().splitlines() if not line.startswith("CONFIG")]
MORE = """MULTI
EXEC
DISCARD
SELECT 0
SELECT 1
SWAPDB 0 1
MOVE {k} 1
COPY {kk} DB 1 REPLACE
RENAME {kk}
SORT {k} ALPHA STORE {k}
SPOP {k} 2
BLPOP {k} 0.001
BLMOVE {kk} LEFT RIGHT 0.001
BZPOPMIN {k} 0.001
LMPOP 1 {k} LEFT COUNT 2
ZMPOP 1 {k} MIN
SET {kv} PX 20
PEXPIRE {k} 30
GETEX {k} PX 20
INCRBYFLOAT {k} 0.1
HINCRBYFLOAT {kn} 0.1
XAUTOCLAIM {KGU} 0 - COUNT 3
XADD {K} MAXLEN ~ 3 LIMIT 100 * a b""".splitlines()
# What Redis 7.0 has not.
OURS = """HEXPIRE {k} 100 FIELDS 1 a
HPEXPIRE {k} 20 FIELDS 1 a
HGETEX {k} PX 20 FIELDS 1 a
HSETEX {k} PX 5000 FIELDS 1 a v
HGETDEL {k} FIELDS 1 b
XMAXAGE {K} 50
XADD {K} MAXAGE 30 * a b
SET {kv} IFEQ a
DELEX {k} IFEQ a""".splitlines()


@unittest.skipIf(shutil.which("redis-server") is None, "there is no redis-server")
class RandomCommands(unittest.TestCase):
    def setUp(self):
        print(f"seed {SEED}")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def redis(self, name, *flags):
        redis = RedisProcess(self.folder / name, *flags).start()
        self.addCleanup(redis.stop)
        return redis

    def mayfly(self, name, *flags):
        (self.folder / name).mkdir()
        server = ServerProcess(MAYFLY, "--disk-reserve", "0", "--enable-debug-command", "yes", *flags, folder=self.folder / name)
        server.start()
        self.addCleanup(server.kill)
        return server

    def run_commands(self, leader, followers, more):
        """Sends them one by one, so that followers meet them in batches of any size."""
        for follower in followers:
            self.assertTrue(wait_until(lambda: follower.info("replication")["master_link_status"] == "up"))
        chance = random.Random(SEED)
        words = differential.Words(chance)
        for _ in range(COMMANDS):
            line = chance.choice(more if chance.random() < 0.12 else LINES)
            if command := words.command(line):
                leader.ask(*command)
        leader.all([("DISCARD",), ("SELECT", 0)])
        for follower in followers:
            self.assertTrue(wait_until(lambda: self.in_step(leader, follower)), follower.info("replication"))

    def in_step(self, leader, follower):
        link = follower.info("replication")
        return (link["master_link_status"] == "up" and
                int(link["slave_repl_offset"]) >= int(leader.info("replication")["master_repl_offset"]))

    def check_same(self, mine, theirs):
        self.assertGreater(sum(theirs.ask("SELECT", number) == b"+OK" and theirs.ask("DBSIZE") for number in range(2)), 5)
        self.assertTrue(wait_until(lambda: not self.differences(mine, theirs), 20), self.differences(mine, theirs))

    def differences(self, mine, theirs):
        found = []
        for number in range(3):
            both = (mine, theirs)
            keys = [one.ask("SELECT", number) and sorted(one.ask("KEYS", "*")) for one in both]
            if keys[0] != keys[1]:
                return [(number, set(keys[0]) ^ set(keys[1]))]
            told = [[(one.ask("DEBUG", "DIGEST-VALUE", key), one.ask("PEXPIRETIME", key), self.groups(one, key))
                     for key in keys[0]] for one in both]
            found += [(number, key, a, b) for key, a, b in zip(keys[0], *told) if a != b]
        return found

    def groups(self, one, key):
        """Of a stream: without the newest id that was deleted, since a follower deletes what has died of age."""
        streams = streams_of(one, [key], seen=False, times=False, positions=False)
        for whole, *_ in streams.values():
            for field in (b"max-age", b"max-deleted-entry-id"):
                whole.pop(field, None)
        return streams

    def test_a_redis_is_followed(self):
        leader = self.redis("leader", "--repl-diskless-sync-delay", 0)
        twin = self.redis("twin", "--replicaof", "127.0.0.1", leader.port).connect()
        mine = Connection(self.mayfly("mayfly", "--follow", f"127.0.0.1:{leader.port}").port)
        self.run_commands(leader.connect(), [mine, twin], MORE)
        self.check_same(mine, twin)
        link = mine.info("replication")
        self.assertEqual((link["follow_failed_commands"], link["follow_left_out"]), ("0", ""), link)

    def test_a_mayfly_is_followed_by_a_redis(self):
        server = self.mayfly("leader")
        leader = Connection(server.port)
        follower = self.redis("follower", "--replicaof", "127.0.0.1", server.port).connect()
        self.run_commands(leader, [follower], MORE)
        self.check_same(leader, follower)

    def test_a_mayfly_is_followed_by_a_mayfly(self):
        server = self.mayfly("leader")
        leader = Connection(server.port)
        follower = Connection(self.mayfly("follower", "--follow", f"127.0.0.1:{server.port}").port)
        self.run_commands(leader, [follower], MORE + OURS)
        self.check_same(leader, follower)
        self.assertEqual(follower.info("replication")["follow_failed_commands"], "0", follower.info("replication"))


if __name__ == "__main__":
    unittest.main()
