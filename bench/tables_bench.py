#!/usr/bin/env python3
"""mayfly's endpoint of DynamoDB's API beside dynalite's, in one run.

  tables_bench.py MAYFLY TABLES_BENCH FOLDER [--rounds N] [--seconds S]

FOLDER is where dynalite is installed, from npm, once. dynalite keeps its tables in memory, its
fastest way; mayfly on disk, with its defaults. They take turns, who begins alternates, and the
median of the rounds' ratios counts. Then the same calls of the library, without a server. Ends
with 1 when an operation is below ten times dynalite's throughput.
"""
import argparse
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

OPERATIONS = ["put", "get", "update", "query"]
TIMES_MIN = 10
ITEMS = 10_000            # Put before anything is measured.
REQUESTS_MIN = 200


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


def measure(options, server, operation):
    """Operations per second, of as many requests as fill the time."""
    rate = float(run(options, server.http_port, operation, REQUESTS_MIN))
    requests = max(REQUESTS_MIN, min(ITEMS, int(rate * options.seconds)))
    return float(run(options, server.http_port, operation, requests))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mayfly")
    parser.add_argument("tables_bench")
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    options = parser.parse_args()
    missed = False
    with Dynalite(options.folder) as dynalite, ServerProcess(options.mayfly) as mayfly, \
            tempfile.TemporaryDirectory() as folder:
        for server in (dynalite, mayfly):
            run(options, server.http_port, "create")
            time.sleep(0.5)
            run(options, server.http_port, "put", ITEMS)
        embedded = dict(line.split() for line in
                        run(options, "embedded", f"{folder}/db", ITEMS).splitlines())
        print(f"{'':8} {'dynalite/s':>11} {'mayfly/s':>9} {'ratio':>7}   pairs, and the library/s")
        for operation in OPERATIONS:
            seen = {dynalite: [], mayfly: []}
            for turn in range(options.rounds):
                for server in (dynalite, mayfly) if turn % 2 == 0 else (mayfly, dynalite):
                    seen[server].append(measure(options, server, operation))
            ratios = [ours / theirs for ours, theirs in zip(seen[mayfly], seen[dynalite])]
            ratio = statistics.median(ratios)
            missed = missed or ratio < TIMES_MIN
            print(f"{operation:8} {statistics.median(seen[dynalite]):11.0f} "
                  f"{statistics.median(seen[mayfly]):9.0f} {ratio:7.1f} "
                  f"{'' if ratio >= TIMES_MIN else 'MISSED '}  "
                  f"{' '.join(f'{one:.1f}' for one in ratios)}, {embedded[operation]}", flush=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
