"""memoize(): results live for their ttl, and one thread or task computes for all."""

import asyncio
import datetime
import functools
import pickle
import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import Any

import pytest

import mayfly
from mayfly import memoize


@dataclass
class Point:
    x: Any
    y: Any


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


def test_equal_arguments_have_one_key(db):
    @memoize(db)
    def work(x, y=2, *rest, z=None, **more):
        return x

    text, equal = "some text", "".join(["some", " text"])
    assert work.key([text, text]) == work.key([text, equal])
    assert work.key({"a": 1, "b": 2}) == work.key({"b": 2, "a": 1})
    assert work.key({"a", "b", "c"}) == work.key({"c", "b", "a"})
    assert work.key(1) == work.key(1, 2) == work.key(x=1) == work.key(y=2, x=1, z=None)
    assert work.key(1, b=1, a=2) == work.key(1, a=2, b=1)
    first, second = Point(1, {"a": 1, "b": [text, text]}), Point(1, {"b": [text, equal], "a": 1})
    assert first == second and work.key(first) == work.key(second)
    assert work.key(datetime.date(2030, 1, 1)) == work.key(datetime.date(2030, 1, 1))
    assert work.key(Counter("ab")) == work.key(Counter("ba"))
    work([text, text])
    assert work.forget([text, equal])


def test_different_arguments_have_different_keys(db):
    @memoize(db)
    def work(x, y=2, *rest, **more):
        return x

    loop, longer = [], [1]
    loop.append(loop)
    longer.append(longer)
    given = [(1,), (True,), (1.0,), ("1",), (b"1",), (1, 3), (1, 2, 3), ([1],), ((1,),), ({1},),
             ({1: 2},), ({2: 1},), ([1, [2]],), ([[1], 2],), ("a", "bc"), ("ab", "c"), (None,),
             (Point(1, 2),), (Point(2, 1),), (int,), (float,), (loop,), (longer,), ("\ud800",),
             (OrderedDict(a=1, b=2),), (OrderedDict(b=2, a=1),), (datetime.date(2030, 1, 1),)]
    keys = {work.key(*args) for args in given} | {work.key(1, a=1), work.key(1, b=1)}
    assert len(keys) == len(given) + 2
    with pytest.raises(Exception, match="pickle"):
        work.key(lambda: 1)
    with pytest.raises(TypeError):
        work.key()


def test_functions_of_one_factory_do_not_share_results(db):
    def factory(step, **options):
        @memoize(db, **options)
        def add(x):
            return x + step

        return add

    assert factory(1)(1) == 2
    assert factory(1)(1) == 2  # The same again.
    with pytest.raises(ValueError, match="name="):
        factory(2)
    assert factory(2, name="add 2")(1) == 3
    with pytest.raises(ValueError, match="name="):
        memoize(db)(lambda x: x)
    assert memoize(db, name="same")(lambda x: x)(7) == 7
    space = db.create_keyspace("other")
    assert memoize(space)(factory(1).__wrapped__)(1) == 2


def test_decorated_functions_work(db):
    def with_five(function):
        @functools.wraps(function)
        def run(*args):
            return function(5, *args)

        return run

    @memoize(db)
    @with_five
    def add(x, y):
        return x + y

    @memoize(db)
    @functools.lru_cache
    def double(x):
        return 2 * x

    assert (add(1), double(2)) == (6, 4) and add.forget(1) and double.forget(2)


def test_bytes_that_are_no_result_are_replaced(db):
    @memoize(db)
    def work():
        return "computed"

    for garbage in (b"", b"garbage", b"\x80\x04."):
        db[work.key()] = garbage
        assert work() == "computed" and pickle.loads(db[work.key()]) == "computed"


def test_a_result_that_a_policy_refuses_is_returned(db):
    strict = db.create_keyspace("strict", mayfly.Policy(max_ttl=10))

    @memoize(strict, ttl=60)
    def work():
        return "computed"

    with pytest.warns(RuntimeWarning, match="not kept"):
        assert work() == "computed"
    assert len(strict) == 0
