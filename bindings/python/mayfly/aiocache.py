"""A cache of aiocache on mayfly.

    cache = MayflyCache("/var/lib/site/cache", serializer=PickleSerializer(), namespace="main")
    await cache.set("key", "value", ttl=10)

Calls run in threads, so that the disk does not stop the event loop. Without a folder it is in
memory. The folder belongs to one process.
"""

from __future__ import annotations

import asyncio
from typing import Any, Callable, Iterable, List, Optional, Tuple

from aiocache.base import BaseCache

from ._mayfly import FOREVER, NotFoundError
from .shared import open_keyspace


def _ttl(ttl: Optional[float]) -> Any:
    return ttl if ttl else FOREVER


def _stored(value: Any) -> Any:
    """A serializer may leave numbers as they are; they are stored as text, as Redis does."""
    return str(value) if isinstance(value, (int, float)) else value


def _shown(value: Optional[bytes], encoding: Optional[str]) -> Any:
    return value if value is None or encoding is None else value.decode(encoding)


class MayflyCache(BaseCache):
    NAME = "mayfly"

    def __init__(self, directory: Optional[str] = None, keyspace: str = "aiocache", *,
                 reaper: bool = True, **options: Any) -> None:
        super().__init__(**options)
        self._rows = open_keyspace(directory, keyspace, reaper=reaper)

    def build_key(self, key: str, namespace: Optional[str] = None) -> str:
        made = self._build_key(key, self.namespace if namespace is None else namespace)
        return str(made)

    @staticmethod
    async def _run(call: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.to_thread(call, *args)

    async def _get(self, key: str, encoding: Optional[str] = "utf-8", _conn: Any = None) -> Any:
        return _shown(await self._run(self._rows.get, key), encoding)

    async def _gets(self, key: str, encoding: Optional[str] = "utf-8", _conn: Any = None) -> Any:
        """The token of a compare-and-set: the stored bytes."""
        return await self._run(self._rows.get, key)

    async def _multi_get(self, keys: List[str], encoding: Optional[str] = "utf-8",
                         _conn: Any = None) -> List[Any]:
        found = await self._run(self._rows.get_many, list(keys))
        return [_shown(value, encoding) for value in found]

    async def _set(self, key: str, value: Any, ttl: Optional[float] = None, _cas_token: Any = None,
                   _conn: Any = None) -> Any:
        if _cas_token is not None:
            written = await self._run(self._rows.compare_and_set, key, _cas_token, _stored(value),
                                      _ttl(ttl))
            return int(written)
        await self._run(self._rows.put, key, _stored(value), _ttl(ttl))
        return True

    async def _multi_set(self, pairs: Iterable[Tuple[str, Any]], ttl: Optional[float] = None,
                         _conn: Any = None) -> bool:
        stored = [(key, _stored(value)) for key, value in pairs]
        await self._run(self._rows.update, stored, _ttl(ttl))
        return True

    async def _add(self, key: str, value: Any, ttl: Optional[float] = None,
                   _conn: Any = None) -> bool:
        if not await self._run(self._rows.add, key, _stored(value), _ttl(ttl)):
            raise ValueError(f"Key {key} already exists, use .set to update the value")
        return True

    async def _exists(self, key: str, _conn: Any = None) -> bool:
        return await self._run(self._rows.exists, key)

    async def _increment(self, key: str, delta: int, _conn: Any = None) -> int:
        def add(old: Optional[bytes]) -> str:
            try:
                return str(int(old or b"0") + delta)
            except ValueError:
                raise TypeError("Value is not an integer") from None

        return int(await self._run(self._rows.change, key, add))

    async def _expire(self, key: str, ttl: float, _conn: Any = None) -> bool:
        try:
            await self._run(self._rows.expire, key, _ttl(ttl))
        except NotFoundError:
            return False
        return True

    async def _delete(self, key: str, _conn: Any = None) -> int:
        return int(await self._run(self._rows.delete, key))

    async def _clear(self, namespace: Optional[str] = None, _conn: Any = None) -> bool:
        if not namespace:
            await self._run(self._rows.clear)
            return True
        prefix = namespace

        def clear() -> None:
            for key in list(self._rows.keys(prefix=prefix)):
                self._rows.delete(key)

        await self._run(clear)
        return True

    async def _raw(self, command: str, *args: Any, encoding: Optional[str] = "utf-8",
                   _conn: Any = None, **options: Any) -> Any:
        """A method of the keyspace by its name."""
        return await self._run(lambda: getattr(self._rows, command)(*args, **options))

    async def _redlock_release(self, key: str, value: Any) -> int:
        """Releases a lock of aiocache if it is still held under that value."""
        def release() -> int:
            def work(transaction: Any) -> int:
                rows = transaction.keyspace(self._rows)
                stored = rows.get(key)
                held = stored is not None and stored == _as_bytes(value)
                return int(held and rows.delete(key))

            return self._rows._database.transact(work)

        return await self._run(release)

    async def _close(self, *_: Any, _conn: Any = None, **__: Any) -> None:
        """The database stays open for others: mayfly.shared.close_shared() closes it."""


def _as_bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()
