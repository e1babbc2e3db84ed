"""What calls report: plain records. Times are aware datetimes in UTC, lengths of time seconds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, List, NamedTuple, Optional


class Row(NamedTuple):
    """A row as rows() and row() show it."""

    key: bytes
    value: bytes
    deadline: Optional[datetime]  # None: it lives for ever.
    timestamp: Optional[datetime]  # In keyspaces ordered by timestamp.
    is_collection: bool = False


class ForecastBucket(NamedTuple):
    """Rows that die in [begin, end)."""

    begin: datetime
    end: datetime
    rows: int
    bytes: int


class DeadlineEntry(NamedTuple):
    key: bytes
    deadline: datetime


@dataclass(frozen=True)
class Event:
    """A row, or a field of a hash, that expired."""

    sequence: int
    keyspace: str  # Empty when it was dropped since.
    keyspace_id: int
    key: bytes
    deadline: datetime
    purged_at: datetime
    cause: str  # "purged", "read", "replaced", "born_dead" or "evicted".
    value: Optional[bytes]  # As the policy asks.
    field: Optional[bytes]  # Of a hash; None: the event is about the whole row.


@dataclass(frozen=True)
class PurgeReport:
    rows: int
    versions: int
    members: int
    leftovers: int
    stale_entries: int
    more_due: bool
    stopped_by_clock: bool


@dataclass(frozen=True)
class ReclaimReport:
    files_dropped: int
    files_rewritten: int
    bytes_rewritten: int
    held_up: bool
    stopped_by_clock: bool


@dataclass(frozen=True)
class CheckReport:
    clean: bool
    rows: int
    entries: int
    missing_entries: int
    stale_entries: int
    wrong_counts: int
    unreadable_rows: int
    versions: int
    stray_versions: int
    members: int
    stray_members: int
    repaired: int
    findings: List[str]


@dataclass(frozen=True)
class BackupReport:
    keyspaces: int
    rows: int
    bytes: int
    taken_at: datetime
    lost_rows: int
    lost_members: int


@dataclass(frozen=True)
class RestoreReport:
    keyspaces: int
    rows: int
    dropped_rows: int
    lost_collections: int


@dataclass(frozen=True)
class ClockReport:
    now: datetime  # The database's time.
    machine: datetime
    steps_back: int
    jumps_forward: int
    physical_deletion_stopped: bool
    last_jump: float
    without_jump: Optional[datetime]


@dataclass(frozen=True)
class KeyspaceStatistics:
    name: str
    rows: int
    mortal_rows: int
    due_rows: int
    lag: float
    due_members: int
    orphans: int
    purge_within: Optional[float]
    purged_through: datetime
    promise_overdue: float


@dataclass(frozen=True)
class Statistics:
    keyspaces: List[KeyspaceStatistics]
    purged_rows: int
    purged_by_reads: int
    purged_members: int
    clamped_lifetimes: int
    conflicts: int
    events_first: int
    events_last: int
    disk_bytes: int
    memory_bytes: int
    open_snapshots: int
    revoked_states: int
    files_dropped: int
    files_rewritten: int
    bytes_rewritten: int
    damage_seen: int
    first_damage: str
    given_up: List[str]
    disk_full: bool
    last_commit: int
    clock: ClockReport

    @staticmethod
    def of(fields: Dict[str, Any]) -> Statistics:
        fields["keyspaces"] = [KeyspaceStatistics(**each) for each in fields["keyspaces"]]
        fields["clock"] = ClockReport(**fields["clock"])
        return Statistics(**fields)


@dataclass(frozen=True)
class ProofFile:
    role: str
    name: str
    level: int
    bytes: int
    first_deadline: Optional[datetime]
    last_deadline: Optional[datetime]
    mortal_bytes: int
    immortal_bytes: int
    dead_bytes: int
    tombstones: int


@dataclass(frozen=True)
class KeyspaceProof:
    name: str
    purge_within: Optional[float]
    purged_through: datetime
    purged_rows_through: datetime
    rows: int
    due_rows: int
    kept: bool
    files: List[ProofFile]


@dataclass(frozen=True)
class ProofHolder:
    kind: str
    since: datetime
    description: str


@dataclass(frozen=True)
class ProofTrace:
    where: str
    what: str


@dataclass(frozen=True)
class Proof:
    """What is left of the dead, where, and why."""

    taken_at: datetime
    kept: bool
    keyspaces: List[KeyspaceProof]
    holders: List[ProofHolder]
    traces: List[ProofTrace]

    @staticmethod
    def of(fields: Dict[str, Any]) -> Proof:
        for keyspace in fields["keyspaces"]:
            keyspace["files"] = [ProofFile(**file) for file in keyspace["files"]]
        fields["keyspaces"] = [KeyspaceProof(**each) for each in fields["keyspaces"]]
        fields["holders"] = [ProofHolder(**each) for each in fields["holders"]]
        fields["traces"] = [ProofTrace(**each) for each in fields["traces"]]
        return Proof(**fields)
