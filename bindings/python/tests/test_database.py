"""Opening, closing, keyspaces, transactions, snapshots and iterators."""

import contextlib
import datetime
import gc
import threading

import pytest

import mayfly


def test_rows_survive_a_close(tmp_path):
    with mayfly.Database(tmp_path / "db") as db:
        db["k"] = "v"
    with mayfly.Database(str(tmp_path / "db")) as db:
        assert db["k"] == b"v"


def test_opening_twice_is_busy_and_reading_beside_is_not(tmp_path):
    with mayfly.Database(tmp_path / "db") as db:
        db["k"] = "v"
        with pytest.raises(mayfly.BusyError):
            mayfly.Database(tmp_path / "db")
        with mayfly.Database(tmp_path / "db", read_only=True) as reader:
            assert reader["k"] == b"v"
            with pytest.raises(mayfly.ReadOnlyError):
                reader["k"] = "w"


def test_a_missing_database(tmp_path):
    with pytest.raises(mayfly.NotFoundError):
        mayfly.Database(tmp_path / "none", create=False)


def test_a_password(tmp_path):
    with mayfly.Database(tmp_path / "db", password="secret") as db:
        db["k"] = "v"
    with pytest.raises(mayfly.WrongPasswordError):
        mayfly.Database(tmp_path / "db", password="wrong")
    with mayfly.Database(tmp_path / "db", password="secret") as db:
        assert db["k"] == b"v"


def test_wrong_options(tmp_path):
    for options in ({"memory": "huge"}, {"durability": "maybe"}, {"salvage": True}):
        with pytest.raises(mayfly.InvalidError):
            mayfly.Database(tmp_path / "db", **options)


def test_close_ends_what_is_open(disk_db):
    disk_db.update({str(i): "v" for i in range(2000)})
    keys = disk_db.keys()
    next(keys)
    transaction = disk_db.transaction()
    inside = transaction.items()
    snapshot = disk_db.snapshot()
    reaper = disk_db.start_reaper()
    disk_db.close()
    assert disk_db.closed
    for call in (lambda: next(keys), lambda: next(inside), lambda: transaction["1"],
                 lambda: snapshot["1"], transaction.commit, reaper.await_idle,
                 lambda: disk_db["1"], lambda: disk_db.keyspace("x")):
        with pytest.raises(mayfly.InvalidError):
            call()
    transaction.rollback()
    snapshot.close()
    reaper.close()
    disk_db.close()


def test_objects_go_in_any_order(tmp_path):
    db = mayfly.Database(tmp_path / "db")
    db["k"] = "v"
    left = [db.transaction(), db.snapshot(), db.keys(), db.get_view("k"), db.start_reaper()]
    left.append(left[0].keys())
    del db
    gc.collect()
    while left:
        left.pop(0)
        gc.collect()
    mayfly.Database(tmp_path / "db").close()


def test_keyspaces(db):
    cache = db.create_keyspace("cache", mayfly.Policy(default_ttl=10, jitter=0.5))
    cache["k"] = "v"
    assert 5 <= cache.ttl("k") <= 10
    assert "k" not in db
    assert db.keyspaces() == ["cache", "default"]
    assert db.keyspace("cache").policy == mayfly.Policy(default_ttl=10.0, jitter=0.5, history=0.0)
    cache.policy = mayfly.Policy(max_ttl=5, on_breach="clamp")
    cache["l", 60] = "v"
    assert cache.ttl("l") == 5.0
    with pytest.raises(mayfly.InvalidError):
        db.create_keyspace("cache")
    with pytest.raises(mayfly.NotFoundError):
        db.keyspace("none")
    assert db.keyspace("made", create=True).name == "made"
    db.drop_keyspace("cache")
    with pytest.raises(mayfly.InvalidError):
        cache["k"]
    with pytest.raises(mayfly.NotFoundError):
        db.drop_keyspace("cache")


def test_a_policy_refuses(db):
    strict = db.create_keyspace("strict", mayfly.Policy(require_ttl=True, max_ttl=60))
    with pytest.raises(mayfly.InvalidError):
        strict["k"] = "v"
    with pytest.raises(mayfly.InvalidError):
        strict["k", 61] = "v"
    with pytest.raises(mayfly.InvalidError):
        db.create_keyspace("wrong", mayfly.Policy(min_ttl=2, max_ttl=1))


