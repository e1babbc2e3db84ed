# Goal: what commands do to their keys is reported, permitted and counted as in Redis.
# Method: redis-server and `mayfly serve` are asked about every command that both have: COMMAND INFO's key
# specifications, GETKEYS, GETKEYSANDFLAGS and ACL DRYRUN with generated arguments, and INFO's hits and misses.
#   command_keys_test.py MAYFLY [--seed N]
import argparse
import pathlib
import random
import shutil
import sys
import tempfile

from differential import Server, free_port

# Where mayfly replies otherwise on purpose, and why.
DIFFERENT = {}

WORDS = [b"1", b"2", b"r1", b"w1", b"b1", b"x1", b"0", b"GET", b"SET", b"STORE", b"BY", b"LIMIT", b"INCRBY", b"u8",
         b"OVERFLOW", b"WRAP", b"GET", b"-1"]
USER = [b"on", b"nopass", b"+@all", b"resetkeys", b"%R~r*", b"%W~w*", b"~b*"]
LINES_EACH = 40
ARGUMENTS_MAX = 8

# Each is run on databases without the keys, and with strings of these names.
COUNTED = """
GET k|STRLEN k|MGET k l m|GETRANGE k 0 1|EXISTS k l|TTL k|TYPE k|DUMP k|TOUCH k l|BITCOUNT k|GETBIT k 1|BITPOS k 1
SET k v|SET k v GET|GETSET k v|GETDEL k|GETEX k|INCR n|APPEND k v|SETRANGE k 1 v|SETBIT k 1 1|BITFIELD k GET u8 0
BITFIELD k SET u8 0 1|BITFIELD_RO k GET u8 0|BITOP AND d k l|MSET k 1 l 2|MSETNX k 1 l 2|SETNX k v|LCS k l
OBJECT ENCODING k|OBJECT ENCODING no|OBJECT REFCOUNT k|MEMORY USAGE k|MEMORY USAGE no|EXPIRE k 100|PERSIST k|COPY k d|RENAME k d|DEL k l|UNLINK k|WATCH k l|UNWATCH
HGET h f|HSET h f v|HDEL h f|HLEN h|HINCRBY h f 1|HGETALL h|HEXISTS h f|HSTRLEN h f|HMGET h f g|HSCAN h 0
LPUSH q a b|LLEN q|LRANGE q 0 -1|LPOP q|LMOVE q p LEFT RIGHT|LINDEX q 0|LPOS q b|LREM q 0 b|LMPOP 2 q p LEFT
SADD s a b|SCARD s|SMEMBERS s|SISMEMBER s a|SINTER s t|SUNIONSTORE d s t|SINTERSTORE d s t|SDIFF s t|SMOVE s t a
SINTERCARD 2 s t|SPOP s|SORT_RO s ALPHA|SORT s ALPHA|SORT s ALPHA STORE d|SUNION s t
ZADD z 1 a|ZCARD z|ZSCORE z a|ZRANGE z 0 -1|ZRANGESTORE d z 0 -1|ZUNION 2 z y|ZUNIONSTORE d 2 z y|ZINTERSTORE d 2 z y
ZDIFFSTORE d 2 z y|ZINCRBY z 1 a|ZPOPMIN z|ZMPOP 1 z MIN|ZREM z a|ZINTERCARD 2 z y|ZRANDMEMBER z
XADD x 1-1 a b|XLEN x|XRANGE x - +|XDEL x 1-1|XTRIM x MAXLEN 1|XACK x g 1|XPENDING x g|XCLAIM x g c 0 1-1|XINFO STREAM x
PFADD p a|PFCOUNT p|PFCOUNT p o|PFMERGE d p o|PFMERGE p|PFDEBUG ENCODING p
GEOADD g 1 1 a|GEOPOS g a|GEODIST g a b|GEOHASH g a|GEOSEARCH g FROMLONLAT 1 1 BYRADIUS 1 km|GEORADIUS g 1 1 1 km STORE d
GEOSEARCHSTORE d g FROMLONLAT 1 1 BYRADIUS 1 km|GEORADIUSBYMEMBER g a 1 km|GEORADIUS_RO g 1 1 1 km
EVAL return(1) 1 k|EVAL_RO return(1) 1 k|EVAL return(redis.call('get',KEYS[1])) 1 k
""".replace("\n", "|")


def plain(reply):
    """Without the order of sets, and texts as texts."""
    if isinstance(reply, bytes):
        return reply.lstrip(b"+").decode("latin-1")
    return [plain(one) for one in reply] if isinstance(reply, list) else reply


