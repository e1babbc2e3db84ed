"""One open database per folder and process, for the cache backends of frameworks.

Frameworks make a backend object per thread or per name; a folder can be opened for writing once.
"""

from __future__ import annotations

import os
import pickle
import threading
from typing import Any, Dict, Optional, Tuple

from ._mayfly import BusyError
from .database import Database, Keyspace

_lock = threading.Lock()
_open: Dict[Tuple[int, str], Database] = {}


def open_shared(directory: Optional[str], reaper: bool = True, **options: Any) -> Database:
    """The database of the folder, opened at the first call; None: one in memory for all callers.

    It stays open until close_shared() or the end of the process. A child of fork() opens it anew,
    which fails while the parent has it: processes cannot share an embedded database.
    """
    place = (os.getpid(), os.path.abspath(directory) if directory else "")
    with _lock:
        if place not in _open:
            try:
                database = Database(directory or None, **options)
            except BusyError as error:
                raise BusyError(f"{error}. A mayfly cache belongs to one process; for several, run "
                                f"mayfly serve and use the framework's Redis cache") from None
            if reaper:
                database.start_reaper()
            _open[place] = database
        return _open[place]


def close_shared() -> None:
    """Closes all of them."""
    with _lock:
        for database in _open.values():
            database.close()
        _open.clear()


def open_keyspace(directory: Optional[str], name: str, **options: Any) -> Keyspace:
    return open_shared(directory, **options).keyspace(name, create=True)


def dumps(value: Any) -> bytes:
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def loads(stored: Any, default: Any = None) -> Any:
    return default if stored is None else pickle.loads(stored)
