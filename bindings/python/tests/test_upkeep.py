"""The dead: purging, events, forecast, reaper, proof; and saving and checking."""

import datetime
import gc
import itertools
import threading

import pytest

import mayfly
from conftest import START


def test_purge_removes_what_is_dead(db, clock):
    space = db.create_keyspace("s")
    for i in range(10):
        db[str(i), i + 1] = "v"
        space[str(i), 1] = "v"
    clock.advance(5)
    report = space.purge(rows_max=4)
    assert (report.rows, report.more_due) == (4, True)
    assert space.purge().rows == 6
    assert db.purge().rows == 5
    assert len(db) == 5
    assert db.statistics().purged_rows == 15


def test_forecast_and_deadlines(db):
    for i in range(6):
        db[f"k{i}", 30 * (i + 1)] = "v"
    db["immortal"] = "v"
    buckets = db.forecast(bucket=60, buckets=3)
    assert [bucket.rows for bucket in buckets] == [1, 2, 2]
    assert buckets[0].begin == START
    assert buckets[0].bytes == 3
    dying = list(db.deadlines(end=START + datetime.timedelta(seconds=90)))
    assert [entry.key for entry in dying] == [b"k0", b"k1"]
    assert dying[0].deadline == START + datetime.timedelta(seconds=30)


def test_deadlines_are_paged(db):
    db.update({str(i): "" for i in range(2500)}, ttl=5)
    assert len({entry.key for entry in db.deadlines()}) == 2500


def test_events(db, clock):
    space = db.create_keyspace("s", mayfly.Policy(events="key_and_value"))
    space["a", 1] = "1"
    space["b", 2] = "2"
    clock.advance(2)
    db.purge()
    first, second = db.events
    assert (first.key, first.value, first.keyspace, first.cause) == (b"a", b"1", "s", "purged")
    assert second.sequence == db.events.last_sequence == 2
    assert [event.key for event in db.events.since(1)] == [b"b"]
    assert db.events.trim(through=1) == 1
    assert db.events.trimmed_through == 1
    assert [event.key for event in db.events] == [b"b"]


def test_follow_yields_what_comes_and_ends_after_the_timeout(db, clock):
    space = db.create_keyspace("s", mayfly.Policy(events="key"))
    follower = db.events.follow(timeout=0)
    space["a", 1] = "1"
    clock.advance(1)
    db.purge()
    assert [event.key for event in follower] == [b"a"]
    assert list(db.events.follow(timeout=0)) == []
    assert [event.key for event in db.events.follow(after=0, timeout=0)] == [b"a"]


def test_follow_waits_in_one_thread_for_another(db, clock):
    space = db.create_keyspace("s", mayfly.Policy(events="key"))
    follower = db.events.follow()
    seen = []
    thread = threading.Thread(target=lambda: seen.append(next(follower)))
    thread.start()
    space["a", 1] = "1"
    clock.advance(1)
    db.purge()
    thread.join()
    assert seen[0].key == b"a"


def test_closing_ends_a_follower(db):
    follower = db.events.follow()
    caught = []

    def follow():
        try:
            next(follower)
        except mayfly.InvalidError as error:
            caught.append(error)

    thread = threading.Thread(target=follow)
    thread.start()
    db.close()
    thread.join()
    assert len(caught) == 1


def test_the_reaper_purges_by_itself(db, clock):
    with db.start_reaper() as reaper:
        db["k", 1] = "v"
        clock.advance(1)
        reaper.await_idle()
        assert db.statistics().purged_rows == 1
    with pytest.raises(mayfly.InvalidError):
        reaper.await_idle()


def test_a_reaper_that_nobody_holds_goes_on(db, clock):
    space = db.create_keyspace("s", mayfly.Policy(events="key"))
    space["k", 1] = "v"
    db.start_reaper()
    gc.collect()
    clock.advance(1)
    # Waits for the thread; without one nothing would ever come.
    events = [event.key for event in itertools.islice(db.events.follow(0, timeout=60), 1)]
    assert events == [b"k"]


def test_a_reaper_that_was_closed_is_forgotten(db):
    with db.start_reaper() as first:
        second = db.start_reaper()
        assert db._reapers == {first, second}
    assert db._reapers == {second}
    second.close()
    second.close()
    assert not db._reapers
    left = db.start_reaper()
    db.close()
    assert not db._reapers
    left.close()


def test_a_reaper_ends_with_a_database_that_nobody_holds(tmp_path):
    db = mayfly.Database(tmp_path / "db")
    db.start_reaper()
    del db
    mayfly.Database(tmp_path / "db").close()


def test_backup_and_restore(db, clock, tmp_path):
    db["a"] = "1"
    db["b", 10] = "2"
    report = db.backup(tmp_path / "backup")
    assert report.rows == 2 and report.taken_at == START
    clock.advance(60)
    with mayfly.Database(clock=clock) as other:
        assert other.restore(tmp_path / "backup").dropped_rows == 1
        assert list(other) == [b"a"]
        with pytest.raises(mayfly.InvalidError):
            other.restore(tmp_path / "backup")
    with mayfly.Database(clock=clock) as other:
        other.restore(tmp_path / "backup", mode="freeze")
        assert other.ttl("b") == 10.0
    with pytest.raises(mayfly.InvalidError):
        db.backup(tmp_path / "backup")


def test_check_finds_nothing_wrong(disk_db):
    disk_db["a", 5] = "1"
    report = disk_db.check()
    assert report.clean and (report.rows, report.entries) == (1, 1)


def test_a_promise_is_kept_and_proved(disk_db, clock):
    space = disk_db.create_keyspace("private", mayfly.Policy(purge_within=3600))
    space["k", 1] = b"very-personal-data"
    clock.advance(2)
    disk_db.purge()
    disk_db.reclaim(everything=True)
    proof = disk_db.prove(find=b"very-personal-data")
    assert proof.kept and proof.traces == []
    assert {each.name for each in proof.keyspaces} >= {"private"}
    space["l"] = b"very-personal-data"
    assert disk_db.prove(find=b"very-personal-data").traces


def test_a_jump_of_the_clock_stops_deletion(db, clock):
    db["k", 3600] = "v"
    clock.set(START + datetime.timedelta(days=3))
    assert "k" not in db
    assert db.clock_report().physical_deletion_stopped
    assert db.purge().stopped_by_clock
    clock.set(START)
    db.revert_clock()
    assert db["k"] == b"v"
    assert not db.clock_report().physical_deletion_stopped


def test_sync(disk_db):
    disk_db["k"] = "v"
    disk_db.sync()
    with pytest.raises(mayfly.InvalidError):
        disk_db.sync("sometimes")