def as_map(flat):
    return dict(zip(flat[::2], flat[1::2]))


def key_specs(info):
    specs = []
    for flat in info[8]:
        spec = as_map(flat)
        specs.append([sorted(spec["flags"])] + [[spec[half][1], as_map(spec[half][3])]
                                                for half in ("begin_search", "find_keys")])
    return specs


def facts(info):
    """The compared parts of a line of COMMAND INFO."""
    return {"range": info[3:6], "specs": key_specs(info),
            "flags": sorted(set(info[2]) & {"movablekeys", "no_mandatory_keys"})}


class Pair:
    def __init__(self, redis, mayfly):
        self.servers = (redis, mayfly)
        self.differences = 0

    def ask(self, *words):
        replies = []
        for server in self.servers:
            server.send([word if isinstance(word, bytes) else word.encode() for word in words])
        for server in self.servers:
            replies.append(plain(server.read()))
        return replies

    def compare(self, what, redis, mayfly):
        if redis != mayfly and what not in DIFFERENT:
            self.differences += 1
            print(f"{what}\n  redis  {redis}\n  mayfly {mayfly}")


def commands_of(infos):
    """By full name; a container is replaced by its subcommands."""
    found = {}
    for info in infos:
        if info[9]:
            found.update(commands_of(info[9]))
        else:
            found[info[0]] = info
    return found


def compare_specs(pair):
    redis, mayfly = (commands_of(infos) for infos in pair.ask("COMMAND"))
    both = sorted(set(redis) & set(mayfly))
    for name in both:
        pair.compare(f"COMMAND INFO {name}", facts(redis[name]), facts(mayfly[name]))
    print(f"{len(both)} commands are in both")
    return {name: redis[name] for name in both}


def flag_sets(reply):
    if not isinstance(reply, list):
        return reply
    return [[one[0], sorted(one[1])] for one in reply]


def compare_lines(pair, commands, choose):
    for name, info in commands.items():
        words = [word.encode() for word in name.split("|")]
        for _ in range(LINES_EACH if info[8] else 2):
            # Of some commands mayfly takes more arguments, as Redis 7.2 does.
            count = choose.randint(0, ARGUMENTS_MAX) if info[1] < 0 else info[1] - len(words)
            if name == "pfmerge" and count == 1:
                continue  # Redis runs it, and yet finds no key in it.
            line = words + [choose.choice(WORDS) for _ in range(count)]
            redis, mayfly = pair.ask("COMMAND", "GETKEYSANDFLAGS", *line)
            pair.compare(f"COMMAND GETKEYSANDFLAGS {line}", flag_sets(redis), flag_sets(mayfly))
            pair.compare(f"COMMAND GETKEYS {line}", *pair.ask("COMMAND", "GETKEYS", *line))
            pair.compare(f"ACL DRYRUN u {line}", *pair.ask("ACL", "DRYRUN", "u", *line))


def figures(pair):
    told = []
    for text in pair.ask("INFO", "stats"):
        lines = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        told.append((int(lines["keyspace_hits"]), int(lines["keyspace_misses"])))
    return told


def compare_counts(pair):
    lines = [line.split() for line in COUNTED.split("|") if line]
    for filled in (False, True):
        pair.ask("FLUSHALL")
        for line in lines:
            if filled and line[0] in ("GET", "GETDEL", "DEL", "RENAME", "UNLINK"):
                pair.ask("MSET", "k", "1", "l", "2", "n", "3")
            before = figures(pair)
            pair.ask(*line)
            after = figures(pair)
            deltas = [(a[0] - b[0], a[1] - b[1]) for a, b in zip(after, before)]
            pair.compare(f"hits and misses of {line}, filled: {filled}", *deltas)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mayfly", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if shutil.which("redis-server") is None:
        print("skipped: there is no redis-server")
        return 0
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory() as folder:
        ports = free_port(), free_port()
        servers = []
        try:
            servers.append(Server(["redis-server", "--port", str(ports[0]), "--save", "", "--bind", "127.0.0.1"],
                                  ports[0], folder))
            servers.append(Server([options.mayfly.resolve(), "serve", "--port", str(ports[1]), "--http-port", "-1",
                                   "--bind", "127.0.0.1", "--memory-profile", "tiny"], ports[1], folder))
            pair = Pair(*servers)
            pair.ask("ACL", "SETUSER", "u", *USER)
            compare_lines(pair, compare_specs(pair), random.Random(options.seed))
            compare_counts(pair)
            return 1 if pair.differences else 0
        finally:
            for server in servers:
                server.close()


if __name__ == "__main__":
    sys.exit(main())
