"""A redis-server for one test, connections to it and to mayfly, and the comparison of what two servers hold."""
import functools
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from server_process import ServerProcess  # noqa: E402,F401

START_SECONDS = 30


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Connection:
    def __init__(self, port):
        self.file = None
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.socket.makefile("rb")

    @staticmethod
    def packed(*arguments):
        parts = [b"*%d\r\n" % len(arguments)]
        for argument in arguments:
            argument = argument if isinstance(argument, bytes) else str(argument).encode()
            parts.append(b"$%d\r\n%s\r\n" % (len(argument), argument))
        return b"".join(parts)

    def ask(self, *arguments):
        self.socket.sendall(self.packed(*arguments))
        return self.read()

    def all(self, requests, at_once=500):
        """The replies to many, sent together."""
        replies = []
        for begin in range(0, len(requests), at_once):
            some = requests[begin:begin + at_once]
            self.socket.sendall(b"".join(self.packed(*one) for one in some))
            replies += [self.read() for _ in some]
        return replies

    def read(self):
        line = self.file.readline()
        if not line:
            raise ConnectionError("the server has closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self.read() for _ in range(int(rest))]
        return int(rest) if kind == b":" else kind + rest

    def info(self, section):
        lines = self.ask("INFO", section).decode().splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def __del__(self):
        self.close()

    def close(self):
        if self.file is not None:
            self.file.close()
            self.socket.close()


@functools.cache
def version_of(program):
    """(7, 0) of a redis-server 7.0.15."""
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in re.search(r" v=(\d+)\.(\d+)", told).groups())


