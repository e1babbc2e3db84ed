"""KVStore: the store of SNKV's Python interface. Programs for it change their import, no more.

    from mayfly import KVStore, NotFoundError

A store is a directory; column families are keyspaces.
"""

from __future__ import annotations

import os
from typing import Any, List, Optional, Union

from .database import Database
from .rows import Key, Value

_MISSING: Any = object()


class ColumnFamily:
    """Rows under string or bytes keys, each with a ttl if it is given one."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def put(self, key: Key, value: Value, ttl: Any = None) -> None:
        """ttl: seconds, as a float if need be."""
        self._rows.put(key, value, ttl)

    def get(self, key: Key, default: Any = _MISSING) -> Any:
        """The value; NotFoundError when it is missing or expired, unless there is a default."""
        if default is _MISSING:
            return self._rows[key]
        return self._rows.get(key, default)

    def delete(self, key: Key) -> bool:
        return self._rows.delete(key)

    def exists(self, key: Key) -> bool:
        return self._rows.exists(key)

    def ttl(self, key: Key) -> Optional[float]:
        """Seconds left; None: no ttl. NotFoundError when it is missing or expired."""
        return self._rows.ttl(key)

    def purge_expired(self) -> int:
        """Removes the expired rows of this family; how many."""
        return self._rows.purge().rows

    def __getitem__(self, key: Key) -> bytes:
        return self._rows[key]

    def __setitem__(self, key: Any, value: Value) -> None:
        self._rows[key] = value

    def __delitem__(self, key: Key) -> None:
        del self._rows[key]

    def __contains__(self, key: Key) -> bool:
        return key in self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Any:
        return self.iterator()

    def iterator(self, prefix: Key = b"", reverse: bool = False) -> Any:
        """(key, value) pairs in key order."""
        return self._rows.items(prefix=prefix, reverse=reverse)

    def close(self) -> None:
        """Nothing to release: the family ends with its store."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class KVStore(ColumnFamily):
    """The store; its own rows are those of the default family."""

    def __init__(self, path: Union[None, str, os.PathLike[str]] = None, **options: Any) -> None:
        self.database = Database(path, **options)
        super().__init__(self.database)

    def purge_expired(self) -> int:
        return self.database._purge_default()["rows"]

    def vacuum(self, pages: int = 0) -> None:
        """Gives the space of deleted and purged rows back. There are no pages here to count."""
        self.database.reclaim()

    def create_column_family(self, name: str) -> ColumnFamily:
        return ColumnFamily(self.database.create_keyspace(name))

    def open_column_family(self, name: str) -> ColumnFamily:
        return ColumnFamily(self.database.keyspace(name))

    def list_column_families(self) -> List[str]:
        return [name for name in self.database.keyspaces() if name != "default"]

    def drop_column_family(self, name: str) -> None:
        self.database.drop_keyspace(name)

    def begin(self) -> Any:
        """A transaction: a context manager that commits."""
        return self.database.transaction()

    def close(self) -> None:
        self.database.close()
