"""memoize(): who waits for whom, what forget() does to a result under way, and calls that would
wait for themselves. Each thread that waits says so by way of a hook; nothing sleeps."""

import asyncio
import contextlib
import threading

import pytest

import mayfly.memo
from mayfly import memoize


class Threads:
    """Runs calls in threads, and collects their results or exceptions."""

    def __init__(self, monkeypatch):
        self.results, self.threads, self.waiting = [], [], threading.Semaphore(0)
        original = mayfly.memo.waiting_for

        @contextlib.contextmanager
        def hooked(flight, what):
            with original(flight, what):
                self.waiting.release()
                yield

        monkeypatch.setattr(mayfly.memo, "waiting_for", hooked)

    def start(self, call):
        """Returns once the thread computes, or waits for one that does."""
        def run():
            try:
                self.results.append(call())
            except BaseException as error:
                self.results.append(type(error))

        thread = threading.Thread(target=run)
        self.threads.append(thread)
        thread.start()
        self.waiting.acquire()

    def join(self):
        for thread in self.threads:
            thread.join()
        return self.results


@pytest.fixture
def threads(monkeypatch):
    return Threads(monkeypatch)


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_an_exception_is_shared_and_an_interrupt_is_not(db, threads, error):
    go_on, calls = threading.Event(), []

    @memoize(db)
    def slow():
        calls.append(1)
        go_on.wait()
        if len(calls) == 1:
            raise error
        return "done"

    for _ in range(6):
        threads.start(slow)
    go_on.set()
    results = threads.join()
    if error is OSError:
        assert (results, len(calls)) == ([OSError] * 6, 1)
    else:
        assert sorted(map(str, results)) == sorted([str(error)] + ["done"] * 5) and len(calls) == 2


@pytest.mark.parametrize("everything", [False, True])
def test_a_result_that_was_forgotten_meanwhile_is_not_stored(db, threads, everything):
    inside, go_on, source = threading.Event(), threading.Event(), ["old"]

    @memoize(db)
    def read():
        value = source[0]
        if value == "old":
            inside.set()
            go_on.wait()
        return value

    threads.start(read)
    inside.wait()
    source[0] = "new"
    assert read.forget_all() == 0 if everything else read.forget() is True
    assert read() == "new"  # Does not wait for the old one.
    go_on.set()
    assert threads.join() == ["old"]
    assert read() == "new"
    assert read.forget() and not read.forget()


def test_a_call_that_needs_itself_is_recursion(db):
    @memoize(db)
    def itself(x):
        return itself(x)

    @memoize(db)
    def around(x):
        return around((x + 1) % 3)

    @memoize(db)
    def factorial(n):
        return n * factorial(n - 1) if n else 1

    with pytest.raises(RecursionError):
        itself(1)
    with pytest.raises(RecursionError):
        around(0)
    assert factorial(5) == 120


def test_threads_that_would_wait_for_each_other_are_recursion(db, threads):
    both = threading.Barrier(2)

    @memoize(db)
    def other(x, depth):
        both.wait()
        return other(1 - x, depth)

    threads.start(lambda: other(0, 1))
    threads.start(lambda: other(1, 1))
    assert threads.join() == [RecursionError] * 2


def test_a_coroutine_that_needs_itself_is_recursion(db):
    @memoize(db)
    async def itself(x):
        return await itself(x)

    @memoize(db)
    async def gathered(x):
        return await asyncio.gather(gathered(x + 1 if x < 2 else 0))

    async def main():
        for call in (itself, gathered):
            with pytest.raises(RecursionError):
                await call(0)

    asyncio.run(main())


def test_loops_of_several_threads_compute_once(db, threads):
    go_on, calls = threading.Event(), []

    @memoize(db)
    async def slow(x):
        calls.append(x)
        await asyncio.to_thread(go_on.wait)
        return x + 1

    for _ in range(4):
        threads.start(lambda: asyncio.run(slow(1)))
    go_on.set()
    assert (threads.join(), calls) == ([2] * 4, [1])


def test_a_loop_that_ends_leaves_the_work_to_the_others(db, threads):
    calls = []

    @memoize(db)
    async def slow():
        calls.append(1)
        if len(calls) > 1:
            return "done"
        await asyncio.Event().wait()

    started, stop = threading.Event(), threading.Event()

    async def begin_and_end():
        task = asyncio.ensure_future(slow())
        while not calls:
            await asyncio.sleep(0)
        started.set()
        await asyncio.to_thread(stop.wait)
        task.cancel()
        return "ended"

    threads.start(lambda: asyncio.run(begin_and_end()))
    started.wait()
    threads.start(lambda: asyncio.run(slow()))
    stop.set()
    assert sorted(threads.join()) == ["done", "ended"] and calls == [1, 1]


def test_a_task_cancelled_before_its_first_step_leaves_the_work_to_the_next(db, monkeypatch):
    calls, started = [], []

    @memoize(db)
    async def work():
        calls.append(1)
        return "done"

    original = mayfly.memo._AsyncMemo._start

    def start(self, key, flight, *given):
        original(self, key, flight, *given)
        started.append(1)
        if len(started) == 1:
            flight.task.cancel()

    monkeypatch.setattr(mayfly.memo._AsyncMemo, "_start", start)
    assert asyncio.run(work()) == "done" and (len(started), len(calls)) == (2, 1)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_loop_that_was_closed_in_the_middle_leaves_the_work_to_the_next(db):
    calls = []

    @memoize(db)
    async def slow():
        calls.append(1)
        if len(calls) > 1:
            return "done"
        await asyncio.Event().wait()

    async def until_called():
        while not calls:
            await asyncio.sleep(0)

    loop = asyncio.new_event_loop()
    task = loop.create_task(slow())
    loop.run_until_complete(until_called())
    loop.close()
    assert asyncio.run(slow()) == "done" and not task.done()


def test_a_coroutine_forgotten_meanwhile_is_not_stored(db):
    async def main():
        inside, go_on = asyncio.Event(), asyncio.Event()

        @memoize(db)
        async def read():
            inside.set()
            await go_on.wait()
            return "old"

        task = asyncio.ensure_future(read())
        await inside.wait()
        assert read.forget()
        go_on.set()
        assert await task == "old" and len(db) == 0

    asyncio.run(main())
