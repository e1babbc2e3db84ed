"""The database for asyncio: the same calls, awaited, each in a thread of the loop's executor.

    async with mayfly.aio.Database("sessions.db") as db:
        await db.put("session:7", "alice", ttl=1800)
        async for key, value in db.items(prefix="session:"):
            ...

A call costs a change of threads, some 50 us, and keeps the disk from stopping the loop. A program
that reads from memory only may as well use the plain calls.
"""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Callable, List, Optional, TypeVar

from . import database as _sync
from ._mayfly import InvalidError
from .policy import Policy
from .reports import Event, Row
from .transaction import Transaction

T = TypeVar("T")

_BATCH = 512
_END: Any = object()


async def _each(make: Callable[[], Any]) -> AsyncIterator[Any]:
    """The values of an iterator, a batch of them per change of threads."""
    iterator = await asyncio.to_thread(make)

    def take() -> List[Any]:
        batch = []
        for _ in range(_BATCH):
            value = next(iterator, _END)
            if value is _END:
                break
            batch.append(value)
        return batch

    try:
        while True:
            batch = await asyncio.to_thread(take)
            for value in batch:
                yield value
            if len(batch) < _BATCH:
                return
    finally:
        iterator.close()


class Keyspace:
    """Rows, awaited. `sync` is the plain keyspace or database."""

    def __init__(self, sync: Any) -> None:
        self.sync = sync

    async def get(self, key: Any, default: Any = None) -> Any:
        return await asyncio.to_thread(self.sync.get, key, default)

    async def get_many(self, keys: Any) -> List[Optional[bytes]]:
        return await asyncio.to_thread(self.sync.get_many, keys)

    async def put(self, key: Any, value: Any, ttl: Any = None, expire_at: Any = None) -> None:
        await asyncio.to_thread(self.sync.put, key, value, ttl, expire_at)

    async def add(self, key: Any, value: Any, ttl: Any = None, expire_at: Any = None) -> bool:
        return await asyncio.to_thread(self.sync.add, key, value, ttl, expire_at)

    async def update(self, other: Any, ttl: Any = None) -> None:
        await asyncio.to_thread(self.sync.update, other, ttl)

    async def change(self, key: Any, compute: Callable[[Optional[bytes]], Any], **more: Any) -> Any:
        return await asyncio.to_thread(lambda: self.sync.change(key, compute, **more))

    async def delete(self, key: Any) -> bool:
        return await asyncio.to_thread(self.sync.delete, key)

    async def exists(self, key: Any) -> bool:
        return await asyncio.to_thread(self.sync.exists, key)

    async def ttl(self, key: Any) -> Optional[float]:
        return await asyncio.to_thread(self.sync.ttl, key)

    async def expire(self, key: Any, ttl: Any = None, expire_at: Any = None,
                     only_if: str = "always") -> bool:
        return await asyncio.to_thread(self.sync.expire, key, ttl, expire_at, only_if)

    async def persist(self, key: Any) -> bool:
        return await asyncio.to_thread(self.sync.persist, key)

    async def touch(self, key: Any, ttl: Any = None, expire_at: Any = None) -> bytes:
        return await asyncio.to_thread(self.sync.touch, key, ttl, expire_at)

    async def count(self) -> int:
        return await asyncio.to_thread(self.sync.__len__)

    async def clear(self) -> None:
        await asyncio.to_thread(self.sync.clear)

    async def purge(self, *args: Any, **options: Any) -> Any:
        return await asyncio.to_thread(lambda: self.sync.purge(*args, **options))

    async def forecast(self, *args: Any, **options: Any) -> Any:
        return await asyncio.to_thread(lambda: self.sync.forecast(*args, **options))

    def keys(self, **bounds: Any) -> AsyncIterator[bytes]:
        return _each(lambda: self.sync.keys(**bounds))

    def values(self, **bounds: Any) -> AsyncIterator[bytes]:
        return _each(lambda: self.sync.values(**bounds))

    def items(self, **bounds: Any) -> AsyncIterator[Any]:
        return _each(lambda: self.sync.items(**bounds))

    def rows(self, **bounds: Any) -> AsyncIterator[Row]:
        return _each(lambda: self.sync.rows(**bounds))

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self.keys()


class Database(Keyspace):
    """`async with` opens and closes it. Arguments as of mayfly.Database."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._open = lambda: _sync.Database(*args, **options)
        self._opened: Optional[_sync.Database] = None

    @property
    def sync(self) -> _sync.Database:
        if self._opened is None:
            raise InvalidError("the database is not open: use it in `async with`")
        return self._opened

    async def __aenter__(self) -> Database:
        self._opened = await asyncio.to_thread(self._open)
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    async def close(self) -> None:
        await asyncio.to_thread(self.sync.close)

    async def keyspace(self, name: str, create: bool = False,
                       policy: Policy = Policy()) -> Keyspace:
        return Keyspace(await asyncio.to_thread(self.sync.keyspace, name, create, policy))

    async def transact(self, work: Callable[[Transaction], T], attempts: int = 16) -> T:
        """Runs work, a plain function of a plain transaction, in a thread; see Database.transact.

        A transaction is not spread over awaits: what it has read would grow old meanwhile.
        """
        return await asyncio.to_thread(lambda: self.sync.transact(work, attempts))

    async def backup(self, file: Any) -> Any:
        return await asyncio.to_thread(self.sync.backup, file)

    async def statistics(self) -> Any:
        return await asyncio.to_thread(self.sync.statistics)

    async def follow_events(self, after: Optional[int] = None) -> AsyncIterator[Event]:
        """Events as they come; ends with its task."""
        events = self.sync.events
        position = events.last_sequence if after is None else after
        while True:
            # A thread cannot be cancelled, so each wait is short.
            follower = events.follow(position, timeout=_FOLLOW_SECONDS)
            event = await asyncio.to_thread(lambda: next(follower, None))
            if event is None:
                continue
            position = event.sequence
            yield event


_FOLLOW_SECONDS = 0.2
