"""Random operations on a database and on a dict with deadlines must agree.

hypothesis prints the steps that lead to a difference. Time moves only in a step of its own.
"""

import datetime
import tempfile

from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import mayfly
from conftest import START

KEYS = st.sampled_from(["a", "b", "c", "d/1", "d/2", "é"])
VALUES = st.binary(max_size=20)
TTLS = st.one_of(st.none(), st.integers(1, 20), st.floats(0.001, 20))


def milliseconds(seconds):
    return max(1, round(seconds * 1000))


class Agreement(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.clock = mayfly.ManualClock(START)
        self.db = self.open()
        self.now = 0
        self.rows = {}  # Key to (value, deadline in ms or None).

    def open(self):
        return mayfly.Database(clock=self.clock)

    def teardown(self):
        assert self.db.check().clean
        self.db.close()

    def alive(self):
        return {key: row for key, row in self.rows.items()
                if row[1] is None or row[1] > self.now}

    def deadline(self, ttl):
        return None if ttl is None else self.now + milliseconds(ttl)

    def write(self, key, value, deadline):
        self.rows[key.encode()] = (value, deadline)

    @rule(key=KEYS, value=VALUES, ttl=TTLS)
    def put(self, key, value, ttl):
        self.db.put(key, value, ttl=ttl)
        self.write(key, value, self.deadline(ttl))

    @rule(key=KEYS, value=VALUES, ttl=st.integers(1, 20))
    def shorthand(self, key, value, ttl):
        self.db[key, ttl] = value
        self.write(key, value, self.deadline(ttl))

    @rule(key=KEYS, value=VALUES, seconds=st.integers(-5, 20))
    def put_until(self, key, value, seconds):
        now = START + datetime.timedelta(milliseconds=self.now)
        self.db.put(key, value, expire_at=now + datetime.timedelta(seconds=seconds))
        self.write(key, value, self.now + seconds * 1000)

    @rule(key=KEYS, value=VALUES)
    def put_and_keep(self, key, value):
        kept = self.alive().get(key.encode(), (None, None))[1]
        self.db.put(key, value, ttl=mayfly.KEEP)
        self.write(key, value, kept)

    @rule(key=KEYS, value=VALUES, ttl=TTLS)
    def add(self, key, value, ttl):
        absent = key.encode() not in self.alive()
        assert self.db.add(key, value, ttl=ttl) == absent
        if absent:
            self.write(key, value, self.deadline(ttl))

    @rule(key=KEYS)
    def delete(self, key):
        assert self.db.delete(key) == (key.encode() in self.alive())
        self.rows.pop(key.encode(), None)

    @rule(key=KEYS, default=st.none())
    def pop(self, key, default):
        expected = self.alive().get(key.encode(), (None, None))[0]
        assert self.db.pop(key, default) == expected
        self.rows.pop(key.encode(), None)

    @rule(key=KEYS, ttl=st.integers(1, 20))
    def expire(self, key, ttl):
        row = self.alive().get(key.encode())
        try:
            assert self.db.expire(key, ttl) and row is not None
            self.write(key, row[0], self.deadline(ttl))
        except mayfly.NotFoundError:
            assert row is None

    @rule(key=KEYS)
    def persist(self, key):
        row = self.alive().get(key.encode())
        try:
            assert self.db.persist(key) == (row[1] is not None)
            self.write(key, row[0], None)
        except mayfly.NotFoundError:
            assert row is None

    @rule(pairs=st.lists(st.tuples(KEYS, VALUES), max_size=4), commit=st.booleans(), ttl=TTLS)
    def transaction(self, pairs, commit, ttl):
        transaction = self.db.transaction()
        for key, value in pairs:
            transaction.put(key, value, ttl=ttl)
        if not commit:
            transaction.rollback()
            return
        transaction.commit()
        for key, value in pairs:
            self.write(key, value, self.deadline(ttl))

    @rule(step=st.integers(1, 8000))
    def time_passes(self, step):
        self.clock.advance(step / 1000)
        self.now += step

    @rule()
    def purge(self):
        self.db.purge()
        self.rows = self.alive()

    @invariant()
    def the_same_rows_are_alive(self):
        alive = self.alive()
        expected = {key: value for key, (value, _) in alive.items()}
        assert dict(self.db.items()) == expected
        assert list(self.db) == sorted(expected)
        assert list(self.db.keys(prefix="d/", reverse=True)) == sorted(
            (key for key in expected if key.startswith(b"d/")), reverse=True)
        assert len(self.db) == len(expected)
        for key, (value, deadline) in alive.items():
            left = self.db.ttl(key)
            assert left == (None if deadline is None else (deadline - self.now) / 1000)
            assert self.db[key] == value and bytes(self.db.get_view(key)) == value


class AgreementOnDisk(Agreement):
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        super().__init__()

    def open(self):
        return mayfly.Database(self.folder.name + "/db", clock=self.clock, memory="tiny")

    def teardown(self):
        super().teardown()
        self.folder.cleanup()

    @rule(step=st.integers(0, 8000))
    def reopen(self, step):
        left_open = self.db.keys()
        self.db.close()
        self.clock.advance(step / 1000)
        self.now += step
        self.db = self.open()
        del left_open

    @rule()
    def reclaim(self):
        self.db.reclaim(everything=True)
        self.rows = self.alive()


def configured(machine, examples):
    case = machine.TestCase
    case.settings = settings(max_examples=examples, stateful_step_count=40, deadline=None,
                             suppress_health_check=list(HealthCheck), database=None)
    return case


TestAgreement = configured(Agreement, 40)
TestAgreementOnDisk = configured(AgreementOnDisk, 8)
