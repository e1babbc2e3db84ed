"""Flask-Caching on mayfly.

    Cache(app, config={"CACHE_TYPE": "mayfly.flask_caching.MayflyCache",
                       "CACHE_DIR": "/var/lib/site/cache", "CACHE_KEYSPACE": "cache"})

Without CACHE_DIR it is in memory. A timeout of 0 is for ever, as there. Nothing is evicted, so
CACHE_THRESHOLD has no effect. The folder belongs to one process: for several workers run
`mayfly serve` and CACHE_TYPE RedisCache. Values are pickled.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from flask_caching.backends.base import BaseCache

from ._mayfly import FOREVER
from .shared import dumps, loads, open_keyspace


class MayflyCache(BaseCache):
    def __init__(self, directory: Optional[str] = None, keyspace: str = "flask",
                 default_timeout: int = 300, **options: Any) -> None:
        super().__init__(default_timeout=default_timeout)
        self._rows = open_keyspace(directory, keyspace, **options)

    @classmethod
    def factory(cls, app: Any, config: Dict[str, Any], args: List[Any],
                kwargs: Dict[str, Any]) -> MayflyCache:
        kwargs.setdefault("directory", config.get("CACHE_DIR"))
        kwargs.setdefault("keyspace", config.get("CACHE_KEYSPACE", "flask"))
        kwargs.setdefault("default_timeout", config["CACHE_DEFAULT_TIMEOUT"])
        kwargs.pop("threshold", None)
        return cls(*args, **kwargs)

    def _ttl(self, timeout: Optional[float]) -> Any:
        seconds = self.default_timeout if timeout is None else timeout
        return FOREVER if seconds == 0 else seconds

    def get(self, key: str) -> Any:
        return loads(self._rows.get(key))

    def get_many(self, *keys: str) -> List[Any]:
        return [loads(value) for value in self._rows.get_many(list(keys))]

    def set(self, key: str, value: Any, timeout: Optional[float] = None) -> bool:
        ttl = self._ttl(timeout)
        if ttl is not FOREVER and ttl < 0:
            self._rows.delete(key)
        else:
            self._rows.put(key, dumps(value), ttl=ttl)
        return True

    def add(self, key: str, value: Any, timeout: Optional[float] = None) -> bool:
        return self._rows.add(key, dumps(value), ttl=self._ttl(timeout))

    def delete(self, key: str) -> bool:
        return self._rows.delete(key)

    def has(self, key: str) -> bool:
        return key in self._rows

    def inc(self, key: str, delta: int = 1) -> int:
        """Adds to a number; a missing one is 0. The timeout begins anew, as in cachelib."""
        changed = self._rows.change(key, lambda old: dumps(loads(old, 0) + delta),
                                    ttl=self._ttl(None))
        return loads(changed)

    def dec(self, key: str, delta: int = 1) -> int:
        return self.inc(key, -delta)

    def clear(self) -> bool:
        self._rows.clear()
        return True
