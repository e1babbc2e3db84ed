"""Tables of items with keys, conditions, indexes and an attribute that says when an item dies.

Items are dicts. Values: str, int, float, Decimal, bytes, bool, None, list, dict, and sets of str,
numbers or bytes. A number that is read is an int or a Decimal, exactly. Expressions are DynamoDB's:
names={"#n": "name"} and values={":v": 1} fill their placeholders.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from . import _mayfly
from ._mayfly import ConflictError
from .policy import Duration

Item = Dict[str, Any]
KeyAttribute = Union[str, Tuple[str, str]]


class ConditionFailedError(ConflictError):
    """The condition of a write does not hold; nothing was written. `item`: the stored item."""

    def __init__(self, message: str, item: Optional[Item] = None) -> None:
        super().__init__(message)
        self.item = item


@dataclass(frozen=True)
class TableDescription:
    name: str
    partition: Tuple[str, str]
    sort: Optional[Tuple[str, str]]
    ttl_attribute: str
    ttl_mode: str
    id: str
    created_at: datetime
    items: int  # Living ones, exactly.
    bytes: int
    indexes: List[Tuple[str, bool, int]]  # Name, whether it is complete, items.
    stream: str
    stream_label: str
    purge_within: Optional[float]


@dataclass(frozen=True)
class StreamRecord:
    sequence: int
    kind: str  # "insert", "modify" or "remove".
    by_ttl: bool
    at: datetime
    keys: Item
    old: Optional[Item]
    new: Optional[Item]


def _key(attribute: KeyAttribute) -> Tuple[str, str]:
    return (attribute, "S") if isinstance(attribute, str) else attribute


def _index(spec: Dict[str, Any]) -> Dict[str, Any]:
    made = dict(spec, partition=_key(spec["partition"]))
    if spec.get("sort") is not None:
        made["sort"] = _key(spec["sort"])
    return made


class Tables(_mayfly.Tables):
    """The tables of a database: database.tables."""

    def create(self, name: str, partition: KeyAttribute, sort: Optional[KeyAttribute] = None, *,
               ttl_attribute: str = "", ttl_mode: str = "exact",
               global_indexes: Iterable[Dict[str, Any]] = (),
               local_indexes: Iterable[Dict[str, Any]] = (), stream: str = "off",
               purge_within: Optional[Duration] = None) -> Table:
        """Creates a table. BusyError when there is one of that name.

        A key is a name or (name, type), the type being "S", "N" or "B". ttl_attribute holds seconds
        since the epoch; ttl_mode "until_swept" keeps dead items visible until a sweep, as AWS does.
        An index is a dict of name, partition, sort and attributes (missing: all of them).
        """
        self._create({
            "name": name, "partition": _key(partition),
            "sort": None if sort is None else _key(sort), "ttl_attribute": ttl_attribute,
            "ttl_mode": ttl_mode, "global_indexes": [_index(each) for each in global_indexes],
            "local_indexes": [_index(each) for each in local_indexes], "stream": stream,
            "purge_within": purge_within,
        })
        return Table(self, name)

    def table(self, name: str) -> Table:
        """NotFoundError when there is none."""
        self._describe(name)
        return Table(self, name)

    __getitem__ = table

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def get_all(self, requests: Iterable[Tuple[Table, Item]]) -> List[Optional[Item]]:
        """Up to 100 items by (table, key), from one state."""
        return self._get_all([{"table": table.name, "key": key} for table, key in requests])

    def write_all(self, actions: Iterable[Tuple[str, Dict[str, Any]]], token: str = "") -> None:
        """Applies up to 100 actions as one, or none: ConditionFailedError.

        Actions are what Table.putting(), updating(), deleting() and checking() return.
        """
        written, verdicts = self._write_all(list(actions), token)
        if written:
            return
        for number, (reason, message, item) in enumerate(verdicts):
            if reason != "none":
                raise ConditionFailedError(f"action {number}: {message or reason}", item)


class Table:
    """One table. Keys are dicts of the key attributes."""

    def __init__(self, tables: Tables, name: str) -> None:
        self._tables, self.name = tables, name

    def describe(self) -> TableDescription:
        return TableDescription(**self._tables._describe(self.name))

    def change(self, **changes: Any) -> TableDescription:
        """add_index=, drop_index=, stream=, ttl_attribute= ("": none), ttl_mode=, purge_within=."""
        if "add_index" in changes:
            changes["add_index"] = _index(changes["add_index"])
        return TableDescription(**self._tables._change(self.name, changes))

    def drop(self) -> None:
        self._tables.drop(self.name)

    # Actions, done at once or as a part of Tables.write_all().

    def putting(self, item: Item, condition: str = "", **more: Any) -> Tuple[str, Dict[str, Any]]:
        return "put", dict(more, table=self.name, item=item, condition=condition)

    def updating(self, key: Item, update: str, condition: str = "",
                 **more: Any) -> Tuple[str, Dict[str, Any]]:
        return "update", dict(more, table=self.name, key=key, update=update, condition=condition)

    def deleting(self, key: Item, condition: str = "", **more: Any) -> Tuple[str, Dict[str, Any]]:
        return "delete", dict(more, table=self.name, key=key, condition=condition)

    def checking(self, key: Item, condition: str, **more: Any) -> Tuple[str, Dict[str, Any]]:
        return "check", dict(more, table=self.name, key=key, condition=condition)

    # Items. Keywords they share: names, values, expected_version (0: no item), returns ("none",
    # "all_old", "all_new", "updated_old", "updated_new"). They return what `returns` asks for.

    def put(self, item: Item, condition: str = "", **more: Any) -> Optional[Item]:
        return self._done(self._tables._put(self.putting(item, condition, **more)[1]))

    def update(self, key: Item, update: str, condition: str = "", **more: Any) -> Optional[Item]:
        return self._done(self._tables._update(self.updating(key, update, condition, **more)[1]))

    def delete(self, key: Item, condition: str = "", **more: Any) -> Optional[Item]:
        return self._done(self._tables._delete(self.deleting(key, condition, **more)[1]))

    @staticmethod
    def _done(outcome: Tuple[bool, Optional[Item], int]) -> Optional[Item]:
        written, attributes, _ = outcome
        if not written:
            raise ConditionFailedError("the condition does not hold", attributes)
        return attributes

    def get(self, key: Item, projection: str = "", **more: Any) -> Optional[Item]:
        """The item, or None."""
        return self._found(key, projection, **more)[0]

    def version(self, key: Item) -> int:
        """For expected_version=; 0: there is no item."""
        return self._found(key, "")[1]

    def _found(self, key: Item, projection: str, **more: Any) -> Tuple[Optional[Item], int]:
        return self._tables._get(dict(more, table=self.name, key=key, projection=projection))

    def query(self, key_condition: str, **more: Any) -> Iterator[Item]:
        """Items of one partition in the order of the sort key, page by page.

        Keywords: values, names, index, filter, projection, reverse, limit (items in all).
        """
        return self._pages(self._tables._query, dict(more, key_condition=key_condition))

    def scan(self, **more: Any) -> Iterator[Item]:
        """All items. Keywords as query()."""
        return self._pages(self._tables._scan, more)

    def _pages(self, read: Any, request: Dict[str, Any]) -> Iterator[Item]:
        left = request.pop("limit", None)
        request["table"] = self.name
        while left is None or left > 0:
            # A limit counts items before the filter, so it is kept here.
            items, _, last_key = read(request)
            for item in items if left is None else items[:left]:
                yield item
            if left is not None:
                left -= len(items)
            if last_key is None:
                return
            request["start_after"] = last_key

    def count(self, key_condition: str = "", **more: Any) -> int:
        """How many items query() or scan() would yield."""
        request = dict(more, table=self.name, count_only=True)
        read = self._tables._scan
        if key_condition:
            request["key_condition"] = key_condition
            read = self._tables._query
        total = 0
        while True:
            _, count, last_key = read(request)
            total += count
            if last_key is None:
                return total
            request["start_after"] = last_key

    # Lifetimes.

    def set_ttl(self, key: Item, ttl: Duration) -> None:
        """The item dies that long from now, in seconds rounded up."""
        self._tables._set_ttl(self.name, key, ttl)

    def remove_ttl(self, key: Item) -> bool:
        return self._tables._remove_ttl(self.name, key)

    def ttl(self, key: Item) -> Optional[float]:
        """Seconds left; None: it lives for ever. NotFoundError when there is no item."""
        return self._tables._ttl(self.name, key)

    def sweep(self, items_max: int = 2**63 - 1) -> int:
        """Removes dead items; how many."""
        return self._tables._sweep(self.name, items_max)

    def stream(self, sequence: int = 0, limit: int = 1000) -> List[StreamRecord]:
        """Changes of items, from that sequence on, of the newest stream."""
        label = self.describe().stream_label
        return [StreamRecord(**each)
                for each in self._tables._read_stream(self.name, label, sequence, limit)]
