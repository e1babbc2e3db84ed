# Goal: keyspaces, forecast, events, stats, purge and compact do what they say, on a folder and on a server.
# Method: rows with a ttl of 1 ms are dead when the next process looks; output is compared whole in pipes.
import json
import subprocess
import unittest

from cli_home import MAYFLY, CliTest

HOUR = 3_600_000


class Expiry:
    """`self.target` names the database, `self.keyspace` the keyspace that the rows are in."""

    def put_dead(self, *keys):
        for key in keys:
            self.good("put", *self.target, key, "v", "--ttl", "1ms")

    def follow(self, *arguments):
        process = subprocess.Popen([MAYFLY, "events", *map(str, self.target), "--follow", *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=self.environment())
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_a_forecast_adds_up(self):
        for n, ttl in enumerate(("30m", "90m", "100m", "10h", "3d")):
            self.good("put", *self.target, f"k{n}", "value", "--ttl", ttl)
        self.good("put", *self.target, "forever", "value")
        spans = self.objects("forecast", *self.target, "--buckets", "12")
        self.assertEqual([span["rows"] for span in spans], [1, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0])
        self.assertEqual(spans[1]["bytes"], 14)
        for before, after in zip(spans, spans[1:]):
            self.assertEqual(before["end"], after["begin"])
            self.assertEqual(after["end"] - after["begin"], HOUR)
        lines = self.good("forecast", *self.target, "--buckets", "12").splitlines()
        self.assertRegex(lines[1], r"^\d+\t\d+\t2\t14$")

    def test_a_forecast_of_nothing(self):
        spans = self.objects("forecast", *self.target, "--bucket", "1m", "--buckets", "3")
        self.assertEqual([span["rows"] for span in spans], [0, 0, 0])

    def test_a_forecast_is_drawn_on_a_terminal(self):
        for n, ttl in enumerate(("30m", "90m", "100m")):
            self.good("put", *self.target, f"k{n}", "value", "--ttl", ttl)
        code, text = self.terminal("forecast", *self.target, "--no-color").finish()
        self.assertEqual(code, 0)
        first, second, total = text.splitlines()
        self.assertRegex(first, r"^in +0ms  #{20} +1 +7 B$")
        self.assertRegex(second, r"^in +1h  #{40} +2 +14 B$")
        self.assertEqual(total, "3 rows, 21 B in the next 1d")

    def test_a_policy(self):
        self.good("keyspace", "policy", *self.target, self.keyspace, "default-ttl=2h", "jitter=100",
                  "events=key", "max-ttl=1d")
        shown = self.good("keyspace", "policy", *self.target, self.keyspace)
        self.assertEqual(shown, "default-ttl\t7200000\nmin-ttl\t\nmax-ttl\t86400000\nrequire\tno\n"
                                "breach\trefuse\njitter\t100\nevents\tkey\npurge-within\t\n")
        self.good("put", *self.target, "k", "v")
        self.assertTrue(0.9 * 2 * HOUR - 60_000 < int(self.good("ttl", *self.target, "k"))
                        <= 2 * HOUR)
        self.bad(1, "put", *self.target, "k", "v", "--ttl", "2d")
        self.good("keyspace", "policy", *self.target, self.keyspace, "default-ttl=none")
        (policy,) = self.objects("keyspace", "policy", *self.target, self.keyspace)
        self.assertEqual((policy["default-ttl"], policy["max-ttl"]), (None, 86_400_000))
        for field, word in (("colour=red", "no field 'colour'"), ("default-ttl=soon", "30d"),
                            ("jitter=901", "0 to 900"), ("events", "FIELD=VALUE")):
            self.assertIn(word, self.bad(2, "keyspace", "policy", *self.target, self.keyspace, field))

    def test_events_in_order_and_in_parts(self):
        self.good("keyspace", "policy", *self.target, self.keyspace, "events=value")
        self.put_dead("a", "b", "c")
        self.good("purge", *self.target)
        events = self.objects("events", *self.target)
        self.assertEqual([event["key"] for event in events], ["a", "b", "c"])
        self.assertEqual({event["value"] for event in events}, {"v"})
        self.assertEqual({event["keyspace"] for event in events}, {self.keyspace})
        first = events[0]["sequence"]
        (second,) = self.objects("events", *self.target, "--after", first, "--limit", "1")
        self.assertEqual(second["key"], "b")
        line = self.good("events", *self.target, "--limit", "1")
        self.assertRegex(line, rf"^{first}\t{self.keyspace}\ta\t\t\d+\t\d+\tpurged\tv\n$")

    def test_following_events(self):
        self.good("keyspace", "policy", *self.target, self.keyspace, "events=key")
        self.put_dead("a")
        self.good("purge", *self.target)
        process = self.follow("--json")
        self.assertEqual(json.loads(process.stdout.readline())["key"], "a")
        self.die_later("b")
        self.assertEqual(json.loads(process.stdout.readline())["key"], "b")
        process.send_signal(2)
        self.assertEqual(process.wait(60), 130)
        self.assertEqual(process.stderr.read(), b"mayfly: interrupted\n")

    def test_purge(self):
        self.put_dead("a", "b", "c")
        self.good("put", *self.target, "living", "v", "--ttl", "1h")
        due = {row["keyspace"]: row["due_rows"] for row in self.objects("keyspace", "list",
                                                                        *self.target)}
        self.assertEqual(due[self.keyspace], 3)
        (stats,) = self.objects("stats", *self.target)
        self.assertEqual((stats["rows"], stats["mortal_rows"], stats["due_rows"]), (4, 4, 3))
        self.assertEqual(self.good("purge", *self.target, "--rows", "2"), "purged\t2\n")
        self.assertEqual(self.good("purge", *self.target), "purged\t1\n")
        self.assertEqual(self.objects("purge", *self.target), [{"purged": 0}])
        self.assertEqual(self.good("count", *self.target), "1\n")

    def test_a_purge_shows_its_progress_on_a_terminal(self):
        self.put_dead("a", "b", "c")
        code, text = self.terminal("purge", *self.target).finish()
        self.assertEqual(code, 0)
        self.assertRegex(text, r"\rpurge  \[\.{24}\]   0%  0 rows, 0 rows/s\x1b\[K")
        self.assertTrue(text.endswith("\r\x1b[Kpurged  3\r\n"), text)

    def test_stats_on_a_terminal_have_units(self):
        code, text = self.terminal("stats", *self.target).finish()
        self.assertEqual(code, 0)
        self.assertRegex(text, r"(?m)^disk +\d+(\.\d)? (B|KiB|MiB)\r$")
        self.assertRegex(text, r"(?m)^now +\d{4}-\d\d-\d\dT")

    def test_wrong_use(self):
        for arguments, word in ((["keyspace"], "subcommand"), (["keyspace", "lsit"], "lsit"),
                                (["keyspace", "create", *self.target], "NAME"),
                                (["forecast", *self.target, "--bucket", "60"], "unit"),
                                (["forecast", *self.target, "--buckets", "0"], "--buckets"),
                                (["events", *self.target, "--after", "x"], "--after"),
                                (["events", *self.target, "--after", "-1"], "'-1' is no whole number of 0 or more"),
                                (["keyspace", "policy", *self.target, "db0", "bogus=1"], "bogus"),
                                (["keyspace", "policy", *self.target, "db0", "default-ttl"], "FIELD=VALUE"),
                                (["purge", *self.target, "--rows", "0"], "--rows")):
            self.assertIn(word, self.bad(2, *arguments))
        for command in ("forecast", "events", "stats", "purge", "compact"):
            self.bad(1, command, self.folder / "nowhere")
            self.bad(1, command, "redis://127.0.0.1:1")

    def test_compact_gives_the_space_back(self):
        for n in range(4):
            self.run_mayfly("put", *self.target, f"k{n}", "--ttl", "1ms", given=b"secret-" * 50_000)
        output = self.good("compact", *self.target)
        figures = dict(line.split("\t") for line in output.splitlines())
        self.assertLess(int(figures["disk_after"]), int(figures["disk_before"]))
        self.assertEqual(self.good("count", *self.target), "0\n")
        # A job that ends before it is asked about shows no bar.
        for _ in range(50):
            code, text = self.terminal("compact", *self.target).finish()
            self.assertEqual(code, 0)
            self.assertRegex(text, r"disk after +\d")
            if "\rcompact  " in text:
                break
        self.assertIn("\rcompact  ", text)


class ExpiryInAFolder(Expiry, CliTest):
    keyspace = "default"

    def setUp(self):
        super().setUp()
        self.target = [self.folder / "db"]
        self.good("put", *self.target, "first", "v", "--create")
        self.good("del", *self.target, "first")

    def die_later(self, key):
        self.put_dead(key)
        self.good("purge", *self.target)

    def test_keyspaces_are_made_and_dropped(self):
        self.good("keyspace", "create", *self.target, "sessions", "default-ttl=30m")
        self.good("put", *self.target, "k", "v", "-k", "sessions")
        rows = {row["keyspace"]: row["rows"] for row in self.objects("keyspace", "list",
                                                                     *self.target)}
        self.assertEqual(rows["sessions"], 1)
        self.assertIn("exists already", self.bad(1, "keyspace", "create", *self.target, "sessions"))
        self.assertIn("--yes", self.bad(1, "keyspace", "drop", *self.target, "sessions"))
        asked = self.terminal("keyspace", "drop", *self.target, "sessions")
        asked.wait_for("Remove keyspace 'sessions' of")
        asked.wait_for("with 1 rows? [y/N] ")
        asked.type("n\n")
        self.assertEqual(asked.finish()[0], 1)
        self.assertEqual(self.good("get", *self.target, "k", "-k", "sessions"), "v")
        asked = self.terminal("keyspace", "drop", *self.target, "sessions")
        asked.wait_for("[y/N] ")
        asked.type("y\n")
        self.assertEqual(asked.finish()[0], 0)
        self.bad(1, "get", *self.target, "k", "-k", "sessions")
        self.bad(1, "keyspace", "drop", *self.target, "sessions", "--yes")

    def test_keyspaces_can_be_ordered_by_timestamp(self):
        self.good("keyspace", "create", *self.target, "readings", "order=timestamp", "history=1h", "late-max=5m",
                  "default-ttl=1d")
        self.assertEqual(self.good("keyspace", "policy", *self.target, "readings"),
                         "default-ttl\t86400000\nmin-ttl\t\nmax-ttl\t\nrequire\tno\nbreach\trefuse\njitter\t0\n"
                         "events\toff\npurge-within\t\norder\ttimestamp\nhistory\t3600000\nlate-max\t300000\n")
        (policy,) = self.objects("keyspace", "policy", *self.target, "readings")
        self.assertEqual((policy["order"], policy["history"], policy["late-max"]), ("timestamp", 3600000, 300000))
        self.good("put", *self.target, "sensor", "20", "-k", "readings")
        self.assertEqual(self.good("get", *self.target, "sensor", "-k", "readings"), "20")
        self.good("keyspace", "policy", *self.target, "readings", "history=0s", "late-max=none")
        (policy,) = self.objects("keyspace", "policy", *self.target, "readings")
        self.assertEqual((policy["history"], policy["late-max"]), (0, None))
        # The order is fixed when the keyspace is made.
        self.assertIn("order", self.bad(1, "keyspace", "policy", *self.target, "readings", "order=arrival"))
        self.assertIn("order", self.bad(1, "keyspace", "policy", *self.target, self.keyspace, "history=1h"))
        self.assertIn("timestamp", self.bad(2, "keyspace", "create", *self.target, "x", "order=random"))

    def test_a_folder_that_is_served_is_not_purged_beside_the_server(self):
        server = self.serve()
        for command in ("purge", "compact"):
            self.assertIn("--url", self.bad(1, command, server.folder / "data"))


class ExpiryOnAServer(Expiry, CliTest):
    keyspace = "db0"

    def setUp(self):
        super().setUp()
        # Tests of a folder have a memory-first one; it would have nothing to rewrite here.
        self.server = self.serve("--reaper", "no", "--engine", "rocks")
        self.target = ["--url", f"redis://127.0.0.1:{self.server.port}"]

    def die_later(self, key):
        self.put_dead(key)
        self.good("purge", *self.target)

    def test_events_of_fields_name_them(self):
        self.good("keyspace", "policy", *self.target, "db0", "events=key")
        folder = self.server.folder / "data"
        self.redis_cli(self.server, "HSET", "h", "f", "1")
        self.redis_cli(self.server, "HPEXPIRE", "h", "1", "FIELDS", "1", "f")
        self.good("purge", *self.target)
        for target in (self.target, [folder]):
            events = self.objects("events", *target)
            self.assertIn(("h", "f"), [(event["key"], event["field"]) for event in events], target)

    def test_what_a_server_cannot_do_is_told(self):
        self.assertIn("when they are first used",
                      self.bad(1, "keyspace", "create", *self.target, "sessions"))
        for field in ("order=timestamp", "history=1h", "late-max=1h"):
            self.assertIn("a folder's keyspaces",
                          self.bad(1, "keyspace", "policy", *self.target, "db0", field))
        for flags in (["--yes"], []):  # Without a question.
            self.assertIn("and not 'db7'", self.bad(1, "keyspace", "drop", *self.target, "db7", *flags))
        self.good("put", *self.target, "k", "v")
        self.good("keyspace", "drop", *self.target, "db0", "--yes")
        self.assertEqual(self.good("count", *self.target), "0\n")


if __name__ == "__main__":
    unittest.main()
