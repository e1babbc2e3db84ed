# Goal: DEBUG DIGEST and DIGEST-VALUE are what redis-server computes of the same data, for every type, so that the two
# can be compared in one line. Method: the same writes to both; a change of each kind is seen.
import pathlib
import random
import shutil
import sys
import tempfile
import unittest

from redis_home import Connection, RedisProcess, ServerProcess, fill, fill_streams

MAYFLY = sys.argv.pop() if len(sys.argv) > 1 else "mayfly"
SEED = 1
ZEROS = b"+" + b"0" * 40

# A change of each value, which its digest must show.
CHANGES = [
    [("SET", "text", "a"), ("APPEND", "text", "b")],
    [("SET", "number", 12), ("INCR", "number")],
    [("SET", "long", b"x" * 300_000), ("SETRANGE", "long", 299_999, "y")],
    [("SETBIT", "bits", 100_000, 1), ("SETBIT", "bits", 7, 1)],
    [("RPUSH", "list", "a", "b", "1", "-5", ""), ("LMOVE", "list", "list", "LEFT", "RIGHT")],
    [("SADD", "ints", 1, 2, 3), ("SADD", "ints", "x")],
    [("SADD", "set", "a", "b", b"\xff\x00"), ("SREM", "set", "a")],
    [("ZADD", "scores", "1.5", "a", "0.1", "b", "3", "c", "1e300", "d", "-0.0", "e", "17", "7"),
     ("ZINCRBY", "scores", "1e-9", "b")],
    [("ZADD", "ends", "inf", "a", "-inf", "b"), ("ZADD", "ends", "0", "a")],
    [("HSET", "hash", "a", "1", "b", "", "", "c"), ("HSET", "hash", "a", "2")],
    [("XADD", "stream", "1-1", "a", "b", "c", "d"), ("XADD", "stream", "18446744073709551615-7", "a", "b")],
    [("XADD", "other", "1-1", "a", "b"), ("XADD", "other", "1-2", "", b"\x00"), ("XDEL", "other", "1-1")],
    [("PFADD", "counted", "a", "b"), ("PFADD", "counted", "c")],
    [("GEOADD", "places", "13.361389", "38.115556", "Palermo"),
     ("GEOADD", "places", "15.087269", "37.502669", "Catania")],
    [("SET", "mortal", "v"), ("PEXPIREAT", "mortal", 4102444800000)],
]


@unittest.skipIf(shutil.which("redis-server") is None, "there is no redis-server")
class Digests(unittest.TestCase):
    def setUp(self):
        print(f"seed {SEED}")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        home = pathlib.Path(folder.name)
        redis = RedisProcess(home / "redis").start()
        self.addCleanup(redis.stop)
        (home / "mayfly").mkdir()
        server = ServerProcess(MAYFLY, "--disk-reserve", "0", "--enable-debug-command", "yes", folder=home / "mayfly")
        server.start()
        self.addCleanup(server.stop)
        self.both = redis.connect(), Connection(server.port)

    def ask(self, *request):
        """The reply of both, which is the same."""
        theirs, mine = (one.ask(*request) for one in self.both)
        self.assertEqual(mine, theirs, request)
        return mine

    def test_values_of_every_type(self):
        self.assertEqual(self.ask("DEBUG", "DIGEST"), ZEROS)
        self.assertEqual(self.ask("DEBUG", "DIGEST-VALUE", "missing", "text"), [ZEROS, ZEROS])
        for changes in CHANGES:
            key, seen = changes[0][1], [(ZEROS, self.ask("DEBUG", "DIGEST"))]
            for change in changes:
                self.ask(*change)
                seen.append((*self.ask("DEBUG", "DIGEST-VALUE", key), self.ask("DEBUG", "DIGEST")))
            self.assertEqual(len(set(seen)), len(seen), key)
        keys = [changes[0][1] for changes in CHANGES]
        self.assertEqual(len(set(self.ask("DEBUG", "DIGEST-VALUE", *keys))), len(keys))
        self.assertEqual(self.ask("DEBUG", "DIGEST-VALUE"), [])

    def test_the_order_of_writes_does_not_matter_but_in_lists(self):
        for one, words in zip(self.both, (range(300), reversed(range(300)))):
            for n in words:
                one.all([("SET", f"k{n}", n), ("SADD", "set", n), ("ZADD", "scores", n * 0.1, f"m{n}"),
                         ("HSET", "hash", f"f{n}", n)])
        before = self.ask("DEBUG", "DIGEST")
        for one, words in zip(self.both, (("a", "b"), ("b", "a"))):
            one.ask("RPUSH", "list", *words)
        theirs, mine = (one.ask("DEBUG", "DIGEST") for one in self.both)
        self.assertNotEqual(theirs, mine)
        self.ask("DEL", "list")
        self.assertEqual(self.ask("DEBUG", "DIGEST"), before)

    def test_databases_count(self):
        seen = []
        for database in (1, 15):
            self.ask("SELECT", database)
            self.ask("SET", "k", "v")
            seen.append(self.ask("DEBUG", "DIGEST"))
            self.ask("DEL", "k")
            self.assertEqual(self.ask("DEBUG", "DIGEST"), ZEROS)
        self.assertNotEqual(*seen)
        # A dead key is no part of it; Redis has to meet it first.
        self.ask("SET", "k", "v", "PXAT", 1)
        self.ask("GET", "k")
        self.assertEqual(self.ask("DEBUG", "DIGEST"), ZEROS)

    def test_everything_large_and_small(self):
        for one in self.both:
            fill(one, random.Random(SEED), 1000)
            one.ask("SELECT", 5)
            fill_streams(one)
            one.ask("SELECT", 0)
        for database in (0, 3, 5):
            self.ask("SELECT", database)
            keys = [sorted(one.ask("KEYS", "*")) for one in self.both]
            self.assertEqual(*keys)
            # Ids that the servers gave out themselves are not the same.
            keys = [key for key in keys[0] if not key.startswith(b"stream:")]
            self.assertGreater(len(keys), 5)
            for begin in range(0, len(keys), 100):
                self.ask("DEBUG", "DIGEST-VALUE", *keys[begin:begin + 100])
        for one in self.both:
            for database in (0, 3):
                one.ask("SELECT", database)
                one.ask("DEL", *(key for key in one.ask("KEYS", "*") if key.startswith(b"stream:")))
        self.ask("DEBUG", "DIGEST")

    def test_deadlines_of_fields_are_seen(self):
        """As in Redis 7.4; 7.0 has none to compare with."""
        mine = self.both[1]
        mine.ask("HSET", "hash", "a", "1", "b", "2")
        before = mine.ask("DEBUG", "DIGEST-VALUE", "hash")
        mine.ask("HPEXPIREAT", "hash", 4102444800000, "FIELDS", 1, "a")
        self.assertNotEqual(mine.ask("DEBUG", "DIGEST-VALUE", "hash"), before)
        mine.ask("HPERSIST", "hash", "FIELDS", 1, "a")
        self.assertEqual(mine.ask("DEBUG", "DIGEST-VALUE", "hash"), before)

    def test_not_within_a_transaction(self):
        mine = self.both[1]
        replies = mine.all([("MULTI",), ("DEBUG", "DIGEST"), ("DEBUG", "DIGEST-VALUE", "k"), ("EXEC",)])
        self.assertEqual(replies[-1], [b"-ERR DEBUG DIGEST is not offered within a transaction",
                                       b"-ERR DEBUG DIGEST-VALUE is not offered within a transaction"])


if __name__ == "__main__":
    unittest.main()
