#!/usr/bin/env python3
"""What a second server of a cluster adds.

  cluster_servers.py MAYFLY [--clients N] [--requests N] [--rounds N] [--shards N] [--writes-only]

A Ceph of three OSDs by scripts/cephlab, with its data in memory, so that the machine's disk has no part.
Turns of one server and of two alternate; in each, redis-benchmark sends SET and GET of 100,000 keys to the
owners, over connections to all servers. Prints commands a second of each turn, the medians, and their ratio;
and the servers' CPU time per command. Ceph, the servers and the client share the machine: with two cores, a
second server adds to writes, which wait for Ceph, and not to reads, which use the cores.
"""
import argparse
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAB = ROOT / "scripts" / "cephlab"
TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cephlab(*arguments):
    subprocess.run([LAB, *map(str, arguments)], check=True, env={**os.environ, "CEPHLAB_STORE": "memstore"},
                   stdout=subprocess.DEVNULL)


class Server:
    def __init__(self, binary, lab, number, shards):
        self.port = free_port()
        self.log = open(lab / f"server{number}.log", "w")
        self.process = subprocess.Popen(
            [binary, "serve", "--cluster", lab / "ceph.conf", "--cluster-server", str(number), "--port",
             str(self.port), "--http-port", "0", "--cluster-shards", str(shards)], stdout=self.log, stderr=self.log)

    def ask(self, *words):
        return subprocess.run(["redis-cli", "-p", str(self.port), *words], capture_output=True, text=True).stdout

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def owners(server):
    """How many slots each address has, as this server knows."""
    counts = {}
    for line in server.ask("CLUSTER", "NODES").splitlines():
        words = line.split()
        slots = 0
        for word in words[8:]:
            ends = re.fullmatch(r"(\d+)(?:-(\d+))?", word)
            if ends:
                slots += int(ends[2] or ends[1]) - int(ends[1]) + 1
        counts[words[1]] = slots
    return counts


def await_shared(servers):
    """Each of the servers has a part of all slots."""
    deadline = time.time() + 120
    while time.time() < deadline:
        slots = [count for count in owners(servers[0]).values() if count]
        if len(slots) == len(servers) and sum(slots) == 16384 and min(slots) > 16384 / len(servers) * 0.7:
            return
        time.sleep(0.2)
    sys.exit(f"the slots are not shared: {owners(servers[0])}")


def measure(servers, test, options):
    began = [server.cpu() for server in servers]
    cluster = ["--cluster"] if len(servers) > 1 else []  # redis-benchmark takes one server for no cluster.
    run = subprocess.run(["redis-benchmark", "-p", str(servers[0].port), *cluster, "-t", test, "-c",
                          str(options.clients), "-n", str(options.requests), "-r", "100000", "-d", "100", "--csv"],
                         capture_output=True, text=True)
    used = sum(server.cpu() for server in servers) - sum(began)
    lines = [line for line in run.stdout.splitlines() if line.startswith(f'"{test.upper()}"')]
    if not lines:
        sys.exit(run.stdout + run.stderr)
    return float(lines[-1].split(",")[1].strip('"')), used / options.requests * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mayfly")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shards", type=int, default=16)
    parser.add_argument("--writes-only", action="store_true")
    options = parser.parse_args()
    tests = ["set"] if options.writes_only else ["set", "get"]
    with tempfile.TemporaryDirectory() as folder:
        lab = pathlib.Path(folder) / "lab"
        figures = {(test, count): [] for test in tests for count in (1, 2)}
        servers = []
        try:
            cephlab("up", lab)
            servers.append(Server(options.mayfly, lab, 1, options.shards))
            for turn in range(2 * options.rounds):
                if turn % 2:
                    servers.append(Server(options.mayfly, lab, 2, options.shards))
                await_shared(servers)
                for test in tests:
                    rate, cpu = measure(servers, test, options)
                    figures[test, len(servers)].append((rate, cpu))
                    print(f"{test} with {len(servers)}: {rate:,.0f} a second, {cpu:.1f} us of CPU each", flush=True)
                if turn % 2:
                    servers.pop().stop()
        finally:
            for server in servers:
                server.process.kill()
            cephlab("remove", lab)
        for test in tests:
            one, two = (statistics.median(rate for rate, _ in figures[test, count]) for count in (1, 2))
            print(f"{test}: {one:,.0f} with one server, {two:,.0f} with two, {two / one:.2f} times")


if __name__ == "__main__":
    main()
