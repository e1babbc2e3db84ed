"""Collections behave as Python's containers do, and their members die on time."""

import datetime
import random
from collections.abc import MutableMapping, MutableSequence, MutableSet

import pytest

import mayfly
from conftest import START


def test_a_hash_is_a_mapping(db):
    fields = db.hash("h")
    assert isinstance(fields, MutableMapping) and not fields
    fields["a"] = "1"
    fields.update({"b": "2", "c": "3"})
    assert dict(fields) == {b"a": b"1", b"b": b"2", b"c": b"3"}
    assert fields.pop("a") == b"1"
    assert fields.pop("a", None) is None
    assert fields.setdefault("b", "9") == b"2"
    assert fields.get("x") is None and "x" not in fields and "b" in fields
    with pytest.raises(mayfly.NotFoundError):
        fields["x"]
    with pytest.raises(KeyError):
        del fields["x"]
    assert sorted(fields.values()) == [b"2", b"3"]
    fields.clear()
    assert len(fields) == 0 and "h" not in db


def test_fields_die_on_their_own(db, clock):
    fields = db.hash("h")
    fields["user"] = "alice"
    fields["code", 90] = "4711"
    assert fields.field_deadline("code") == START + datetime.timedelta(seconds=90)
    clock.advance(89.999)
    assert fields["code"] == b"4711"
    clock.advance(0.001)
    assert "code" not in fields and len(fields) == 1
    assert fields.expire_field("user", 5)
    assert not fields.expire_field("none", 5)
    clock.advance(5)
    assert "h" not in db


def test_a_collection_dies_as_a_whole(db, clock):
    names = db.set("s")
    names.add("a")
    assert names.ttl() is None
    names.expire(10)
    assert names.ttl() == 10.0
    names.persist()
    names.expire(10)
    clock.advance(10)
    assert len(names) == 0
    with pytest.raises(KeyError):
        names.ttl()


def test_an_event_names_the_field(db, clock):
    space = db.create_keyspace("s", mayfly.Policy(events="key"))
    fields = space.hash("h")
    fields["stays"] = "1"
    fields["goes", 1] = "2"
    clock.advance(1)
    db.purge()
    assert [(event.key, event.field) for event in db.events] == [(b"h", b"goes")]


def test_a_list_behaves_as_a_list(db):
    values, model = db.list("l"), []
    assert isinstance(values, MutableSequence)
    seed = random.randrange(2**32)
    print("seed", seed)
    chance = random.Random(seed)
    for step in range(300):
        value = b"%d" % step
        at = chance.randrange(-6, 7)
        action = chance.choice(["append", "appendleft", "insert", "pop", "set", "del", "slice"])
        if action == "append":
            values.append(value)
            model.append(value)
        elif action == "appendleft":
            values.appendleft(value)
            model.insert(0, value)
        elif action == "insert":
            values.insert(at, value)
            model.insert(at, value)
        elif action == "slice":
            end = chance.randrange(-6, 7)
            assert values[at:end] == model[at:end], seed
        else:
            outcomes = []
            for each in (values, model):
                try:
                    if action == "pop":
                        outcomes.append(each.pop(at))
                    elif action == "set":
                        each[at] = value
                    else:
                        del each[at]
                except IndexError:
                    outcomes.append(IndexError)
            assert outcomes in ([], outcomes[:1] * 2), (seed, step, action)
        assert list(values) == model, (seed, step, action)
    assert len(values) == len(model)


def test_more_of_a_list(db):
    values = db.list("l")
    with pytest.raises(IndexError):
        values.pop()
    values.extend(["a", "b", "c", "d"])
    assert values == [b"a", b"b", b"c", b"d"]
    assert values[::2] == [b"a", b"c"]
    assert values.popleft() == b"a"
    assert values.index(b"c") == 1 and "d" in values
    assert values.count(b"d") == 1
    values.remove(b"c")
    values.trim(0, 1)
    assert list(values) == [b"b"]
    values += ["z"]
    assert list(reversed(values)) == [b"z", b"b"]
    with pytest.raises(IndexError):
        values[-3]


def test_a_set_is_a_set(db):
    names = db.set("s")
    assert isinstance(names, MutableSet)
    assert names.add("a") and not names.add("a")
    names |= {b"b", b"c"}
    assert isinstance(names, mayfly.Set)
    assert names == {b"a", b"b", b"c"}
    assert names & {b"a", b"z"} == {b"a"}
    assert names - {b"a"} == {b"b", b"c"}
    assert "a" in names
    names.remove("a")
    with pytest.raises(KeyError):
        names.remove("a")
    assert not names.discard("a")
    names -= {b"b"}
    assert set(names) == {b"c"}
    assert names.pop() == b"c"


def test_a_sorted_set_is_a_mapping_in_order(db):
    board = db.sorted_set("z")
    board.update({"bob": 2, "alice": 3, "carol": 1})
    assert list(board.items()) == [(b"carol", 1.0), (b"bob", 2.0), (b"alice", 3.0)]
    assert board["bob"] == 2.0 and board.rank("alice") == 2
    assert board.increment("carol", 10) == 11.0
    assert board.by_rank(0, 1, reverse=True) == [(b"carol", 11.0)]
    assert board.by_score(2, 3) == [(b"bob", 2.0), (b"alice", 3.0)]
    assert board.count_by_score(0, 5) == 2
    assert board.pop_lowest() == [(b"bob", 2.0)]
    assert board.pop_highest() == [(b"carol", 11.0)]
    assert list(board) == [b"alice"]
    with pytest.raises(KeyError):
        board["bob"]
    with pytest.raises(mayfly.InvalidError):
        board["nan"] = float("nan")


def test_many_members_are_read_in_pages(db):
    expected = {b"%d" % i for i in range(2500)}
    with db.transaction() as tx:
        names, fields, board, values = (tx.set("s"), tx.hash("h"), tx.sorted_set("z"), tx.list("l"))
        for name in expected:
            names.add(name)
            fields[name] = b"v"
            board[name] = 1
            values.append(name)
    assert set(db.set("s")) == set(db.hash("h")) == set(db.sorted_set("z")) == expected
    assert set(db.list("l")) == expected
    assert len(db.list("l")) == 2500


def test_collections_of_a_transaction_roll_back(db):
    with pytest.raises(RuntimeError):
        with db.transaction() as tx:
            tx.hash("h")["a"] = "1"
            tx.list("l").append("1")
            raise RuntimeError
    assert len(db.hash("h")) == 0 and len(db.list("l")) == 0


def test_another_type_is_refused(db):
    db["k"] = "v"
    with pytest.raises(mayfly.WrongTypeError):
        db.hash("k")["a"] = "1"
    db.set("s").add("a")
    with pytest.raises(TypeError):
        db["s"]
    assert [row.is_collection for row in db.rows(prefix="s")] == [True]
