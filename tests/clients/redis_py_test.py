# Goal: programs written for redis-py run unchanged: sessions, its Lock, rate limits, cache, pipelines,
# pub/sub. Method: a `mayfly serve` of its own (argv: the binary), real time, waits with bounds.
import pathlib
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
import redis
from server_process import ServerProcess

SERVER = ServerProcess(sys.argv.pop())


def eventually(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


class RedisPy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        SERVER.start()

    @classmethod
    def tearDownClass(cls):
        assert SERVER.stop() == 0

    def setUp(self):
        self.client = redis.Redis(port=SERVER.port, decode_responses=True)
        self.client.flushall()
        self.addCleanup(self.client.close)

    def test_a_session_slides_and_dies(self):
        self.client.hset("session", mapping={"user": "alice", "n": 1})
        self.client.pexpire("session", 60_000)
        self.assertEqual(self.client.hgetall("session"), {"user": "alice", "n": "1"})
        self.client.pexpire("session", 150)
        eventually(lambda: not self.client.exists("session"))
        self.assertEqual(self.client.hgetall("session"), {})

    def test_its_lock_admits_one_and_dies_with_its_ttl(self):
        first = self.client.lock("lock", timeout=0.3)
        second = self.client.lock("lock", timeout=60, blocking_timeout=10)
        self.assertTrue(first.acquire(blocking=False))
        self.assertFalse(second.acquire(blocking=False))
        first.extend(0.2)
        self.assertTrue(second.acquire())  # Once the first has died.
        with self.assertRaises(redis.exceptions.LockError):
            first.release()
        second.release()

    def test_a_rate_limit_counts_in_one_script(self):
        limit = self.client.register_script("""
            local n = redis.call('INCR', KEYS[1])
            if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
            return n""")
        self.assertEqual([limit(keys=["ip"], args=[60_000]) for _ in range(3)], [1, 2, 3])
        self.client.script_flush()
        self.assertEqual(limit(keys=["ip"], args=[60_000]), 4)

    def test_time_stands_still_in_a_script(self):
        first, second = self.client.eval("""
            local first = redis.call('TIME')
            for _ = 1, 5000000 do end
            return {first, redis.call('TIME')}""", 0)
        self.assertEqual(first, second)

    def test_a_pipeline_is_a_transaction(self):
        with self.client.pipeline() as pipeline:
            pipeline.set("a", 1, ex=100).incr("a").ttl("a")
            self.assertEqual(pipeline.execute(), [True, 2, 100])
        with self.client.pipeline() as pipeline:
            pipeline.watch("a")
            self.client.set("a", 5)
            pipeline.multi()
            pipeline.set("a", 6)
            with self.assertRaises(redis.WatchError):
                pipeline.execute()

    def test_no_update_is_lost_between_threads(self):
        def add():
            client = redis.Redis(port=SERVER.port)
            for _ in range(200):
                client.incr("n")
            client.close()
        threads = [threading.Thread(target=add) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.client.get("n"), "1600")

    def test_expired_events_come_promptly(self):
        self.client.config_set("notify-keyspace-events", "Ex")
        listener = self.client.pubsub(ignore_subscribe_messages=True)
        listener.psubscribe("__keyevent@0__:expired")
        eventually(lambda: self.client.pubsub_numpat() == 1)
        listener.get_message(timeout=1)
        self.client.psetex("brief", 100, "x")
        deadline = self.client.execute_command("PEXPIRETIME", "brief") / 1000
        message = None
        end = time.monotonic() + 10
        while message is None and time.monotonic() < end:
            message = listener.get_message(timeout=1)
        self.assertEqual(message["data"], "brief")
        self.assertGreaterEqual(time.time(), deadline)
        listener.close()
        self.client.config_set("notify-keyspace-events", "")

    def test_errors_are_redis_errors(self):
        self.client.set("s", "x")
        with self.assertRaisesRegex(redis.ResponseError, "WRONGTYPE"):
            self.client.lpush("s", "a")
        with self.assertRaisesRegex(redis.ResponseError, "unknown command"):
            self.client.execute_command("NOSUCH")


if __name__ == "__main__":
    unittest.main(verbosity=1)
