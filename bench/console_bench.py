#!/usr/bin/env python3
"""What an open console costs the server, and how soon its views answer, with many keys that die.

  console_bench.py MAYFLY [--keys N] [--dying N] [--rounds N] [--requests N] [--engine NAME]

A `mayfly serve` has N keys, half of them with deadlines up to a month ahead, and every second 10,000
more are written that die ten seconds later. Measured are
(1) each view: what its page asks, one request after the other as the page does it; the median and the
    longest of 20 visits. The limit is 200 ms;
(2) the server's throughput and its CPU time per command, by redis-benchmark (half GET, half SET), with
    two pages open and without, by turns; medians of the rounds. One page shows the overview and one the
    events, and each second a view is opened beside. What the console costs is the CPU time of the threads
    that answer it, as a share of the server's while it is under full load. CPU time per command, with
    and without, would show what other threads lose to it; other work on the machine shows there, too.
"""
import argparse
import multiprocessing
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "console_api"))
from console_home import Page, Resp, ServerProcess

LIMIT_MS = 200
LOSS_MAX = 0.03
VISITS = 20
MONTH_MS = 30 * 86_400_000
WRITERS = 2


def encoded(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def pipeline(connection, commands):
    """Sends them, and reads as many lines: each reply is +OK."""
    connection.sendall(b"".join(commands))
    left = 5 * len(commands)
    while left > 0:
        left -= len(connection.recv(min(left, 1 << 20)))


def name_of(i):
    """Half of them as redis-benchmark numbers its keys, half in a tree of a thousand branches."""
    return b"user:%012d" % (i // 2) if i % 2 else b"tenant:%d:%s:%d" % (i % 997, (b"session", b"cart")[i % 3 == 0], i)


def fill(port, keys, part):
    value = b"x" * 40
    with socket.create_connection(("127.0.0.1", port)) as connection:
        for first in range(part * 1000, keys, WRITERS * 1000):
            pipeline(connection, [
                encoded(b"SET", name_of(i), value) if i % 2 else
                encoded(b"SET", name_of(i), value, b"PX", b"%d" % (3_600_000 + i * 2_654_435_761 % MONTH_MS))
                for i in range(first, min(first + 1000, keys))])


def keep_dying(port, per_second, ends):
    """Writes keys that die ten seconds later, a hundredth of a second's at a time."""
    at_once = max(per_second // 100, 1)
    due = time.monotonic()
    i = 0
    with socket.create_connection(("127.0.0.1", port)) as connection:
        while not ends.is_set():
            pipeline(connection, [encoded(b"SET", b"dying:%d" % (i + j), b"x" * 40, b"PX", b"10000")
                                  for j in range(at_once)])
            i += at_once
            due += at_once / per_second
            time.sleep(max(0, due - time.monotonic()))


def live(page, query, last):
    """One answer of the stream; the id to go on from."""
    answer = page.ask("GET", f"/console/api/live?{query}", headers={"Last-Event-ID": last} if last else {})
    assert answer.status == 200, (answer.status, answer.body)
    found = re.findall(rb"^id: (\d+)$", answer.body, re.M)
    return found[-1].decode() if found else last


def await_calm(resp, options):
    """Until as many die as are written, and the purge of the dead keeps up: after the fill, files are written for long."""
    time.sleep(12)
    calm = 0
    for _ in range(300):
        statistics_text = resp("INFO", "mayfly").decode()
        lag = int(re.search(r"purge_lag_ms:(\d+)", statistics_text).group(1))
        calm = calm + 1 if lag < 100 else 0
        if calm == 5:
            return
        time.sleep(1)
    print("the purge has a backlog: what follows is measured beside it")


def views(keys):
    """What each view asks for when it is opened. Each is a list of requests."""
    some = name_of(keys // 2).decode()

    def run(*commands):
        return lambda page: page.run(*map(list, commands))

    now = int(time.time() * 1000)
    return {
        "overview": [lambda page: live(page, "", None)],
        "deadlines, the next minute": [run(["TTL.FORECAST", "BUCKET", "1000", "BUCKETS", "60"])],
        "deadlines, a page of the next month": [run(["TTL.FORECAST", "BUCKET", "86400000", "BUCKETS", "30"])],
        "deadlines, keys of a bar": [run(["TTL.SCAN", "FROM", str(now + 7_200_000), "TO", str(now + 10_800_000),
                                          "COUNT", "100"])],
        "deadlines, keys without one": [run(["TTL.SCAN", "NOTTL", "COUNT", "1000"])],
        "deadlines, a page of a policy's trial": [run(["TTL.POLICY", "TRY", "max-ttl", "86400000", "COUNT", "10000"])],
        "browser, tree": [run(["TTL.TREE", "", "DELIMITER", ":", "COUNT", "100", "KEYS", "100"])],
        "browser, a branch": [run(["TTL.TREE", "tenant:", "DELIMITER", ":", "COUNT", "100", "KEYS", "100"])],
        "browser, a key": [run(["TYPE", some], ["PTTL", some], ["STRLEN", some], ["GET", some],
                               ["OBJECT", "ENCODING", some])],
        "browser, by pattern": [run(["SCAN", "0", "MATCH", "*cart:1234*", "COUNT", "2000"])],
        "browser, by deadline": [run(["TTL.SCAN", "FROM", str(now), "COUNT", "100"])],
        "events": [lambda page: live(page, "expiry=1", "1")],
        "proof": [run(["TTL.JOB", "LIST"])],
        "tables": [run(["TTL.TABLE", "READ", "ListTables", "{}"])],
        "operations, slow log": [run(["SLOWLOG", "GET", "1024"])],
        "operations, clients": [run(["CLIENT", "LIST"])],
        "operations, users": [run(["ACL", "USERS"])],
        "operations, settings": [run(["CONFIG", "GET", "*"])],
        "command line": [run(["COMMAND", "LIST"])],
    }


def time_views(server, keys):
    page = Page(server)
    page.log_in()
    took = {name: [] for name in views(keys)}
    for _ in range(VISITS):
        for name, requests in views(keys).items():
            for request in requests:
                begun = time.perf_counter()
                replies = request(page)
                took[name].append((time.perf_counter() - begun) * 1000)
                for reply in replies if isinstance(replies, list) else []:
                    assert not (isinstance(reply, dict) and "error" in reply), (name, reply)
    print(f"{'view':40} {'median ms':>10} {'longest ms':>11}")
    for name, times in took.items():
        print(f"{name:40} {statistics.median(times):10.1f} {max(times):11.1f}")
    return max(statistics.median(times) for times in took.values()), max(max(times) for times in took.values())


def keep_open(server, keys, ends, took):
    """Two pages as a browser has them open: figures and events each second, and a view. Tells how long these took."""
    page = Page(server)
    page.log_in()
    all_views = [request for requests in views(keys).values() for request in requests]
    last = None
    due = time.monotonic()
    i = 0
    while not ends.is_set():
        begun = time.perf_counter()
        live(page, "", None)
        last = live(page, "expiry=1", last)
        all_views[i % len(all_views)](page)
        took.put((time.perf_counter() - begun) * 1000 / 3)
        i += 1
        due = max(due + 1, time.monotonic())
        ends.wait(max(0, due - time.monotonic()))


def cpu_seconds(server):
    """Of each thread."""
    folder = pathlib.Path(f"/proc/{server.process.pid}/task")
    return {task.name: int((task / "schedstat").read_text().split()[0]) / 1e9 for task in folder.iterdir()}


def measure(server, options):
    """Requests per second of the load, the server's microseconds of CPU per command, and the threads' CPU seconds."""
    before, begun = cpu_seconds(server), time.monotonic()
    for command in (["GET", "user:__rand_int__"], ["SET", "user:__rand_int__", "x" * 40]):
        subprocess.run(["redis-benchmark", "-p", str(server.port), "-n", str(options.requests // 2), "-c", "16",
                        "-P", "16",
                        "-q", "-r", str(options.keys // 2), *command], check=True, stdout=subprocess.DEVNULL)
    took = time.monotonic() - begun
    used = {task: seconds - before.get(task, 0) for task, seconds in cpu_seconds(server).items()}
    served = options.requests + took * options.dying
    return options.requests / took, sum(used.values()) / served * 1e6, used


def http_threads(server):
    """Those that answer a page on a server without keys: no other thread has work. Each takes its turn of connections."""
    page = Page(server)
    page.log_in()
    before = cpu_seconds(server)
    for _ in range(300):
        page.run(["COMMAND", "DOCS"])
    used = {task: seconds - before.get(task, 0) for task, seconds in cpu_seconds(server).items()}
    return {task for task, seconds in used.items() if seconds > max(used.values()) / 4}


def compare(server, http, options):
    """With and without a console, who begins alternates."""
    closed, opened = [], []
    took = multiprocessing.Queue()
    for turn in range(options.rounds):
        for is_open in (False, True) if turn % 2 == 0 else (True, False):
            ends = multiprocessing.Event()
            console = multiprocessing.Process(target=keep_open, args=(server, options.keys, ends, took))
            if is_open:
                console.start()
            (opened if is_open else closed).append(measure(server, options))
            if is_open:
                ends.set()
                console.join()
                assert console.exitcode == 0
    print(f"{'':14} {'commands/s':>12} {'CPU us/command':>15}")
    for name, turns in (("console closed", closed), ("console open", opened)):
        rate, cost = (statistics.median(turn[i] for turn in turns) for i in range(2))
        print(f"{name:14} {rate:12,.0f} {cost:15.3f}")
    times = [took.get() for _ in range(took.qsize())]
    print(f"under this load an answer took {statistics.median(times):.1f} ms, at most {max(times):.1f}")
    shares = [sum(used[task] for task in http) / sum(used.values()) for _, _, used in opened]
    lost = statistics.median(1 - before[1] / after[1] for before, after in zip(closed, opened))
    print(f"of the server's CPU time, its HTTP threads took {statistics.median(shares):.2%} "
          f"({min(shares):.2%} to {max(shares):.2%}); lost by CPU per command, turn by turn: {lost:.1%}")
    return statistics.median(shares)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mayfly")
    parser.add_argument("--keys", type=int, default=10_000_000)
    parser.add_argument("--dying", type=int, default=10_000, help="keys that die each second")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--requests", type=int, default=1_000_000, help="of the load, in each turn of a round")
    parser.add_argument("--engine", default="memory-first")
    options = parser.parse_args()
    with ServerProcess(options.mayfly, "--engine", options.engine) as server:
        resp = Resp(server)
        http = http_threads(server)
        assert resp("TTL.POLICY", "SET", "events", "key") == "OK"
        writers = [multiprocessing.Process(target=fill, args=(server.port, options.keys, part))
                   for part in range(WRITERS)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        print(f"{resp('DBSIZE'):,} keys, {options.dying:,} more die each second; {options.engine}, "
              f"{os.cpu_count()} cores", flush=True)
        ends = multiprocessing.Event()
        dying = multiprocessing.Process(target=keep_dying, args=(server.port, options.dying, ends))
        dying.start()
        await_calm(resp, options)
        median, longest = time_views(server, options.keys)
        loss = compare(server, http, options)
        ends.set()
        dying.join()
        resp.close()
        server.kill()  # Its rows are not needed any more; writing the last of them would take long.
    print(f"slowest view: median {median:.0f} ms, longest {longest:.0f} ms (limit {LIMIT_MS}); "
          f"lost {loss:.1%} (limit {LOSS_MAX:.0%})")
    return 0 if median <= LIMIT_MS and loss < LOSS_MAX else 1


if __name__ == "__main__":
    sys.exit(main())
