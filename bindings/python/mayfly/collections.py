"""Hashes, lists, sets and sorted sets as Python containers.

They are rows: a key without one is an empty collection, which is made with its first member and
removed with its last. The same rows are what clients of the Redis server see. Members are bytes; a
str stands for its UTF-8 bytes. Made from a database or keyspace, each call is atomic by itself;
made from a transaction, all calls belong to it.
"""

from __future__ import annotations

import functools
from collections.abc import MutableMapping, MutableSequence, MutableSet
from datetime import datetime
from typing import Any, Callable, Iterator, Optional, Tuple

from . import _mayfly
from ._mayfly import NotFoundError

_PAGE = 1000
_ALL = 2**63 - 1


# What Python's abstract containers do in several calls.
_COMPOSED = {"pop", "popitem", "setdefault", "update", "extend", "remove", "reverse", "__iadd__",
             "__ior__", "__iand__", "__ixor__", "__isub__"}


def _atomic(method: Callable[..., Any]) -> Callable[..., Any]:
    """Runs a method that makes several calls in one transaction."""

    @functools.wraps(method)
    def run(self: Any, *args: Any, **options: Any) -> Any:
        def work(rows: Any) -> Any:
            inner = type(self)(rows, self.key)
            result = method(inner, *args, **options)
            return self if result is inner else result

        return self._rows._atomically(work)

    return run


def _container(abstract: Any) -> Callable[[Any], Any]:
    """Gives a class the methods of an abstract container that it lacks.

    It cannot derive from one: classes of the extension have a metaclass of their own.
    """

    def complete(kind: Any) -> Any:
        mine = {name for each in kind.__mro__[:-1] for name in vars(each)}
        for base in abstract.__mro__[:-1]:
            for name, value in vars(base).items():
                wanted = callable(value) or name.endswith("__marker")
                if name in mine or not wanted or name.startswith(("_abc", "__class")):
                    continue
                setattr(kind, name, _atomic(value) if name in _COMPOSED else value)
                mine.add(name)
        abstract.register(kind)
        return kind

    return complete


class _Collection:
    """What every collection has: a key, and a deadline of the whole."""

    def __init__(self, rows: Any, key: Any) -> None:
        super().__init__(rows, key)  # type: ignore[call-arg]  # That of the extension's class.
        self._rows: Any = rows
        self.key: bytes = _as_bytes(key)

    def ttl(self) -> Optional[float]:
        """Seconds left; None: no deadline. NotFoundError when it is empty."""
        return self._rows.ttl(self.key)

    def expire(self, ttl: Any = None, expire_at: Any = None, only_if: str = "always") -> bool:
        return self._rows.expire(self.key, ttl, expire_at, only_if)

    def persist(self) -> bool:
        return self._rows.persist(self.key)

    def clear(self) -> None:
        self._rows.delete(self.key)


def _as_bytes(key: Any) -> bytes:
    return key.encode() if isinstance(key, str) else bytes(key)


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


@_container(MutableMapping)
class Hash(_Collection, _mayfly.Hash):
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
        return self._get(field) is not None

    def field_deadline(self, field: Any) -> Optional[datetime]:
        """When the field dies; None: with the hash."""
        return _found(self._get(field), field)[1]

    def _fields(self) -> Iterator[Tuple[bytes, bytes, Optional[datetime]]]:
        return _by_cursor(self._read)

    def __iter__(self) -> Iterator[bytes]:
        return (name for name, _, _ in self._fields())

    def items(self) -> Any:
        return ((name, value) for name, value, _ in self._fields())

    def values(self) -> Any:
        return (value for _, value, _ in self._fields())


@_container(MutableSequence)
class List(_Collection, _mayfly.List):
    """Values in an order, as a list and a deque: append, appendleft, pop, popleft, insert, slices."""

    def _position(self, index: int) -> int:
        position = index + len(self) if index < 0 else index
        if position < 0:
            raise IndexError("list index out of range")
        return position

    @_atomic
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

    @_atomic
    def __setitem__(self, index: int, value: Any) -> None:
        try:
            self._set(self._position(index), value)
        except NotFoundError:
            raise IndexError("list assignment index out of range") from None

    @_atomic
    def __delitem__(self, index: int) -> None:
        try:
            self._remove(self._position(index))
        except NotFoundError:
            raise IndexError("list index out of range") from None

    @_atomic
    def insert(self, index: int, value: Any) -> None:
        size = len(self)
        self._insert(max(0, index + size) if index < 0 else min(index, size), value)

    @_atomic
    def extend(self, values: Any) -> None:
        for value in values:  # A retry walks them again: pass a list, not a generator.
            self.append(value)

    @_atomic
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
        return any(each == _as_bytes(value) for each in self)

    def __eq__(self, other: object) -> bool:
        if not hasattr(other, "__iter__"):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


@_container(MutableSet)
class Set(_Collection, _mayfly.Set):
    """Different members. Operators such as | and & return a set of Python."""

    @classmethod
    def _from_iterable(cls, members: Any) -> Any:
        return {_as_bytes(each) for each in members}

    def add(self, value: Any) -> bool:
        """True when it is new."""
        return self._add(value)

    def discard(self, value: Any) -> bool:
        """True when it was a member."""
        return self._remove(value)

    def __iter__(self) -> Iterator[bytes]:
        return _by_cursor(self._read)


@_container(MutableMapping)
class SortedSet(_Collection, _mayfly.SortedSet):
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
        return self._score(name) is not None

    def rank(self, name: Any) -> int:
        """Its position, 0 for the lowest score."""
        return _found(self._rank(name), name)

    def items(self) -> Any:
        return _by_position(self.by_rank)

    def __iter__(self) -> Iterator[bytes]:
        return (name for name, _ in self.items())

    def values(self) -> Any:
        return (score for _, score in self.items())


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
