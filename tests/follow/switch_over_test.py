# Goal: the documented hand-over loses no write that was acknowledged and changes no order, while writers go on, from a
# Redis and from a mayfly; and what was received is applied before REPLICAOF NO ONE answers.
# Method: two writers append numbered marks and note each reply; writes are paused, the offsets meet, following ends, and
# the writers go on at the new server with what was not acknowledged. Then a follower that is stopped while bytes come.
import os
import pathlib
import shutil
import signal
import socket
import sys
import tempfile
import threading
import unittest

from redis_home import Connection, RedisProcess, ServerProcess, wait_until

MAYFLY = sys.argv.pop() if len(sys.argv) > 1 else "mayfly"


class Writer(threading.Thread):
    """Appends 0, 1, 2, ... to a list of its own, each in a transaction with a counter, and waits for every reply."""

    def __init__(self, number, port):
        super().__init__(daemon=True)
        self.marks, self.counter = f"marks:{number}", f"counter:{number}"
        self.acknowledged = 0
        self.refused = []
        self.going = True
        self.one = Connection(port)

    def run(self):
        while self.going:
            one = self.one
            try:
                replies = one.all([("MULTI",), ("RPUSH", self.marks, self.acknowledged), ("INCR", self.counter), ("EXEC",)])
            except (OSError, ValueError):  # Its connection was taken from it: the next is there.
                wait_until(lambda: self.one is not one or not self.going)
                continue
            if isinstance(replies[-1], list):
                self.acknowledged += 1
            else:
                self.refused.append(replies)
                return

    def move(self, port):
        old, self.one = self.one, Connection(port)
        old.socket.shutdown(socket.SHUT_RDWR)

    def stop(self):
        self.going = False
        self.join()


class SwitchOver(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def redis(self):
        if shutil.which("redis-server") is None:
            self.skipTest("there is no redis-server")
        redis = RedisProcess(self.folder / "redis", "--repl-diskless-sync-delay", 0).start()
        self.addCleanup(redis.stop)
        return redis

    def serve(self, name, *flags):
        (self.folder / name).mkdir()
        server = ServerProcess(MAYFLY, "--disk-reserve", "0", *flags, folder=self.folder / name)
        server.start()
        self.addCleanup(server.kill)
        return server

    def follower_of(self, leader):
        server = self.serve("follower", "--follow", f"127.0.0.1:{leader.port}")
        follower = Connection(server.port)
        self.assertTrue(wait_until(lambda: follower.info("replication")["master_link_status"] == "up"))
        return server, follower

    def hand_over(self, leader):
        server, follower = self.follower_of(leader)
        writers = [Writer(number, leader.port) for number in range(2)]
        for writer in writers:
            self.addCleanup(writer.stop)
            writer.start()
        self.assertTrue(wait_until(lambda: all(writer.acknowledged > 300 for writer in writers)))
        operator = Connection(leader.port)
        self.assertEqual(operator.ask("CLIENT", "PAUSE", 60000, "WRITE"), b"+OK")

        def equal():
            theirs = operator.info("replication")["master_repl_offset"]
            return follower.info("replication")["slave_repl_offset"] == theirs

        self.assertTrue(wait_until(equal), follower.info("replication"))
        before = [writer.acknowledged for writer in writers]
        self.assertEqual(follower.ask("REPLICAOF", "NO", "ONE"), b"+OK")
        for writer in writers:
            writer.move(server.port)
        self.assertTrue(wait_until(lambda: all(writer.acknowledged > count + 300 for writer, count in zip(writers, before))),
                        [writer.refused for writer in writers])
        for writer in writers:
            writer.stop()
            self.assertEqual(writer.refused, [])
            # One each: a mark that was not acknowledged before the hand-over was not written before it.
            marks = [str(n).encode() for n in range(writer.acknowledged)]
            self.assertEqual(follower.ask("LRANGE", writer.marks, 0, -1), marks)
            self.assertEqual(follower.ask("GET", writer.counter), str(len(marks)).encode())
        # The old leader has what was acknowledged before the pause, and nothing of later.
        for writer, count in zip(writers, before):
            self.assertEqual(operator.ask("LLEN", writer.marks), count)

    def test_from_a_redis(self):
        self.hand_over(self.redis())

    def test_from_a_mayfly(self):
        self.hand_over(self.serve("leader"))

    def test_what_was_received_is_applied_first(self):
        redis = self.redis()
        server, follower = self.follower_of(redis)
        leader = redis.connect()
        leader.ask("RPUSH", "marks", "first")
        self.assertTrue(wait_until(lambda: follower.ask("LLEN", "marks") == 1))
        os.kill(server.process.pid, signal.SIGSTOP)
        leader.all([("RPUSH", "marks", n) for n in range(1000)])
        leader.ask("PING")  # What was written before it has been sent.
        follower.socket.sendall(Connection.packed("REPLICAOF", "NO", "ONE"))
        os.kill(server.process.pid, signal.SIGCONT)
        self.assertEqual(follower.read(), b"+OK")
        self.assertEqual(follower.ask("LRANGE", "marks", 0, -1), leader.ask("LRANGE", "marks", 0, -1))
        self.assertEqual(follower.ask("LLEN", "marks"), 1001)
        # It follows no more.
        leader.ask("RPUSH", "marks", "late")
        self.assertEqual(follower.ask("RPUSH", "marks", "own"), 1002)
        self.assertEqual(follower.ask("LINDEX", "marks", -1), b"own")


if __name__ == "__main__":
    unittest.main()
