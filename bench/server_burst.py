#!/usr/bin/env python3
"""Latency of a served database while many keys die in one instant, beside redis-server.

  server_burst.py MAYFLY... [--keys N] [--rate N] [--events] [--disk] [--redis] [--seconds S]

Each server is filled with N keys that die at one instant and 10,000 that do not. One client sends GET
and SET of the latter in turn, at a fixed rate, from before the deadline until all are purged; with
--events another subscribes to `expired`. Percentiles are of service time, before the deadline and
while keys die. `gone` and `told` are the seconds after the deadline at which the last key was purged
and the last notification arrived. The client is one process of Python: its own 30 us are in all figures.
Then a server is filled anew with keys that live on, as a control: the rise of p99 is that while keys
die, divided by that of the same seconds of the control. Exits with 1 when mayfly misses a bar.
"""
import argparse
import gc
import multiprocessing
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

BEFORE = 3.0  # Seconds of load before the deadline.
RISE_MAX = 1.25  # Of p99, while keys die and without.
GONE_MAX, GONE_WITH_EVENTS_MAX = 3.0, 5.0  # Seconds.
LIVING = 10_000


def command(*words):
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        word = word if isinstance(word, bytes) else str(word).encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(word), word))
    return b"".join(parts)


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def call(self, *words):
        self.socket.sendall(command(*words))
        return self.socket.recv(1 << 20)

    def pipeline(self, commands):
        self.socket.sendall(b"".join(commands))
        left = len(commands)
        while left:
            left -= self.socket.recv(1 << 20).count(b"\n")


def figure(client, name):
    for line in client.call("INFO", "stats").split(b"\r\n"):
        if line.startswith(name + b":"):
            return int(line.split(b":")[1])
    return 0


def load(port, rate, begin, end_flag, out):
    """Sends GET and SET in turn; puts (start, seconds, kind) of each into `out`."""
    client = Client(port)
    timed = []
    gc.disable()
    value = b"x" * 100
    i = 0
    while not end_flag.is_set():
        at = begin + i / rate
        wait = at - time.time()
        if wait > 0:
            time.sleep(wait)
        key = b"living:%d" % (i * 7919 % LIVING)
        sent = command("GET", key) if i % 2 == 0 else command("SET", key, value)
        start = time.perf_counter()
        client.socket.sendall(sent)
        client.socket.recv(4096)
        timed.append((at, time.perf_counter() - start, i % 2))
        i += 1
    out.put(timed)


def listen(port, ready, keys, out):
    """Counts notifications; puts (number, time of the last) into `out` when they are all there or stop."""
    client = Client(port)
    client.call("SUBSCRIBE", "__keyevent@0__:expired")
    ready.set()
    count, last = 0, 0.0
    client.socket.settimeout(0.5)
    silent_since = None
    while count < keys and (silent_since is None or time.time() - silent_since < 30):
        try:
            got = client.socket.recv(1 << 20)
        except TimeoutError:
            if count and silent_since is None:
                silent_since = time.time()
            continue
        if not got:
            break
        silent_since = None
        count += got.count(b"message\r\n")
        last = time.time()
    out.put((count, last))


def percentile(values, part):
    values = sorted(values)
    return values[min(int(len(values) * part), len(values) - 1)] * 1e6 if values else float("nan")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(server, folder, options):
    port = free_port()
    if server == "redis":
        line = ["redis-server", "--port", str(port), "--dir", folder, "--save", "", "--appendonly",
                "yes" if options.disk else "no", "--appendfsync", "everysec"]
    else:
        line = [server, "serve", "--port", str(port), "--http-port", "-1"]
        line += ["--dir", folder + "/db"] if options.disk else []
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        time.sleep(0.05)
        try:
            return process, port, Client(port)
        except ConnectionRefusedError:
            pass
    raise SystemExit(f"server_burst: {server} does not start")


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


class Dying:
    """What a run in which the keys died has shown."""

    def __init__(self, gone, seconds, p99):
        self.gone = gone  # Seconds until the last key was purged; None: not in time.
        self.seconds = seconds  # Of what was measured from the deadline on.
        self.p99 = p99  # By the kind of the call, in us.


def measure(server, options, control_seconds=None):
    with tempfile.TemporaryDirectory() as folder:
        process, port, client = start(server, folder, options)
        try:
            return run(server, process, port, client, options, control_seconds)
        finally:
            process.terminate()
            process.wait()


def verdict(what, value, bar):
    missed = value > bar
    print(f"  {what:<46} {value:7.2f}   bar {bar:.2f}   {'MISSED' if missed else 'OK'}")
    return missed


