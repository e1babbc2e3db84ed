"""The arguments of a call as bytes: the same for equal arguments, whatever way they were given.

Pickled bytes are not: they depend on which equal objects are one object, and on the order of a
dict. Here dicts and sets are sorted, defaults are filled in, and other objects are taken apart as
pickle does. 1, 1.0 and True are different arguments.
"""

from __future__ import annotations

import copyreg
import hashlib
import inspect
import pickle
from collections import OrderedDict
from types import BuiltinFunctionType, FunctionType
from typing import Any, Callable, Dict, List, Optional

_PROTOCOL = 4
_ATOMS = {type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented)}


def _joined(tag: str, parts: List[bytes]) -> bytes:
    """Unlike any other tag with any other parts."""
    return b"%s%d[" % (tag.encode(), len(parts)) + b"".join(
        b"%d:" % len(part) + part for part in parts) + b"]"


def _reduced(value: Any) -> Any:
    reduce = copyreg.dispatch_table.get(type(value))
    return value.__reduce_ex__(_PROTOCOL) if reduce is None else reduce(value)


def _encode(value: Any, path: Dict[int, int]) -> bytes:
    kind = type(value)
    if kind is bytes:
        return _joined("bytes", [value])
    if kind in _ATOMS:
        return _joined(kind.__name__, [repr(value).encode("utf-8", "surrogatepass")])
    if isinstance(value, (type, FunctionType, BuiltinFunctionType)):
        return _joined("name", [pickle.dumps(value, protocol=_PROTOCOL)])  # Refuses lambdas.
    if id(value) in path:
        return _joined("within", [b"%d" % path[id(value)]])
    path[id(value)] = len(path)
    try:
        return _encode_parts(kind, value, path)
    finally:
        del path[id(value)]


def _encode_parts(kind: type, value: Any, path: Dict[int, int]) -> bytes:
    def all_of(values: Any) -> List[bytes]:
        return [_encode(each, path) for each in values]

    if kind in (list, tuple):
        return _joined(kind.__name__, all_of(value))
    if kind in (set, frozenset):
        return _joined(kind.__name__, sorted(all_of(value)))
    if kind is dict:
        return _joined("dict", sorted(_joined("pair", all_of(pair)) for pair in value.items()))
    reduced = _reduced(value)
    if isinstance(reduced, str):
        return _joined("global", [kind.__module__.encode(), reduced.encode()])
    make, given, state, members, pairs, *more = tuple(reduced) + (None,) * (5 - len(reduced))
    items = [_joined("pair", all_of(pair)) for pair in pairs or ()]
    if not isinstance(value, OrderedDict):
        items.sort()
    parts = all_of([make, given, state, list(members or ()), more])
    return _joined("object", parts + [_joined("dict", items)])


class Arguments:
    """Those of one function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            # Its own, not that of a function it wraps, which may take other arguments.
            self._signature: Optional[inspect.Signature] = inspect.signature(
                function, follow_wrapped=False)
        except ValueError:  # Some functions of extensions have none.
            self._signature = None
        parameters = dict(self._signature.parameters) if self._signature else {}
        # As they are now: a function may change a default that is a list.
        self._defaults = {name: self._encode_default(each.default)
                          for name, each in parameters.items() if each.default is not each.empty}

    @staticmethod
    def _encode_default(value: Any) -> bytes:
        try:
            return _encode(value, {})
        except Exception:  # Nothing that can be pickled; so no caller passes it, either.
            return _joined("default", [])

    def digest(self, args: Any, options: Dict[str, Any]) -> bytes:
        """32 bytes that stand for a call with these arguments. TypeError when they do not fit."""
        if self._signature is None:
            return hashlib.sha256(_encode((args, options), {})).digest()
        given = self._signature.bind(*args, **options).arguments
        encoded = {**self._defaults, **{name: _encode(each, {}) for name, each in given.items()}}
        pairs = [_joined(name, [encoded[name]]) for name in sorted(encoded)]
        return hashlib.sha256(_joined("call", pairs)).digest()
