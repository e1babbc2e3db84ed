"""Arguments of random commands for differential.py, by what they are."""

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
