"""Expiry events: what expired, in order, exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, List, Optional

from . import _mayfly
from .policy import Duration
from .reports import Event

if TYPE_CHECKING:
    from .database import Database

_PAGE = 1000


class Events:
    """The events of a database. A keyspace has them if its policy says so (Policy.events).

    A consumer that stores the last sequence it processed and reads on from there sees each event
    at least once; the sequence tells repetitions.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, after: int = 0, limit: int = _PAGE) -> List[Event]:
        """The next events after that sequence."""
        return [Event(**fields) for fields in self._database._read_events(after, limit)]

    def __iter__(self) -> Iterator[Event]:
        """All events that are kept."""
        return self.since(0)

    def since(self, after: int) -> Iterator[Event]:
        while True:
            page = self.read(after)
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1].sequence

    def follow(self, after: Optional[int] = None,
               timeout: Optional[float] = None) -> Iterator[Event]:
        """Events as they come, after that sequence or from now on.

        Ends when none came for `timeout` seconds; None: never. Something must purge, such as
        Database.start_reaper(): a row that nobody meets leaves its event then.
        """
        waiter = _mayfly.EventWaiter(self._database)
        position = self.last_sequence if after is None else after
        return self._follow(waiter, position, timeout)

    def _follow(self, waiter: _mayfly.EventWaiter, after: int,
                timeout: Optional[float]) -> Iterator[Event]:
        while True:
            page = self.read(after)
            for event in page:
                after = event.sequence
                yield event
            if page:
                continue
            if not waiter.wait(1e9 if timeout is None else timeout):
                # What came in the last moment is read before giving up.
                if self.last_sequence <= after:
                    return

    def trim(self, through: Optional[int] = None, older_than: Optional[Duration] = None,
             keep: Optional[int] = None, limit: Optional[int] = None) -> int:
        """Removes events up to a sequence, older than a time, or all but the newest; how many."""
        return self._database._trim_events(through, older_than, keep, limit)

    @property
    def last_sequence(self) -> int:
        """Of the newest event ever written; 0: none yet."""
        return self._database._last_event()

    @property
    def trimmed_through(self) -> int:
        return self._database._events_trimmed_through()
