"""What Python adds to the rows of a keyspace: iteration, and the rest of dict's methods."""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional, Tuple, Union

from . import _mayfly
from ._mayfly import NotFoundError, RowIterator, WrongTypeError
from .containers import as_bytes
from .policy import Duration
from .reports import DeadlineEntry, ForecastBucket, Row

Key = Union[bytes, str, bytearray, memoryview]
Value = Key
Instant = Union[datetime, int, float]

_MISSING: Any = object()

# pybind11 asks every class of the extension that a Python class derives from to be initialised, so
# these add methods beside it; for a type checker they derive from it.
if TYPE_CHECKING:
    _Reader = _mayfly.Reader
    _Writer = _mayfly.Writer
else:
    _Reader = _Writer = object


class Rows(_Reader):
    """Reading. Keys and values are bytes; a str stands for its UTF-8 bytes.

    Iterators show one frozen state. They end with their database, transaction or snapshot. In a
    transaction, rows that they show are not watched for conflicts; rows read by their key are.
    """

    def _iterate(self, shows: str, prefix: Key = b"", begin: Key = b"", end: Key = b"",
                 reverse: bool = False, only: str = "all",
                 as_of: Optional[Instant] = None) -> RowIterator:
        return RowIterator(self, shows, prefix, begin, end, reverse, only, as_of)

    def keys(self, prefix: Key = b"", begin: Key = b"", end: Key = b"", reverse: bool = False,
             only: str = "all") -> RowIterator:
        """Keys in byte order: those with the prefix, from begin on, before end.

        only: "all", "mortal" (rows with a deadline) or "immortal".
        """
        return self._iterate("keys", prefix, begin, end, reverse, only)

    def values(self, prefix: Key = b"", begin: Key = b"", end: Key = b"", reverse: bool = False,
               only: str = "all") -> RowIterator:
        return self._iterate("values", prefix, begin, end, reverse, only)

    def items(self, prefix: Key = b"", begin: Key = b"", end: Key = b"", reverse: bool = False,
              only: str = "all") -> RowIterator:
        return self._iterate("items", prefix, begin, end, reverse, only)

    def rows(self, prefix: Key = b"", begin: Key = b"", end: Key = b"", reverse: bool = False,
             only: str = "all", as_of: Optional[Instant] = None) -> Iterator[Row]:
        """Whole rows, with deadline and timestamp."""
        with self._iterate("rows", prefix, begin, end, reverse, only, as_of) as found:
            for fields in found:
                yield Row(*fields)

    def __iter__(self) -> RowIterator:
        return self._iterate("keys")

    def __reversed__(self) -> RowIterator:
        return self._iterate("keys", reverse=True)

    def __bool__(self) -> bool:
        return True  # An empty database is a database.

    def row(self, key: Key, as_of: Optional[Instant] = None) -> Row:
        """The whole row; as_of: as it was then, in a keyspace ordered by timestamp."""
        return Row(*(self._row(key) if as_of is None else self._row_as_of(key, as_of)))

    def deadline(self, key: Key) -> Optional[datetime]:
        """When the row or collection dies; None: never. NotFoundError when there is none."""
        try:
            return self._row(key)[2]
        except WrongTypeError:  # A collection. ttl() reads it by its key, as a transaction watches.
            if self.ttl(key) is None:
                return None
        # Of all rows with that prefix, the key itself comes first.
        row = next(self.rows(prefix=key), None)
        if row is None or row.key != as_bytes(key):
            raise NotFoundError(key)
        return row.deadline

    def forecast(self, bucket: Duration = 60, buckets: int = 60,
                 with_bytes: bool = True) -> List[ForecastBucket]:
        """Rows and bytes that will die, by time from now on."""
        return [ForecastBucket(*each) for each in self._forecast(bucket, buckets, with_bytes)]

    def deadlines(self, begin: Optional[Instant] = None,
                  end: Optional[Instant] = None) -> Iterator[DeadlineEntry]:
        """Rows whose deadline lies in [begin, end), in the order they will die."""
        page_size, after = 1000, None
        while True:
            page = self._deadlines(begin, end, after, page_size)
            for entry in page:
                yield DeadlineEntry(*entry)
            if len(page) < page_size:
                return
            after = page[-1]


class WritableRows(Rows, _Writer):
    """Writing, as a dict and with lifetimes."""

    def pop(self, key: Key, default: Any = _MISSING) -> Any:
        """Removes the row and returns its value, as one step."""
        def work(rows: Any) -> Any:
            value = rows.get(key)
            if value is not None:
                rows.delete(key)
            return value

        value = self._atomically(work)
        if value is None:
            if default is _MISSING:
                raise NotFoundError(key)
            return default
        return value

    def popitem(self) -> Tuple[bytes, bytes]:
        """Removes the first row and returns it."""
        def work(rows: Any) -> Optional[Tuple[bytes, bytes]]:
            with rows.items() as found:
                item = next(found, None)
            if item is not None:
                rows.delete(item[0])
            return item

        item = self._atomically(work)
        if item is None:
            raise NotFoundError("no row is left")
        return item

    def setdefault(self, key: Key, default: Value = b"", ttl: Any = None) -> bytes:
        """The value; if there is none, default is written first."""
        def work(rows: Any) -> bytes:
            value = rows.get(key)
            if value is not None:
                return value
            rows.put(key, default, ttl)
            return rows[key]

        return self._atomically(work)

    def update(self, other: Any = (), ttl: Any = None, **more: Any) -> None:
        """Writes all pairs and keywords, or none of them: one transaction."""
        pairs = other.items() if isinstance(other, (AbstractMapping, Rows)) else other
        self._put_many([(key, value) for key, value in pairs] + list(more.items()), ttl)

    def change(self, key: Key, compute: Callable[[Optional[bytes]], Optional[Value]],
               ttl: Any = _mayfly.KEEP) -> Optional[Value]:
        """Reads, computes and writes as one step; keeps the deadline unless ttl says otherwise.

        compute gets the value or None, and returns the new one or None to delete the row. It may
        run several times.
        """
        def work(rows: Any) -> Optional[Value]:
            old = rows.get(key)
            new = compute(old)
            if new is None:
                rows.delete(key)
            else:
                rows.put(key, new, ttl)
            return new

        return self._atomically(work)

    def _atomically(self, work: Callable[[Any], Any]) -> Any:
        raise NotImplementedError


