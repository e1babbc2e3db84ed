"""mayfly: a key-value database in which every row can carry the instant it dies.

    import mayfly

    with mayfly.Database("sessions.db") as db:
        db.put("session:7", "alice", ttl=1800)
        db["code:7", 90] = "4711"        # A ttl of 90 seconds.
        db["session:7"]                  # b"alice" for half an hour, then NotFoundError

Keys and values are bytes; a str stands for its UTF-8 bytes. docs/python.md is the guide.
"""

from collections.abc import MutableMapping as _MutableMapping

from ._mayfly import (FOREVER, KEEP, BusyError, ConflictError, CorruptionError, CrossSlotError,
                      InternalError, InvalidError, IoError, ManualClock, MayflyError,
                      NotFoundError, ReadOnlyError, RowIterator, UnsupportedError,
                      WrongPasswordError, WrongTypeError)
from .collections import Hash, List, Set, SortedSet
from .database import Database, Keyspace
from .events import Events
from .kvstore import ColumnFamily, KVStore
from .memo import memoize
from .policy import Policy
from .reaper import Reaper
from .reports import (BackupReport, CheckReport, ClockReport, DeadlineEntry, Event, ForecastBucket,
                      KeyspaceStatistics, Proof, PurgeReport, ReclaimReport, RestoreReport, Row,
                      Statistics)
from .transaction import Snapshot, SnapshotKeyspace, Transaction, TransactionKeyspace

__version__ = "0.1.0"

for _kind in (Database, Keyspace, Transaction, TransactionKeyspace):
    _MutableMapping.register(_kind)

# Spelled out, for type checkers.
__all__ = [
    "BackupReport", "BusyError", "CheckReport", "ClockReport", "ColumnFamily", "ConflictError",
    "CorruptionError", "CrossSlotError", "Database", "DeadlineEntry", "Event", "Events",
    "FOREVER", "ForecastBucket", "Hash", "InternalError", "InvalidError", "IoError", "KEEP",
    "KVStore", "Keyspace", "KeyspaceStatistics", "List", "ManualClock", "MayflyError",
    "NotFoundError", "Policy", "Proof", "PurgeReport", "ReadOnlyError", "Reaper",
    "ReclaimReport", "RestoreReport", "Row", "RowIterator", "Set", "Snapshot",
    "SnapshotKeyspace", "SortedSet", "Statistics", "Transaction", "TransactionKeyspace",
    "UnsupportedError", "WrongPasswordError", "WrongTypeError", "memoize",
]
