"""Writes to a server while it is followed."""
import random
import threading
import time

from redis_home import Connection, write

LIBRARY = """#!lua name=marks
redis.register_function('mark', function(keys, args)
  redis.call('PEXPIRE', keys[1], 60000000)
  return redis.call('HSET', keys[1], args[1], redis.call('INCR', keys[2]))
end)"""


class Load(threading.Thread):
    """Writes of all types, among them transactions, deletes and short deadlines, until it is told to stop."""

    def __init__(self, port, seed, keys):
        super().__init__(daemon=True)
        self.port = port
        self.keys = keys
        self.chance = random.Random(seed)
        self.writes = 0
        self.going = True

    def run(self):
        try:
            self.write_on()
        except (ConnectionError, OSError):
            pass  # The server was killed.

    def write_on(self):
        one = Connection(self.port)
        one.ask("FUNCTION", "LOAD", "REPLACE", LIBRARY)
        while self.going:
            requests = [("SELECT", self.chance.choice((0, 0, 3)))]
            for _ in range(20):
                requests += self.some()
            one.all(requests)
            self.writes += len(requests)
            time.sleep(0.002)

    def some(self):
        chance, n = self.chance, self.chance.randrange(self.keys)
        kind = chance.random()
        if kind < 0.6:
            return write(chance, n, self.keys)
        if kind < 0.7:
            return [("DEL", b"string:%d" % n), ("UNLINK", b"hash:%d" % n)]
        if kind < 0.8:
            return [("MULTI",), ("INCR", b"counter"), ("RPUSH", b"log", b"%d" % n), ("LTRIM", b"log", -100, -1), ("EXEC",)]
        if kind < 0.9:  # These die while the test runs; some are prolonged just before.
            key = b"short:%d" % (n % 50)
            return [("SET", key, b"x", "PX", chance.randrange(1, 60)), ("PEXPIRE", b"short:%d" % chance.randrange(50), 40)]
        if kind < 0.91:
            return [("FCALL", "mark", 2, b"marked:%d" % (n % 50), b"marks", b"f%d" % n)]
        if kind < 0.95:
            return [("EVAL", "redis.call('SET', KEYS[1], ARGV[1]); return redis.call('INCRBY', KEYS[2], 2)", 2,
                     b"script:%d" % n, b"sum", b"%d" % n)]
        if kind < 0.97:
            place = b"place:%d" % n
            return [("PFADD", b"counted:%d" % (n % 5), b"%d" % chance.randrange(5000)), ("PFCOUNT", b"counted:%d" % (n % 5)),
                    ("GEOADD", b"places", chance.uniform(-180, 180), chance.uniform(-85, 85), place),
                    ("GEOSEARCHSTORE", b"near", b"places", "FROMMEMBER", place, "BYRADIUS", 2000, "km")]
        if kind < 0.98:
            return [("XGROUP", "CREATE", b"events", b"group", 0, "MKSTREAM"),  # Refused, but the first time.
                    ("XADD", b"events", "MAXLEN", "~", 1000, "*", b"n", b"%d" % n),
                    ("XADD", b"bounded", "MAXLEN", "~", 200, "LIMIT", 300, "*", b"n", b"%d" % n),
                    ("XREADGROUP", "GROUP", b"group", b"reader:%d" % (n % 3), "COUNT", 2, "STREAMS", b"events", ">"),
                    ("XAUTOCLAIM", b"events", b"group", b"claimer", 20, 0, "COUNT", 2), ("XTRIM", b"stream:%d" % n, "MAXLEN", 3)]
        return [("ZADD", b"scores", chance.random(), b"m%d" % n), ("SPOP", b"set:%d" % n), ("LPOP", b"list:%d" % n)]

    def stop(self):
        self.going = False
        self.join()
