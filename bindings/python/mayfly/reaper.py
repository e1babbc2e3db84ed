"""The thread that purges rows as they die."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from . import _mayfly

if TYPE_CHECKING:
    from .database import Database


class Reaper(_mayfly.Reaper):
    """Purges rows as they die: until its close(), the end of its block, or the database's close().

    Its database holds it, so the thread goes on when nobody else does.
    """

    def __init__(self, database: Database, work_percent: int, step_rows_max: int,
                 reclaim: bool) -> None:
        _mayfly.Reaper.__init__(self, database, work_percent, step_rows_max, reclaim)
        # Weak: a database that nobody holds goes at once, and its reapers with it.
        self._database = weakref.ref(database)
        database._reapers.add(self)

    def close(self) -> None:
        """Ends the thread. Nothing when it has ended."""
        super().close()
        database = self._database()
        if database is not None:
            database._reapers.discard(self)

    def __enter__(self) -> Reaper:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
