# Goal: Prometheus takes /metrics without a warning, and alerts and dashboard ask for what is there.
# Method: a server with a bit of everything is scraped; Debian's promtool checks the page and the alerts.
#   promtool_test.py PROMTOOL MAYFLY
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "redis"))
from server_process import ServerProcess

MONITORING = ROOT / "packaging" / "monitoring"
SERVER = ServerProcess(sys.argv.pop())
PROMTOOL = sys.argv.pop()
WORDS = {"by", "sum", "rate", "increase", "and", "on", "max", "le", "instance", "family", "keyspace", "state",
         "command", "operation", "histogram_quantile", "or", "without", "topk", "up", "job", "mayfly"}


def setUpModule():
    SERVER.start()
    client = socket.create_connection(("127.0.0.1", SERVER.port), timeout=30)
    for line in ("SET a 1 EX 100", "GET a", "HSET h f v", "NONSENSE", "TTL.POLICY SET PURGE-WITHIN 1000000", "PING"):
        client.sendall(line.encode() + b"\r\n")
        client.recv(10000)
    client.close()
    for target in ("DynamoDB_20120810.ListTables", "DynamoDB_20120810.DescribeTable", "Made.Up"):
        request = urllib.request.Request(f"http://127.0.0.1:{SERVER.http_port}/", data=b"{}",
                                         headers={"X-Amz-Target": target})
        try:
            urllib.request.urlopen(request, timeout=30).close()
        except urllib.error.HTTPError as error:
            error.close()


def tearDownModule():
    assert SERVER.stop() == 0


def promtool(*arguments, **options):
    done = subprocess.run([PROMTOOL, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60, **options)
    return done.returncode, done.stdout


def scrape():
    with urllib.request.urlopen(f"http://127.0.0.1:{SERVER.http_port}/metrics", timeout=30) as page:
        return page.read().decode()


def series(expression):
    """The names of metrics in an expression: what is no function, label or text."""
    bare = re.sub(r'"[^"]*"|\{[^}]*\}|\[[^\]]*\]', " ", expression)
    return {name for name in re.findall(r"[a-z_]\w*", bare) if name not in WORDS}


class Monitoring(unittest.TestCase):
    def test_the_page_of_metrics_has_no_fault(self):
        page = scrape()
        self.assertEqual(promtool("check", "metrics", input=page), (0, ""), page)

    def test_a_fault_would_be_found(self):
        code, said = promtool("check", "metrics", input="# TYPE a_ms counter\na_ms 1\n")
        self.assertNotEqual(code, 0, said)

    def test_the_page_tells_of_what_operators_ask(self):
        page = scrape()
        for name in ('mayfly_command_duration_seconds_count{family="string"}', "mayfly_purge_lag_seconds{",
                     "mayfly_purge_backlog_rows{", 'mayfly_clock_state{state="ok"} 1',
                     'mayfly_promise_overdue_seconds{keyspace="db0"} 0', "process_cpu_seconds_total ",
                     'mayfly_dynamodb_request_duration_seconds_count{operation="ListTables"} 1',
                     'mayfly_dynamodb_requests_failed_total{operation="ListTables"} 0',
                     'mayfly_dynamodb_requests_failed_total{operation="DescribeTable"} 1',
                     'mayfly_dynamodb_requests_failed_total{operation="none"} 1'):
            self.assertIn("\n" + name, page)
        self.assertNotIn("Made", page)  # A stranger cannot make names.

    def test_alerts_are_rules(self):
        code, said = promtool("check", "rules", "--lint=all", "--lint-fatal", MONITORING / "mayfly.rules.yml")
        self.assertEqual(code, 0, said)

    def test_alerts_fire_when_they_should(self):
        with tempfile.TemporaryDirectory() as folder:  # promtool looks for the rules beside the test.
            shutil.copy(MONITORING / "mayfly.rules.yml", folder)
            shutil.copy(HERE / "alerts_test.yml", folder)
            code, said = promtool("test", "rules", pathlib.Path(folder) / "alerts_test.yml")
        self.assertEqual(code, 0, said)

    def test_alerts_and_dashboard_name_metrics_that_exist(self):
        types = dict(re.findall(r"^# TYPE (\S+) (\S+)", scrape(), re.MULTILINE))
        known = set(types)
        for name, kind in types.items():
            if kind == "histogram":
                known |= {f"{name}_bucket", f"{name}_sum", f"{name}_count"}
        rules = (MONITORING / "mayfly.rules.yml").read_text()
        expressions = re.findall(r"expr: (?:>-\n)?((?:.+\n?)+?)(?=\s+(?:for|labels):)", rules)
        self.assertEqual(len(expressions), rules.count("- alert:"))
        dashboard = json.loads((MONITORING / "grafana-dashboard.json").read_text())
        targets = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
        self.assertGreater(len(targets), 10)
        for expression in expressions + targets:
            self.assertEqual(series(expression) - known, set(), expression)
            self.assertTrue(series(expression) or "up{" in expression, expression)


if __name__ == "__main__":
    unittest.main()
