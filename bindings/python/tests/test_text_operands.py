"""A str stands for its UTF-8 bytes in every operand of a collection: what a call does with text is
what Python's own container does with the bytes of that text."""

import operator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mayfly

NAMES = st.sampled_from(["a", "b", "ü", "long name"])
NAMES_OR_BYTES = st.one_of(NAMES, NAMES.map(str.encode))


def encoded(names):
    return {name.encode() if isinstance(name, str) else name for name in names}


def test_a_set_keeps_the_members_that_text_names(db):
    names = db.set("s")
    names |= {"a", "b", "c"}
    names &= {"a", "b"}
    assert set(names) == {b"a", b"b"}


OPERATORS = [operator.and_, operator.or_, operator.xor, operator.sub, operator.eq, operator.ne,
             operator.le, operator.lt, operator.ge, operator.gt]
IN_PLACE = [operator.iand, operator.ior, operator.ixor, operator.isub]


@settings(deadline=None, max_examples=40)
@given(mine=st.sets(NAMES), theirs=st.sets(NAMES_OR_BYTES))
def test_operators_of_a_set_take_text_for_bytes(mine, theirs):
    with mayfly.Database() as db:
        names = db.set("s")
        names |= mine
        for each in OPERATORS:
            assert each(names, theirs) == each(encoded(mine), encoded(theirs)), each
            assert each(theirs, names) == each(encoded(theirs), encoded(mine)), each
        assert names.isdisjoint(theirs) == encoded(mine).isdisjoint(encoded(theirs))
        fields = db.hash("h")
        fields.update({name: "1" for name in mine})
        for each in OPERATORS:
            assert each(fields.keys(), theirs) == each(encoded(mine), encoded(theirs)), each
        for number, each in enumerate(IN_PLACE):
            changed = db.set(f"s{number}")
            changed |= mine
            assert each(changed, theirs) is changed
            assert set(changed) == each(encoded(mine), encoded(theirs)), each


def test_operands_that_are_no_sets(db):
    names = db.set("s")
    names |= (name for name in ["a", "b"])
    assert names != ["a", "b"] and names != 5
    assert names & ["a"] == {b"a"}
    assert names - {1} == {b"a", b"b"} and names != {1}
    names -= {1, "b"}
    assert set(names) == {b"a"}
    for wrong in (5, "ab"):
        with pytest.raises(TypeError):
            names |= wrong
        with pytest.raises(TypeError):
            names & wrong
    names ^= names
    assert len(names) == 0


def test_a_list_finds_text(db):
    values = db.list("l")
    values.extend(["a", "b", "a"])
    assert values == ["a", b"b", "a"] and values != ["a"] and values != 5
    assert values.count("a") == 2 and values.count(1) == 0
    assert values.index("b") == 1 and values.index("a", 1) == 2
    with pytest.raises(ValueError):
        values.index("a", 1, 2)
    values.remove("a")
    assert list(values) == [b"b", b"a"]
    with pytest.raises(ValueError):
        values.remove("x")
    assert 5 not in values and bytes(5) not in values


def test_a_list_is_extended_by_itself_and_not_by_a_part(db):
    values = db.list("l")
    values.extend(["a", "b"])
    values += values
    assert values == ["a", "b", "a", "b"]
    with pytest.raises(TypeError):
        values.extend(["c", 5])
    assert len(values) == 4
    with pytest.raises(TypeError, match="slice"):
        values[0:2] = ["x"]
    with pytest.raises(TypeError, match="slice"):
        del values[0:2]


def test_a_hash_compares_text(db):
    fields = db.hash("h")
    fields.update({"a": "1"}, b="2")
    fields.update([("c", "3")])
    assert fields == {"a": "1", b"b": "2", "c": b"3"}
    assert fields != {"a": "1"} and fields != {"a": 1, "b": 2, "c": 3} and fields != 5
    assert "1" in fields.values() and "9" not in fields.values() and 1 not in fields.values()
    assert ("a", "1") in fields.items() and ("a", "2") not in fields.items()
    assert ("x", "1") not in fields.items() and "a" not in fields.items()
    assert fields.items() >= {("a", "1")} and len(fields.items()) == 3
    assert fields.keys() == {"a", "b", "c"} and "a" in fields.keys()
    assert fields.setdefault("d", "4") == b"4"
    assert 5 not in fields


def test_a_sorted_set_compares_text(db):
    board = db.sorted_set("z")
    board.update({"b": 2, "a": 3})
    assert board == {"a": 3, "b": 2.0}
    assert list(board.keys()) == [b"b", b"a"] and list(board.values()) == [2.0, 3.0]
    assert ("a", 3) in board.items() and ("a", 2) not in board.items() and 3 in board.values()
    assert board.keys() - {"a"} == {b"b"}
    assert 5 not in board
