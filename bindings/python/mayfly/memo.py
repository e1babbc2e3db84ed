"""memoize(): a function's results, kept in a database until they expire.

One thread or task computes a missing result while the others wait for it (no stampede). That holds
within the process: an embedded database has one writing process, so there is no other to wait for.
Processes that must share a cache use the server, through any client of Redis.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import pickle
import warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Tuple

from ._mayfly import MayflyError
from .arguments import Arguments
from .flights import ABANDONED, Flight, Flights, waiting_for
from .policy import Duration
from .rows import WritableRows

if TYPE_CHECKING:
    from typing import ParamSpec, Protocol, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")
    R_co = TypeVar("R_co", covariant=True)

    class Memoized(Protocol[P, R_co]):
        """What memoize() makes of a function."""

        @property
        def __wrapped__(self) -> Callable[P, R_co]: ...

        def __call__(self, *args: P.args, **options: P.kwargs) -> R_co: ...
        def __get__(self, instance: Any, owner: Any = ...) -> Callable[..., R_co]: ...
        def forget(self, *args: P.args, **options: P.kwargs) -> bool: ...
        def forget_all(self) -> int: ...
        def key(self, *args: P.args, **options: P.kwargs) -> bytes: ...


class _Memo:
    def __init__(self, rows: Any, ttl: Optional[Duration], function: Callable[..., Any],
                 name: Optional[str]) -> None:
        self.rows, self.ttl, self.function = rows, ttl, function
        self.name = "memo:" + (name or _own_name(rows, function))
        self.arguments = Arguments(function)
        self.flights = Flights()

    def key(self, *args: Any, **options: Any) -> bytes:
        return self.name.encode() + b":" + self.arguments.digest(args, options)

    def stored(self, key: bytes) -> Optional[Tuple[Any]]:
        """The result, in a tuple. None: there is none, or nothing that can be read."""
        found = self.rows.get(key)
        if found is None:
            return None
        try:
            return (pickle.loads(found),)
        except Exception:  # Whatever bytes make of unpickling; the result replaces them.
            return None

    def store(self, key: bytes, flight: Flight, value: Any) -> None:
        pickled = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        with flight.storing:
            if flight.forgotten:
                return
            try:
                self.rows.put(key, pickled, ttl=self.ttl)
            except MayflyError as error:
                warnings.warn(f"a result of {self.name} is not kept: {error}", RuntimeWarning,
                              stacklevel=2)

    def forget(self, *args: Any, **options: Any) -> bool:
        """True when there was a result, or one was being computed: it is not stored then."""
        key = self.key(*args, **options)
        under_way = self.flights.forget(key)
        return self.rows.delete(key) or under_way

    def forget_all(self) -> int:
        """How many stored results it removed; those being computed are not stored."""
        self.flights.forget()
        keys = list(self.rows.keys(prefix=self.name + ":"))
        return sum(self.rows.delete(key) for key in keys)

    def __call__(self, *args: Any, **options: Any) -> Any:
        key = self.key(*args, **options)
        while True:
            found = self.stored(key)
            if found is not None:
                return found[0]
            flight, mine = self.flights.join(key)
            with waiting_for(flight, self.name):
                if mine:
                    self._compute(key, flight, args, options)
                value = flight.result.result()
            if value is not ABANDONED:
                return value

    def _compute(self, key: bytes, flight: Flight, args: Any, options: Dict[str, Any]) -> None:
        with self.flights.computing(key, flight) as values:
            # Another thread may have stored it between our look and our flight.
            found = self.stored(key)
            values.append(self.function(*args, **options) if found is None else found[0])
            if found is None:
                self.store(key, flight, values[0])


class _AsyncMemo(_Memo):
    """The same for a coroutine function. No caller's cancellation ends its computation, a task."""

    async def __call__(self, *args: Any, **options: Any) -> Any:
        key = self.key(*args, **options)
        while True:
            found = await asyncio.to_thread(self.stored, key)
            if found is not None:
                return found[0]
            flight, mine = self.flights.join(key)
            if flight.stranded:
                self._abandon(key, flight)
                continue
            with waiting_for(flight, self.name):
                if mine:
                    self._start(key, flight, args, options)
                value = await asyncio.wrap_future(flight.result)
            if value is not ABANDONED:
                return value

    def _start(self, key: bytes, flight: Flight, args: Any, options: Dict[str, Any]) -> None:
        flight.task = asyncio.ensure_future(self._compute_in_task(key, flight, args, options))
        # One that was cancelled before its first step has finished nothing.
        flight.task.add_done_callback(lambda _: self._abandon(key, flight))

    def _abandon(self, key: bytes, flight: Flight) -> None:
        """Leaves the work to others, unless it is done."""
        self.flights.leave(key, flight)
        flight.finish(ABANDONED)

    async def _compute_in_task(self, key: bytes, flight: Flight, args: Any,
                               options: Dict[str, Any]) -> None:
        with self.flights.computing(key, flight) as values:
            found = await asyncio.to_thread(self.stored, key)
            values.append(await self.function(*args, **options) if found is None else found[0])
            if found is None:
                await asyncio.to_thread(self.store, key, flight, values[0])


