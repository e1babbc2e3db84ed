"""What collections share with Python's containers: their methods, as single steps, and operands in
which a str stands for its UTF-8 bytes."""

from __future__ import annotations

import functools
from collections.abc import ItemsView, Iterable, KeysView, Mapping, ValuesView
from collections.abc import Set as AbstractSet
from typing import Any, Callable, Iterator, List, Optional, Set, Tuple, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

# What Python's abstract containers do in several calls.
_COMPOSED = {"pop", "popitem", "setdefault", "remove", "reverse"}


def as_bytes(given: Any) -> bytes:
    """The bytes of a key or value. TypeError for what is neither str nor bytes-like."""
    if isinstance(given, str):
        return given.encode()
    try:
        return bytes(memoryview(given))
    except TypeError:
        raise TypeError(f"keys and values are bytes or str, not {type(given).__name__}") from None


def is_bytes(given: Any) -> bool:
    """Whether it can be a key at all. As in a dict, what cannot is not in a collection."""
    if isinstance(given, (str, bytes)):
        return True
    try:
        memoryview(given)
    except TypeError:
        return False
    return True


def comparable(given: Any) -> Any:
    """Bytes for a str and what is like bytes. The rest as it is: it equals no member."""
    if isinstance(given, (str, bytearray, memoryview)):
        return as_bytes(given)
    return given


def pair_of(given: Any) -> Any:
    """The same for a key with its value."""
    if isinstance(given, tuple):
        return tuple(comparable(each) for each in given)
    return given


def pairs_of(other: Any, more: Any) -> List[Tuple[Any, Any]]:
    """The arguments of update(): a mapping or pairs, and keywords. A list, for a second walk."""
    pairs = other.items() if isinstance(other, Mapping) else other
    return [(key, value) for key, value in pairs] + list(more.items())


def atomic(method: Method) -> Method:
    """Runs a method that makes several calls in one transaction."""

    @functools.wraps(method)
    def run(self: Any, *args: Any, **options: Any) -> Any:
        def work(rows: Any) -> Any:
            return method(type(self)(rows, self.key), *args, **options)

        return self._rows._atomically(work)

    return run  # type: ignore[return-value]


def container(abstract: Any) -> Callable[[Any], Any]:
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
                setattr(kind, name, atomic(value) if name in _COMPOSED else value)
                mine.add(name)
        abstract.register(kind)
        return kind

    return complete


class SetOperators:
    """The operators of a set. They return a set of Python."""

    _member: Callable[[Any], Any] = staticmethod(comparable)

    def _members(self, other: Any) -> Optional[Set[Any]]:
        """None: it is no operand."""
        if not isinstance(other, Iterable) or isinstance(other, (str, bytes, bytearray)):
            return None
        return {self._member(each) for each in other}

    def _combine(self, other: Any, combine: Callable[[Set[Any], Set[Any]], Any]) -> Any:
        theirs = self._members(other)
        return NotImplemented if theirs is None else combine(set(self), theirs)  # type: ignore

    def _compare(self, other: Any, compare: Callable[[Set[Any], Set[Any]], bool]) -> Any:
        return self._combine(other, compare) if isinstance(other, AbstractSet) else NotImplemented

    def __eq__(self, other: Any) -> Any:
        return self._compare(other, set.__eq__)

    __hash__ = None  # type: ignore[assignment]

    def __le__(self, other: Any) -> Any:
        return self._compare(other, set.__le__)

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, set.__lt__)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, set.__ge__)

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, set.__gt__)

    def __and__(self, other: Any) -> Any:
        return self._combine(other, set.__and__)

    def __or__(self, other: Any) -> Any:
        return self._combine(other, set.__or__)

    def __xor__(self, other: Any) -> Any:
        return self._combine(other, set.__xor__)

    def __sub__(self, other: Any) -> Any:
        return self._combine(other, set.__sub__)

    def __rsub__(self, other: Any) -> Any:
        return self._combine(other, lambda mine, theirs: theirs - mine)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def isdisjoint(self, other: Any) -> bool:
        return set(self).isdisjoint(self._member(each) for each in other)  # type: ignore


class Keys(SetOperators, KeysView[Any]):  # type: ignore[misc]
    """The keys of a collection that is a mapping."""


class Items(SetOperators, ItemsView[Any, Any]):  # type: ignore[misc]
    """Its keys with their values."""

    _member = staticmethod(pair_of)

    def __iter__(self) -> Iterator[Any]:
        return self._mapping._pairs()  # type: ignore

    def __contains__(self, item: Any) -> bool:
        if not isinstance(item, tuple) or len(item) != 2:
            return False
        found = self._mapping.get(item[0]) if item[0] in self._mapping else None  # type: ignore
        return found is not None and bool(found == comparable(item[1]))


class Values(ValuesView[Any]):
    """Its values."""

    def __iter__(self) -> Iterator[Any]:
        return (value for _, value in self._mapping._pairs())  # type: ignore

    def __contains__(self, value: Any) -> bool:
        wanted = comparable(value)
        return any(each == wanted for each in self)
