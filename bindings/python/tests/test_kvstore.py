"""KVStore: a program of SNKV's Python page runs with its import changed, and no more."""

import pytest

import mayfly
from mayfly import KVStore, NotFoundError

# As published, with `from snkv` changed to `from mayfly`.
PROGRAM = '''
from mayfly import KVStore, NotFoundError

with KVStore("mydb.db") as db:
    # Put with TTL — seconds (float precision)
    db.put(b"session", b"tok123", ttl=60)

    # Dict-style shorthand: db[key, ttl] = value
    db[b"token", 30] = b"bearer-xyz"

    # Get — expired keys raise NotFoundError
    val = db.get(b"session")

    # Check remaining lifetime
    try:
        remaining = db.ttl(b"session")   # float seconds
    except NotFoundError:
        remaining = None

    # Purge all expired keys (returns count removed)
    n = db.purge_expired()

    # Column families support TTL identically
    with db.create_column_family("cache") as cf:
        cf[b"item", 10] = b"data"
        n = cf.purge_expired()
'''


def test_the_published_program_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(PROGRAM, names)
    assert names["val"] == b"tok123"
    assert 59 < names["remaining"] <= 60
    assert names["n"] == 0
    with KVStore("mydb.db") as db:
        assert db[b"token"] == b"bearer-xyz"
        with db.open_column_family("cache") as cf:
            assert cf[b"item"] == b"data"


@pytest.fixture
def store(clock):
    with KVStore(clock=clock) as made:
        yield made


def test_expired_keys_are_not_found(store, clock):
    store.put(b"a", b"1", ttl=1.5)
    clock.advance(1.5)
    with pytest.raises(NotFoundError):
        store.get(b"a")
    with pytest.raises(NotFoundError):
        store.ttl(b"a")
    assert store.get(b"a", None) is None
    assert not store.exists(b"a") and b"a" not in store


def test_purges_count_per_family(store, clock):
    cache = store.create_column_family("cache")
    for i in range(3):
        store[b"%d" % i, 1] = b"x"
        cache[b"%d" % i, 1] = b"x"
    store[b"stays"] = b"x"
    clock.advance(1)
    assert store.purge_expired() == 3
    assert store.purge_expired() == 0
    assert cache.purge_expired() == 3
    assert [key for key, _ in store] == [b"stays"]


def test_a_plain_put_takes_the_ttl_away(store):
    store.put(b"a", b"1", ttl=5)
    store.put(b"a", b"2")
    assert store.ttl(b"a") is None


def test_families(store):
    store.create_column_family("one")[b"k"] = b"1"
    assert store.list_column_families() == ["one"]
    assert store.open_column_family("one").get(b"k") == b"1"
    with pytest.raises(mayfly.InvalidError):
        store.create_column_family("__hidden")
    store.drop_column_family("one")
    with pytest.raises(NotFoundError):
        store.open_column_family("one")


def test_delete_and_iterate(store):
    for key in (b"a1", b"a2", b"b"):
        store[key] = key
    del store[b"a1"]
    assert store.delete(b"a1") is False
    assert list(store.iterator(prefix=b"a")) == [(b"a2", b"a2")]
    assert [key for key, _ in store.iterator(reverse=True)] == [b"b", b"a2"]
    assert len(store) == 2
    with store.begin() as transaction:
        transaction[b"c"] = b"c"
    assert store[b"c"] == b"c"


def test_vacuum_gives_space_back(tmp_path):
    with KVStore(tmp_path / "db") as store:
        for i in range(100):
            store[b"%d" % i] = b"x" * 10_000
        for i in range(100):
            del store[b"%d" % i]
        assert store.vacuum() is None
        assert store.vacuum(10) is None
        assert len(store) == 0
