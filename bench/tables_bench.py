#!/usr/bin/env python3
"""mayfly's endpoint of DynamoDB's API beside dynalite's, in one run.

  tables_bench.py MAYFLY TABLES_BENCH FOLDER [--rounds N] [--seconds S]

FOLDER is where dynalite is installed, from npm, once. dynalite keeps its tables in memory, its
fastest way; mayfly on disk, with its defaults. They take turns, and who begins alternates. Each of
16 connections sends one request and waits, as SDKs do, then 16 and 64 at a time: the best of these
is a server's throughput, and the median of the rounds' ratios counts. `nothing` is a request that
touches no table: what HTTP, the kernel and the client take on this machine.
Then the same calls of the library, without a server. Ends with 1 when an operation is below ten
times dynalite's throughput.
"""
import argparse
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "redis"))
from server_process import ServerProcess

OPERATIONS = ["get", "query", "put", "update"]
TIMES_MIN = 10
ITEMS = 10_000            # Put before anything is measured.
REQUESTS_MIN = 200
DEPTHS = (1, 16, 64)


class Dynalite:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / "node_modules").exists():
            for file in ("package.json", "package-lock.json"):
                shutil.copy(HERE / "dynalite" / file, self.folder)
            subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"],
                           cwd=self.folder, check=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.http_port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            ["node", "node_modules/dynalite/cli.js", "--host", "127.0.0.1", "--port",
             str(self.http_port), "--createTableMs", "0"], cwd=self.folder,
            stdout=subprocess.DEVNULL)
        for _ in range(200):
            time.sleep(0.05)
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.http_port)) == 0:
                    return self
        raise SystemExit("tables_bench: dynalite does not start")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def run(options, *words):
    done = subprocess.run([options.tables_bench, *map(str, words)], text=True, capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f"tables_bench {words}: {done.stdout}{done.stderr}")
    return done.stdout


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Seen:
    """One measurement: requests per second, and microseconds of the server's CPU for each."""

    def __init__(self, options, server, operation, depth):
        rate = float(run(options, server.http_port, operation, REQUESTS_MIN, depth))
        requests = max(REQUESTS_MIN, int(rate * options.seconds))
        before = cpu_seconds(server.process.pid)
        self.rate = float(run(options, server.http_port, operation, requests, depth))
        self.cpu_us = (cpu_seconds(server.process.pid) - before) * 1e6 / requests


def median(some):
    return statistics.median(list(some))


def compare(options, dynalite, mayfly, operation):
    """Prints a line for each depth; returns the rounds' ratios of throughput."""
    seen = {server: {depth: [] for depth in DEPTHS} for server in (dynalite, mayfly)}
    for turn in range(options.rounds):
        for depth in DEPTHS:
            for server in (dynalite, mayfly) if turn % 2 == 0 else (mayfly, dynalite):
                seen[server][depth].append(Seen(options, server, operation, depth))
    for depth in DEPTHS:
        pairs = list(zip(seen[dynalite][depth], seen[mayfly][depth]))
        print(f"{operation:8} {depth:5} {median(a.rate for a, _ in pairs):11.0f} "
              f"{median(b.rate for _, b in pairs):9.0f} "
              f"{median(b.rate / a.rate for a, b in pairs):7.1f} "
              f"{median(a.cpu_us for a, _ in pairs):9.1f} {median(b.cpu_us for _, b in pairs):7.1f} "
              f"{median(a.cpu_us / b.cpu_us for a, b in pairs):7.1f}", flush=True)
    best = {server: [max(rates) for rates in
                     zip(*([one.rate for one in seen[server][depth]] for depth in DEPTHS))]
            for server in seen}
    return [ours / theirs for ours, theirs in zip(best[mayfly], best[dynalite])]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mayfly")
    parser.add_argument("tables_bench")
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    options = parser.parse_args()
    with Dynalite(options.folder) as dynalite, ServerProcess(options.mayfly) as mayfly, \
            tempfile.TemporaryDirectory() as folder:
        for server in (dynalite, mayfly):
            run(options, server.http_port, "create")
            time.sleep(0.5)
            run(options, server.http_port, "put", ITEMS, 1)
        print(f"{'':8} depth  dynalite/s  mayfly/s   ratio  CPU us of each      ratio")
        verdicts = []
        for operation in OPERATIONS:
            ratios = compare(options, dynalite, mayfly, operation)
            verdicts.append((operation, median(ratios), " ".join(f"{one:.1f}" for one in ratios)))
        # RocksDB's buffers hold every version that was written since the last flush, and a query walks
        # over them: the same once more, as a figure.
        compare(options, dynalite, mayfly, "query")
        for depth in DEPTHS:
            nothing = [Seen(options, mayfly, "nothing", depth) for _ in range(options.rounds)]
            print(f"nothing  {depth:5} {'':11} {median(one.rate for one in nothing):9.0f} {'':7} "
                  f"{'':9} {median(one.cpu_us for one in nothing):7.1f}")
        print("\nthe library: calls per second, and CPU us of each")
        print(run(options, "embedded", f"{folder}/db", 2 * ITEMS))
    missed = False
    for operation, ratio, rounds in verdicts:
        missed = missed or ratio < TIMES_MIN
        print(f"{operation:8} {ratio:5.1f} times dynalite's throughput ({rounds})"
              f"{'' if ratio >= TIMES_MIN else f': below {TIMES_MIN}'}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
