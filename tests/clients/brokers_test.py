# Goal: what Debian's Python web stacks put on Redis works unchanged: Celery with its broker and results,
# kombu's queues with priorities and acknowledgements, RQ's workers, Django's sessions and cache.
# Method: a `mayfly serve` of its own (argv: the binary), workers in this process or beside it, real time,
# waits with bounds.
import os
import pathlib
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
import celery
import celery.contrib.testing.worker
import django
import django.conf
import kombu
import redis
import rq
from server_process import ServerProcess

SERVER = ServerProcess(sys.argv.pop())


def eventually(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


def url(database=0):
    return f"redis://127.0.0.1:{SERVER.port}/{database}"


def square(number):
    return number * number


def failing():
    raise ValueError("as it must")


class OnMayfly(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if SERVER.process is None:
            SERVER.start()

    def setUp(self):
        self.client = redis.Redis(port=SERVER.port, decode_responses=True)
        self.client.flushall()
        self.addCleanup(self.client.close)


class Celery(OnMayfly):
    def setUp(self):
        super().setUp()
        app = celery.Celery("tasks", broker=url(), backend=url(1))
        app.conf.update(result_expires=60,
                        broker_transport_options={"visibility_timeout": 60})

        @app.task(name="add")
        def add(a, b):
            return a + b

        @app.task(name="flaky", bind=True, max_retries=3)
        def flaky(self):
            if self.request.retries < 2:
                raise self.retry(countdown=0)
            return self.request.retries

        @app.task(name="total")
        def total(numbers):
            return sum(numbers)

        self.app, self.add, self.flaky, self.total = app, add, flaky, total

    def test_tasks_chains_chords_and_retries(self):
        with celery.contrib.testing.worker.start_worker(self.app, perform_ping_check=False,
                                                        pool="solo",
                                                        shutdown_timeout=20):
            self.assertEqual(self.add.delay(2, 3).get(timeout=20), 5)
            chain = celery.chain(self.add.s(1, 2), self.add.s(10))
            self.assertEqual(chain.apply_async().get(timeout=20), 13)
            chord = celery.chord([self.add.s(i, i) for i in range(10)], self.total.s())
            self.assertEqual(chord.apply_async().get(timeout=20), 90)
            self.assertEqual(self.flaky.delay().get(timeout=20), 2)
            later = self.add.apply_async((4, 4), countdown=0.2)
            self.assertEqual(later.get(timeout=20), 8)
        results = redis.Redis(port=SERVER.port, db=1)
        keys = results.keys("celery-task-meta-*")
        self.assertTrue(keys)
        self.assertTrue(all(0 < results.ttl(key) <= 60 for key in keys))
        results.close()

    def test_what_a_worker_did_not_acknowledge_comes_again(self):
        with kombu.Connection(url(), transport_options={"visibility_timeout": 60}) as connection:
            queue = kombu.Queue("jobs", kombu.Exchange("jobs"), routing_key="jobs")
            with connection.Producer() as producer:
                for i in range(3):
                    producer.publish({"n": i}, exchange=queue.exchange, routing_key="jobs",
                                     declare=[queue])
            first = queue.bind(connection.channel())
            taken = first.get()
            self.assertEqual(taken.payload, {"n": 0})
            self.assertEqual(self.client.zcard("unacked_index"), 1)
            taken.requeue()
            seen = []
            for _ in range(3):
                message = first.get()
                seen.append(message.payload["n"])
                message.ack()
            self.assertEqual(sorted(seen), [0, 1, 2])
            self.assertIsNone(first.get())
            self.assertEqual(self.client.zcard("unacked_index"), 0)


class Rq(OnMayfly):
    def test_jobs_run_fail_and_are_kept_for_their_ttl(self):
        connection = redis.Redis(port=SERVER.port)
        queue = rq.Queue("default", connection=connection)
        jobs = [queue.enqueue("brokers_test.square", i, result_ttl=60) for i in range(5)]
        bad = queue.enqueue("brokers_test.failing", failure_ttl=60)
        last = queue.enqueue("brokers_test.square", 9, depends_on=jobs[0])
        os.environ["PYTHONPATH"] = str(pathlib.Path(__file__).resolve().parent)
        worker = rq.SimpleWorker([queue], connection=connection)
        worker.work(burst=True, logging_level="ERROR")
        self.assertEqual([job.result for job in jobs], [0, 1, 4, 9, 16])
        self.assertEqual(last.result, 81)
        self.assertEqual(bad.get_status(refresh=True), "failed")
        self.assertEqual(len(queue.failed_job_registry), 1)
        self.assertTrue(0 < connection.ttl(jobs[1].key) <= 60)
        connection.close()


class Django(OnMayfly):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cache = {"BACKEND": "django_redis.cache.RedisCache", "LOCATION": url(2),
                 "OPTIONS": {"CLIENT_CLASS": "django_redis.client.DefaultClient"}}
        django.conf.settings.configure(CACHES={"default": cache}, USE_TZ=True, SECRET_KEY="x",
                                       SESSION_ENGINE="django.contrib.sessions.backends.cache",
                                       INSTALLED_APPS=["django.contrib.sessions"])
        django.setup()

    def test_its_cache(self):
        from django.core.cache import cache
        cache.set_many({f"k{i}": {"n": i} for i in range(20)}, timeout=60)
        self.assertEqual(cache.get("k7"), {"n": 7})
        self.assertEqual(len(cache.get_many([f"k{i}" for i in range(25)])), 20)
        self.assertTrue(cache.add("once", 1, timeout=60))
        self.assertFalse(cache.add("once", 2, timeout=60))
        self.assertEqual(cache.incr("once"), 2)
        self.assertTrue(0 < cache.ttl("once") <= 60)
        cache.set("short", 1, timeout=1)
        self.assertTrue(cache.touch("short", 60))
        self.assertGreater(cache.ttl("short"), 1)
        self.assertEqual(len(cache.keys("k*")), 20)
        self.assertEqual(cache.delete_pattern("k*"), 20)
        done = []

        def hold():
            with cache.lock("lock", timeout=60, blocking_timeout=20):
                done.append(threading.get_ident())

        threads = [threading.Thread(target=hold) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(done), 4)

    def test_its_sessions(self):
        from django.contrib.sessions.backends.cache import SessionStore
        session = SessionStore()
        session["user"] = "alice"
        session.set_expiry(60)
        session.save()
        again = SessionStore(session.session_key)
        self.assertEqual(again["user"], "alice")
        again.flush()
        self.assertNotIn("user", SessionStore(session.session_key))


def tearDownModule():
    assert SERVER.stop() == 0


if __name__ == "__main__":
    # By its name, so that a worker finds the functions of the jobs.
    sys.modules["brokers_test"] = sys.modules["__main__"]
    unittest.main()
