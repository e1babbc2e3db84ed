# Goal: commands on data reply as Redis does, whatever the arguments.
# Method: seeded random commands are sent to redis-server and to `mayfly serve`; replies are compared. What differs on
# purpose is listed below with its reason. Ends with 1, and the commands that led there, at the first other difference.
#   differential.py MAYFLY [--seed N] [--commands N] [--streams | --places] [--all]
import argparse
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

KEYS = [b"k%d" % i for i in range(8)]
NAMES = [b"a", b"b", b"c", b"d", b"1", b"2", b"", b"x\0y", b"10", b"-5", b"3.5", b"\xff", b"a long name, longer than most"]
VALUES = NAMES + [b"0", b"9223372036854775807", b"-9223372036854775808", b"9223372036854775808", b"1e10", b"0x10", b" 1",
                  b"1 ", b"inf", b"-inf", b"nan", b"007", b"+1", b"y" * 44, b"z" * 45, b"v" * 70, b"3.0", b"1e-7", b"4\0z", b"-0", b"1e308",
                  b"5e-324", b"123456789012345678901234567890"]
INTEGERS = [b"0", b"1", b"2", b"3", b"5", b"-1", b"-2", b"-3", b"-100", b"100", b"9223372036854775807",
            b"-9223372036854775808", b"9223372036854775808", b"", b"x", b"1.5", b" 1"]
SCORES = [b"1", b"2", b"-1", b"1.5", b"0", b"inf", b"-inf", b"+inf", b"nan", b"x", b"3.0", b"1e3", b"0.1", b"", b"-0", b"-0.0",
          b"1e308", b"-1e308", b"5e-324", b"1e400", b"0x10", b"1_0", b"-nan", b"infinity", b"17\0", b"3.14159265358979312"]
SCORE_BOUNDS = [b"-inf", b"+inf", b"(1", b"1", b"(2.5", b"3", b"x", b"(inf", b"", b"("]
NAME_BOUNDS = [b"-", b"+", b"[a", b"(a", b"[c", b"(c", b"[", b"a", b"", b"(x"]
# Lifetimes: none of them ends while a test runs.
LIFETIMES = [b"0", b"-1", b"-100", b"100000000", b"4102444800", b"4102444800000", b"9223372036854775807", b"9223372036854775",
             b"-9223372036854775808", b"9223372036854775808", b"", b"x", b"1.5", b" 1"]
BITS = [b"0", b"1", b"7", b"8", b"9", b"63", b"200", b"-1", b"4294967296", b"x"]
FAR = b"4102444800000"  # 2100.
FAR_SECONDS = b"4102444800"
STREAM_IDS = [b"1-1", b"1-2", b"2-0", b"2-5", b"3-1", b"4-0", b"5-1", b"6-6", b"7-1", b"8-0", b"9-9", b"12-3", b"1", b"5", b"0", b"0-1", b"20-1",
              b"18446744073709551615-18446744073709551614", b"x", b"1-x", b"", b"-", b"+", b"1-*", b"007-01", b"+5-+5", b"-5", b"5--3"]
NEW_IDS = STREAM_IDS[:-11] + STREAM_IDS[-10:] + [b"%d-*" % i for i in range(1, 30)]
STREAM_BOUNDS = STREAM_IDS + [b"-", b"+", b"-", b"+", b"(2-0", b"(5", b"(1-1", b"(", b"(-", b"(x", b"(0-0",
                              b"(18446744073709551615-18446744073709551615"]
PATTERNS = [b"*", b"k*", b"?", b"[a-c]", b"\\", b"a*", b"[^a]", b""]


