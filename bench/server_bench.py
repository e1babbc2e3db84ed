#!/usr/bin/env python3
"""mayfly serve beside Debian's redis-server, by redis-benchmark, in one run.

  server_bench.py MAYFLY [--rounds N] [--requests N] [--clients N] [--threads N] [--pipeline P ...]
                  [--engine rocks|memory-first] [--command NAME ...]

Both keep what they are told: redis-server with appendonly yes and an fsync every second, mayfly with
its defaults. They take turns, who begins alternates, and the medians of the rounds count. Printed are
ratios, mayfly over Redis: of requests per second (more is better), and of the server's CPU time per
request (less is better). The load comes from the same machine and takes its share of the cores.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "redis"))
from server_process import ServerProcess

KEYS = 100_000
COMMANDS = {
    "SET": ["SET", "key:__rand_int__", "x" * 100],
    "SET EX": ["SET", "key:__rand_int__", "x" * 100, "EX", "3600"],
    "GET": ["GET", "key:__rand_int__"],
    "INCR": ["INCR", "counter:__rand_int__"],
    "HSET": ["HSET", "hash:__rand_int__", "field", "x" * 100],
    "LPUSH": ["LPUSH", "list:__rand_int__", "x" * 100],
    "ZADD": ["ZADD", "zset", "__rand_int__", "member:__rand_int__"],
    "SADD": ["SADD", "set:__rand_int__", "member:__rand_int__"],
    "XADD": ["XADD", "stream", "*", "field", "x" * 100],
    "XREADGRP": ["XREADGROUP", "GROUP", "group", "consumer", "COUNT", "1", "STREAMS", "unread", ">"],
}
# What makes a request find something: run before each measurement, and not measured. A stream that no one has read, with
# an entry for each request.
FIRST = {
    "XREADGRP": [["-n", "1", "DEL", "unread"],
                 ["-n", "1", "XGROUP", "CREATE", "unread", "group", "0", "MKSTREAM"],
                 ["-P", "64", "XADD", "unread", "*", "field", "x" * 100]],
}
TICKS = os.sysconf("SC_CLK_TCK")


class Redis:
    """Debian's redis-server, in a folder of its own."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.socket = str(pathlib.Path(self.folder.name) / "redis.sock")
        self.port = 0
        for port in range(26379, 26479):
            self.process = subprocess.Popen(
                ["redis-server", "--port", str(port), "--dir", self.folder.name, "--appendonly",
                 "yes", "--appendfsync", "everysec", "--save", ""], stdout=subprocess.DEVNULL)
            for _ in range(100):
                time.sleep(0.05)
                if self.process.poll() is not None:
                    break
                ping = subprocess.run(["redis-cli", "-p", str(port), "PING"], capture_output=True)
                if ping.stdout == b"PONG\n":
                    self.port = port
                    return self
        raise SystemExit("server_bench: redis-server does not start")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def measure(server, command, pipeline, options):
    """(requests per second, CPU microseconds per request)"""
    requests = options.requests if pipeline > 1 else options.requests // 4
    for first in FIRST.get(command, []):
        count = [] if "-n" in first else ["-n", str(requests)]
        subprocess.run(["redis-benchmark", "-p", str(server.port), "-q", *count, *first],
                       capture_output=True, check=True)
    before = cpu_seconds(server.process.pid)
    run = subprocess.run(
        ["redis-benchmark", "-p", str(server.port), "-n", str(requests), "-c", str(options.clients),
         "-P", str(pipeline), "-r", str(KEYS), "--csv", *COMMANDS[command]],
        capture_output=True, text=True, check=True)
    after = cpu_seconds(server.process.pid)
    rate = float(re.findall(r'"([^"]*)"', run.stdout.strip().splitlines()[-1])[1])
    return rate, (after - before) / requests * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mayfly")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pipeline", type=int, nargs="*", default=[1, 16, 64])
    parser.add_argument("--command", nargs="*", default=list(COMMANDS))
    parser.add_argument("--engine", choices=["as-found", "rocks", "memory-first"],
                        default="as-found", help="mayfly's setting `engine`")
    options = parser.parse_args()
    print(f"{'command':8} {'P':>3} {'redis req/s':>12} {'mayfly req/s':>13} {'ratio':>6} "
          f"{'redis us':>9} {'mayfly us':>10} {'ratio':>6}")
    with Redis() as redis, ServerProcess(
            options.mayfly, "--threads", options.threads, "--engine", options.engine) as mayfly:
        for command in options.command:
            for pipeline in options.pipeline:
                seen = {redis: [], mayfly: []}
                for turn in range(options.rounds):
                    for server in (redis, mayfly) if turn % 2 == 0 else (mayfly, redis):
                        seen[server].append(measure(server, command, pipeline, options))
                (redis_rate, redis_cpu), (rate, cpu) = (
                    [statistics.median(column) for column in zip(*seen[server])]
                    for server in (redis, mayfly))
                print(f"{command:8} {pipeline:3} {redis_rate:12.0f} {rate:13.0f} "
                      f"{rate / redis_rate:6.2f} {redis_cpu:9.2f} {cpu:10.2f} "
                      f"{cpu / redis_cpu:6.2f}", flush=True)


if __name__ == "__main__":
    main()
