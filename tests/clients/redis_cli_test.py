# Goal: redis-cli runs unchanged, in each of its modes: single commands, standard input,
# mass insertion, scripts, scans, the surveys of keys, RESP3, subscriptions and a monitor, with real ttls.
# Method: a `mayfly serve` of its own (argv: the binary), real time, waits with bounds.
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from server_process import ServerProcess

SERVER = ServerProcess(sys.argv.pop())
SECONDS_MAX = 30


def command_line(*words):
    return ["redis-cli", "-p", str(SERVER.port), *map(str, words)]


def cli(*words, text=None):
    """Its output; its exit code must be 0."""
    run = subprocess.run(command_line(*words), input=text, capture_output=True, text=True,
                         timeout=SECONDS_MAX)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout.rstrip("\n")


def eventually(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


def resp(*words):
    """A command as the protocol writes it."""
    parts = [f"*{len(words)}\r\n"] + [f"${len(word)}\r\n{word}\r\n" for word in words]
    return "".join(parts)


class Listener:
    """A redis-cli that prints events as they happen."""

    def __init__(self, *words):
        # Line buffered: into a pipe it would write whole blocks.
        self.process = subprocess.Popen(["stdbuf", "-oL", *command_line(*words)],
                                        stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def until(self, wanted):
        """Reads lines up to one that holds `wanted`; the test's own time limit bounds it."""
        for line in self.process.stdout:
            if wanted in line:
                return line
        raise AssertionError(f"it ended without {wanted}")


class RedisCli(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        SERVER.start()

    @classmethod
    def tearDownClass(cls):
        assert SERVER.stop() == 0

    def setUp(self):
        cli("FLUSHALL")

    def test_a_session_lives_for_its_ttl(self):
        self.assertEqual(cli("SET", "session", "alice", "PX", 300), "OK")
        self.assertEqual(cli("GET", "session"), "alice")
        self.assertLessEqual(int(cli("PTTL", "session")), 300)
        eventually(lambda: cli("EXISTS", "session") == "0")
        self.assertEqual(cli("DBSIZE"), "0")

    def test_a_lock_admits_one_until_it_dies(self):
        self.assertEqual(cli("SET", "lock", "a", "NX", "PX", 300), "OK")
        self.assertEqual(cli("SET", "lock", "b", "NX", "PX", 300), "")
        eventually(lambda: cli("SET", "lock", "b", "NX", "PX", 60_000) == "OK")

    def test_a_script_from_a_file_limits_a_rate(self):
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
            script.write("local n = redis.call('INCR', KEYS[1])\n"
                         "if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end\n"
                         "return n <= tonumber(ARGV[2]) and 'pass' or 'wait'\n")
            script.flush()
            seen = [cli("--eval", script.name, "rate", ",", 60_000, 2) for _ in range(3)]
        self.assertEqual(seen, ["pass", "pass", "wait"])
        self.assertGreater(int(cli("PTTL", "rate")), 0)

    def test_commands_from_standard_input_come_back_in_order(self):
        commands = "MULTI\nSET a 1\nINCR a\nEXEC\nHSET h f 1\nHPEXPIRE h 60000 FIELDS 1 f\n"
        self.assertEqual(cli(text=commands).split("\n"),
                         ["OK", "QUEUED", "QUEUED", "OK", "2", "1", "1"])

    def test_mass_insertion_takes_everything(self):
        lines = "".join(resp("SET", f"key:{i}", "x", "EX", "1000") for i in range(20_000))
        self.assertIn("errors: 0, replies: 20000", cli("--pipe", text=lines))
        self.assertEqual(cli("DBSIZE"), "20000")

    def test_a_scan_shows_each_key_once(self):
        cli(text="".join(f"SET key:{i} x\n" for i in range(200)) + "SET other x\n")
        keys = cli("--scan", "--pattern", "key:*").split("\n")
        self.assertEqual(sorted(keys), sorted(f"key:{i}" for i in range(200)))

    def test_its_surveys_of_keys(self):
        cli(text="RPUSH list a b c\nSADD set a\nSET string abc\nZADD zset 1 a\nHSET hash f v\n")
        self.assertRegex(cli("--bigkeys"), "Biggest +list found .*list.* has 3 items")
        self.assertIn("1 strings with", cli("--memkeys"))

    def test_its_survey_of_hot_keys(self):
        cli(text="".join(f"SET cold:{i} x\n" for i in range(20)))
        refused = subprocess.run(command_line("--hotkeys"), capture_output=True, text=True,
                                 timeout=SECONDS_MAX)
        self.assertIn("An LFU maxmemory policy is not selected", refused.stdout + refused.stderr)
        cli("CONFIG", "SET", "maxmemory-policy", "allkeys-lfu", "lfu-log-factor", 0)
        self.addCleanup(cli, "CONFIG", "SET", "maxmemory-policy", "noeviction", "lfu-log-factor", 10)
        cli(text="SET hot x\n" + "GET hot\n" * 50)
        self.assertRegex(cli("--hotkeys"), r'hot key found with counter: 5\d\s+keyname: "hot"')

    def test_it_takes_the_data_as_an_rdb_file(self):
        cli(text="SET a 1\nSET b 2 EX 1000\nHSET h f v\nRPUSH l 1 2\nZADD z 1 m\nSADD s x\n")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "dump.rdb"
            cli("--rdb", file)
            check = subprocess.run(["redis-check-rdb", file], capture_output=True, text=True,
                                   timeout=SECONDS_MAX)
        self.assertEqual(check.returncode, 0, check.stdout)
        self.assertIn("RDB looks OK", check.stdout)
        self.assertIn("6 keys read", check.stdout)
        self.assertIn("1 expires", check.stdout)

    def test_a_follower_hears_of_an_eviction_as_of_a_delete(self):
        with Listener("--replica") as follower:
            eventually(lambda: "state=online" in cli("INFO", "replication"))
            cli("SET", "evicted", "v")
            follower.until("evicted")
            self.addCleanup(cli, "CONFIG", "SET", "maxmemory", 0, "maxmemory-policy", "noeviction")
            cli("CONFIG", "SET", "maxmemory-policy", "allkeys-random", "maxmemory", 1)
            self.assertIn('"evicted"', follower.until('"DEL"'))

    def test_there_is_no_cluster_to_check(self):
        run = subprocess.run(["redis-cli", "--cluster", "check", f"127.0.0.1:{SERVER.port}"],
                             capture_output=True, text=True, timeout=SECONDS_MAX)
        self.assertEqual(run.returncode, 1)
        self.assertIn("is not configured as a cluster node", run.stdout + run.stderr)

    def test_its_views_of_latency_and_memory(self):
        cli("CONFIG", "SET", "latency-monitor-threshold", 1)
        self.addCleanup(cli, "CONFIG", "SET", "latency-monitor-threshold", 0)
        cli("LATENCY", "RESET")
        cli("EVAL", "for i = 1, 3000000 do end return 1", 0)
        self.assertIn("command", cli("LATENCY", "LATEST"))
        self.assertTrue(cli("LATENCY", "HISTORY", "command"))
        self.assertIn("all time high", cli("LATENCY", "GRAPH", "command"))
        self.assertIn("command", cli("LATENCY", "DOCTOR"))
        self.assertIn("histogram_usec", cli("LATENCY", "HISTOGRAM", "eval"))
        self.assertGreaterEqual(int(cli("LATENCY", "RESET", "command")), 1)
        cli("CONFIG", "SET", "slowlog-log-slower-than", 0)
        cli("GET", "slow")
        self.assertIn("slow", cli("SLOWLOG", "GET", 5))
        cli("CONFIG", "SET", "slowlog-log-slower-than", 10000)
        self.assertGreaterEqual(int(cli("SLOWLOG", "LEN")), 1)
        self.assertEqual(cli("SLOWLOG", "RESET"), "OK")
        cli("SET", "k", "x" * 1000)
        self.assertGreater(int(cli("MEMORY", "USAGE", "k")), 1000)
        self.assertIn("maxmemory is not set", cli("MEMORY", "DOCTOR"))
        self.assertIn("<malloc", cli("MEMORY", "MALLOC-STATS"))
        self.assertEqual(cli("MEMORY", "PURGE"), "OK")
        self.assertIn("allocator-fragmentation.ratio", cli("MEMORY", "STATS"))
        self.assertEqual(cli("MODULE", "LIST"), "")

    def test_the_parts_of_debug_that_test_suites_use(self):
        self.assertIn("DEBUG command not allowed", cli("DEBUG", "SLEEP", 0))
        with tempfile.TemporaryDirectory() as folder, \
                ServerProcess(SERVER.binary, "--enable-debug-command", "local", folder=folder) as own:

            def ask(*words):
                run = subprocess.run(["redis-cli", "-p", str(own.port), *map(str, words)],
                                     capture_output=True, text=True, timeout=SECONDS_MAX)
                return run.stdout.rstrip("\n")

            for words in (["SLEEP", 0], ["JMAP"], ["RELOAD"], ["LOADAOF"], ["SET-ACTIVE-EXPIRE", 0],
                          ["LOG", "a line"], ["QUICKLIST-PACKED-THRESHOLD", "1K"],
                          ["POPULATE", 100, "p", 10], ["SET-ACTIVE-EXPIRE", 1]):
                self.assertEqual(ask("DEBUG", *words), "OK", words)
            self.assertEqual(ask("DBSIZE"), "100")
            self.assertEqual(ask("STRLEN", "p:7"), "10")
            self.assertRegex(ask("DEBUG", "OBJECT", "p:7"), "Value at:.* encoding:embstr ")
            self.assertEqual(ask("DEBUG", "OBJECT", "none"), "ERR no such key")
            self.assertEqual(ask("DEBUG", "ERROR", "OOPS it failed"), "OOPS it failed")
            self.assertEqual(ask("DEBUG", "STRINGMATCH-LEN", 1000, "*y"), "0")
            for kind, reply in (("integer", "12345"), ("string", "Hello World"), ("true", "1"),
                                ("bignum", "1234567999999999999999999999999999999")):
                self.assertEqual(ask("DEBUG", "PROTOCOL", kind), reply)
            self.assertEqual(ask("-3", "DEBUG", "PROTOCOL", "map").split(),
                             ["0", "(false)", "1", "(true)", "2", "(false)"])
            ask("DEBUG", "SET-ACTIVE-EXPIRE", 0)
            ask("SET", "mortal", "x", "PX", 1)
            eventually(lambda: ask("EXISTS", "mortal") == "0")
            self.assertIn("due_rows", ask("TTL.STATS").replace("-", "_"))
            own.stop()

    def test_resp3_and_formats_of_output(self):
        cli("HSET", "hash", "f", "v")
        self.assertEqual(cli("-3", "--json", "HGETALL", "hash"), '{"f":"v"}')
        self.assertEqual(cli("--csv", "HGETALL", "hash"), '"f","v"')
        self.assertIn('1# "f" => "v"', cli("-3", "--no-raw", "HGETALL", "hash"))

    def test_errors_reach_the_exit_code_when_asked(self):
        run = subprocess.run(command_line("-e", "INCR"), capture_output=True, text=True,
                             timeout=SECONDS_MAX)
        self.assertEqual(run.returncode, 1)
        self.assertIn("wrong number of arguments", run.stdout + run.stderr)

    def test_a_subscriber_hears_of_a_death(self):
        cli("CONFIG", "SET", "notify-keyspace-events", "Ex")
        with Listener("SUBSCRIBE", "__keyevent@0__:expired") as subscriber:
            subscriber.until("subscribe")
            subscriber.until("1")
            cli("SET", "mortal", "x", "PX", 50)
            subscriber.until("mortal")

    def test_a_monitor_sees_commands(self):
        with Listener("MONITOR") as monitor:
            monitor.until("OK")
            cli("SET", "seen", "x")
            self.assertIn('"SET" "seen" "x"', monitor.until("seen"))

    def test_latency_and_statistics_modes_run(self):
        self.assertRegex(cli("--latency", "-i", 1, "--raw", text=""), r"^\d+ \d+ [\d.]+ \d+")
        with Listener("--stat", "-i", "1") as statistics:
            statistics.until("keys")
            statistics.until("(+")  # Requests, and how many more than the line before.


if __name__ == "__main__":
    unittest.main()