class Server:
    """One of the two, with a connection to it."""

    def __init__(self, arguments, port, folder):
        self.process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
        deadline = time.monotonic() + 60
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
                break
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise SystemExit(f"{arguments[0]} does not listen")
                time.sleep(0.05)
        self.file = self.socket.makefile("rb")

    def send(self, arguments):
        parts = [b"*%d\r\n" % len(arguments)]
        parts += [b"$%d\r\n%s\r\n" % (len(argument), argument) for argument in arguments]
        self.socket.sendall(b"".join(parts))

    def read(self):
        line = self.file.readline()
        if not line:
            raise SystemExit("a server has closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self.read() for _ in range(int(rest))]
        return int(rest) if kind == b":" else kind + rest

    def close(self):
        self.socket.close()
        self.process.kill()
        self.process.wait()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Words:
    """Arguments of commands, by what they are."""

    def __init__(self, choose):
        self.choose = choose
        # Longitudes, latitudes and lengths, of points that are near each other at times; elements to be counted.
        self.made = {"X": lambda: self.degrees(180), "Y": lambda: self.degrees(85.05112878),
                     "L": lambda: choose.choice([b"0", b"1", b"-1", b"x", b"1e9", b"%.3f" % (10 ** choose.uniform(-1, 5))]),
                     "E": lambda: b"e%d" % choose.randrange(4000)}
        self.newest = 0  # The first half of the newest id.

    def degrees(self, most):
        if self.choose.random() < 0.05:
            return self.choose.choice([b"%.8f" % most, b"-%.8f" % most, b"%.8f" % (most + 0.00000001), b"0", b"x", b"nan", b"-1e-300"])
        near = self.choose.choice([1, 0.01, 0.0001])
        return b"%.17g" % (self.choose.uniform(-most, most) * near)

    def one(self, kind):
        table = {"k": KEYS, "n": NAMES, "v": VALUES, "i": INTEGERS, "s": SCORES, "b": SCORE_BOUNDS, "l": NAME_BOUNDS,
                 "o": BITS, "p": PATTERNS, "e": LIFETIMES, "w": [b"LEFT", b"RIGHT", b"left", b"up"], "f": [b"0", b"1", b"2", b"x"],
                 "t": [b"u8", b"i5", b"i64", b"u63", b"u64", b"i16", b"x"], "u": [b"#0", b"#1", b"0", b"3", b"100", b"-1"]}
        if kind in self.made:
            return self.made[kind]()
        if kind in "NIBR" and self.choose.random() < 0.8:
            self.newest += self.choose.randrange(3) if kind == "N" else 0
            back = 0 if kind == "N" else self.choose.randrange(16)
            return b"%d-%d" % (max(self.newest - back, 0), self.choose.randrange(1, 3))
        table |= {"K": KEYS[:3], "I": STREAM_IDS, "N": NEW_IDS, "B": STREAM_BOUNDS, "C": [b"0", b"1", b"2", b"3", b"10", b"-1", b"x"],
                  "G": [b"g1", b"g1", b"g2"], "U": [b"u1", b"u2", b"u3"], "M": [b"0", b"0", b"0", b"-5", b"3600000", b"x"],
                  "A": [b">", b">", b">", b"0", b"2-0", b"$", b"x", b"5"], "R": [b"$", b"0", b"2-0", b"5-1", b">", b"x", b"0-0"]}
        table |= {"P": [b"p%d" % i for i in range(200)], "H": [b"h1", b"h2", b"h3"]}
        return self.choose.choice(table[kind])

    def many(self, kinds):
        return [self.one(kind) for kind in kinds]

    def command(self, line):
        """A line of the table: words as they are, {kinds} as one argument each, {kinds}* as one to three groups."""
        arguments = []
        for word in line.split():
            if not word.startswith("{"):
                arguments += word.encode().split(b"|")[:1] if "|" not in word else [
                    self.choose.choice(word.encode().split(b"|"))]
                continue
            kinds = word.strip("{}*?")
            if word.endswith("?") and self.choose.random() < 0.5:
                continue
            groups = self.choose.randint(1, 3) if word.endswith("*") else 1
            for _ in range(groups):
                arguments += self.many(kinds)
        return [argument for argument in arguments if argument != b"_"]


COMMANDS = """
SET {kv} _|NX|XX|KEEPTTL|GET _|GET
SET {kv} EXAT|PXAT|EX|PX 4102444800
SETNX {kv}
GETSET {kv}
GETDEL {k}
GETEX {k} _|PERSIST
GETEX {k} PXAT 4102444800000
GETEX {k} EX|PX|EXAT|PXAT {e}
SETEX {kev}
PSETEX {kev}
SET {kv} EX|PX|EXAT|PXAT {e} _|NX|XX|KEEPTTL|GET
SET {kv} KEEPTTL EX 100
EXPIRE {ke} _|NX|XX|GT|LT
PEXPIRE {ke} _|NX|XX _|GT|LT
EXPIREAT {ke} _|GT|LT
PEXPIREAT {ke}
APPEND {kv}
STRLEN {k}
GETRANGE {kii}
SUBSTR {kii}
SETRANGE {kov}
MSET {kv}*
MSETNX {kv}*
MGET {k}*
INCR {k}
DECR {k}
INCRBY {ki}
DECRBY {ki}
INCRBYFLOAT {ks}
INCRBYFLOAT {kv}
LCS {kk} IDX MINMATCHLEN {i} WITHMATCHLEN
LCS {kk} _|LEN|IDX|WITHMATCHLEN _|LEN|IDX
SETBIT {kof}
GETBIT {ko}
BITCOUNT {k} {ii}?
BITCOUNT {kii} BYTE|BIT|x
BITPOS {kf} {i}?
BITPOS {kfii} _|BYTE|BIT
BITOP AND|OR|XOR|NOT|x {kk}*
BITFIELD {k} GET {tu}
BITFIELD {k} SET {tui}
BITFIELD {k} OVERFLOW WRAP|SAT|FAIL|x INCRBY {tui}
BITFIELD_RO {k} GET {tu}
DEL {k}*
UNLINK {k}
EXISTS {k}*
TOUCH {k}*
TYPE {k}
RENAME {kk}
RENAMENX {kk}
COPY {kk} _|REPLACE|DB
COPY {kk} DB {f} _|REPLACE
MOVE {kf}
OBJECT ENCODING {k}
OBJECT REFCOUNT {k}
EXPIREAT {k} 4102444800 _|NX|XX|GT|LT
PEXPIREAT {k} 4102444800000|4102444900000|1|x _|NX|XX|GT|LT
EXPIRETIME {k}
PEXPIRETIME {k}
PERSIST {k}
EXPIRE {k} 0|-1|x|9223372036854775807|4000000000
PEXPIRE {k} 0|-1|-9223372036854775808|9223372036854775807
KEYS {p}
DBSIZE
SORT {k} _|ALPHA _|DESC|ASC
SORT {k} ALPHA LIMIT {ii}
SORT {k} BY k*|nosort|x GET # GET k*
SORT {k} ALPHA STORE {k}
SORT_RO {k} _|ALPHA
LPUSH {kv}*
RPUSH {kv}*
LPUSHX {kv}
RPUSHX {kv}
LPOP {k} {i}?
RPOP {k} {i}?
LLEN {k}
LINDEX {ki}
LSET {kiv}
LRANGE {kii}
LTRIM {kii}
LREM {kiv}
LINSERT {k} BEFORE|AFTER|x {vv}
LPOS {kv}
LPOS {kv} RANK {i} _|COUNT|MAXLEN
LPOS {kv} RANK {i} COUNT {i}
LPOS {kv} COUNT {i} MAXLEN {i}
LMOVE {kkww}
RPOPLPUSH {kk}
LMPOP 1 {kw} COUNT {i}
BLPOP {k} 0.001
BLMOVE {kkww} 0.001
HSET {knv} {nv}?
HSETNX {knv}
HGET {kn}
HMGET {kn} {n}?
HMSET {knv}
HDEL {kn}*
HLEN {k}
HEXISTS {kn}
HSTRLEN {kn}
HKEYS {k}
HVALS {k}
HGETALL {k}
HINCRBY {kni}
HINCRBYFLOAT {kns}
HRANDFIELD {k} 0
HSET {kn} {v}*
HINCRBYFLOAT {knv}
HSCAN {k} 0 COUNT 1000
SSCAN {k} 0 COUNT 1000 MATCH {p}
ZSCAN {k} 0 COUNT 1000
SADD {kv}*
SREM {kv}*
SISMEMBER {kv}
SMISMEMBER {kv}*
SMEMBERS {k}
SCARD {k}
SMOVE {kkv}
SINTER {k}*
SUNION {k}*
SDIFF {k}*
SINTERSTORE {k} {k}*
SUNIONSTORE {k} {k}*
SDIFFSTORE {k} {k}*
SINTERCARD 2 {kk} _|LIMIT
SINTERCARD 2 {kk} LIMIT {i}
SPOP {k} 0
SRANDMEMBER {k} 0
ZADD {k} _|NX|XX _|GT|LT _|CH _|INCR {sv}
ZADD {k} {sv}*
ZINCRBY {ksv}
ZREM {kv}*
ZSCORE {kv}
ZMSCORE {kv}*
ZCARD {k}
ZRANK {kv}
ZREVRANK {kv}
ZCOUNT {kbb}
ZLEXCOUNT {kll}
ZRANGE {kii} _|WITHSCORES|REV
ZRANGE {kbb} BYSCORE _|WITHSCORES
ZRANGE {kbb} BYSCORE LIMIT {ii} _|REV
ZRANGE {kll} BYLEX _|REV|WITHSCORES
ZREVRANGE {kii} _|WITHSCORES
ZRANGEBYSCORE {kbb} _|WITHSCORES
ZREVRANGEBYSCORE {kbb} LIMIT {ii}
ZRANGEBYLEX {kll} LIMIT {ii}
ZREVRANGEBYLEX {kll}
ZRANGESTORE {kkii}
ZREMRANGEBYRANK {kii}
ZREMRANGEBYSCORE {kbb}
ZREMRANGEBYLEX {kll}
ZPOPMIN {k} {i}?
ZPOPMAX {k} {i}?
ZMPOP 1 {k} MIN|MAX|x COUNT {i}
BZPOPMIN {k} 0.001
ZUNION 2 {kk} _|WITHSCORES
ZRANGESTORE {kkbb} BYSCORE _|REV
ZRANGESTORE {kkll} BYLEX LIMIT {ii}
ZRANGE {kii} WITHSCORES
ZRANGE {kii} REV WITHSCORES
ZADD {k} {sn}*
ZADD {k} INCR {sn}
ZINTER 2 {kk} WEIGHTS {ss} AGGREGATE SUM|MIN|MAX|x WITHSCORES
ZDIFF 2 {kk} WITHSCORES
ZUNIONSTORE {k} 2 {kk} _|WEIGHTS
ZUNIONSTORE {k} 2 {kk} AGGREGATE MIN|MAX
ZUNIONSTORE {k} 3 {kkk} WEIGHTS {sss} AGGREGATE SUM|MIN|MAX
ZUNIONSTORE {k} 2 {kk} WEIGHTS 0 inf
ZINTERSTORE {k} 2 {kk} WEIGHTS 0|-0|inf 1|-0 _|AGGREGATE _|MIN|MAX
ZINTERSTORE {k} 1 {k} WEIGHTS {s}
ZUNION 1 {k} WEIGHTS {s} WITHSCORES
ZUNIONSTORE {k} {i} {kk}
ZINTERSTORE {k} 3 {kkk}
ZDIFFSTORE {k} 3 {kkk}
ZDIFF 3 {kkk}
ZINTERSTORE {k} 2 {kk}
ZDIFFSTORE {k} 2 {kk}
ZINTERCARD 2 {kk} LIMIT {i}
ZRANDMEMBER {k} 0
SELECT 0|1|99|x
SWAPDB 0|1|99|x|3000000000 0|1|99|x
WRONG {k}
GET
"""
LINES = [line for line in COMMANDS.strip().splitlines()]

# Ids are given, as the clocks differ; no reply has a time in it that is not left out below.
STREAM_COMMANDS = """
XADD {KN} {nv}
XADD {KN} {nv}
XADD {KN} {nv}
XADD {KN} {nv}
XADD {KN} {nv}
XADD {KN} {nv}
XADD {KN} {nv}
XADD {KN} {nv}
XADD {KN} {nv}*
XADD {KN} {n}*
XADD {K} NOMKSTREAM {N} {nv}
XADD {K} MAXLEN _|=|~ {iN} {nv}
XADD {K} MAXLEN 0|1|3|5 {N} {nv}
XADD {K} MINID _|=|~ {IN} {nv}
XADD {K} MAXLEN ~ {i} LIMIT {iN} {nv}
XADD {K} MAXLEN = 3 MINID 5 {N} {nv}
XADD {K} LIMIT 5 {N} {nv}
XLEN {K}
XRANGE {KBB}
XRANGE {K} - + _|COUNT|x
XRANGE {K} - +
XRANGE {KBB} COUNT {C}
XREVRANGE {KBB}
XREVRANGE {K} + - COUNT {C}
XDEL {KI}*
XTRIM {K} MAXLEN _|=|~ {i} _|LIMIT
XTRIM {K} MAXLEN ~ {i} LIMIT {i}
XTRIM {K} MINID _|=|~ {I}
XTRIM {K} x {I}
XSETID {KI}
XSETID {KI} ENTRIESADDED {i} MAXDELETEDID {I}
XSETID {KI} ENTRIESADDED {i}
XREAD COUNT {C} STREAMS {KR}
XREAD STREAMS {KKRR}
XREAD STREAMS {KKR}
XREAD BLOCK 1 STREAMS {KR}
XREAD BLOCK -1|x STREAMS {KR}
XREAD COUNT 1 x STREAMS {KR}
XREAD GROUP {GU} STREAMS {KR}
XREAD NOACK STREAMS {KR}
XGROUP CREATE {KGI}
XGROUP CREATE {KG} $|0 _|MKSTREAM|x
XGROUP CREATE {KG} 0 MKSTREAM
XGROUP CREATE {KG} 0 MKSTREAM
XGROUP CREATE {KG} 0|$ MKSTREAM
XGROUP CREATE {KG} $|0 ENTRIESREAD {i} _|MKSTREAM
XGROUP SETID {KGI}
XGROUP SETID {KG} $|0 _|ENTRIESREAD 3|-1|-2|x
XGROUP DESTROY {KG}
XGROUP CREATECONSUMER {KGU}
XGROUP DELCONSUMER {KGU}
XGROUP x {KG}
XREADGROUP GROUP {GU} COUNT {C} STREAMS {KA}
XREADGROUP GROUP {GU} COUNT 2 STREAMS {K} >
XREADGROUP GROUP {GU} COUNT 2 STREAMS {K} >
XREADGROUP GROUP {GU} STREAMS {K} >|0
XREADGROUP GROUP {GU} COUNT {C} STREAMS {KA}
XREADGROUP GROUP {GU} COUNT {C} NOACK STREAMS {KA}
XREADGROUP GROUP {GU} STREAMS {KKAA}
XREADGROUP COUNT 2 GROUP {GU} STREAMS {KA}
XREADGROUP GROUP {GU} BLOCK 1 STREAMS {KA}
XREADGROUP COUNT 1 NOACK STREAMS {KA}
XACK {KGI}*
XACK {KGI} {I} {I}
XACK {KGI}*
XPENDING {KG}
XPENDING {KGBBC}
XPENDING {KG} - + {C} {U}
XPENDING {KG} - + 10
XPENDING {KG} IDLE {MBBC} {U}?
XPENDING {KG} -
XCLAIM {KGU} 0 {I} {I} {I}
XCLAIM {KGUMI} _|JUSTID|FORCE|x
XCLAIM {KGUM} {I}* FORCE _|JUSTID
XCLAIM {KGUMI} IDLE|TIME|RETRYCOUNT {i}
XCLAIM {KGUMI} LASTID {I} RETRYCOUNT 3
XAUTOCLAIM {KGUMB}
XAUTOCLAIM {KGUMB} COUNT {C} _|JUSTID
XINFO STREAM {K}
XINFO STREAM {K} FULL
XINFO STREAM {K} FULL COUNT {C}
XINFO STREAM {K} x|FULL x 3
XINFO GROUPS {K}
XINFO CONSUMERS {KG}
XINFO x {K}
TYPE {K}
OBJECT ENCODING {K}
DEL {k}
COPY {KK} _|REPLACE
RENAME {kk}
SET {kv}
EXISTS {K}
SORT {K}
GET {K}
"""
STREAM_LINES = [line for line in STREAM_COMMANDS.strip().splitlines()]

# Points, which are sorted sets, and HyperLogLogs, which are strings. No two points are equally far from a third.
PLACE_COMMANDS = """
GEOADD {K} {XYP}*
GEOADD {K} {XYP} {XYP} {XYP} {XYP} {XYP} {XYP} {XYP} {XYP}
GEOADD {K} {XYP} {XYP} {XYP} {XYP} {XYP} {XYP} {XYP} {XYP}
GEOADD {K} _|NX|XX _|CH _|XX {XYP}*
GEOADD {K} {XY}
GEODIST {KPP} _|m|km|ft|mi|x
GEOHASH {K} {P}*
GEOPOS {K} {P}*
GEOPOS {K}
GEORADIUS {KXYL} m|km|mi|ft _|WITHDIST _|WITHCOORD _|WITHHASH _|ASC|DESC
GEORADIUS {KXYL} km COUNT {C} _|ANY _|ASC|DESC
GEORADIUS {KXYL} km _|COUNT _|1 STORE|STOREDIST {K}
GEORADIUS_RO {KXYL} m|km|x _|WITHDIST|STORE _|k0
GEORADIUSBYMEMBER {KPL} km|m _|WITHDIST _|ASC|DESC _|STORE|x
GEORADIUSBYMEMBER {KPL} km STOREDIST {K}
GEORADIUSBYMEMBER_RO {KPL} km COUNT {C} _|ANY
GEOSEARCH {K} FROMLONLAT {XY} BYRADIUS {L} m|km|ft|mi _|WITHDIST _|WITHHASH _|WITHCOORD _|ASC|DESC
GEOSEARCH {K} FROMLONLAT {XY} BYBOX {LL} m|km|ft|mi _|WITHDIST _|ASC|DESC
GEOSEARCH {K} FROMMEMBER {P} BYBOX {LL} km COUNT {C} _|ANY _|WITHDIST
GEOSEARCH {K} FROMMEMBER {P} _|FROMLONLAT BYRADIUS {L} km|x
GEOSEARCH {K} BYRADIUS {L} km _|FROMMEMBER {P} _|BYBOX
GEOSEARCHSTORE {KK} FROMLONLAT {XY} BYBOX {LL} km _|STOREDIST _|COUNT|WITHDIST
GEOSEARCHSTORE {KK} FROMMEMBER {P} BYRADIUS {L} km COUNT {C} _|ANY _|ASC|DESC _|STOREDIST
ZREM {K} {P}*
ZADD {K} -1|1e300|inf|-inf|4503599627370496|9.3e18|1.5 {P}
ZRANGE {K} 0 -1 WITHSCORES
SET {Kv}
PFADD {H} {EEEEEEEEEE}*
PFADD {H} {EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE}
PFADD {H} {n}*
PFADD {H}
PFCOUNT {H}
PFCOUNT {H} {H}*
PFCOUNT {k}
PFMERGE {HHH}
PFMERGE {H}
PFMERGE {Hk}
PFDEBUG DECODE|ENCODING|TODENSE|x {H}
PFDEBUG GETREG {H}
GET {H}
GET {H}
SET h1 x
DEL {H}
COPY {HH} REPLACE
OBJECT ENCODING {H}
STRLEN {H}
CONFIG SET hll-sparse-max-bytes 0|100|300|3000|30000
"""
PLACE_LINES = [line for line in PLACE_COMMANDS.strip().splitlines()]

# What XINFO and XPENDING reply of time and of Redis' insides, and counts that mayfly knows where Redis 7.0 does not.
STREAM_UNTOLD = {b"idle", b"seen-time", b"radix-tree-keys", b"radix-tree-nodes", b"lag", b"entries-read"}


def untimed(reply):
    """A reply of XINFO without those."""
    if not isinstance(reply, list):
        return reply
    if reply and isinstance(reply[0], bytes) and reply[0] in (b"length", b"name"):
        return [None if i % 2 and reply[i - 1] in STREAM_UNTOLD else
                untimed_pending(one) if i % 2 and reply[i - 1] == b"pending" else untimed(one) for i, one in enumerate(reply)]
    return [untimed(one) for one in reply]


def untimed_pending(entries):
    """Pending entries without the third or second field, a time."""
    if not isinstance(entries, list):
        return entries
    return [[one for i, one in enumerate(entry) if i != len(entry) - 2] for entry in entries]

# Replies without an order.
UNORDERED = {b"KEYS", b"SMEMBERS", b"HKEYS", b"HVALS", b"SINTER", b"SUNION", b"SDIFF"}


def normal(command, reply):
    name = command[0].upper()
    if name in UNORDERED and isinstance(reply, list):
        return sorted(reply)
    if name in (b"HSCAN", b"ZSCAN") and isinstance(reply, list) and isinstance(reply[1], list):
        return sorted(zip(reply[1][::2], reply[1][1::2]))
    if name == b"SSCAN" and isinstance(reply, list) and isinstance(reply[1], list):
        return sorted(reply[1])
    if name == b"XINFO":
        return untimed(reply)
    if name == b"XPENDING" and len(command) > 3:
        return untimed_pending(reply)
    if name == b"HGETALL" and isinstance(reply, list):
        return sorted(zip(reply[::2], reply[1::2]))
    return reply


TEXT_ENCODINGS = {b"int", b"embstr", b"raw"}
SLOWER_MS = 200
SCORES_TOLD = {b"ZRANGE", b"ZREVRANGE", b"ZRANGEBYSCORE", b"ZREVRANGEBYSCORE", b"ZMSCORE", b"ZPOPMIN", b"ZPOPMAX",
               b"ZUNION", b"ZINTER", b"ZDIFF"}
LONG_MIN = b"-9223372036854775808"


def is_unordered_sort(command):
    by = command.index(b"BY") if b"BY" in command else None
    return command[0] == b"SORT" and by is not None and b"*" not in command[by + 1]


# Where mayfly replies otherwise on purpose, and why.
def on_purpose(command, redis, mayfly):
    # The encoding of a collection follows from its current value, not from its history.
    if command[:2] == [b"OBJECT", b"ENCODING"]:
        if redis == b"embstr" and mayfly == b"int":
            return True  # To Redis the result of INCRBYFLOAT is text, even if it is a whole number.
        return isinstance(mayfly, bytes) and redis not in TEXT_ENCODINGS and mayfly not in TEXT_ENCODINGS
    # Redis stores the sign of a zero only while a sorted set is in its large form.
    if command[0] in SCORES_TOLD and isinstance(redis, list) and isinstance(mayfly, list):
        return [b"0" if one == b"-0" else one for one in redis] == mayfly
    if command[0] in (b"ZSCORE", b"ZINCRBY") or (command[0] == b"ZADD" and b"INCR" in command):
        return redis == b"-0" and mayfly == b"0"
    # Values are not shared between keys.
    if command[:2] == [b"OBJECT", b"REFCOUNT"]:
        return isinstance(redis, int) and mayfly == 1
    # Redis counts the dead until it has removed them.
    if command[0] == b"DBSIZE":
        return mayfly < redis
    # As Redis 7.2: this number has no opposite.
    if command[0] == b"LPOS" and LONG_MIN in command:
        return mayfly == b"-ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807"
    # A length of time is counted from now, which is not the same instant for both.
    if command[0] in (b"EXPIRETIME", b"PEXPIRETIME") and isinstance(redis, int) and isinstance(mayfly, int):
        return min(redis, mayfly) > 0 and abs(redis - mayfly) <= SLOWER_MS
    # Arguments are checked before keys.
    if command[0] == b"BITCOUNT" and command[-1] == b"x":
        return mayfly == b"-ERR syntax error"
    # Redis shows a set that is not sorted as it lies in its hash table.
    if is_unordered_sort(command) and isinstance(redis, list) and isinstance(mayfly, list):
        return sorted(redis, key=repr) == sorted(mayfly, key=repr)
    return False


def play(redis, mayfly, lines, seed, commands, show_all):
    choose = random.Random(seed)
    words = Words(choose)
    history, differences = [], 0
    for server in (redis, mayfly):
        for setup in ([b"SELECT", b"0"], [b"FLUSHALL"]):
            server.send(setup)
            server.read()
    for number in range(commands):
        command = words.command(choose.choice(lines))
        if choose.random() < 0.003:
            command = [b"FLUSHALL"]
        history.append(command)
        redis.send(command)
        mayfly.send(command)
        expected, got = normal(command, redis.read()), normal(command, mayfly.read())
        if expected == got or on_purpose(command, expected, got):
            continue
        differences += 1
        print(f"seed {seed}, command {number}: {command}\n  redis  {expected}\n  mayfly {got}")
        if not show_all:
            for earlier in history[-30:]:
                print("   ", earlier)
            return differences
    return differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mayfly", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commands", type=int, default=3000)
    parser.add_argument("--streams", action="store_true", help="commands on streams")
    parser.add_argument("--places", action="store_true", help="commands on points and HyperLogLogs")
    parser.add_argument("--all", action="store_true", help="go on after a difference")
    options = parser.parse_args()
    if shutil.which("redis-server") is None:
        print("skipped: there is no redis-server")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        ports = free_port(), free_port()
        redis = Server(["redis-server", "--port", str(ports[0]), "--save", "", "--bind", "127.0.0.1"], ports[0], folder)
        try:
            mayfly = Server([options.mayfly.resolve(), "serve", "--port", str(ports[1]), "--http-port", "-1", "--bind",
                             "127.0.0.1", "--memory-profile", "tiny"], ports[1], folder)
            try:
                lines = STREAM_LINES if options.streams else PLACE_LINES if options.places else LINES
                return 1 if play(redis, mayfly, lines, options.seed, options.commands, options.all) else 0
            finally:
                mayfly.close()
        finally:
            redis.close()


if __name__ == "__main__":
    sys.exit(main())
