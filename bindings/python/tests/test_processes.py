"""Threads and processes: the GIL is released, calls race with close(), a child of fork is refused."""

import os
import subprocess
import sys
import textwrap
import threading

import pytest

import mayfly


def in_child(work):
    """Runs work in a child of fork(); its exit code."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(work())
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_child_of_fork_is_refused(disk_db, tmp_path):
    disk_db["k"] = "v"
    keys, snapshot, transaction = disk_db.keys(), disk_db.snapshot(), disk_db.transaction()
    view = disk_db.get_view("k")

    def child():
        for call in (lambda: disk_db["k"], lambda: disk_db.put("k", "w"), lambda: next(keys),
                     lambda: snapshot["k"], transaction.commit, disk_db.purge,
                     lambda: disk_db.events.last_sequence):
            try:
                call()
            except mayfly.InvalidError as error:
                assert "parent" in str(error)
            else:
                return 1
        disk_db.close()
        with mayfly.Database(tmp_path / "own") as own:
            own["k"] = "v"
        return 0 if bytes(view) == b"v" else 2

    assert in_child(child) == 0
    assert disk_db["k"] == b"v"
    assert next(keys) == b"k"


def test_a_child_exits_normally_with_an_open_database(tmp_path):
    program = textwrap.dedent("""
        import os, sys, mayfly
        db = mayfly.Database(sys.argv[1])
        db["k"] = "v"
        left = [db.keys(), db.snapshot(), db.start_reaper()]
        if os.fork() == 0:
            sys.exit(0)
        assert os.wait()[1] == 0
        assert db["k"] == b"v"
    """)
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "db")], check=True, timeout=60)


def test_a_program_may_end_without_closing(tmp_path):
    # The follower wakes while Python shuts down, and finds that it may not have the GIL any more.
    # The pause makes sure of it: Python's shutdown cannot be waited for from outside.
    program = textwrap.dedent("""
        import sys, threading, time, types, mayfly

        class Last(types.ModuleType):
            def __del__(self, pause=time.sleep):
                pause(0.5)

        db = mayfly.Database(sys.argv[1])
        db["k"] = "v"
        left = [db.keys(), db.snapshot(), db.start_reaper(), db.events.follow()]
        threading.Thread(target=lambda: next(left[3]), daemon=True).start()
        sys.modules["last"] = Last("last")
    """)
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "db")], check=True, timeout=60)


def test_waiting_calls_release_the_gil(db):
    follower = db.events.follow()
    ended = []

    def follow():
        with pytest.raises(mayfly.InvalidError):
            next(follower)
        ended.append(True)

    thread = threading.Thread(target=follow)
    thread.start()
    for i in range(1000):
        db[str(i)] = "v"  # Would wait for ever for the GIL.
    assert len(db) == 1000
    db.close()
    thread.join()
    assert ended


def test_threads_count_together(disk_db):
    disk_db["n"] = "0"

    def work():
        for _ in range(50):
            disk_db.change("n", lambda old: str(int(old) + 1))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert disk_db["n"] == b"200"


def test_calls_race_with_close(tmp_path):
    for round_number in range(5):
        db = mayfly.Database(tmp_path / str(round_number), memory="tiny")
        db.update({str(i): "v" for i in range(1000)})
        started = threading.Barrier(5)
        wrong = []

        def work():
            started.wait()
            try:
                while True:
                    db["1"] = "w"
                    sum(1 for _ in db.keys())
                    with db.transaction() as tx:
                        tx["2"] = "x"
                        list(tx.keys())
                    with db.snapshot() as snapshot:
                        list(snapshot.items())
            except mayfly.InvalidError:
                pass
            except mayfly.ConflictError:
                pass
            except BaseException as error:
                wrong.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        started.wait()
        db["3"] = "y"
        db.close()
        for thread in threads:
            thread.join()
        assert wrong == []