def _own_name(rows: Any, function: Callable[..., Any]) -> str:
    """The function's name, if it tells the function from others. ValueError otherwise."""
    name = f"{function.__module__}.{function.__qualname__}"
    if function.__name__ == "<lambda>":
        raise ValueError("a lambda has no name of its own: pass name= to memoize()")
    if "<locals>" not in function.__qualname__:
        return name
    # Functions that one factory makes have one name, and differ by what they captured.
    plain = inspect.unwrap(function)
    database = getattr(rows, "_database", rows)
    mine = (getattr(plain, "__code__", None),
            [_content(cell) for cell in getattr(plain, "__closure__", None) or ()])
    known = database.__dict__.setdefault("_memoized", {})
    other = known.setdefault((getattr(rows, "name", "default"), name), mine)
    if other[0] is not mine[0] or not all(a is b or a == b for a, b in zip(other[1], mine[1])):
        raise ValueError(f"another function called {name} is memoized here, with other captured "
                         f"variables: pass name= to memoize(), with what tells them apart")
    return name


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # Empty so far: it will hold the function itself, or a later variable.
        return None


def memoize(rows: WritableRows, ttl: Optional[Duration] = None, name: Optional[str] = None
            ) -> Callable[[Callable[P, R]], Memoized[P, R]]:
    """A decorator that keeps results in a database or keyspace for `ttl`.

        @memoize(db, ttl=60)
        def report(day): ...

    Equal arguments of the same types have one result, however they are passed. While one thread or
    task computes it, others wait; they get its exception, too, which is not kept. A result that
    cannot be stored, because a policy refuses it say, is returned with a RuntimeWarning. A call
    that needs its own result raises RecursionError. Coroutine functions work, too.

    Arguments and results are pickled: give it a database that only your program writes. The
    function gets forget(*args), forget_all(), key(*args) and __wrapped__. `name` is a part of the
    keys; it defaults to the function's own. A lambda needs one, and so do functions of one factory
    that captured different variables: ValueError.
    """
    def decorate(function: Callable[..., Any]) -> Any:
        call: Any
        if inspect.iscoroutinefunction(function):
            waiting = _AsyncMemo(rows, ttl, function, name)
            memo: _Memo = waiting

            @functools.wraps(function)
            async def call(*args: Any, **options: Any) -> Any:
                return await waiting(*args, **options)
        else:
            memo = _Memo(rows, ttl, function, name)

            @functools.wraps(function)
            def call(*args: Any, **options: Any) -> Any:
                return memo(*args, **options)

        call.forget, call.forget_all, call.key = memo.forget, memo.forget_all, memo.key
        return call

    return decorate