def judge(server, options):
    """True if a bar was missed; those are for mayfly alone."""
    dying = measure(server, options)
    control = measure(server, options, dying.seconds)
    rises = {name: dying.p99[name] / control.p99[name] for name in dying.p99}
    if server == "redis":
        for name, rise in rises.items():
            print(f"  {'rise of p99 of ' + name:<46} {rise:7.2f}")
        return False
    bar = GONE_WITH_EVENTS_MAX if options.events else GONE_MAX
    missed = [verdict("seconds until all are gone", dying.gone or options.seconds, bar)]
    missed += [verdict(f"rise of p99 of {name}", rise, RISE_MAX) for name, rise in rises.items()]
    return any(missed)


def run(server, process, port, client, options, control_seconds):
    """With `control_seconds` the keys live on, and so many seconds are measured."""
    value = b"x" * 100
    client.pipeline([command("SET", b"living:%d" % i, value) for i in range(LIVING)])
    deadline = int((time.time() + options.fill_seconds) * 1000)
    for first in range(0, options.keys, 1000):
        dies = deadline if control_seconds is None else deadline + 3_600_000
        client.pipeline([command("SET", b"dying:%010d" % i, value, "PXAT", dies)
                         for i in range(first, min(first + 1000, options.keys))])
    if time.time() > deadline / 1000 - BEFORE - 2:
        raise SystemExit("server_burst: too slow to fill; raise --fill-seconds")
    told = multiprocessing.Queue()
    events = options.events and control_seconds is None
    if events:
        client.call("CONFIG", "SET", "client-output-buffer-limit", "pubsub 0 0 0")
        client.call("CONFIG", "SET", "notify-keyspace-events", "Ex")
        ready = multiprocessing.Event()
        listener = multiprocessing.Process(target=listen, args=(port, ready, options.keys, told))
        listener.start()
        ready.wait()
    time.sleep(max(0.0, deadline / 1000 - BEFORE - 1 - time.time()))
    out, end_flag = multiprocessing.Queue(), multiprocessing.Event()
    loader = multiprocessing.Process(
        target=load, args=(port, options.rate, deadline / 1000 - BEFORE, end_flag, out))
    loader.start()
    time.sleep(max(0.0, deadline / 1000 - time.time()))
    cpu = cpu_seconds(process.pid)
    gone, purged = None, 0
    end = deadline / 1000 + (control_seconds or options.seconds)
    while time.time() < end:
        time.sleep(0.1)
        purged = figure(client, b"expired_keys")
        if purged >= options.keys:
            gone = time.time() - deadline / 1000
            break
    cpu = cpu_seconds(process.pid) - cpu
    until = time.time()
    time.sleep(0.3)
    end_flag.set()
    timed = out.get()
    loader.join()
    names = {0: "GET", 1: "SET"}
    if control_seconds is not None:
        print(f"{server}, control: {control_seconds:.1f} s in which none died, CPU {cpu:.1f} s")
    else:
        print(f"{server}: purged {purged} of {options.keys}, gone " +
              (f"{gone:.1f} s" if gone else f"not within {options.seconds:.0f} s") +
              f", CPU {cpu:.1f} s")
    if events:
        if gone is None:
            listener.terminate()
        else:
            count, last = told.get()
            print(f"  told {count}, the last after {last - deadline / 1000:.1f} s")
    p99 = {}
    for kind, name in names.items():
        calm = [took for at, took, one in timed if one == kind and at < deadline / 1000]
        dying = [took for at, took, one in timed
                 if one == kind and deadline / 1000 <= at < until]
        p99[name] = percentile(dying, 0.99)
        line = [f"{percentile(calm, part):.0f} -> {percentile(dying, part):.0f}"
                for part in (0.5, 0.99, 0.999)]
        print(f"  {name} us, before -> after the deadline: p50 {line[0]}, p99 {line[1]}, p99.9 {line[2]}"
              f" ({len(calm)}, {len(dying)} calls)")
    sys.stdout.flush()
    return Dying(gone, until - deadline / 1000, p99)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", nargs="*")
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--rate", type=float, default=2000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--fill-seconds", type=float, default=40)
    parser.add_argument("--events", action="store_true")
    parser.add_argument("--disk", action="store_true")
    parser.add_argument("--redis", action="store_true")
    options = parser.parse_args()
    missed = [judge(server, options)
              for server in options.server + (["redis"] if options.redis else [])]
    sys.exit(1 if any(missed) else 0)


if __name__ == "__main__":
    main()