def test_a_transaction_commits_as_one(db):
    space = db.create_keyspace("s")
    with db.transaction() as tx:
        tx["a"] = "1"
        tx.keyspace(space)["b", 5] = "2"
        tx.keyspace("s")["c"] = "3"
        assert tx["a"] == b"1" and "a" not in db
    assert (db["a"], space["b"], space["c"]) == (b"1", b"2", b"3")
    assert tx.over
    with pytest.raises(mayfly.InvalidError):
        tx["a"]


def test_an_exception_rolls_back(db):
    with pytest.raises(RuntimeError):
        with db.transaction() as tx:
            tx["a"] = "1"
            raise RuntimeError
    assert "a" not in db


def test_a_conflict_is_retried(db):
    db["n"] = "0"
    tries = []

    def work(tx):
        value = int(tx["n"])
        if not tries:
            db["n"] = "10"  # Another writer.
        tries.append(value)
        tx["n"] = str(value + 1)
        return value

    assert db.transact(work) == 10
    assert (tries, db["n"]) == ([0, 10], b"11")
    with pytest.raises(mayfly.ConflictError):
        with db.transaction() as tx:
            tx["n"]
            db["n"] = "5"
            tx["n"] = "6"
    assert db["n"] == b"5"


READS = {"item": lambda tx: tx["k"], "get": lambda tx: tx.get("k"), "in": lambda tx: "k" in tx,
         "exists": lambda tx: tx.exists("k"), "get_many": lambda tx: tx.get_many(["k"]),
         "ttl": lambda tx: tx.ttl("k"), "row": lambda tx: tx.row("k"),
         "view": lambda tx: tx.get_view("k"), "deadline": lambda tx: tx.deadline("k"),
         "fields": lambda tx: list(tx.hash("h"))}
WALKS = {"keys": lambda tx: list(tx), "items": lambda tx: list(tx.items()),
         "rows": lambda tx: list(tx.rows()), "len": len,
         "deadlines": lambda tx: list(tx.deadlines())}


def read_and_write_beside_another(db, read):
    db.put("k", "v", ttl=60)
    db.hash("h")["a"] = "1"
    with db.transaction() as tx:
        read(tx)
        db.put("k", "changed", ttl=60)
        db.put("new", "row", ttl=60)
        db.hash("h")["b"] = "2"
        tx["written"] = "1"


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_what_a_transaction_read_by_key_is_watched(db, read):
    with pytest.raises(mayfly.ConflictError):
        read_and_write_beside_another(db, read)
    assert "written" not in db


@pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS)
def test_what_a_transaction_walked_is_not_watched(db, walk):
    read_and_write_beside_another(db, walk)
    assert db["written"] == b"1"


def test_a_transaction_that_wrote_nothing_has_no_conflict(db):
    db["k"] = "v"
    with db.transaction() as tx:
        assert tx["k"] == b"v"
        db["k"] = "changed"


def test_a_transaction_whose_database_was_closed_fails_at_its_end(db):
    with pytest.raises(mayfly.InvalidError, match="closed"):
        with db.transaction() as tx:
            tx["money"] = "1"
            closing = threading.Thread(target=db.close)
            closing.start()
            closing.join()


def test_work_that_closes_its_database_fails(db):
    def work(tx):
        tx["money"] = "1"
        db.close()
        return "done"

    with pytest.raises(mayfly.InvalidError, match="closed"):
        db.transact(work)


def test_a_stack_that_closes_the_database_first_fails(clock):
    with pytest.raises(mayfly.InvalidError, match="closed"):
        with contextlib.ExitStack() as stack:
            database = mayfly.Database(clock=clock)
            tx = stack.enter_context(database.transaction())
            stack.callback(database.close)
            tx["money"] = "1"


def test_a_block_may_settle_its_transaction_itself(db):
    with db.transaction() as tx:
        tx["a"] = "1"
        tx.commit()
    with db.transaction() as tx:
        tx["b"] = "1"
        tx.rollback()
    with db.transaction() as tx:
        tx["c"] = "1"
        tx.commit()
        db.close()
    with pytest.raises(mayfly.InvalidError):
        tx.commit()


def test_a_commit_that_was_refused_as_called_is_made_at_the_end(db):
    with db.transaction() as tx:
        tx["a"] = "1"
        with pytest.raises(mayfly.InvalidError, match="durability"):
            tx.commit("maybe")
    assert db["a"] == b"1"


