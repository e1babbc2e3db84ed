"""Django's cache on mayfly.

    CACHES = {"default": {"BACKEND": "mayfly.django.MayflyCache", "LOCATION": "/var/lib/site/cache",
                          "OPTIONS": {"KEYSPACE": "cache"}}}

An empty LOCATION keeps it in memory. Entries die at their timeout, to the millisecond; nothing is
evicted, so MAX_ENTRIES and CULL_FREQUENCY have no effect. The folder belongs to one process: for
several workers run `mayfly serve` and Django's Redis cache. Values are pickled.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache

from ._mayfly import FOREVER, KEEP, NotFoundError
from .shared import dumps, loads, open_keyspace


class MayflyCache(BaseCache):
    def __init__(self, location: str, params: Dict[str, Any]) -> None:
        super().__init__(params)
        options = {key: value for key, value in params.get("OPTIONS", {}).items()
                   if key not in ("MAX_ENTRIES", "CULL_FREQUENCY")}
        keyspace = options.pop("KEYSPACE", "django")
        self._rows = open_keyspace(location or None, keyspace, **options)

    def _key(self, key: Any, version: Optional[int]) -> str:
        made = self.make_key(key, version=version)
        self.validate_key(made)
        return made

    def _ttl(self, timeout: Any) -> Any:
        """What is left to live; None: it is dead from the start."""
        if timeout is DEFAULT_TIMEOUT:
            timeout = self.default_timeout
        if timeout is None:
            return FOREVER
        return timeout if timeout > 0 else None

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT,
            version: Optional[int] = None) -> bool:
        made, ttl = self._key(key, version), self._ttl(timeout)
        if ttl is None:
            return made not in self._rows
        return self._rows.add(made, dumps(value), ttl=ttl)

    def get(self, key: Any, default: Any = None, version: Optional[int] = None) -> Any:
        return loads(self._rows.get(self._key(key, version)), default)

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT,
            version: Optional[int] = None) -> None:
        made, ttl = self._key(key, version), self._ttl(timeout)
        if ttl is None:
            self._rows.delete(made)
        else:
            self._rows.put(made, dumps(value), ttl=ttl)

    def touch(self, key: Any, timeout: Any = DEFAULT_TIMEOUT,
              version: Optional[int] = None) -> bool:
        made, ttl = self._key(key, version), self._ttl(timeout)
        if ttl is None:
            return self._rows.delete(made)
        try:
            return self._rows.expire(made, ttl)
        except NotFoundError:
            return False

    def delete(self, key: Any, version: Optional[int] = None) -> bool:
        return self._rows.delete(self._key(key, version))

    def has_key(self, key: Any, version: Optional[int] = None) -> bool:
        return self._key(key, version) in self._rows

    def incr(self, key: Any, delta: int = 1, version: Optional[int] = None) -> int:
        def add(old: Optional[bytes]) -> bytes:
            if old is None:
                raise ValueError(f"Key '{key}' not found")
            return dumps(loads(old) + delta)

        changed = self._rows.change(self._key(key, version), add, ttl=KEEP)
        return loads(changed)

    def get_many(self, keys: Iterable[Any], version: Optional[int] = None) -> Dict[Any, Any]:
        asked = list(keys)
        found = self._rows.get_many([self._key(key, version) for key in asked])
        return {key: loads(value) for key, value in zip(asked, found) if value is not None}

    def set_many(self, data: Dict[Any, Any], timeout: Any = DEFAULT_TIMEOUT,
                 version: Optional[int] = None) -> List[Any]:
        ttl = self._ttl(timeout)
        if ttl is None:
            self.delete_many(data, version=version)
        else:
            self._rows.update([(self._key(key, version), dumps(value))
                               for key, value in data.items()], ttl=ttl)
        return []

    def clear(self) -> None:
        self._rows.clear()
