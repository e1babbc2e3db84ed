"""Tables: values of Python go in and come out, conditions raise, items die on time."""

import datetime
from decimal import Decimal

import pytest

import mayfly
from conftest import START
from mayfly.tables import ConditionFailedError

NOW = int(START.timestamp())


@pytest.fixture
def sessions(db):
    return db.tables.create("sessions", "id", ttl_attribute="expires")


@pytest.fixture
def orders(db):
    return db.tables.create(
        "orders", "customer", ("number", "N"), stream="new_and_old",
        global_indexes=[{"name": "by_state", "partition": "state", "sort": ("number", "N")}])


def test_values_go_in_and_come_out(sessions):
    item = {"id": "1", "s": "text", "n": 42, "d": Decimal("0.1"), "f": 1.5, "b": b"\x00\xff",
            "yes": True, "nothing": None, "list": [1, "two", [3]], "map": {"a": {"b": 1}},
            "strings": {"a", "b"}, "numbers": {1, Decimal("2.5")}, "binaries": {b"x"},
            "big": 10**37, "negative": -7}
    sessions.put(item)
    found = sessions.get({"id": "1"})
    assert found == dict(item, f=Decimal("1.5"))
    assert type(found["n"]) is int and type(found["yes"]) is bool
    assert isinstance(found["d"], Decimal)


def test_values_that_a_table_has_not(sessions):
    for wrong in (object(), {1: 2}, {1, "a"}, 1 + 2j):
        with pytest.raises((TypeError, mayfly.InvalidError)):
            sessions.put({"id": "1", "x": wrong})
    for wrong in (set(), float("nan"), 10**39 + 1, {"a", 1}):
        with pytest.raises(mayfly.InvalidError):
            sessions.put({"id": "1", "x": wrong})
    deep = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(mayfly.InvalidError):
        sessions.put({"id": "1", "x": deep})
    with pytest.raises(mayfly.InvalidError):
        sessions.put({"x": "no key"})
    assert sessions.describe().items == 0


def test_an_item_dies_at_its_instant(sessions, clock):
    sessions.put({"id": "1", "expires": NOW + 5})
    sessions.put({"id": "2", "expires": 0})
    sessions.put({"id": "3", "expires": NOW + 4.5})
    assert sessions.ttl({"id": "1"}) == 5.0
    assert sessions.ttl({"id": "2"}) is None
    clock.advance(4.999)
    assert sessions.get({"id": "1"})
    clock.advance(0.001)
    assert sessions.get({"id": "1"}) is None
    assert [item["id"] for item in sessions.scan()] == ["2"]
    assert sessions.sweep() == 1  # The read met the other one and removed it.
    sessions.set_ttl({"id": "2"}, datetime.timedelta(minutes=1))
    assert sessions.ttl({"id": "2"}) == 60.0
    assert sessions.remove_ttl({"id": "2"})
    with pytest.raises(mayfly.NotFoundError):
        sessions.set_ttl({"id": "1"}, 5)


def test_conditions_and_versions(sessions):
    sessions.put({"id": "1", "n": 1}, "attribute_not_exists(id)")
    with pytest.raises(ConditionFailedError) as caught:
        sessions.put({"id": "1", "n": 2}, "attribute_not_exists(id)")
    assert caught.value.item == {"id": "1", "n": 1}
    assert isinstance(caught.value, mayfly.ConflictError)
    version = sessions.version({"id": "1"})
    sessions.put({"id": "1", "n": 3}, expected_version=version)
    with pytest.raises(ConditionFailedError):
        sessions.put({"id": "1", "n": 4}, expected_version=version)
    assert sessions.version({"id": "none"}) == 0


def test_updates_return_what_is_asked(sessions):
    key = {"id": "1"}
    assert sessions.update(key, "SET #n = :one", names={"#n": "n"}, values={":one": 1},
                           returns="all_new") == {"id": "1", "n": 1}
    assert sessions.update(key, "ADD n :by", values={":by": 4}, returns="updated_new") == {"n": 5}
    assert sessions.delete(key, returns="all_old") == {"id": "1", "n": 5}
    assert sessions.delete(key) is None
    with pytest.raises(mayfly.InvalidError):
        sessions.update(key, "SET n = ")


def test_queries(orders):
    for number in range(10):
        orders.put({"customer": "a", "number": number, "state": "new" if number % 2 else "sent"})
    orders.put({"customer": "b", "number": 0, "state": "new"})
    found = orders.query("customer = :c AND #n >= :n", names={"#n": "number"},
                         values={":c": "a", ":n": 7})
    assert [item["number"] for item in found] == [7, 8, 9]
    backwards = orders.query("customer = :c", values={":c": "a"}, reverse=True, limit=2)
    assert [item["number"] for item in backwards] == [9, 8]
    new = orders.query("#s = :s", names={"#s": "state"}, values={":s": "new"}, index="by_state")
    assert sorted(item["number"] for item in new) == [0, 1, 3, 5, 7, 9]
    assert orders.count() == 11
    assert orders.count("customer = :c", values={":c": "b"}) == 1
    filtered = orders.scan(filter="#n > :n", names={"#n": "number"}, values={":n": 8}, limit=5)
    assert [item["number"] for item in filtered] == [9]


def test_a_scan_goes_on_over_pages(sessions):
    for number in range(30):
        sessions.put({"id": str(number), "blob": b"x" * 100_000})
    assert len({item["id"] for item in sessions.scan()}) == 30
    assert sessions.count() == 30
    assert len(list(sessions.scan(limit=20))) == 20


def test_transactions_of_items(db, sessions, orders):
    db.tables.write_all([sessions.putting({"id": "1"}),
                         orders.putting({"customer": "a", "number": 1})])
    with pytest.raises(ConditionFailedError, match="action 1"):
        db.tables.write_all([
            sessions.deleting({"id": "1"}),
            orders.checking({"customer": "a", "number": 1}, "attribute_exists(shipped)")])
    assert db.tables.get_all([(sessions, {"id": "1"}), (sessions, {"id": "2"})]) == [
        {"id": "1"}, None]


def test_a_stream(orders):
    key = {"customer": "a", "number": 1}
    orders.put(dict(key, state="new"))
    orders.update(key, "SET #s = :s", names={"#s": "state"}, values={":s": "sent"})
    orders.delete(key)
    records = orders.stream()
    assert [record.kind for record in records] == ["insert", "modify", "remove"]
    assert records[1].old["state"] == "new" and records[1].new["state"] == "sent"


def test_definitions(db, orders):
    assert db.tables.names() == ["orders"] == list(db.tables)
    assert orders.describe().partition == ("customer", "S")
    changed = orders.change(ttl_attribute="dies", drop_index="by_state")
    assert changed.ttl_attribute == "dies" and changed.indexes == []
    db.tables.run_upkeep()
    with pytest.raises(mayfly.BusyError):
        db.tables.create("orders", "id")
    with pytest.raises(mayfly.NotFoundError):
        db.tables["none"]
    assert db.tables["orders"].name == "orders"
    orders.drop()
    assert db.tables.names() == []


def test_tables_close_with_the_database(tmp_path):
    with mayfly.Database(tmp_path / "db") as db:
        table = db.tables.create("sessions", "id")
        table.put({"id": "1"})
        db.tables.start_reaper()
    with pytest.raises(mayfly.InvalidError):
        table.get({"id": "1"})
    with mayfly.Database(tmp_path / "db") as db:
        assert db.tables["sessions"].get({"id": "1"}) == {"id": "1"}
