# Goal: a promise of a table can be set through both protocols, and is kept: nothing of an item is left in files.
# Method: `mayfly serve` with marked items that die and are deleted; when the promise is due, the server stops and
# `mayfly prove` searches everything it left.
import socket
import subprocess
import sys
import time
import unittest
import urllib.request

from http_home import ServerProcess, ask

MAYFLY = sys.argv.pop()
SERVER = ServerProcess(MAYFLY)
PROMISE_MS = 4000


def redis(line):
    """The reply as the server wrote it."""
    with socket.create_connection(("127.0.0.1", SERVER.port), 30) as connection:
        connection.sendall(line.encode() + b"\r\nQUIT\r\n")
        return connection.makefile("rb").read().decode()[:-len("+OK\r\n")]


def files_with(mark):
    found = []
    for file in (SERVER.folder / "data").rglob("*"):
        try:
            if file.is_file() and mark in file.read_bytes():
                found.append(file.name)
        except FileNotFoundError:
            pass  # Removed in the meantime.
    return found


class TablePromise(unittest.TestCase):
    def done(self, operation, **body):
        status, reply = ask(SERVER.http_port, operation, body)
        self.assertEqual(status, 200, (operation, reply))
        return reply

    def setUp(self):
        SERVER.start()
        self.addCleanup(SERVER.stop)

    def test_is_set_by_command_and_tag_and_leaves_nothing(self):
        self.done("CreateTable", TableName="orders", BillingMode="PAY_PER_REQUEST",
                  AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("id", "city")],
                  KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                  GlobalSecondaryIndexes=[{"IndexName": "by_city", "Projection": {"ProjectionType": "ALL"},
                                           "KeySchema": [{"AttributeName": "city", "KeyType": "HASH"}]}],
                  StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
        self.done("UpdateTimeToLive", TableName="orders",
                  TimeToLiveSpecification={"Enabled": True, "AttributeName": "dies"})
        self.assertIn("none", redis("TTL.POLICY TABLE orders"))
        self.assertIn("at least 4000 ms", redis("TTL.POLICY TABLE orders SET purge-within 3999"))
        self.assertIn("not found", redis("TTL.POLICY TABLE others SET purge-within 5000"))
        self.assertIn("no field 'jitter'", redis("TTL.POLICY TABLE orders SET jitter 1"))
        self.assertEqual(redis("TTL.POLICY TABLE orders SET purge-within 9000"), "+OK\r\n")
        self.assertIn("9000", redis("TTL.POLICY TABLE orders GET"))
        arn = self.done("DescribeTable", TableName="orders")["Table"]["TableArn"]
        self.done("TagResource", ResourceArn=arn, Tags=[{"Key": "mayfly:purge-within", "Value": str(PROMISE_MS)}])
        self.assertIn(str(PROMISE_MS), redis("TTL.POLICY TABLE orders"))
        # Another tag does not touch it.
        self.assertEqual(redis("TTL.POLICY TABLE orders SET purge-within 5000"), "+OK\r\n")
        self.done("TagResource", ResourceArn=arn, Tags=[{"Key": "owner", "Value": "me"}])
        self.assertIn("5000", redis("TTL.POLICY TABLE orders"))
        # The same tag again does: its value is no longer the current one.
        self.done("TagResource", ResourceArn=arn, Tags=[{"Key": "mayfly:purge-within", "Value": str(PROMISE_MS)}])
        self.assertIn(str(PROMISE_MS), redis("TTL.POLICY TABLE orders"))

        dies = time.time() + 1
        for mark, more in (("MARKDEAD", {"dies": {"N": str(dies)}}), ("MARKDELETED", {}), ("MARKALIVE", {})):
            self.done("PutItem", TableName="orders", Item={
                "id": {"S": "key-" + mark}, "city": {"S": "city-" + mark}, "text": {"S": "value-" + mark}, **more})
        self.done("DeleteItem", TableName="orders", Key={"id": {"S": "key-MARKDELETED"}})
        metrics = urllib.request.urlopen(f"http://127.0.0.1:{SERVER.http_port}/metrics").read().decode()
        self.assertIn('keyspace="table.orders.items#', metrics)
        self.assertIn('keyspace="table.orders.index.by_city#', metrics)
        # The tests of tables check the exact time, on a manual clock; this one, that it happens by itself.
        # A compressed table may hide a mark, so nothing is taken for gone before the promise is due.
        end = time.monotonic() + 60
        due = dies + PROMISE_MS / 1000
        while time.time() < due or files_with(b"MARKDEAD") or files_with(b"MARKDELETED"):
            self.assertLess(time.monotonic(), end, files_with(b"MARKDEAD") + files_with(b"MARKDELETED"))
            time.sleep(0.2)
        self.assertEqual(SERVER.stop(), 0)
        for mark, code in (("MARKDEAD", 0), ("MARKDELETED", 0), ("MARKALIVE", 3)):
            proof = subprocess.run([MAYFLY, "prove", SERVER.folder / "data", "--find", mark],
                                   capture_output=True, text=True, timeout=60)
            self.assertEqual(proof.returncode, code, (mark, proof.stdout, proof.stderr))
            self.assertIn("table.orders.index.by_city#", proof.stdout)


if __name__ == "__main__":
    unittest.main()
