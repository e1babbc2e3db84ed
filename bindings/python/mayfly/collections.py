"""Hashes, lists, sets and sorted sets as Python containers.

They are rows: a key without one is an empty collection, which is made with its first member and
removed with its last. The same rows are what clients of the Redis server see. Members are bytes; a
str stands for its UTF-8 bytes. Made from a database or keyspace, each call is atomic by itself;
made from a transaction, all calls belong to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, MutableSequence, MutableSet
from datetime import datetime
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Tuple

from . import _mayfly
from ._mayfly import NotFoundError
from .containers import (Items, Keys, SetOperators, Values, as_bytes, atomic, comparable, container,
                         is_bytes, pairs_of)

_PAGE = 1000
_ALL = 2**63 - 1

# For a type checker they derive from what container() makes of them.
if TYPE_CHECKING:
    _BytesMapping = MutableMapping[bytes, bytes]
    _ScoreMapping = MutableMapping[bytes, float]
    _BytesSequence = MutableSequence[bytes]
    _BytesSet = MutableSet[bytes]
else:
    _BytesMapping = _ScoreMapping = _BytesSequence = _BytesSet = object


class _Collection:
    """What every collection has: a key, and a deadline of the whole."""

    def __init__(self, rows: Any, key: Any) -> None:
        super().__init__(rows, key)  # type: ignore[call-arg]  # That of the extension's class.
        self._rows: Any = rows
        self.key: bytes = as_bytes(key)

    def ttl(self) -> Optional[float]:
        """Seconds left; None: no deadline. NotFoundError when it is empty."""
        return self._rows.ttl(self.key)

    def expire(self, ttl: Any = None, expire_at: Any = None, only_if: str = "always") -> bool:
        return self._rows.expire(self.key, ttl, expire_at, only_if)

    def persist(self) -> bool:
        return self._rows.persist(self.key)

    def clear(self) -> None:
        self._rows.delete(self.key)


def _found(value: Any, name: Any) -> Any:
    if value is None:
        raise NotFoundError(name)
    return value


def _by_cursor(read: Callable[[int, int], Any]) -> Iterator[Any]:
    """Members in pages, each of which says where the next begins; 0: nowhere."""
    position = 0
    while True:
        page, position = read(position, _PAGE)
        yield from page
        if position == 0:
            return


def _by_position(read: Callable[[int, int], Any]) -> Iterator[Any]:
    """Members in pages of a fixed size. Changes meanwhile may show."""
    position = 0
    while True:
        page = read(position, _PAGE)
        yield from page
        if len(page) < _PAGE:
            return
        position += len(page)


class _MappingCollection(_Collection):
    """What a hash and a sorted set share."""

    def _pairs(self) -> Iterator[Tuple[bytes, Any]]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[bytes]:
        return (name for name, _ in self._pairs())

    def keys(self) -> Any:
        return Keys(self)  # type: ignore[arg-type]

    def items(self) -> Any:
        return Items(self)  # type: ignore[arg-type]

    def values(self) -> Any:
        return Values(self)  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        """Equal to a mapping with the same members, where a str stands for its bytes."""
        if not isinstance(other, Mapping):
            return NotImplemented
        theirs = {comparable(key): comparable(value) for key, value in other.items()}
        return dict(self._pairs()) == theirs

    __hash__ = None  # type: ignore[assignment]

    def update(self, other: Any = (), /, **more: Any) -> None:
        """Writes all pairs, or none of them."""
        self._put_all(pairs_of(other, more))

    @atomic
    def _put_all(self, pairs: Any) -> None:
        for name, value in pairs:
            self[name] = value  # type: ignore[index]

    @atomic
    def setdefault(self, name: Any, default: Any = None) -> Any:
        """What is there; if there is nothing, default is written first."""
        if name not in self:
            self[name] = default  # type: ignore[index]
        return self[name]  # type: ignore[index]


@container(MutableMapping)
class Hash(_MappingCollection, _mayfly.Hash, _BytesMapping):
    """Fields with values, each with a ttl if it is given one: h[field, ttl] = value."""

    def get(self, field: Any, default: Any = None) -> Any:
        found = self._get(field)
        return default if found is None else found[0]

    def __getitem__(self, field: Any) -> bytes:
        return _found(self._get(field), field)[0]

    def __setitem__(self, field: Any, value: Any) -> None:
        if isinstance(field, tuple):
            field, ttl = field
            self.put(field, value, ttl)
        else:
            self.put(field, value)

    def __delitem__(self, field: Any) -> None:
        if not self.remove(field):
            raise NotFoundError(field)

    def __contains__(self, field: object) -> bool:
        return is_bytes(field) and self._get(field) is not None

    def field_deadline(self, field: Any) -> Optional[datetime]:
        """When the field dies; None: with the hash."""
        return _found(self._get(field), field)[1]

    def _pairs(self) -> Iterator[Tuple[bytes, bytes]]:
        return ((name, value) for name, value, _ in _by_cursor(self._read))


@container(MutableSequence)
class List(_Collection, _mayfly.List, _BytesSequence):
    """Values in an order, as a list and a deque: append, appendleft, pop, popleft, insert, slices."""

    def _position(self, index: int) -> int:
        position = index + len(self) if index < 0 else index
        if position < 0:
            raise IndexError("list index out of range")
        return position

    @atomic
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            begin, end, step = index.indices(len(self))
            if step == 1:
                return self._read(begin, max(0, end - begin))
            return self._read(0, _ALL)[index]
        value = self._get(self._position(index))
        if value is None:
            raise IndexError("list index out of range")
        return value

    @atomic
    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            raise TypeError("a slice cannot be assigned: assign positions, or clear() and extend()")
        try:
            self._set(self._position(index), value)
        except NotFoundError:
            raise IndexError("list assignment index out of range") from None

    @atomic
    def __delitem__(self, index: Any) -> None:
        if isinstance(index, slice):
            raise TypeError("a slice cannot be deleted: delete positions, or trim(begin, end)")
        try:
            self._remove(self._position(index))
        except NotFoundError:
            raise IndexError("list index out of range") from None

    @atomic
    def insert(self, index: int, value: Any) -> None:
        size = len(self)
        self._insert(max(0, index + size) if index < 0 else min(index, size), value)

    def extend(self, values: Any) -> None:
        """Appends all of them, or none."""
        self._append_all([as_bytes(value) for value in values])

    @atomic
    def _append_all(self, values: Any) -> None:
        for value in values:
            self.append(value)

    def __iadd__(self, values: Any) -> List:
        self.extend(values)
        return self

    @atomic
    def pop(self, index: int = -1) -> bytes:
        if index == 0:
            return self.popleft()
        if index == -1:
            return self._popped(self._pop_back())
        value = self[index]
        del self[index]
        return value

    def popleft(self) -> bytes:
        return self._popped(self._pop_front())

    @staticmethod
    def _popped(value: Optional[bytes]) -> bytes:
        if value is None:
            raise IndexError("pop from an empty list")
        return value

    def __iter__(self) -> Iterator[bytes]:
        return _by_position(self._read)

    def __contains__(self, value: Any) -> bool:
        wanted = comparable(value)
        return any(each == wanted for each in self)

    def index(self, value: Any, start: int = 0, stop: int = _ALL) -> int:
        """The position of the first that is equal; ValueError when there is none."""
        return list(self).index(comparable(value), start, stop)

    def count(self, value: Any) -> int:
        return list(self).count(comparable(value))

    @atomic
    def remove(self, value: Any) -> None:
        """Removes the first that is equal; ValueError when there is none."""
        del self[self.index(value)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Iterable):
            return NotImplemented
        return list(self) == [comparable(each) for each in other]

    __hash__ = None  # type: ignore[assignment]


@container(MutableSet)
class Set(_Collection, SetOperators, _mayfly.Set, _BytesSet):
    """Different members. Operators such as | and & return a set of Python."""

    def add(self, value: Any) -> bool:  # type: ignore[override]
        """True when it is new."""
        return self._add(value)

    def discard(self, value: Any) -> bool:  # type: ignore[override]
        """True when it was a member."""
        return self._remove(value)

    def __iter__(self) -> Iterator[bytes]:
        return _by_cursor(self._read)

    def __ior__(self, other: Any) -> Set:
        return self._change(other, Set._add_all)

    def __iand__(self, other: Any) -> Set:
        return self._change(other, Set._keep_all)

    def __isub__(self, other: Any) -> Set:
        return self._change(other, Set._discard_all)

    def __ixor__(self, other: Any) -> Set:
        return self._change(other, Set._toggle_all)

    def _change(self, other: Any, change: Callable[[Set, Any], None]) -> Any:
        members = self._members(other)
        if members is None:
            return NotImplemented
        change(self, members)
        return self

    @atomic
    def _add_all(self, members: Any) -> None:
        for each in members:
            self.add(each)

    @atomic
    def _keep_all(self, members: Any) -> None:
        for each in [each for each in self if each not in members]:
            self.discard(each)

    @atomic
    def _discard_all(self, members: Any) -> None:
        for each in filter(is_bytes, members):
            self.discard(each)

    @atomic
    def _toggle_all(self, members: Any) -> None:
        for each in members:
            if not self.discard(each):
                self.add(each)


@container(MutableMapping)
class SortedSet(_MappingCollection, _mayfly.SortedSet, _ScoreMapping):
    """Members with scores, as a mapping in the order of scores: s[name] = score."""

    def get(self, name: Any, default: Any = None) -> Any:
        score = self._score(name)
        return default if score is None else score

    def __getitem__(self, name: Any) -> float:
        return _found(self._score(name), name)

    def __setitem__(self, name: Any, score: float) -> None:
        self.put(name, score)

    def __delitem__(self, name: Any) -> None:
        if not self.remove(name):
            raise NotFoundError(name)

    def __contains__(self, name: object) -> bool:
        return is_bytes(name) and self._score(name) is not None

    def rank(self, name: Any) -> int:
        """Its position, 0 for the lowest score."""
        return _found(self._rank(name), name)

    def _pairs(self) -> Iterator[Tuple[bytes, float]]:
        return _by_position(self.by_rank)


class CollectionMakers:
    """The collections under the keys of a database, keyspace or transaction."""

    def hash(self, key: Any) -> Hash:
        return Hash(self, key)

    def list(self, key: Any) -> List:
        return List(self, key)

    def set(self, key: Any) -> Set:
        return Set(self, key)

    def sorted_set(self, key: Any) -> SortedSet:
        return SortedSet(self, key)
