"""Rows as a dict, and their lifetimes. Time is tried one millisecond before a deadline and on it."""

import datetime
import math
from collections.abc import MutableMapping

import pytest

import mayfly
from conftest import START


def test_a_str_is_its_utf8_bytes(db):
    db["grüße"] = "wörld"
    assert db["grüße".encode()] == "wörld".encode()
    assert db.get("grüße") == "wörld".encode()
    assert list(db) == ["grüße".encode()]


def test_bytes_like_keys_and_values_are_accepted(db):
    db[bytearray(b"a")] = memoryview(b"1")
    assert db[memoryview(b"a")] == b"1"


def test_other_types_are_refused(db):
    for wrong in (1, 1.5, None, ["a"]):
        with pytest.raises(TypeError):
            db[wrong] = b"x"
        with pytest.raises(TypeError):
            db["key"] = wrong
        with pytest.raises(TypeError):
            db.get(wrong)
    assert len(db) == 0


def test_what_is_no_key_is_in_nothing(db):
    db["k"] = "v"
    names = db.set("s")
    names.add("a")
    for wrong in (5, None, 1.5, ("k", 1), ["k"]):
        assert wrong not in db and wrong not in names
    with db.snapshot() as snapshot, db.transaction() as tx:
        assert 5 not in snapshot and 5 not in tx and "k" in snapshot


def test_a_lone_surrogate_is_refused(db):
    with pytest.raises(UnicodeEncodeError):
        db["\ud800"] = b"x"


def test_missing_rows(db):
    assert db.get("k") is None
    assert db.get("k", 7) == 7
    assert "k" not in db
    with pytest.raises(mayfly.NotFoundError) as caught:
        db["k"]
    assert caught.value.args == ("k",)
    with pytest.raises(KeyError):
        del db["k"]
    with pytest.raises(KeyError):
        db.ttl("k")
    assert db.delete("k") is False


@pytest.mark.parametrize("ttl", [2, 2.0, datetime.timedelta(seconds=2)])
def test_a_ttl_is_exact_to_the_millisecond(db, clock, ttl):
    db.put("k", "v", ttl=ttl)
    assert db.ttl("k") == 2.0
    clock.advance(1.999)
    assert db["k"] == b"v"
    assert db.ttl("k") == pytest.approx(0.001)
    clock.advance(0.001)
    assert "k" not in db
    assert len(db) == 0


def test_the_shorthand_takes_a_ttl(db, clock):
    db["k", 3] = "v"
    db["d", datetime.timedelta(milliseconds=1500)] = "v"
    assert db.ttl("k") == 3.0
    assert db.ttl("d") == 1.5
    clock.advance(3)
    assert db.get("k") is None


@pytest.mark.parametrize("expire_at", [START + datetime.timedelta(seconds=5),
                                       START.timestamp() + 5])
def test_an_instant_is_a_deadline(db, clock, expire_at):
    db.put("k", "v", expire_at=expire_at)
    assert db.deadline("k") == START + datetime.timedelta(seconds=5)
    clock.advance(5)
    assert db.get("k") is None


def test_wrong_lifetimes_write_nothing(db):
    for ttl in (0, -1, math.nan, math.inf, 1e30, 10**400):
        with pytest.raises(mayfly.InvalidError):
            db.put("k", "v", ttl=ttl)
    for ttl in ("1", True, object()):
        with pytest.raises(TypeError):
            db.put("k", "v", ttl=ttl)
    with pytest.raises(ValueError, match="time zone"):
        db.put("k", "v", expire_at=datetime.datetime(2031, 1, 1))
    with pytest.raises(ValueError, match="exclude"):
        db.put("k", "v", ttl=1, expire_at=START)
    with pytest.raises(ValueError):  # Milliseconds given as seconds.
        db.put("k", "v", expire_at=START.timestamp() * 1000)
    assert len(db) == 0


@pytest.mark.parametrize("expire_at", [0, 1, -5, 1.5, datetime.datetime.min.replace(
    tzinfo=datetime.timezone.utc), datetime.datetime(1969, 12, 31, tzinfo=datetime.timezone.utc)])
