"""memoize(): a function's results, kept in a database until they expire.

One thread computes a missing result while the others wait for it (no stampede). That holds within
the process: an embedded database has one writing process, so there is no other to wait for.
Processes that must share a cache use the server, through any client of Redis.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import inspect
import pickle
import threading
from typing import Any, Callable, Dict, Optional

from .policy import Duration
from .rows import WritableRows


class _Flight:
    """A result that one thread computes and others wait for."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.value: Any = None
        self.ok = False


def _key_of(name: str, args: Any, options: Dict[str, Any]) -> bytes:
    """The same for the same arguments: by their pickled bytes, so that any pickled type will do."""
    given = pickle.dumps((args, sorted(options.items())), protocol=4)
    return name.encode() + b":" + hashlib.sha256(given).digest()


class _Memo:
    def __init__(self, rows: Any, ttl: Optional[Duration], function: Callable[..., Any],
                 name: Optional[str]) -> None:
        self.rows, self.ttl, self.function = rows, ttl, function
        self.name = "memo:" + (name or f"{function.__module__}.{function.__qualname__}")
        self.lock = threading.Lock()
        self.flights: Dict[bytes, _Flight] = {}

    def key(self, *args: Any, **options: Any) -> bytes:
        return _key_of(self.name, args, options)

    def stored(self, key: bytes) -> Optional[bytes]:
        return self.rows.get(key)

    def store(self, key: bytes, value: Any) -> None:
        self.rows.put(key, pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL), ttl=self.ttl)

    def forget(self, *args: Any, **options: Any) -> bool:
        return self.rows.delete(self.key(*args, **options))

    def forget_all(self) -> int:
        keys = list(self.rows.keys(prefix=self.name + ":"))
        return sum(self.rows.delete(key) for key in keys)

    def __call__(self, *args: Any, **options: Any) -> Any:
        key = self.key(*args, **options)
        while True:
            found = self.stored(key)
            if found is not None:
                return pickle.loads(found)
            with self.lock:
                flight = self.flights.get(key)
                mine = flight is None
                if flight is None:
                    flight = self.flights[key] = _Flight()
            if mine:
                return self._compute(key, flight, args, options)
            flight.done.wait()
            if flight.ok:
                return flight.value
            # It raised for the thread that computed; the next one tries itself.

    def _compute(self, key: bytes, flight: _Flight, args: Any, options: Dict[str, Any]) -> Any:
        try:
            # Another thread may have stored it between our look and our flight.
            found = self.stored(key)
            flight.value = (self.function(*args, **options) if found is None
                            else pickle.loads(found))
            if found is None:
                self.store(key, flight.value)
            flight.ok = True
            return flight.value
        finally:
            with self.lock:
                del self.flights[key]
            flight.done.set()


class _AsyncMemo(_Memo):
    """The same for a coroutine function, with tasks in place of threads."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.tasks: Dict[Any, asyncio.Future[Any]] = {}

    async def __call__(self, *args: Any, **options: Any) -> Any:
        key = self.key(*args, **options)
        found = await asyncio.to_thread(self.stored, key)
        if found is not None:
            return pickle.loads(found)
        place = (asyncio.get_running_loop(), key)
        task = self.tasks.get(place)
        if task is None:
            task = asyncio.ensure_future(self._compute_and_store(key, args, options))
            self.tasks[place] = task
            task.add_done_callback(lambda _: self.tasks.pop(place, None))
        # A caller that is cancelled leaves the work to the others.
        return await asyncio.shield(task)

    async def _compute_and_store(self, key: bytes, args: Any, options: Dict[str, Any]) -> Any:
        value = await self.function(*args, **options)
        await asyncio.to_thread(self.store, key, value)
        return value


def memoize(rows: WritableRows, ttl: Optional[Duration] = None,
            name: Optional[str] = None) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that keeps results in a database or keyspace for `ttl`.

        @memoize(db, ttl=60)
        def report(day): ...

    Arguments and results are pickled: give it a database that only your program writes. Exceptions
    are not kept. Coroutine functions work, too. The function gets forget(*args), forget_all(),
    key(*args) and __wrapped__. `name` is a part of the keys; it defaults to the function's own.
    """
    def decorate(function: Callable[..., Any]) -> Any:
        is_async = inspect.iscoroutinefunction(function)
        memo = (_AsyncMemo if is_async else _Memo)(rows, ttl, function, name)

        if is_async:
            @functools.wraps(function)
            async def call(*args: Any, **options: Any) -> Any:
                return await memo(*args, **options)
        else:
            @functools.wraps(function)
            def call(*args: Any, **options: Any) -> Any:
                return memo(*args, **options)

        call.forget = memo.forget  # type: ignore[attr-defined]
        call.forget_all = memo.forget_all  # type: ignore[attr-defined]
        call.key = memo.key  # type: ignore[attr-defined]
        return call

    return decorate
