"""A database and its keyspaces."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Callable, Optional, Set, TypeVar, Union

from . import _mayfly
from ._mayfly import ConflictError, InvalidError, ManualClock, NotFoundError
from .collections import CollectionMakers
from .events import Events
from .policy import Duration, Policy
from .reaper import Reaper
from .reports import (BackupReport, CheckReport, ClockReport, Proof, PurgeReport, ReclaimReport,
                      RestoreReport, Statistics)
from .rows import Key, WritableRows
from .transaction import Snapshot, Transaction

if TYPE_CHECKING:
    from .tables import Tables

T = TypeVar("T")


class Keyspace(WritableRows, CollectionMakers, _mayfly.Keyspace):
    """Rows with a policy of their own. Handles stay valid until the database closes."""

    def __init__(self, database: Database, name: str, policy: Optional[Policy] = None) -> None:
        if policy is None:
            _mayfly.Keyspace.__init__(self, database, name)
        else:
            _mayfly.Keyspace.__init__(self, database, name, asdict(policy))
        self._database = database

    @property
    def policy(self) -> Policy:
        return Policy(**self._policy())

    @policy.setter
    def policy(self, policy: Policy) -> None:
        self._set_policy(asdict(policy))

    def purge(self, rows_max: Optional[int] = None,
              time_max: Optional[Duration] = None) -> PurgeReport:
        """Removes dead rows of this keyspace, oldest first."""
        return PurgeReport(**self._database._purge(self, rows_max, time_max))

    def _atomically(self, work: Callable[[Any], Any]) -> Any:
        return self._database.transact(lambda transaction: work(transaction.keyspace(self)))

    def __enter__(self) -> Keyspace:
        return self

    def __exit__(self, *_: Any) -> None:
        """Nothing to release: the handle ends with its database."""

    def __repr__(self) -> str:
        return f"<mayfly.Keyspace {self.name!r}>"


class Database(WritableRows, CollectionMakers, _mayfly.Database):
    """A key-value database in which every row can carry the instant it dies.

    directory: where the files are, created if missing; None: in memory. Its own methods are about
    the keyspace "default". Safe from any thread. In a child of os.fork() every call raises
    InvalidError, and close() does nothing: open databases after the fork.

    read_only           reads beside a writer, in this process or another
    create              False: a missing database is NotFoundError
    salvage             opens a damaged database to save what can be read; needs read_only
    password            encrypts a new database, opens an encrypted one
    memory              "tiny", "default" or "server"
    engine              "memory-first": rows in memory with a log, over RocksDB; "rocks": RocksDB alone;
                        "as-found": as the database was made, a new one memory-first
    memory_rows_bytes_max  of rows that a memory-first database keeps in memory; 0: by `memory`
    durability          of writes that state none: "none", "process" or "disk"
    disk_reserve_bytes  space set aside for deletes on a full disk
    purge_on_read       a read that meets a dead row removes it
    allow_any_instant   accepts numbers of seconds that look like another unit
    clock_jump_max      a clock that gains more than this stops physical deletion
    state_age_max       revokes snapshots, transactions and iterators older than this; a reaper that
                        reclaims does, or reclaim(); without them they stay
    clock               a ManualClock, for tests
    """

    def __init__(self, directory: Union[None, str, os.PathLike[str]] = None, *,
                 read_only: bool = False, create: bool = True, salvage: bool = False,
                 password: Optional[Key] = None, memory: str = "default",
                 engine: str = "as-found", memory_rows_bytes_max: int = 0,
                 durability: str = "process", disk_reserve_bytes: int = 0,
                 purge_on_read: bool = True, allow_any_instant: bool = False,
                 clock_jump_max: Optional[Duration] = None,
                 state_age_max: Optional[Duration] = None,
                 clock: Optional[ManualClock] = None) -> None:
        self.directory = None if directory is None else os.fspath(directory)
        if self.directory == "":
            raise InvalidError("the name of the directory is empty; None is a database in memory")
        _mayfly.Database.__init__(self, self.directory or "", {
            "read_only": read_only, "create": create, "salvage": salvage, "password": password,
            "memory": memory, "engine": engine, "memory_rows_bytes_max": memory_rows_bytes_max,
            "durability": durability, "disk_reserve_bytes": disk_reserve_bytes,
            "purge_on_read": purge_on_read, "allow_any_instant": allow_any_instant,
            "clock_jump_max": clock_jump_max, "state_age_max": state_age_max,
        }, clock)
        self._tables: Optional[Tables] = None
        self._reapers: Set[Reaper] = set()

    def close(self) -> None:
        """Closes it. Iterators, snapshots, transactions and reapers that are open end first."""
        if self._tables is not None:
            self._tables.close()
            self._tables = None
        super().close()
        self._reapers.clear()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<mayfly.Database {self.directory or 'in memory'!r}>"

    # Keyspaces.

    def create_keyspace(self, name: str, policy: Policy = Policy()) -> Keyspace:
        """InvalidError when the name is taken or begins with two underscores."""
        return Keyspace(self, name, policy)

    def keyspace(self, name: str, create: bool = False, policy: Policy = Policy()) -> Keyspace:
        """Opens a keyspace; with create, makes it with that policy if there is none."""
        try:
            return Keyspace(self, name)
        except NotFoundError:
            if not create:
                raise
            return Keyspace(self, name, policy)

    # Transactions and snapshots.

    def transaction(self) -> Transaction:
        return Transaction(self)

    def transact(self, work: Callable[[Transaction], T], attempts: int = 16) -> T:
        """Runs work in a transaction and commits; after a ConflictError again. Returns its result.

        work may run several times: it should change nothing but the database.
        """
        for attempt in range(1, attempts + 1):
            try:
                with self.transaction() as transaction:
                    return work(transaction)
            except ConflictError:
                if attempt == attempts:
                    raise
        raise ValueError("attempts must be at least 1")

    def _atomically(self, work: Callable[[Any], Any]) -> Any:
        return self.transact(work)

    def snapshot(self) -> Snapshot:
        return Snapshot(self)

    # The dead.

    def purge(self, rows_max: Optional[int] = None,
              time_max: Optional[Duration] = None) -> PurgeReport:
        """Removes dead rows of all keyspaces, oldest first within each.

        Nothing in a database opened for reading: its writer purges.
        """
        return PurgeReport(**self._purge(None, rows_max, time_max))

    def start_reaper(self, work_percent: int = 20, step_rows_max: int = 1024,
                     reclaim: bool = True) -> Reaper:
        """Starts a thread that purges rows as they die, until close(), its own or the database's.

        The result may be ignored; it is a block, too, whose end stops the thread.
        """
        return Reaper(self, work_percent, step_rows_max, reclaim)

    def reclaim(self, dead_percent: int = 25, bytes_per_second: int = 0,
                everything: bool = False) -> ReclaimReport:
        """Gives the space of purged and deleted rows back to the disk."""
        return ReclaimReport(**self._reclaim(dead_percent, bytes_per_second, everything))

    def prove(self, find: Key = b"") -> Proof:
        """Reports what is left of dead rows, where, and why; find: searches all files for it."""
        return Proof.of(self._prove(find))

    @property
    def events(self) -> Events:
        return Events(self)

    # Upkeep.

    def backup(self, file: Union[str, os.PathLike[str]]) -> BackupReport:
        """Writes one file with all rows. InvalidError when the file exists."""
        return BackupReport(**self._backup(os.fspath(file)))

    def restore(self, file: Union[str, os.PathLike[str]], mode: str = "honour",
                shift: Duration = 0, password: Key = b"") -> RestoreReport:
        """Fills this database, which must be empty, from a backup.

        mode, for deadlines: "honour" them (rows that died meanwhile are left out), "freeze" the
        time that was left, "shift" them, or "strip" them.
        """
        return RestoreReport(**self._restore(os.fspath(file), mode, shift, password))

    def check(self, repair: bool = False) -> CheckReport:
        """Compares rows, index and counters."""
        return CheckReport(**self._check(repair))

    def statistics(self) -> Statistics:
        return Statistics.of(self._statistics())

    def clock_report(self) -> ClockReport:
        return ClockReport(**self._clock_report())

    # Tables.

    @property
    def tables(self) -> Tables:
        """The tables of this database; opened at the first use."""
        if self._tables is None:
            from .tables import Tables

            self._tables = Tables(self)
        return self._tables
