# Goal: whatever answers to PSYNC, a follower stays up, stays its operator's, and goes on serving its clients.
# Method: a leader of our own, which answers PSYNC with what it is told: lengths and numbers out of bounds, copies
# that are none, a stream that is none, and commands that no leader sends.
import pathlib
import random
import socket
import sys
import tempfile
import threading
import unittest

from redis_home import Connection, ServerProcess, wait_until

MAYFLY = sys.argv.pop() if len(sys.argv) > 1 else "mayfly"
SEED = 20261119
ID = b"a" * 40
EMPTY_COPY = b"REDIS0009\xfe\x00\xff" + bytes(8)  # Without a checksum.
BEGIN = b"+FULLRESYNC " + ID + b" 0\r\n"


def copied(body):
    return BEGIN + b"$%d\r\n" % len(body) + body


def packed(*commands):
    return b"".join(Connection.packed(*command) for command in commands)


class FalseLeader(threading.Thread):
    """Answers PSYNC with `says`, and everything else as a leader does."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.says = b""
        self.asked = 0

    def run(self):
        while True:
            try:
                threading.Thread(target=self.answer, args=(self.listener.accept()[0],), daemon=True).start()
            except OSError:
                return

    def answer(self, link):
        try:
            file = link.makefile("rb")
            while line := file.readline():
                words = []
                for _ in range(int(line[1:])):
                    words.append(file.read(int(file.readline()[1:]) + 2)[:-2].upper())
                if words[0] == b"PSYNC":
                    link.sendall(self.says)
                    self.asked += 1
                elif words[:2] != [b"REPLCONF", b"ACK"]:
                    link.sendall(b"+PONG\r\n" if words[0] == b"PING" else b"+OK\r\n")
        except (OSError, ValueError):
            pass  # The follower has left.
        finally:
            link.close()


class NoLeader(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.server = ServerProcess(MAYFLY, "--disk-reserve", "0", "--repl-timeout", "5", folder=pathlib.Path(folder.name))
        self.server.start()
        self.addCleanup(self.server.kill)
        self.mayfly = Connection(self.server.port)
        self.leader = FalseLeader()
        self.leader.start()
        self.addCleanup(self.leader.listener.close)

    def follow(self, says):
        self.leader.says = says
        asked = self.leader.asked
        self.assertEqual(self.mayfly.ask("REPLICAOF", "127.0.0.1", self.leader.port), b"+OK")
        self.assertTrue(wait_until(lambda: self.leader.asked > asked, 20), says[-80:])

    def leave(self, says):
        """The operator's word counts, and the server is whole."""
        self.assertEqual(self.mayfly.ask("REPLICAOF", "NO", "ONE"), b"+OK", says[-80:])
        self.assertEqual(self.mayfly.ask("INCR", "own") > 0, True)
        self.assertIsNone(self.server.process.poll(), says[-80:])

    def test_answers_that_are_none(self):
        eof = b"$EOF:" + b"z" * 40 + b"\r\n"
        for says in (b"garbage\r\n" * 9, b"+FULLRESYNC\r\n", b"+FULLRESYNC x y\r\n", b"A" * 300_000, b"+CONTINUE " + ID + b"\r\n",
                     b"+FULLRESYNC " + ID + b" -5\r\n" + copied(EMPTY_COPY), b"+FULLRESYNC " + ID + b" 99999999999999999999\r\n",
                     BEGIN + b"$99999999999999999999\r\n", BEGIN + b"$9223372036854775807\r\n" + EMPTY_COPY, BEGIN + b"$-5\r\n",
                     BEGIN + b"$abc\r\n", BEGIN + b"$0\r\n", BEGIN + b"\n" * 9999, BEGIN + b"$EOF:short\r\n" + EMPTY_COPY,
                     BEGIN + eof + EMPTY_COPY, BEGIN + eof + b"z" * 40, b"-LOADING\r\n"):
            self.follow(says)
            self.assertEqual(self.mayfly.ask("PING"), b"+PONG", says[:80])
            self.leave(says)

    def test_copies_and_streams_that_are_none(self):
        print(f"seed {SEED}")
        chance = random.Random(SEED)
        value = b"\x00\x01k" + b"\xc3\x05\x40\x64\x02abc" + b"\x0e\x01k\x01\x0b\x00\x00\x00\x00"
        for _ in range(40):
            body = bytearray(EMPTY_COPY[:11] + value + EMPTY_COPY[11:])
            for _ in range(chance.randrange(1, 4)):
                body[chance.randrange(len(body))] = chance.choice((0, 1, 0x0f, 0x40, 0x7f, 0x80, 0x81, 0xc3, 0xfc, 0xff))
            self.follow(copied(bytes(body)))
            self.leave(bytes(body))
        for stream in (b"POST / HTTP/1.1\r\nHost: x\r\n\r\nSET a 1\r\n", b"GET / HTTP/1.1\r\n\r\n", b"*99999999\r\n", b"*2\r\n$9000000000000\r\n", b"*-5\r\n", b"*1\r\n$-1\r\n",
                       packed(("SELECT", 999), ("SET", "a", 1)), packed(("SELECT", -1)), packed(*[("MULTI",)] * 5, ("SET", "a", 1)),
                       packed(*[("EXEC",)] * 5), packed(("MULTI",), ("SET", "a", 1), ("DISCARD",))):
            self.follow(copied(EMPTY_COPY) + stream)
            self.leave(stream)

    def test_a_leader_sends_changes_and_nothing_else(self):
        for command in (("SHUTDOWN", "NOSAVE"), ("REPLICAOF", "NO", "ONE"), ("CONFIG", "SET", "appendfsync", "no"), ("SAVE",),
                        ("CLIENT", "PAUSE", 100_000, "ALL"), ("ACL", "SETUSER", "eve", "on", "nopass", "+@all"),
                        ("DEBUG", "SLEEP", 100), ("QUIT",), ("RESET",), ("HELLO", 3), ("AUTH", "x"), ("SUBSCRIBE", "x"), ("MONITOR",), ("PSYNC", "?", -1), ("CLIENT", "KILL", "SKIPME", "no")):
            self.follow(copied(EMPTY_COPY) + packed(command, ("SET", "behind", command[0])))
            self.assertTrue(wait_until(lambda: self.mayfly.ask("GET", "behind") == command[0].encode(), 20), command)
            link = self.mayfly.info("replication")
            self.assertRegex(link["follow_last_failure"], command[0] + ".*not one that a leader sends")
            self.assertEqual(link["role"], "slave")
            self.leave(command)
        self.assertEqual(self.mayfly.ask("ACL", "USERS"), [b"default"])
        self.assertEqual(self.mayfly.ask("CONFIG", "GET", "appendfsync")[1], b"everysec")

    def test_a_leader_does_not_wait(self):
        for command in (("BLPOP", "nothing", 0), ("XREAD", "BLOCK", 0, "STREAMS", "nothing", "$"), ("WAIT", 5, 0),
                        ("BZPOPMIN", "nothing", 0), ("BLMOVE", "nothing", "other", "LEFT", "LEFT", 0)):
            self.follow(copied(EMPTY_COPY) + packed(command, ("SET", "behind", command[0])))
            self.assertTrue(wait_until(lambda: self.mayfly.ask("GET", "behind") == command[0].encode(), 20), command)
            self.leave(command)


if __name__ == "__main__":
    unittest.main()