class RedisProcess:
    """redis-server, or another that is one, in a folder of its own."""

    def __init__(self, folder, *flags, program="redis-server"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.flags = flags
        self.program = program
        self.port = free_port()
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--save", "",
             *(("--enable-debug-command", "local") if version_of(self.program) >= (7, 0) else ()),
             *map(str, self.flags)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                one = self.connect()
                reply = one.ask("PING")
                one.close()
                if reply == b"+PONG" or reply.startswith(b"-NOAUTH"):
                    return self
            except OSError:
                pass
            if time.monotonic() > deadline or self.process.poll() is not None:
                self.kill()
                raise RuntimeError("redis-server does not listen")
            time.sleep(0.02)

    def connect(self):
        return Connection(self.port)

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    stop = kill


def wait_until(holds, seconds=60):
    """Asks every few milliseconds; `holds` returns something true in the end."""
    deadline = time.monotonic() + seconds
    while True:
        found = holds()
        if found or time.monotonic() > deadline:
            return found
        time.sleep(0.02)


def fill(redis, chance, keys, databases=(0, 3)):
    """Keys of all types, in small and in large encodings, some with a deadline far ahead."""
    requests = []
    for database in databases:
        requests.append(("SELECT", database))
        for n in range(keys):
            requests += write(chance, n, keys)
        for kind, size in ((b"small", 5), (b"large", 1500)):
            for begin in range(0, size, 500):
                some = range(begin, min(begin + 500, size))
                requests += [("RPUSH", b"list-" + kind, *(b"e%d" % i for i in some)),
                             ("SADD", b"ints-" + kind, *some),
                             ("SADD", b"set-" + kind, *(b"m%d" % i for i in some)),
                             ("ZADD", b"zset-" + kind, *sum(((i * 0.37, b"m%d" % i) for i in some), ())),
                             ("HSET", b"hash-" + kind, *sum(((b"f%d" % i, b"v%d" % i) for i in some), ())),
                             ("PFADD", b"counted-" + kind, *(b"e%d" % i for i in some)),
                             ("GEOADD", b"places-" + kind, *sum(((i % 170 - 80.5, i % 83 - 40.25, b"m%d" % i) for i in some), ()))]
        requests += [("SET", b"large", bytes(chance.randrange(256) for _ in range(20000))),
                     ("SET", b"packed", b"abc" * 5000),
                     ("PFADD", b"counted-dense", *range(5000)), ("PFMERGE", b"counted-all", b"counted-small", b"counted-dense"),
                     ("PFCOUNT", b"counted-all"),
                     ("RPUSH", b"list-of-large", b"x" * 20000, b"y", b"z" * 9000),
                     ("SET", b"\xff\x00", b"\x00")]
    for reply in redis.all(requests):
        assert not (isinstance(reply, bytes) and reply.startswith(b"-")), reply


def fill_streams(redis, consumers=True):
    """Streams of all shapes: empty, large, with other fields in each entry, with gaps, with groups; `consumers`: also
    with one that has read nothing, which Redis has since 6.2."""
    requests = [("XADD", "grouped", f"{i}-{i % 4}", "field", i, "text", "x" * (i % 90)) for i in range(10, 400)]
    requests += [("XADD", "mixed", f"{i // 3 + 1}-{i % 3 + 5}", f"f{i % 5}", b"\xff\x00" * (i % 5),
                  f"g{i}", -i * 100003 ** (i % 4)) for i in range(250)]
    requests += [("XADD", "long", "5-5", "a" * 5000, "b" * 70000, "", ""), ("XADD", "long", "18446744073709551615-1", "k", 1 << 62),
                 ("XADD", "emptied", "7-7", "a", "b"), ("XDEL", "emptied", "7-7"),
                 ("XGROUP", "CREATE", "made", "g", "$", "MKSTREAM"), ("XADD", "trimmed", "1-1", "a", "b"),
                 ("XADD", "trimmed", "MAXLEN", "=", 1, "2-1", "a", "b"), ("XSETID", "trimmed", "50-0")]
    requests += [("XGROUP", "CREATE", "grouped", "g1", 0), ("XGROUP", "CREATE", "grouped", "g2", "100-0")]
    requests += [("XGROUP", "CREATECONSUMER", "grouped", "g1", "idle")] if consumers else []
    requests += [("XREADGROUP", "GROUP", "g1", "alice", "COUNT", 150, "STREAMS", "grouped", ">"),
                 ("XREADGROUP", "GROUP", "g1", "bob", "COUNT", 20, "STREAMS", "grouped", ">"),
                 ("XREADGROUP", "GROUP", "g2", "carl", "COUNT", 5, "STREAMS", "grouped", ">"),
                 ("XCLAIM", "grouped", "g1", "bob", 0, "11-3", "12-0", "RETRYCOUNT", 7, "TIME", 1700000000123),
                 ("XACK", "grouped", "g1", "13-1", "14-2"), ("XDEL", "grouped", "15-3", "300-0"),
                 ("PEXPIREAT", "grouped", 4102444800123)]
    for begin in range(0, 30_000, 1000):  # Larger than a part.
        requests += [("XADD", "large", f"{i}-1", "number", i, "text", "some words that fill a megabyte or two")
                     for i in range(begin + 1, begin + 1001)]
    requests += [("XGROUP", "CREATE", "large", "g", 0),
                 ("XREADGROUP", "GROUP", "g", "c", "COUNT", 3000, "STREAMS", "large", ">")]
    for request, reply in zip(requests, redis.all(requests)):
        assert not (isinstance(reply, bytes) and reply.startswith(b"-")), (request[:4], reply)


def streams_of(connection, keys=None, seen=True, times=True, positions=True):
    """All of every stream, or of these, as it is told; `seen` and `times`: with the instants of consumers and of
    deliveries; `positions`: with the count of entries that a group has read."""
    found = {}
    for key in keys or sorted(connection.ask("KEYS", "*")):
        if connection.ask("TYPE", key) != b"+stream":
            continue
        told = connection.ask("XINFO", "STREAM", key, "FULL", "COUNT", 0)
        whole = dict(zip(told[::2], told[1::2]))
        for inner in (b"radix-tree-keys", b"radix-tree-nodes"):
            whole.pop(inner, None)
        groups = [dict(zip(group[::2], group[1::2])) for group in whole.pop(b"groups")]
        for group in groups:
            if not positions:
                group.pop(b"entries-read")
                group.pop(b"lag")
            consumers = [dict(zip(one[::2], one[1::2])) for one in group[b"consumers"]]
            group[b"consumers"] = sorted(consumers, key=lambda one: one[b"name"])
            for consumer in group[b"consumers"]:
                if not seen:
                    consumer.pop(b"seen-time")
                if not times:
                    consumer[b"pending"] = [(id, count) for id, _, count in consumer[b"pending"]]
            if not times:
                group[b"pending"] = [(id, owner, count) for id, owner, _, count in group[b"pending"]]
        found[key] = (whole, sorted(groups, key=lambda group: group[b"name"]), connection.ask("XRANGE", key, "-", "+"))
    return found


def write(chance, n, keys):
    """A few commands on one key of random type."""
    kind = chance.randrange(6)
    key = b"%s:%d" % ((b"string", b"hash", b"list", b"set", b"zset", b"stream")[kind], n % keys)
    value = chance.choice([b"v%d" % n, b"%d" % (n * 100003), b"", b"w" * chance.randrange(200)])
    requests = [(("SET", key, value), ("HSET", key, b"f%d" % (n % 7), value), ("RPUSH", key, value, b"t"),
                 ("SADD", key, value, b"%d" % n), ("ZADD", key, n * 0.5, value),
                 ("XADD", key, "MAXLEN", "~", 20, "*", b"f%d" % (n % 7), value))[kind]]
    if chance.random() < 0.4:
        requests.append(("PEXPIRE", key, 50_000_000 + chance.randrange(10_000_000)))
    elif chance.random() < 0.1:
        requests.append(("PERSIST", key))
    return requests


def contents(connection, databases=16):
    """All keys with their values and deadlines: {(database, key): (type, value, deadline)}."""
    found = {}
    for database in range(databases):
        connection.ask("SELECT", database)
        keys, cursor = set(), b"0"
        while True:
            cursor, page = connection.ask("SCAN", cursor, "COUNT", 1000)
            keys.update(page)
            if cursor == b"0":
                break
        keys = sorted(keys)
        types = connection.all([("TYPE", key) for key in keys])
        deadlines = connection.all([("PEXPIRETIME", key) for key in keys])
        read = {b"+string": lambda key: ("GET", key), b"+hash": lambda key: ("HGETALL", key),
                b"+list": lambda key: ("LRANGE", key, 0, -1), b"+set": lambda key: ("SMEMBERS", key),
                b"+zset": lambda key: ("ZRANGE", key, 0, -1, "WITHSCORES"),
                b"+stream": lambda key: ("XRANGE", key, "-", "+")}
        # A key may have died since SCAN named it.
        values = connection.all([read.get(kind, lambda key: ("EXISTS", key))(key)
                                 for key, kind in zip(keys, types)])
        for key, kind, value, deadline in zip(keys, types, values, deadlines):
            if kind == b"+none":
                continue
            if kind == b"+set":
                value = sorted(value)
            elif kind == b"+hash":
                value = sorted(zip(value[::2], value[1::2]))
            elif kind == b"+zset":
                value = [(name, float(score)) for name, score in zip(value[::2], value[1::2])]
            found[database, key] = (kind, value, deadline)
    connection.ask("SELECT", 0)
    return found


def differences(a, b):
    """At most ten, as text."""
    keys = sorted(key for key in a.keys() | b.keys() if a.get(key) != b.get(key))
    return [f"{key}: {str(a.get(key))[:200]} or {str(b.get(key))[:200]}" for key in keys[:10]]
