"""Results under way: one thread or task computes, the others wait for it.

A flight whose computation waits for another one is linked to it, so that calls which would wait for
each other for ever raise RecursionError.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, InvalidStateError
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

# What a flight gives when its computation was interrupted: each caller that waited tries itself.
ABANDONED: Any = object()

_links = threading.Lock()


class Flight:
    """A result that one computes and others wait for."""

    def __init__(self) -> None:
        self.result: Future[Any] = Future()
        self.result.set_running_or_notify_cancel()  # One who stops waiting cancels nothing.
        self.storing = threading.Lock()
        self.forgotten = False  # Guarded by storing.
        self.task: Any = None  # Of a coroutine: held here while it runs.
        self._waits_for: List[Flight] = []  # Guarded by _links.

    def forget(self) -> None:
        """Its result is not stored from here on."""
        with self.storing:
            self.forgotten = True

    def finish(self, value: Any, error: Optional[BaseException] = None) -> None:
        """Exceptions go to all who wait; interrupts leave the work to the next of them."""
        try:
            if error is None:
                self.result.set_result(value)
            elif isinstance(error, Exception):
                self.result.set_exception(error)
            else:
                self.result.set_result(ABANDONED)
        except InvalidStateError:
            pass  # It has a result, or was abandoned.

    @property
    def stranded(self) -> bool:
        """Its loop was closed in the middle of it, so nobody will finish it."""
        task = self.task
        return task is not None and not task.done() and bool(task.get_loop().is_closed())

    def _leads_to(self, other: Flight) -> bool:
        seen: Set[int] = set()
        ahead = [self]
        while ahead:
            flight = ahead.pop()
            if flight is other:
                return True
            if id(flight) not in seen:
                seen.add(id(flight))
                ahead.extend(flight._waits_for)
        return False


# The flight whose computation this thread or task is in.
_current: ContextVar[Optional[Flight]] = ContextVar("mayfly_flight", default=None)


@contextmanager
def waiting_for(flight: Flight, what: str) -> Iterator[None]:
    """A block in which the current computation needs that flight."""
    mine = _current.get()
    if mine is None:
        yield
        return
    with _links:
        if flight._leads_to(mine):
            raise RecursionError(f"{what} needs its own result: it calls itself with the same "
                                 f"arguments, or by way of calls that wait for it")
        mine._waits_for.append(flight)
    try:
        yield
    finally:
        with _links:
            mine._waits_for.remove(flight)


@contextmanager
def computing(flight: Flight) -> Iterator[None]:
    """A block that computes the flight's result."""
    outer = _current.get()
    _current.set(flight)
    try:
        yield
    finally:
        _current.set(outer)  # Not by a token: a coroutine may be closed in another context.


class Flights:
    """Those of one function, by key."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_key: Dict[bytes, Flight] = {}

    def join(self, key: bytes) -> Tuple[Flight, bool]:
        """The flight of that key, and whether it is the caller's to compute."""
        with self._lock:
            flight = self._by_key.get(key)
            if flight is not None:
                return flight, False
            flight = self._by_key[key] = Flight()
            return flight, True

    def leave(self, key: bytes, flight: Flight) -> None:
        with self._lock:
            if self._by_key.get(key) is flight:
                del self._by_key[key]

    @contextmanager
    def computing(self, key: bytes, flight: Flight) -> Iterator[List[Any]]:
        """A block that computes the flight's result and puts it into the list.

        Its exceptions are the flight's; interrupts leave the block, too.
        """
        values: List[Any] = []
        error: Optional[BaseException] = None
        try:
            with computing(flight):
                yield values
        except BaseException as raised:
            error = raised
            if not isinstance(raised, Exception):
                raise
        finally:
            self.leave(key, flight)
            flight.finish(values[0] if error is None else None, error)

    def forget(self, key: Optional[bytes] = None) -> bool:
        """Later calls compute anew, and what is under way is not stored. None: of all keys."""
        with self._lock:
            keys = list(self._by_key) if key is None else [key]
            found = [self._by_key.pop(each) for each in keys if each in self._by_key]
        for flight in found:
            flight.forget()
        return bool(found)
