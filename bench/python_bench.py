#!/usr/bin/env python3
"""The Python package beside python3-diskcache, python3-plyvel, python3-lmdb and sqlite3 used as
sqlitedict uses it: CPU time per operation, from Python, all in one run.

    bench/python_bench.py build/release/python [--rows 20000] [--rounds 5]

Every measurement is a process of its own on an empty folder; the stores take turns, and the median
of the rounds counts. CPU time is that of the process, threads in the background included. No store
waits for the disk (an fsync per write would measure the disk); each survives the end of its process.
"100 at once" is one transaction, or one call where the store has it. A dash: the store has no such
thing. Prints a table in Markdown. Exit code 1 when mayfly is not ahead
of diskcache by 5x everywhere.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time

AHEAD = 5.0  # Of diskcache.
VALUE = b"v" * 100
OPERATIONS = ("set", "set with ttl", "set, 100 at once", "get", "get, 100 at once", "scan")
BATCH = 100


class Mayfly:
    def __init__(self, folder):
        import mayfly

        self.db = mayfly.Database(folder + "/db")

    def set(self, keys):
        for key in keys:
            self.db[key] = VALUE

    def set_with_ttl(self, keys):
        for key in keys:
            self.db.put(key, VALUE, ttl=3600)

    def get(self, keys):
        for key in keys:
            self.db[key]

    def set_batch(self, keys):
        self.db.update([(key, VALUE) for key in keys])

    def get_batch(self, keys):
        self.db.get_many(keys)

    def scan(self):
        return sum(1 for _, _ in self.db.items())

    def close(self):
        self.db.close()


class Diskcache:
    def __init__(self, folder):
        import diskcache

        self.db = diskcache.Cache(folder, eviction_policy="none", size_limit=2**40)

    def set(self, keys):
        for key in keys:
            self.db.set(key, VALUE)

    def set_with_ttl(self, keys):
        for key in keys:
            self.db.set(key, VALUE, expire=3600)

    def get(self, keys):
        for key in keys:
            self.db.get(key)

    def set_batch(self, keys):
        with self.db.transact():
            self.set(keys)

    get_batch = None

    def scan(self):
        return sum(1 for key in self.db if self.db[key])

    def close(self):
        self.db.close()


class Plyvel:
    def __init__(self, folder):
        import plyvel

        self.db = plyvel.DB(folder, create_if_missing=True)

    def set(self, keys):
        for key in keys:
            self.db.put(key.encode(), VALUE)

    set_with_ttl = None

    def get(self, keys):
        for key in keys:
            self.db.get(key.encode())

    def set_batch(self, keys):
        with self.db.write_batch(transaction=True) as batch:
            for key in keys:
                batch.put(key.encode(), VALUE)

    get_batch = None

    def scan(self):
        return sum(1 for _, _ in self.db)

    def close(self):
        self.db.close()


class Lmdb:
    def __init__(self, folder):
        import lmdb

        self.env = lmdb.open(folder, map_size=2**30, sync=False)

    def set(self, keys):
        for key in keys:
            with self.env.begin(write=True) as transaction:
                transaction.put(key.encode(), VALUE)

    set_with_ttl = None

    def get(self, keys):
        for key in keys:
            with self.env.begin(buffers=False) as transaction:
                transaction.get(key.encode())

    def set_batch(self, keys):
        with self.env.begin(write=True) as transaction:
            for key in keys:
                transaction.put(key.encode(), VALUE)

    def get_batch(self, keys):
        with self.env.begin() as transaction:
            for key in keys:
                transaction.get(key.encode())

    def scan(self):
        with self.env.begin() as transaction:
            return sum(1 for _, _ in transaction.cursor())

    def close(self):
        self.env.close()


class Sqlite:
    """A table of keys and values, each write committed; a column for the deadline."""

    def __init__(self, folder):
        import sqlite3

        self.db = sqlite3.connect(folder + "/db", isolation_level=None)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = NORMAL")
        self.db.execute("CREATE TABLE rows (key TEXT PRIMARY KEY, value BLOB, expires REAL)")

    def set(self, keys):
        for key in keys:
            self.db.execute("REPLACE INTO rows VALUES (?, ?, NULL)", (key, VALUE))

    def set_with_ttl(self, keys):
        for key in keys:
            self.db.execute("REPLACE INTO rows VALUES (?, ?, ?)", (key, VALUE, time.time() + 3600))

    def get(self, keys):
        for key in keys:
            self.db.execute("SELECT value FROM rows WHERE key = ? AND "
                            "(expires IS NULL OR expires > ?)", (key, time.time())).fetchone()

    def set_batch(self, keys):
        self.db.execute("BEGIN")
        self.set(keys)
        self.db.execute("COMMIT")

    get_batch = None

    def scan(self):
        return sum(1 for _, _ in self.db.execute("SELECT key, value FROM rows ORDER BY key"))

    def close(self):
        self.db.close()


STORES = {"mayfly": Mayfly, "diskcache": Diskcache, "plyvel (LevelDB)": Plyvel, "lmdb": Lmdb,
          "sqlite3": Sqlite}


def measure(name, rows):
    """Microseconds of CPU per row and operation, in this process."""
    keys = [f"key:{number:012d}" for number in range(rows)]
    mixed = random.Random(7).sample(keys, rows)
    cost = {}
    with tempfile.TemporaryDirectory() as folder:
        store = STORES[name](folder)

        def timed(operation, call):
            begin = time.process_time()
            call()
            cost[operation] = (time.process_time() - begin) * 1e6 / rows

        timed("set", lambda: store.set(mixed))
        timed("get", lambda: store.get(mixed))
        timed("scan", store.scan)
        assert store.scan() == rows
        batches = [mixed[begin:begin + BATCH] for begin in range(0, rows, BATCH)]
        timed("set, 100 at once", lambda: [store.set_batch(batch) for batch in batches])
        if store.get_batch is not None:
            timed("get, 100 at once", lambda: [store.get_batch(batch) for batch in batches])
        if store.set_with_ttl is not None:
            timed("set with ttl", lambda: store.set_with_ttl(mixed))
        store.close()
    return cost


def run_apart(name, arguments):
    command = [sys.executable, __file__, arguments.package, "--rows", str(arguments.rows),
               "--measure", name]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def table(costs):
    def cell(name, operation):
        cost = costs[name].get(operation)
        if cost is None:
            return "-"
        return f"{cost:.2f}" if name == "mayfly" else (
            f"{cost:.2f} ({cost / costs['mayfly'][operation]:.1f}x)")

    lines = ["| CPU, us | " + " | ".join(costs) + " |", "|---" * (len(costs) + 1) + "|"]
    for operation in OPERATIONS:
        cells = [cell(name, operation) for name in costs]
        lines.append(f"| {operation} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("package", help="the folder that has the package mayfly")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--measure", choices=STORES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.package)
    if arguments.measure:
        print(json.dumps(measure(arguments.measure, arguments.rows)))
        return 0
    rounds = {name: [] for name in STORES}
    for _ in range(arguments.rounds):
        for name in STORES:
            rounds[name].append(run_apart(name, arguments))
    costs = {name: {operation: statistics.median(cost[operation] for cost in found)
                    for operation in found[0]} for name, found in rounds.items()}
    print(table(costs))
    behind = [operation for operation, cost in costs["diskcache"].items()
              if cost < AHEAD * costs["mayfly"][operation]]
    if behind:
        print(f"not ahead of diskcache by {AHEAD:.0f}x: {', '.join(behind)}", file=sys.stderr)
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main())
