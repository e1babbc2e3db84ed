#!/usr/bin/env python3
"""Records the replies and events of a redis-server in transcripts.

  record_transcripts.py [--server redis-server] transcript...

A transcript has a command per line. The lines behind it, indented, are the reply and the keyspace
events, as transcript_test.cc writes them down. Comments begin with '#' and stay. Commands that only
prepare something (SETUP) are noted without their events: the test has its own small versions.
"""

import argparse
import pathlib
import re
import socket
import subprocess
import tempfile
import time

SETUP = {"hset", "rpush", "sadd", "zadd"}
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b"}


def split(line):
    """The arguments of a line, quoted as redis-cli takes it."""
    pattern = r'"((?:\\x[0-9a-fA-F]{2}|\\.|[^"\\])*)"|(\S+)'
    escape = r"\\x([0-9a-fA-F]{2})|\\(.)"

    def plain(match):
        if match.group(1):
            return chr(int(match.group(1), 16))
        return ESCAPES.get(match.group(2), match.group(2))

    return [
        re.sub(escape, plain, quoted) if not bare else bare
        for quoted, bare in re.findall(pattern, line)
    ]


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.replies = self.socket.makefile("rb")

    def ask(self, *args):
        parts = [arg.encode("latin1") for arg in args]
        request = b"*%d\r\n" % len(parts)
        self.socket.sendall(request + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))
        return self.read()

    def read(self):
        """A reply as the transcript has it; arrays as lists."""
        line = self.replies.readline()[:-2].decode("latin1")
        kind, rest = line[0], line[1:]
        if kind in "+-":
            return line
        if kind == ":":
            return rest
        if rest == "-1":
            return "nil"
        if kind == "$":
            return quote(self.replies.read(int(rest) + 2)[:-2])
        return [self.read() for _ in range(int(rest))]


def quote(data):
    shown = (
        "\\" + chr(c) if chr(c) in '"\\' else chr(c) if 32 <= c <= 126 else f"\\x{c:02x}"
        for c in data
    )
    return '"' + "".join(shown) + '"'


def text(reply):
    return "[" + ", ".join(map(text, reply)) + "]" if isinstance(reply, list) else reply


def events_until_mark(listener):
    events = []
    while True:
        kind, *rest = listener.read()
        if kind == '"message"':
            return events
        database, event = re.fullmatch(r'"__keyevent@(\d+)__:(.*)"', rest[1]).groups()
        events.append(f"{event} {database} {rest[2][1:-1]}")


def record(path, server_path):
    client, listener = Connection(server_path), Connection(server_path)
    client.ask("flushall")
    listener.ask("psubscribe", "__keyevent@*")
    listener.ask("subscribe", "mark")
    out = []
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            out.append(line)
        if line.startswith((" ", "#")) or not line:
            continue
        args = split(line)
        name = args[0].lower()
        asked = ["lrange", args[1], "0", "-1"] if name == "lall" else args
        out += [line, "  " + text(client.ask(*asked))]
        client.ask("publish", "mark", "")
        events = events_until_mark(listener)
        out += ["  " + event for event in events if name not in SETUP]
    path.write_text("\n".join(out) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default="redis-server")
    parser.add_argument("transcripts", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/redis.sock"
        server = subprocess.Popen(
            [options.server, "--port", "0", "--unixsocket", path, "--save", "",
             "--notify-keyspace-events", "EA"], stdout=subprocess.DEVNULL)
        try:
            while not pathlib.Path(path).exists():
                time.sleep(0.01)
            for transcript in options.transcripts:
                record(transcript, path)
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
