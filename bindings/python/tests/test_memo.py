"""memoize(): results live for their ttl, and one thread or task computes for all."""

import asyncio
import threading

import pytest

from mayfly import memoize


def test_results_live_for_their_ttl(db, clock):
    calls = []

    @memoize(db, ttl=10)
    def double(x, *, plus=0):
        """Doubles."""
        calls.append(x)
        return 2 * x + plus

    assert [double(2), double(2), double(2, plus=1)] == [4, 4, 5]
    assert calls == [2, 2]
    clock.advance(10)
    assert double(2) == 4 and len(calls) == 3
    assert double.__doc__ == "Doubles." and double.__wrapped__(3) == 6
    assert db.ttl(double.key(2)) == 10.0


def test_none_is_a_result_and_an_exception_is_not(db):
    calls = []

    @memoize(db)
    def work(fails):
        calls.append(fails)
        if fails:
            raise OSError
        return None

    for _ in range(2):
        assert work(False) is None
        with pytest.raises(OSError):
            work(True)
    assert calls == [False, True, True]


def test_forgetting(db):
    @memoize(db, name="f")
    def count(x, calls=[]):
        calls.append(x)
        return len(calls)

    @memoize(db, name="other")
    def other():
        return "kept"

    assert (count(1), count(2), other()) == (1, 2, "kept")
    assert count.forget(1) and not count.forget(1)
    assert (count(1), count(2)) == (3, 2)
    assert count.forget_all() == 2
    assert len(db) == 1


def test_one_thread_computes_for_all(db):
    inside, go_on = threading.Event(), threading.Event()
    calls, results = [], []

    @memoize(db, ttl=60)
    def slow(x):
        calls.append(x)
        inside.set()
        go_on.wait()
        return x + 1

    threads = [threading.Thread(target=lambda: results.append(slow(1))) for _ in range(8)]
    for thread in threads:
        thread.start()
    inside.wait()
    assert slow.__wrapped__ is not None
    go_on.set()
    for thread in threads:
        thread.join()
    assert (calls, results) == ([1], [2] * 8)


def test_a_failure_leaves_the_work_to_the_next_thread(db):
    first, go_on = threading.Event(), threading.Event()
    calls, results = [], []

    @memoize(db)
    def slow():
        calls.append(1)
        if len(calls) == 1:
            first.set()
            go_on.wait()
            raise OSError
        return "done"

    def failing():
        with pytest.raises(OSError):
            slow()
        results.append("failed")

    one = threading.Thread(target=failing)
    one.start()
    first.wait()
    two = threading.Thread(target=lambda: results.append(slow()))
    two.start()
    go_on.set()
    one.join()
    two.join()
    assert sorted(results) == ["done", "failed"] and len(calls) == 2


def test_coroutines(db, clock):
    calls = []

    @memoize(db, ttl=5)
    async def work(x):
        calls.append(x)
        await asyncio.sleep(0)
        return x * 2

    async def main():
        assert await asyncio.gather(*(work(3) for _ in range(5))) == [6] * 5
        assert await work(3) == 6
        clock.advance(5)
        assert await work(3) == 6

    asyncio.run(main())
    assert calls == [3, 3]


def test_a_cancelled_caller_leaves_the_work_to_the_others(db):
    async def main():
        go_on = asyncio.Event()
        started = asyncio.Event()
        calls = []

        @memoize(db, ttl=5)
        async def work():
            calls.append(1)
            started.set()
            await go_on.wait()
            return "done"

        first = asyncio.ensure_future(work())
        second = asyncio.ensure_future(work())
        await started.wait()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        go_on.set()
        assert await second == "done"
        assert calls == [1]

    asyncio.run(main())
