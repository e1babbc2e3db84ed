# Goal: top shows what a database does, and ends when asked; bench measures, says what, and cleans up.
# Method: a terminal that presses q, single frames in pipes; bench with few rows.
import signal
import subprocess
import unittest

from cli_home import MAYFLY, CliTest

WORKLOADS = ["put-ttl", "get", "get-missing", "slide", "put-batch", "forecast", "delete"]


class Live(CliTest):
    def setUp(self):
        super().setUp()
        self.server = self.serve()
        self.url = f"redis://127.0.0.1:{self.server.port}"
        self.good("put", self.url, "soon", "v", "--ttl", "1h")
        self.good("put", self.url, "later", "v", "--ttl", "2h")

    def test_top_is_drawn_until_q(self):
        top = self.terminal("top", self.url, "--every", "10ms")
        first = top.wait_for("q ends")
        self.assertRegex(first, r"operations  - per second, \d+ in all, \d+ client")
        self.assertRegex(first, r"rows        2, 2 with a deadline")
        self.assertRegex(first, r"(?s)dies next.*in +59min 5\ds  soon.*in +1h 59min  later")
        self.assertRegex(first, r"set +2 +- +\d+ us +\d+ us")
        second = top.wait_for("q ends")
        self.assertRegex(second, r"operations  \d+ per second")
        top.type("q")
        self.assertEqual(top.finish()[0], 0)

    def test_top_of_a_folder(self):
        code, text = self.terminal("top", self.server.folder / "data", "--once",
                                   "--no-color").finish()
        self.assertEqual(code, 0)
        self.assertNotIn("\x1b", text)
        self.assertNotIn("operations", text)
        self.assertIn("rows        2, 2 with a deadline", text)
        self.assertIn("soon", text)

    def test_top_in_a_pipe(self):
        (frame,) = self.objects("top", self.url, "--once")
        self.assertEqual((frame["rows"], frame["next_key"]), (2, "soon"))
        self.assertGreater(frame["clients"], 0)
        process = subprocess.Popen([MAYFLY, "top", self.url, "--every", "10ms"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=self.environment())
        for _ in range(3):
            self.assertEqual(len(process.stdout.readline().split(b"\t")), 12)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, errors), (130, b"mayfly: interrupted\n"))

    def test_ctrl_c_ends_top(self):
        top = self.terminal("top", self.url, "--every", "10ms")
        top.wait_for("q ends")
        top.type("\x03")
        self.assertEqual(top.finish()[0], 130)

    def test_bench(self):
        for target in ([], [self.url], [self.folder / "db", "--create"]):
            results = self.objects("bench", *target, "--rows", "200")
            self.assertEqual([one["workload"] for one in results], WORKLOADS)
            for one in results:
                self.assertGreater(one["per_second"], 0)
                self.assertLessEqual(one["p50_us"], one["p99_us"])
        self.assertEqual(self.good("count", self.url), "2\n")
        self.assertEqual(self.good("count", self.folder / "db"), "0\n")

    def test_an_interrupted_bench_leaves_no_rows(self):
        process = self.start("bench", self.url, "--rows", "1000000")
        while self.good("count", self.url) == "2\n":
            self.assertIsNone(process.poll())
        self.interrupt(process)
        self.assertEqual(self.good("count", self.url), "2\n")
        process = self.start("bench", self.folder / "db", "--rows", "1000000", "--create")
        while not (self.folder / "db" / "CURRENT").exists():
            self.assertIsNone(process.poll())
        self.interrupt(process)
        self.assertFalse((self.folder / "db").exists())

    def test_bench_says_what_it_measured(self):
        code, text = self.terminal("bench", self.url, "--rows", "50", "--no-color").finish()
        self.assertEqual(code, 0)
        self.assertIn("put-ttl  [", text)
        self.assertIn(f"Measured on {self.url}/0: one client", text)
        self.assertIn("Not measured: several clients", text)

    def test_wrong_use(self):
        self.bad(2, "bench", "--rows", "0")
        self.bad(2, "top")
        self.bad(2, "top", self.url, "--every", "0s")
        self.bad(1, "top", self.folder / "nowhere")
        self.bad(1, "bench", self.folder / "nowhere")
        self.good("put", self.url, "mayfly-bench:1", "v")
        self.assertIn("delete them first", self.bad(1, "bench", self.url))


if __name__ == "__main__":
    unittest.main()
