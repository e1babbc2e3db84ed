#!/usr/bin/env python3
"""Instructions per command of a server, all its threads, under callgrind.

  server_instructions.py SERVER [--requests N] [--keys N] [--warm N] [--pipeline P]
                         [--functions N] [--profile FOLDER] [--tracking] [--command NAME ...]

SERVER is a mayfly or a redis-server, with a log that is synced every second. For each command the
server first takes 20,000 of them (--warm), which make most keys; then N in pipelines of 16
(--pipeline) are counted, from one client, with one thread. Unlike CPU time the figures hardly
depend on what else the machine does. With --functions the dearest functions are shown, with what
they call; --profile keeps callgrind's files; with --tracking the client has CLIENT TRACKING on, and
another gets its messages.
"""
import argparse
import itertools
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "redis"))

VALUE = "x" * 100
COMMANDS = {
    "SET": lambda n: ["SET", f"key:{n()}", VALUE],
    "SET EX": lambda n: ["SET", f"key:{n()}", VALUE, "EX", "3600"],
    "GET": lambda n: ["GET", f"key:{n()}"],
    "INCR": lambda n: ["INCR", f"counter:{n()}"],
    "HSET": lambda n: ["HSET", f"hash:{n()}", "field", VALUE],
    "LPUSH": lambda n: ["LPUSH", f"list:{n()}", VALUE],
    "ZADD": lambda n: ["ZADD", "zset", n(), f"member:{n()}"],
    "SADD": lambda n: ["SADD", f"set:{n()}", f"member:{n()}"],
    "LPUSH 1": lambda n: ["LPUSH", "list", "element"],
    "SADD 1": lambda n: ["SADD", "set", f"element:{n()}"],
    "ZADD NEW": lambda n: ["ZADD", "zset", n(), f"member:{next(NEW_MEMBERS)}"],
    "DEL": lambda n: ["DEL", f"key:{n()}"],
    "XADD": lambda n: ["XADD", "stream", "*", "field", VALUE],
    "XREADGRP": lambda n: ["XREADGROUP", "GROUP", "group", "consumer", "COUNT", "1", "STREAMS",
                           "stream", ">"],
    "XACK": lambda n: ["XACK", "stream", "group", f"{next(UNACKNOWLEDGED)}-1"],
}
NEW_MEMBERS = (f"{i * 7_919 % 1_000_003:012}" for i in itertools.count())
UNACKNOWLEDGED = itertools.count(1)


def stream(entries):
    """A stream with a group that has read nothing."""
    yield ["XGROUP", "CREATE", "stream", "group", "0", "MKSTREAM"]
    for i in range(entries):
        yield ["XADD", "stream", f"{i + 1}-1", "field", VALUE]


# What is there before the first of a command; otherwise SETs, or nothing.
BEFORE = {
    "GET": lambda n, total: (COMMANDS["SET"](n) for _ in range(total)),
    "DEL": lambda n, total: (COMMANDS["SET"](n) for _ in range(total)),
    "XREADGRP": lambda n, total: stream(total),
    "XACK": lambda n, total: itertools.chain(
        stream(total), [["XREADGROUP", "GROUP", "group", "consumer", "COUNT", str(total), "STREAMS",
                         "stream", ">"]]),
}
WARM = 20_000
PIPELINE = 16
# In which a quiet mayfly writes its log to the cold store, if many rows were removed.
QUIET_SECONDS = 5