def test_an_instant_long_ago_has_passed(db, expire_at):
    db["k"] = "v"
    db.put("k", "w", expire_at=expire_at)
    assert "k" not in db
    db["k"] = "v"
    assert db.expire("k", expire_at=expire_at)
    assert "k" not in db
    fields = db.hash("h")
    fields["stays"] = "1"
    fields.put("goes", "2", expire_at=expire_at)
    assert list(fields) == [b"stays"]
    assert db.check().clean


def test_the_last_datetime_is_a_deadline(db, clock):
    last = datetime.datetime.max.replace(tzinfo=datetime.timezone.utc)
    db.put("k", "v", expire_at=last)
    assert db.deadline("k").year == 9999
    clock.set(datetime.datetime(9999, 12, 31, tzinfo=datetime.timezone.utc))
    assert "k" in db


def test_an_instant_in_another_unit_is_refused_in_seconds(db):
    milliseconds = START.timestamp() * 1000
    with pytest.raises(mayfly.InvalidError, match="in seconds since 1970.*milliseconds"):
        db.put("k", "v", expire_at=milliseconds)
    with pytest.raises(mayfly.InvalidError, match="in seconds since 1970.*milliseconds"):
        db.hash("h").put("k", "v", expire_at=milliseconds)
    space = db.create_keyspace("t", mayfly.Policy(order="timestamp"))
    for wrong in (5, milliseconds):
        with pytest.raises(mayfly.InvalidError, match="timestamp.*in seconds since 1970"):
            space.put_at("k", "v", wrong)
        with pytest.raises(mayfly.InvalidError, match="timestamp.*in seconds since 1970"):
            space.delete_at("k", wrong)
    assert len(db) == 0 and len(space) == 0
    with mayfly.Database(allow_any_instant=True) as free:
        free.put("k", "v", expire_at=milliseconds)
        assert "k" in free
        assert free.create_keyspace("t", mayfly.Policy(order="timestamp")).put_at("k", "v", 5)


def test_a_tiny_ttl_is_a_millisecond(db):
    db.put("k", "v", ttl=0.00001)
    assert db.ttl("k") == 0.001


def test_forever_and_keep(db):
    db.put("k", "v", ttl=10)
    db.put("k", "w", ttl=mayfly.KEEP)
    assert db.ttl("k") == 10.0
    db.put("k", "x")
    assert db.ttl("k") is None
    db.put("k", "y", ttl=10)
    db.put("k", "y", ttl=mayfly.FOREVER)
    assert db.deadline("k") is None


def test_expire_persist_and_touch(db, clock):
    db["k"] = "v"
    assert db.expire("k", 10)
    assert not db.expire("k", 20, only_if="earlier")
    assert db.expire("k", 20, only_if="later")
    assert db.ttl("k") == 20.0
    assert db.persist("k")
    assert not db.persist("k")
    assert db.touch("k", ttl=5) == b"v"
    assert db.ttl("k") == 5.0
    with pytest.raises(mayfly.NotFoundError):
        db.expire("missing", 1)
    with pytest.raises(mayfly.InvalidError, match="earlier"):
        db.expire("k", 1, only_if="sometimes")


def test_conditions(db, clock):
    assert db.add("k", "1", ttl=1)
    assert not db.add("k", "2")
    assert db.replace("k", "2", ttl=1)
    assert not db.compare_and_set("k", "1", "3")
    assert db.compare_and_set("k", "2", "3", ttl=1)
    clock.advance(1)
    assert not db.replace("k", "4")
    assert db.add("k", "5")


def test_the_rest_of_dict(db):
    assert isinstance(db, MutableMapping)
    db.update({"a": "1", "b": "2"}, ttl=9)
    db.update([("c", "3")])
    assert db.ttl("b") == 9.0
    assert db.pop("a") == b"1"
    assert db.pop("a", None) is None
    with pytest.raises(KeyError):
        db.pop("a")
    assert db.setdefault("d", "4") == b"4"
    assert db.setdefault("d", "5") == b"4"
    assert db.popitem() == (b"b", b"2")
    assert dict(db.items()) == {b"c": b"3", b"d": b"4"}
    db.clear()
    assert len(db) == 0 and db
    with pytest.raises(KeyError):
        db.popitem()