def test_savepoints_nest(db):
    with db.transaction() as tx:
        tx["a"] = "1"
        with pytest.raises(KeyError):
            with tx.savepoint():
                tx["b"] = "2"
                with tx.savepoint():
                    tx["c"] = "3"
                raise KeyError
        assert list(tx) == [b"a"]
        with tx.savepoint():
            tx["d"] = "4"
    assert list(db) == [b"a", b"d"]


def test_a_transaction_has_one_instant(db, clock):
    db["k", 5] = "v"
    with db.transaction() as tx:
        clock.advance(5)
        assert "k" in tx and "k" not in db
        assert tx.now < db.clock_report().now


def test_a_snapshot_is_frozen(db, clock):
    space = db.create_keyspace("s")
    space["x"] = "1"
    db["k", 5] = "v"
    with db.snapshot() as snapshot:
        db["k"] = "w"
        space["x"] = "2"
        clock.advance(5)
        assert snapshot["k"] == b"v"
        assert snapshot.keyspace("s")["x"] == b"1"
        assert dict(snapshot.items()) == {b"k": b"v"}
        assert len(snapshot) == 1
    assert snapshot.closed
    with pytest.raises(mayfly.InvalidError):
        snapshot["k"]


def test_a_keyspace_of_another_database_is_invalid(db):
    with mayfly.Database() as other:
        foreign = other.create_keyspace("f")
        with db.transaction() as tx, pytest.raises(mayfly.InvalidError):
            tx.keyspace(foreign)
        with db.snapshot() as snapshot, pytest.raises(mayfly.InvalidError):
            snapshot.keyspace(foreign)


def test_iterators(db):
    pairs = [(b"%04d" % i, b"%d" % i) for i in range(3000)]
    db.update(pairs)
    assert list(db.items()) == pairs
    assert list(db.items(reverse=True)) == pairs[::-1]
    assert list(db.keys(prefix="12")) == [key for key, _ in pairs[1200:1300]]
    assert list(db.keys(begin="0010", end="0013")) == [b"0010", b"0011", b"0012"]
    assert list(db.values(begin="2998")) == [b"2998", b"2999"]
    assert next(reversed(db)) == b"2999"
    assert list(db.keys(prefix="none")) == []


def test_an_iterator_shows_one_state_and_seeks(db):
    db.update({b"%03d" % i: b"" for i in range(100)})
    with db.keys() as keys:
        assert next(keys) == b"000"
        db.clear()
        keys.seek("050")
        assert next(keys) == b"050"
        keys.seek("099")
        assert list(keys) == [b"099"]
        assert next(keys, None) is None
        with pytest.raises(mayfly.InvalidError, match="reached its end"):
            keys.seek("050")
    backwards = db.keys(reverse=True)
    assert list(backwards) == []
    backwards.close()
    assert list(backwards) == []


def test_mortal_and_immortal_rows(db):
    db["a"] = "1"
    db["b", 5] = "2"
    assert list(db.keys(only="mortal")) == [b"b"]
    assert list(db.keys(only="immortal")) == [b"a"]
    assert [row.deadline is None for row in db.rows()] == [True, False]


def test_an_iterator_of_a_transaction_ends_with_it(db):
    with db.transaction() as tx:
        tx["a"] = "1"
        keys = tx.keys()
        unread = tx.keys()
        assert list(keys) == [b"a"]
    with pytest.raises(mayfly.InvalidError):
        next(unread)
    assert list(keys) == []


def test_an_empty_name_is_no_directory():
    for options in ({}, {"read_only": True}):
        with pytest.raises(mayfly.InvalidError, match="None"):
            mayfly.Database("", **options)
    with pytest.raises(mayfly.InvalidError, match="None"):
        mayfly.KVStore("")


def test_the_deadline_of_a_collection(db, clock):
    names = db.set("s")
    names.add("a")
    db["s2"] = "another row with the prefix"
    assert db.deadline("s") is None
    names.expire(10)
    assert db.deadline("s") == clock.now + datetime.timedelta(seconds=10)
    with db.transaction() as tx, db.snapshot() as snapshot:
        assert tx.deadline(b"s") == snapshot.deadline("s") == db.deadline("s")
    clock.advance(10)
    with pytest.raises(mayfly.NotFoundError):
        db.deadline("s")


def test_persisting_in_a_keyspace_that_clamps(db):
    space = db.create_keyspace("s", mayfly.Policy(max_ttl=60, on_breach="clamp"))
    space["k", 10] = "v"
    assert space.persist("k") and space.ttl("k") == 60.0