def start(server, folder):
    """The process, its port, and the prefix of its callgrind files."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    profile = folder / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}",
               "--instr-atstart=no", "--separate-threads=no", server]
    if "redis" in pathlib.Path(server).name:
        command += ["--port", str(port), "--dir", str(folder), "--appendonly", "yes",
                    "--appendfsync", "everysec", "--save", ""]
    else:
        command += ["serve", "--dir", str(folder / "data"), "--port", str(port), "--http-port", "0",
                    "--threads", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            return process, socket.create_connection(("127.0.0.1", port)), profile
        except OSError:
            time.sleep(0.1)
    raise SystemExit("server_instructions: the server does not start")


def skip_reply(incoming):
    line = incoming.readline()
    if line.startswith(b"-"):
        raise SystemExit(line.decode())
    if line.startswith(b"$") and line != b"$-1\r\n":
        incoming.readline()
    if line.startswith(b"*"):
        for _ in range(int(line[1:])):
            skip_reply(incoming)


def send(client, requests, pipeline=PIPELINE):
    """Sends them in pipelines, and reads a reply for each."""
    incoming = client.makefile("rb")
    for at in range(0, len(requests), pipeline):
        some = requests[at:at + pipeline]
        client.sendall(b"".join(
            b"*%d\r\n" % len(one) + b"".join(b"$%d\r\n%s\r\n" % (len(a), a.encode()) for a in one)
            for one in some))
        for _ in some:
            skip_reply(incoming)


def track(client):
    """Returns the connection that the messages go to, in the protocol's second version."""
    listener = socket.create_connection(client.getpeername())
    listener.sendall(b"CLIENT ID\r\n")
    number = listener.makefile("rb").readline()[1:-2]
    listener.sendall(b"SUBSCRIBE __redis__:invalidate\r\n")
    client.sendall(b"CLIENT TRACKING ON REDIRECT " + number + b"\r\n")
    skip_reply(client.makefile("rb"))
    threading.Thread(target=read_to_end, args=(listener,), daemon=True).start()
    return listener


def read_to_end(connection):
    while connection.recv(1 << 16):
        pass


def control(process, *arguments):
    subprocess.run(["callgrind_control", *arguments, str(process.pid)], check=True,
                   capture_output=True)


def count(server, name, options):
    make = COMMANDS[name]
    chance = random.Random(1)
    number = lambda: f"{chance.randrange(options.keys):012}"
    with tempfile.TemporaryDirectory() as folder:
        process, client, profile = start(server, pathlib.Path(folder))
        if options.tracking:
            listener = track(client)  # Lives as long as it is counted.
        if name in BEFORE:
            send(client, list(BEFORE[name](number, options.warm + options.requests)))
        if name not in ("GET", "DEL"):
            send(client, [make(number) for _ in range(options.warm)])
        time.sleep(QUIET_SECONDS)
        control(process, "-i", "on")
        send(client, [make(number) for _ in range(options.requests)], options.pipeline)
        control(process, "-i", "off")
        control(process, "-d")
        process.terminate()
        if options.tracking:
            listener.close()
        process.wait()
        profiles = sorted(pathlib.Path(folder).glob("callgrind.out*"))
        total = sum(int(found) for file in profiles
                    for found in re.findall(r"^totals: (\d+)", file.read_text(), re.M))
        print(f"{name:8} {total / options.requests:10.0f}", flush=True)
        if options.profile:
            shutil.copy(profiles[-1], pathlib.Path(options.profile) / name.replace(" ", "_"))
        if options.functions:
            shown = subprocess.run(
                ["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(profiles[-1])],
                capture_output=True, text=True).stdout
            lines = [l for l in shown.splitlines() if re.match(r"\s*[\d,]+ \(", l)]
            for line in lines[:options.functions]:
                found = re.match(r"\s*([\d,]+) \([^)]*\)\s+(?:\S*?:)?(.*)", line)
                cost = int(found.group(1).replace(",", "")) / options.requests
                print(f"  {cost:9.0f}  {found.group(2)[:110]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    parser.add_argument("--requests", type=int, default=4_800)
    parser.add_argument("--keys", type=int, default=10_000)
    parser.add_argument("--warm", type=int, default=WARM)
    parser.add_argument("--pipeline", type=int, default=PIPELINE)
    parser.add_argument("--functions", type=int, default=0)
    parser.add_argument("--profile", help="a folder that the profiles are copied to")
    parser.add_argument("--tracking", action="store_true")
    parser.add_argument("--command", nargs="*", default=list(COMMANDS))
    options = parser.parse_args()
    for name in options.command:
        count(options.server, name, options)


if __name__ == "__main__":
    main()
