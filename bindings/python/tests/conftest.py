"""Databases on a clock that moves only when a test says so: no test sleeps."""

import datetime

import pytest

import mayfly

START = datetime.datetime(2030, 1, 1, tzinfo=datetime.timezone.utc)


@pytest.fixture
def clock():
    return mayfly.ManualClock(START)


@pytest.fixture
def db(clock):
    with mayfly.Database(clock=clock) as database:
        yield database


@pytest.fixture
def disk_db(clock, tmp_path):
    with mayfly.Database(tmp_path / "db", clock=clock) as database:
        yield database
