# Goal: clients read from COMMAND DOCS what they read from Redis: how a command is written, since when it is there.
# Method: arguments and versions of every command that redis-server has, too, are compared with its own; redis-cli's
# help, which its hints are made of, is asked of both.
#   command_docs_test.py MAYFLY
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from differential import Server, free_port

# Commands that take more than in Redis 7.0, or whose arguments it leaves out.
MORE = {"set", "hscan", "xadd", "command|getkeys", "command|getkeysandflags", "client|kill", "debug", "dump"}

# Commands of another family here.
ELSEWHERE = {"dbsize", "memory|help", "memory|usage", "wait"}

SHOWN = {
    "getrange": "key start end",
    "zadd": "key [NX|XX] [GT|LT] [CH] [INCR] score member [score member ...]",
    "geosearch": "key FROMMEMBER member|FROMLONLAT longitude latitude BYRADIUS radius M|KM|FT|MI|BYBOX width height "
                 "M|KM|FT|MI [ASC|DESC] [COUNT count [ANY]] [WITHCOORD] [WITHDIST] [WITHHASH]",
    "hexpire": "key seconds [NX|XX|GT|LT] FIELDS numfields field [field ...]",
    "delex": "key [IFEQ ifeq-value|IFNE ifne-value|IFDEQ ifdeq-digest|IFDNE ifdne-digest]",
    "ttl.forecast": "[KEYSPACE name] [FROM milliseconds] [BUCKET milliseconds] [BUCKETS count] [NOBYTES] [COUNT keys] "
                    "[CURSOR cursor]",
}


def texts(reply):
    if isinstance(reply, bytes):
        return reply.lstrip(b"+").decode()
    return [texts(one) for one in reply] if isinstance(reply, list) else reply


def as_map(flat):
    return dict(zip(flat[::2], flat[1::2]))


def argument(flat):
    """What clients use of an argument."""
    fields = as_map(flat)
    kept = {name: fields[name] for name in ("name", "type", "key_spec_index", "token") if name in fields}
    kept["flags"] = sorted(fields.get("flags", []))
    kept["arguments"] = [argument(one) for one in fields.get("arguments", [])]
    return kept


def docs_of(server):
    server.send([b"COMMAND", b"DOCS"])
    docs = {}

    def add(flat):
        for name, fields in as_map(flat).items():
            docs[name] = as_map(fields)
            add(docs[name].get("subcommands", []))

    add(texts(server.read()))
    return docs


def help_of(port, name):
    shown = subprocess.run(["redis-cli", "-p", str(port), "help", *name.split("|")], capture_output=True, text=True, timeout=60)
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.stdout)


def compare(redis, mayfly):
    faults = []
    theirs, ours = docs_of(redis), docs_of(mayfly)
    for name, docs in ours.items():
        for field in ("summary", "since", "group", "complexity"):
            if not docs.get(field):
                faults.append(f"{name} has no {field}")
        if name not in theirs:
            continue
        if docs["since"] != theirs[name]["since"]:
            faults.append(f"{name} is there since {theirs[name]['since']}, not {docs['since']}")
        # A container's arguments are those of its subcommands.
        if docs["group"] != theirs[name]["group"] and name not in ELSEWHERE:
            faults.append(f"{name} belongs to {theirs[name]['group']}, not {docs['group']}")
        expected, got = ([argument(one) for one in side.get("arguments", [])] for side in (theirs[name], docs))
        if expected != got and name not in MORE:
            faults.append(f"{name} takes\n  {expected}, not\n  {got}")
    if len(ours) < 300:
        faults.append(f"only {len(ours)} commands are told of")
    return faults


def compare_help(port):
    faults = []
    for name, syntax in SHOWN.items():
        shown = help_of(port, name)
        if f"{name.upper()} {syntax}\n" not in shown:
            faults.append(f"redis-cli shows of {name}:{shown}")
        if "summary:" not in shown or "since:" not in shown:
            faults.append(f"redis-cli shows no summary of {name}")
    return faults


def main():
    for program in ("redis-server", "redis-cli"):
        if shutil.which(program) is None:
            print(f"skipped: there is no {program}")
            return 0
    with tempfile.TemporaryDirectory() as folder:
        ports = free_port(), free_port()
        redis = Server(["redis-server", "--port", str(ports[0]), "--save", "", "--bind", "127.0.0.1"], ports[0], folder)
        try:
            mayfly = Server([pathlib.Path(sys.argv[1]).resolve(), "serve", "--port", str(ports[1]), "--http-port", "-1",
                             "--bind", "127.0.0.1", "--memory-profile", "tiny"], ports[1], folder)
            try:
                faults = compare(redis, mayfly) + compare_help(ports[1])
            finally:
                mayfly.close()
        finally:
            redis.close()
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
