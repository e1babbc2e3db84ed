# Goal: commands on data reply as Redis does, whatever the arguments.
# Method: seeded random commands are sent to redis-server and to `mayfly serve`; replies are compared. What differs on
# purpose is listed below with its reason. Ends with 1, and the commands that led there, at the first other difference.
#   differential.py MAYFLY [--seed N] [--commands N] [--streams | --places] [--all]
import argparse
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from differential_commands import LINES, PLACE_LINES, STREAM_LINES
from differential_words import Words


class Server:
    """One of the two, with a connection to it."""

    def __init__(self, arguments, port, folder):
        self.process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
        deadline = time.monotonic() + 60
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
                break
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise SystemExit(f"{arguments[0]} does not listen")
                time.sleep(0.05)
        self.file = self.socket.makefile("rb")

    def send(self, arguments):
        parts = [b"*%d\r\n" % len(arguments)]
        parts += [b"$%d\r\n%s\r\n" % (len(argument), argument) for argument in arguments]
        self.socket.sendall(b"".join(parts))

    def read(self):
        line = self.file.readline()
        if not line:
            raise SystemExit("a server has closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self.read() for _ in range(int(rest))]
        return int(rest) if kind == b":" else kind + rest

    def close(self):
        self.socket.close()
        self.process.kill()
        self.process.wait()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


# What XINFO and XPENDING reply of time and of Redis' insides, and counts that mayfly knows where Redis 7.0 does not.
STREAM_UNTOLD = {b"idle", b"seen-time", b"radix-tree-keys", b"radix-tree-nodes", b"lag", b"entries-read"}


def untimed(reply):
    """A reply of XINFO without those."""
    if not isinstance(reply, list):
        return reply
    if reply and isinstance(reply[0], bytes) and reply[0] in (b"length", b"name"):
        return [None if i % 2 and reply[i - 1] in STREAM_UNTOLD else
                untimed_pending(one) if i % 2 and reply[i - 1] == b"pending" else untimed(one) for i, one in enumerate(reply)]
    return [untimed(one) for one in reply]


def untimed_pending(entries):
    """Pending entries without the third or second field, a time."""
    if not isinstance(entries, list):
        return entries
    return [[one for i, one in enumerate(entry) if i != len(entry) - 2] for entry in entries]

# Replies without an order.
UNORDERED = {b"KEYS", b"SMEMBERS", b"HKEYS", b"HVALS", b"SINTER", b"SUNION", b"SDIFF"}


def normal(command, reply):
    name = command[0].upper()
    if name in UNORDERED and isinstance(reply, list):
        return sorted(reply)
    if name in (b"HSCAN", b"ZSCAN") and isinstance(reply, list) and isinstance(reply[1], list):
        return sorted(zip(reply[1][::2], reply[1][1::2]))
    if name == b"SSCAN" and isinstance(reply, list) and isinstance(reply[1], list):
        return sorted(reply[1])
    if name == b"XINFO":
        return untimed(reply)
    if name == b"XPENDING" and len(command) > 3:
        return untimed_pending(reply)
    if name == b"HGETALL" and isinstance(reply, list):
        return sorted(zip(reply[::2], reply[1::2]))
    return reply


TEXT_ENCODINGS = {b"int", b"embstr", b"raw"}
SLOWER_MS = 200
SCORES_TOLD = {b"ZRANGE", b"ZREVRANGE", b"ZRANGEBYSCORE", b"ZREVRANGEBYSCORE", b"ZMSCORE", b"ZPOPMIN", b"ZPOPMAX",
               b"ZUNION", b"ZINTER", b"ZDIFF"}
LONG_MIN = b"-9223372036854775808"


def is_unordered_sort(command):
    by = command.index(b"BY") if b"BY" in command else None
    return command[0] == b"SORT" and by is not None and b"*" not in command[by + 1]


# Where mayfly replies otherwise on purpose, and why.
def on_purpose(command, redis, mayfly):
    # The encoding of a collection follows from its current value, not from its history.
    if command[:2] == [b"OBJECT", b"ENCODING"]:
        if redis == b"embstr" and mayfly == b"int":
            return True  # To Redis the result of INCRBYFLOAT is text, even if it is a whole number.
        return isinstance(mayfly, bytes) and redis not in TEXT_ENCODINGS and mayfly not in TEXT_ENCODINGS
    # Redis stores the sign of a zero only while a sorted set is in its large form.
    if command[0] in SCORES_TOLD and isinstance(redis, list) and isinstance(mayfly, list):
        return [b"0" if one == b"-0" else one for one in redis] == mayfly
    if command[0] in (b"ZSCORE", b"ZINCRBY") or (command[0] == b"ZADD" and b"INCR" in command):
        return redis == b"-0" and mayfly == b"0"
    # Values are not shared between keys.
    if command[:2] == [b"OBJECT", b"REFCOUNT"]:
        return isinstance(redis, int) and mayfly == 1
    # Redis counts the dead until it has removed them.
    if command[0] == b"DBSIZE":
        return mayfly < redis
    # As Redis 7.2: this number has no opposite.
    if command[0] == b"LPOS" and LONG_MIN in command:
        return mayfly == b"-ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807"
    # A length of time is counted from now, which is not the same instant for both.
    if command[0] in (b"EXPIRETIME", b"PEXPIRETIME") and isinstance(redis, int) and isinstance(mayfly, int):
        return min(redis, mayfly) > 0 and abs(redis - mayfly) <= SLOWER_MS
    # Arguments are checked before keys.
    if command[0] == b"BITCOUNT" and command[-1] == b"x":
        return mayfly == b"-ERR syntax error"
    # Redis shows a set that is not sorted as it lies in its hash table.
    if is_unordered_sort(command) and isinstance(redis, list) and isinstance(mayfly, list):
        return sorted(redis, key=repr) == sorted(mayfly, key=repr)
    return False


def play(redis, mayfly, lines, seed, commands, show_all):
    choose = random.Random(seed)
    words = Words(choose)
    history, differences = [], 0
    for server in (redis, mayfly):
        for setup in ([b"SELECT", b"0"], [b"FLUSHALL"]):
            server.send(setup)
            server.read()
    for number in range(commands):
        command = words.command(choose.choice(lines))
        if choose.random() < 0.003:
            command = [b"FLUSHALL"]
        history.append(command)
        redis.send(command)
        mayfly.send(command)
        expected, got = normal(command, redis.read()), normal(command, mayfly.read())
        if expected == got or on_purpose(command, expected, got):
            continue
        differences += 1
        print(f"seed {seed}, command {number}: {command}\n  redis  {expected}\n  mayfly {got}")
        if not show_all:
            for earlier in history[-30:]:
                print("   ", earlier)
            return differences
    return differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mayfly", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commands", type=int, default=3000)
    parser.add_argument("--streams", action="store_true", help="commands on streams")
    parser.add_argument("--places", action="store_true", help="commands on points and HyperLogLogs")
    parser.add_argument("--all", action="store_true", help="go on after a difference")
    options = parser.parse_args()
    if shutil.which("redis-server") is None:
        print("skipped: there is no redis-server")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        ports = free_port(), free_port()
        redis = Server(["redis-server", "--port", str(ports[0]), "--save", "", "--bind", "127.0.0.1"], ports[0], folder)
        try:
            mayfly = Server([options.mayfly.resolve(), "serve", "--port", str(ports[1]), "--http-port", "-1", "--bind",
                             "127.0.0.1", "--memory-profile", "tiny"], ports[1], folder)
            try:
                lines = STREAM_LINES if options.streams else PLACE_LINES if options.places else LINES
                return 1 if play(redis, mayfly, lines, options.seed, options.commands, options.all) else 0
            finally:
                mayfly.close()
        finally:
            redis.close()


if __name__ == "__main__":
    sys.exit(main())
