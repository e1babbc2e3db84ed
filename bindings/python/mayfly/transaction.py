"""Transactions and snapshots, as context managers."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Union

from . import _mayfly
from .collections import CollectionMakers
from .rows import Rows, WritableRows

if TYPE_CHECKING:
    from .database import Database, Keyspace


class _WithinTransaction(WritableRows, CollectionMakers):
    def _atomically(self, work: Callable[[Any], Any]) -> Any:
        return work(self)


class TransactionKeyspace(_WithinTransaction, _mayfly.Writer):
    """A keyspace as a transaction sees and changes it."""


class SnapshotKeyspace(Rows, _mayfly.Reader):
    """A keyspace as it was when the snapshot was taken."""


class Transaction(_WithinTransaction, _mayfly.Transaction):
    """All its writes, or none. Its own methods are about the default keyspace.

    Leaving the block commits; an exception rolls back. ConflictError at the commit: another writer
    changed a row that this one wrote or read by its key, or a collection that it read. Rows that it
    only walked, by keys() and the like, are not watched. Database.transact() tries again by itself.
    InvalidError at the end of the block: the database was closed meanwhile, and nothing is written.
    """

    def __init__(self, database: Database) -> None:
        _mayfly.Transaction.__init__(self, database)
        self._database = database
        self._savepoints = 0
        # By commit() or rollback(). One that close() ended is over, too, but its writes are lost.
        self._settled = False

    def keyspace(self, keyspace: Union[str, Keyspace]) -> TransactionKeyspace:
        if isinstance(keyspace, str):
            keyspace = self._database.keyspace(keyspace)
        return TransactionKeyspace(self, keyspace)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """An exception that leaves the block undoes what the block wrote."""
        self._set_savepoint()
        self._savepoints += 1
        mine = self._savepoints
        try:
            yield
        except BaseException:
            # Inner blocks that ended well left their savepoints behind.
            while self._savepoints >= mine:
                self._rollback_to_savepoint()
                self._savepoints -= 1
            raise

    def commit(self, durability: Optional[str] = None) -> None:
        try:
            super().commit(durability)
        finally:
            self._settled = self._settled or self.over

    def rollback(self) -> None:
        super().rollback()
        self._settled = True

    def __enter__(self) -> Transaction:
        return self

    def __exit__(self, kind: Optional[type], *rest: Any) -> None:
        if kind is not None:
            self.rollback()
        elif not self._settled:
            self.commit()


class Snapshot(Rows, _mayfly.Snapshot):
    """The database as it was, at the instant it was taken. Keep it short."""

    def __init__(self, database: Database) -> None:
        _mayfly.Snapshot.__init__(self, database)
        self._database = database

    def keyspace(self, keyspace: Union[str, Keyspace]) -> SnapshotKeyspace:
        if isinstance(keyspace, str):
            keyspace = self._database.keyspace(keyspace)
        return SnapshotKeyspace(self, keyspace)

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
