"""Redis' own tests against mayfly, as an external server.

  suite_runner.py --mayfly BIN --redis SRC --skips FILE... [--serve=FLAG ...] [--unit U ...]
                  [--only TITLE ...] [--cluster CEPHLAB]

One run of Redis' test program per unit, three at a time. Some tests measure time, so a unit that fails
beside another is run once more, alone, and that counts. A test that hangs, or in which the server dies, is a
failure of its own; it is left out then and the unit is run again, so that every test gets a
verdict. Nothing of the checkout is changed: shim.tcl is loaded beside it. A test is skipped only
if the file of skips names it, with its reason: tags of Redis' such as `external:skip` or
`needs:debug` do not count, and a test that is left out for any other cause is an error. So is a
line of that file that matches no test, and a unit that neither UNITS nor the skips know. With
--cluster each unit has a database of its own on one Ceph, which CEPHLAB starts; Redis' runner then keeps
to what it calls its cluster mode, and leaves out what needs several databases or many slots at once. Exit code 1 when any test
failed.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import fnmatch
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

from server_process import ServerProcess

# The longest first, so that none of them is left alone at the end.
UNITS = """unit/type/zset unit/type/list-3 unit/latency-monitor unit/sort unit/type/list-2
unit/geo unit/hyperloglog unit/type/stream unit/type/stream-cgroups unit/obuf-limits unit/scan unit/type/list unit/dump
unit/type/string unit/type/hash unit/type/set
unit/functions unit/tracking
unit/bitops unit/expire unit/other unit/scripting unit/querybuf unit/multi unit/bitfield
unit/keyspace unit/type/incr unit/pubsub unit/protocol unit/quit unit/info-command unit/auth
unit/acl unit/acl-v2 unit/slowlog unit/pubsubshard unit/pause unit/introspection
unit/maxmemory unit/introspection-2 unit/limits unit/networking unit/info unit/lazyfree unit/violations""".split()

TEST_SECONDS = 240   # Without progress, a test hangs. One makes 130,000 round trips.
UNIT_SECONDS = 600
RERUNS_MAX = 20
CLUSTER_SECONDS = 60  # For the first server of a database to have all slots.
UNITS_AT_ONCE = 3   # They wait for a third of their time.

HERE = pathlib.Path(__file__).resolve().parent


class Skips:
    """Lines `unit: title`, `unit: /regexp` or `unit*: *`, under `[reason]` lines; # begins a comment.

    The last leaves out units as a whole; then, and only then, the name may be a pattern.
    """

    def __init__(self, paths):
        self.by_unit = collections.defaultdict(list)
        self.whole_units = []  # Patterns.
        for path in paths:
            self._read(path)

    def _read(self, path):
        reason = None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if line.startswith("["):
                reason = line.strip("[]")
                continue
            unit, separator, title = line.partition(": ")
            if not reason or not separator:
                raise SystemExit(f"{path}:{number}: expected [reason], then unit: title")
            if title == "*":
                self.whole_units.append(unit)
            else:
                self.by_unit[unit].append(title)

    def of(self, unit):
        return self.by_unit.get(unit, [])


def free_port():
    """For the runner's own control socket, which is fixed otherwise: two runs would clash."""
    while True:
        port = random.randrange(22000, 31000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Unit:
    def __init__(self, name):
        self.name = name
        self.verdicts = {}  # title -> "" or what went wrong
        self.skipped = []
        self.unexplained = []  # Left out, and not by the file of skips.
        self.broken = []    # Errors that ended a block of tests, outside of any test.
        self.seconds = 0.0

    def failures(self):
        return {title: detail for title, detail in self.verdicts.items() if detail}

    def failed(self):
        return bool(self.failures() or self.broken)


def read_events(path, unit):
    """Adds the verdicts of one run; returns the test that was left unfinished, if any."""
    seen, current = collections.Counter(), None
    for line in path.read_text(errors="replace").splitlines():
        kind, _, text = (line.split("\t", 2) + ["", ""])[:3]
        if kind == "testing":
            current = text
        elif kind in ("ok", "err"):
            head, _, detail = text.partition(" | ")
            title = re.sub(r" in tests/\S+\.tcl$", "", head)
            seen[title] += 1
            name = title if seen[title] == 1 else f"{title}#{seen[title]}"
            unit.verdicts[name] = "" if kind == "ok" else detail.split(" |     while executing")[0]
            current = None
        elif kind == "skip":
            unit.skipped.append(text)
        elif kind == "ignore" and re.search(r"Not supported (in cluster mode|on singledb)$", text):
            unit.skipped.append(text)
        elif kind == "ignore":
            unit.unexplained.append(text)
        elif kind == "block":
            unit.broken.append(text[:400])
    return current


def command_of(unit, server, options, left_out):
    shim = os.path.relpath(HERE / "shim.tcl", options.redis / "tests").removesuffix(".tcl")
    command = ["./runtest", "--host", "127.0.0.1", "--port", str(server.port), "--durable",
               "--clients", "1", "--no-latency", "--timeout", str(TEST_SECONDS),
               "--baseport", str(free_port() + 32), "--single", shim, "--single", unit,
               "--ignore-encoding"]
    if options.cluster:
        command.append("--cluster-mode")
    for title in left_out:
        command += ["--skiptest", title]
    for title in options.only:
        command += ["--only", title]
    return command


def run_once(unit, server, options, left_out):
    """One run of a unit; returns the test in which it hung or the server died, and what happened."""
    unit.skipped, unit.unexplained = [], []
    with tempfile.TemporaryDirectory() as folder:
        events = pathlib.Path(folder) / "events.tsv"
        events.touch()
        environment = {**os.environ, "SHIM_EVENTS": str(events), "TERM": "dumb"}
        process = subprocess.Popen(command_of(unit.name, server, options, left_out),
                                   cwd=options.redis, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace", start_new_session=True)
        why = "no reply in time"
        try:
            output, _ = process.communicate(timeout=UNIT_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            why = f"the unit took more than {UNIT_SECONDS} s"
        unfinished = read_events(events, unit)
    if not server.answers():
        why = "the server died"
        lost = [title for title, detail in unit.verdicts.items()
                if re.search(r"I/O error|connection refused|reset by peer", detail)]
        for title in lost[1:]:
            del unit.verdicts[title]
        unfinished = unfinished or (lost[0] if lost else "(between tests)")
        if server.process.poll() is None:
            server.kill()
        server.restart()
    elif not unit.verdicts and not unfinished and process.returncode != 0:
        unit.broken.append("no result: " + " | ".join(output.strip().splitlines()[-8:])[:600])
    return unfinished, why


def run_unit(name, server, options, skips):
    unit = Unit(name)
    begin = time.monotonic()
    stuck = {}
    for _ in range(RERUNS_MAX):
        unfinished, why = run_once(unit, server, options, [*skips.of(name), *stuck])
        if unfinished is None:
            break
        stuck[unfinished] = why
    unit.verdicts.update(stuck)
    unit.seconds = time.monotonic() - begin
    return unit


def unused_skips(units, skips):
    """Lines that match no test: the test is gone, or the title is wrong."""
    unused = []
    for unit in units:
        for title in skips.of(unit.name):
            if title.startswith("/"):
                used = any(re.search(title[1:], skipped) for skipped in unit.skipped)
            else:
                used = title in unit.skipped
            if not used:
                unused.append(f"{unit.name}: {title}")
    return unused


def unsorted_units(redis, skips):
    """Units of the checkout that are neither run nor skipped, or both; and patterns of none."""
    known = {str(path.relative_to(redis / "tests").with_suffix(""))
             for folder in ("unit", "integration") for path in (redis / "tests" / folder).rglob("*.tcl")}
    skipped = {name for pattern in skips.whole_units for name in fnmatch.filter(known, pattern)}
    lines = [f"FORGOTTEN {name}: neither run nor skipped" for name in known - skipped - set(UNITS)]
    lines += [f"UNUSED {name}: both run and skipped" for name in skipped & set(UNITS)]
    lines += [f"UNUSED {name}: no such unit" for name in set(UNITS) - known]
    lines += [f"UNUSED {pattern}: *" for pattern in skips.whole_units
              if not fnmatch.filter(known, pattern)]
    return sorted(lines)


def serve_unit(name, options, skips):
    """Runs a unit on a server of its own: some count on memory and statistics that others would change.

    Some tests send commands over two connections and count on them to arrive in that order, which
    one thread guarantees and several do not. A script of theirs adds a million members, which is more
    than a script may write by default.
    """
    cluster = ["--cluster-name", name.replace("/", "-")] if options.cluster else []
    with ServerProcess(options.mayfly, "--enable-debug-command", "yes", "--threads", "1",
                       "--script-write-max", "1gb", *options.serve, *cluster) as server:
        if options.cluster:
            await_all_slots(server)
        unit = run_unit(name, server, options, skips)
    failed = len(unit.failures())
    print(f"{name:28} {len(unit.verdicts) - failed:5} {failed:5} {len(unit.skipped):5} "
          f"{unit.seconds:5.0f}", flush=True)
    return unit


@contextlib.contextmanager
def ceph(cephlab):
    """A Ceph whose data is in memory; yields the flags of a server on it."""
    environment = {**os.environ, "CEPHLAB_STORE": "memstore"}
    with tempfile.TemporaryDirectory() as folder:
        lab = f"{folder}/lab"
        try:
            subprocess.run([cephlab, "up", lab], check=True, env=environment)
            yield ["--cluster", f"{lab}/ceph.conf", "--cluster-server", "1", "--cluster-shards", "16"]
        finally:
            subprocess.run([cephlab, "remove", lab], check=True, env=environment)


def await_all_slots(server):
    """A new database makes its shards first."""
    deadline = time.monotonic() + CLUSTER_SECONDS
    while time.monotonic() < deadline:
        info = subprocess.run(["redis-cli", "-p", str(server.port), "CLUSTER", "INFO"], capture_output=True, text=True)
        if "cluster_slots_ok:16384" in info.stdout:
            return
        time.sleep(0.1)
    raise SystemExit(f"the server does not serve all slots:\n{info.stdout}")


def print_sum(units):
    tests = sum(len(unit.verdicts) for unit in units)
    failed = sum(len(unit.failures()) for unit in units)
    skipped = sum(len(unit.skipped) for unit in units)
    print(f"{'all':28} {tests - failed:5} {failed:5} {skipped:5}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mayfly", required=True)
    parser.add_argument("--redis", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--skips", action="append", required=True, type=pathlib.Path)
    parser.add_argument("--serve", action="append", default=[], metavar="FLAG",
                        help="a flag of `mayfly serve`")
    parser.add_argument("--unit", action="append", default=[])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--cluster", metavar="CEPHLAB")
    options = parser.parse_args()
    with ceph(options.cluster) if options.cluster else contextlib.nullcontext([]) as flags:
        options.serve += flags
        sys.exit(1 if run_all(options, Skips(options.skips)) else 0)


def run_all(options, skips):
    """Whether anything is wrong."""
    print(f"{'unit':28} {'pass':>5} {'fail':>5} {'skip':>5} {'secs':>5}")
    with concurrent.futures.ThreadPoolExecutor(UNITS_AT_ONCE) as runs:
        units = list(runs.map(lambda name: serve_unit(name, options, skips), options.unit or UNITS))
    units = [serve_unit(unit.name, options, skips) if unit.failed() else unit for unit in units]
    print_sum(units)
    bad = False
    for unit in units:
        for text in unit.unexplained:
            print(f"UNEXPLAINED {unit.name}: {text}")
            bad = True
        for title, detail in unit.failures().items():
            print(f"FAILED {unit.name}: {title}\n       {detail[:300]}")
            bad = True
        for text in unit.broken:
            print(f"BROKEN {unit.name}: {text}")
            bad = True
    for line in [] if options.only else unused_skips(units, skips):
        print(f"UNUSED {line}")
        bad = True
    for line in [] if options.unit else unsorted_units(options.redis, skips):
        print(line)
        bad = True
    return bad


if __name__ == "__main__":
    main()