def test_update_is_all_or_nothing(db):
    for wrong in ([("a", "1"), ("b", 2)], [("a", "1"), ("b",)], [("a", "1"), ("", "2")], [1]):
        with pytest.raises((TypeError, ValueError)):
            db.update(wrong)
    assert len(db) == 0
    with db.transaction() as tx:
        tx.update((key, key) for key in "ab")
        assert "a" not in db
    other = db.create_keyspace("other")
    other.update(db, ttl=5)
    assert dict(other.items()) == {b"a": b"a", b"b": b"b"} and other.ttl("a") == 5.0


def test_change_keeps_the_deadline(db):
    db["n", 10] = "1"
    assert db.change("n", lambda old: str(int(old) + 1)) == "2"
    assert (db["n"], db.ttl("n")) == (b"2", 10.0)
    db.change("n", lambda old: None)
    assert "n" not in db


def test_get_many_reads_one_state(db):
    db.update({"a": "1", "c": "3"})
    assert db.get_many(["a", b"b", "c"]) == [b"1", None, b"3"]


def test_a_view_pins_the_value(disk_db):
    disk_db["k"] = b"x" * 100_000
    view = disk_db.get_view("k")
    assert view.readonly and view.nbytes == 100_000
    disk_db["k"] = b"y"
    disk_db.reclaim(everything=True)
    assert bytes(view) == b"x" * 100_000
    disk_db.close()
    assert bytes(view[:3]) == b"xxx"
    with pytest.raises(TypeError):
        view[0] = 1
    with pytest.raises(mayfly.InvalidError):
        disk_db.get_view("k")


def test_a_view_of_a_database_in_memory_outlives_it():
    database = mayfly.Database()
    database["k"] = b"v" * 1000
    view = database.get_view("k")
    database.close()
    del database
    assert bytes(view) == b"v" * 1000


def test_a_view_of_nothing(db):
    db["empty"] = b""
    assert bytes(db.get_view("empty")) == b""
    with pytest.raises(mayfly.NotFoundError):
        db.get_view("missing")


def test_limits_are_invalid(db):
    with pytest.raises(mayfly.InvalidError):
        db[b""] = b"x"
    with pytest.raises(mayfly.InvalidError):
        db[b"k" * 65537] = b"x"


def test_timestamps_and_history(db, clock):
    space = db.create_keyspace("t", mayfly.Policy(order="timestamp", history=60))
    at = START.timestamp()
    assert space.put_at("k", "new", at - 1)
    assert not space.put_at("k", "old", at - 10)
    assert space["k"] == b"new"
    assert space.row("k", as_of=at - 5).value == b"old"
    assert [row.value for row in space.rows(as_of=at - 5)] == [b"old"]
    assert space.row("k").timestamp == START - datetime.timedelta(seconds=1)
    assert space.delete_at("k", at)
    assert "k" not in space


def test_every_exception_has_one_base():
    names = ["NotFound", "Invalid", "WrongType", "Conflict", "Busy", "CrossSlot", "ReadOnly",
             "Corruption", "Unsupported", "Internal", "WrongPassword"]
    for name in names:
        assert issubclass(getattr(mayfly, name + "Error"), mayfly.MayflyError)
    assert issubclass(mayfly.IoError, (mayfly.MayflyError, OSError))
    assert issubclass(mayfly.NotFoundError, KeyError)
    assert issubclass(mayfly.InvalidError, ValueError)
    assert issubclass(mayfly.WrongTypeError, TypeError)
    assert mayfly.NotFoundError.__module__ == "mayfly"


def test_update_takes_keywords(db):
    db.update({"a": "1"}, ttl=9, b="2")
    db.update(c="3")
    assert dict(db.items()) == {b"a": b"1", b"b": b"2", b"c": b"3"} and db.ttl("b") == 9.0
