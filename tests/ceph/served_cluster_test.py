# Goal: servers started by `mayfly serve --cluster` share one database on Ceph: what one has acknowledged
# the others have, with its deadline, also when servers come, leave, die, or stand still and go on.
# Method: a Ceph of three OSDs by scripts/cephlab, the shipped executable, and plain and cluster clients.
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import boto3

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
import redis
from redis.cluster import ClusterNode, RedisCluster
from server_process import ServerProcess

CEPHLAB, MAYFLY = sys.argv[1:3]
del sys.argv[1:3]

SHARDS = 16
KEYS = 300
PATIENCE_SECONDS = 60


def wait_until(holds):
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return holds()


def lab(*arguments):
    run = subprocess.run([CEPHLAB, *arguments], capture_output=True, text=True,
                         env={**os.environ, "CEPHLAB_STORE": "memstore"})
    if run.returncode != 0:
        sys.exit(f"scripts/cephlab {arguments[0]} failed:\n{run.stdout}{run.stderr}")


class ServedCluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.lab = str(pathlib.Path(cls.folder.name) / "ceph")
        lab("up", cls.lab)
        cls.addClassCleanup(lab, "remove", cls.lab)

    def setUp(self):
        self.name = self._testMethodName.replace("test_", "")[:40]
        self.last = 0

    def server(self, redirect="never"):
        """Forwards commands of all clients, if nothing else is said: this test asks for the map on their connections."""
        self.last += 1
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server = ServerProcess(MAYFLY, "--cluster", f"{self.lab}/ceph.conf", "--cluster-name", self.name,
                               "--cluster-server", self.last, "--cluster-shards", SHARDS, "--threads", 2,
                               "--cluster-redirect", redirect,
                               folder=folder.name)
        server.start()
        self.addCleanup(server.stop)
        return server

    def client(self, server):
        client = redis.Redis(port=server.port, decode_responses=True, socket_timeout=30)
        self.addCleanup(client.close)
        return client

    def owned(self, server):
        """Shards of each server, by port, as this one sees it; none for a slot without an owner."""
        try:
            slots = self.client(server).execute_command("CLUSTER SLOTS")
        except redis.RedisError:
            return {}
        sizes = {}
        for first, last, (_, port, *_) in slots:
            sizes[port] = sizes.get(port, 0) + (last - first + 1) * SHARDS // 16384
        return sizes

    def await_shares(self, *servers):
        share = SHARDS // len(servers)
        wanted = {server.port: share for server in servers}
        self.assertTrue(wait_until(lambda: all(self.owned(server) == wanted for server in servers)),
                        [self.owned(server) for server in servers])

    def fill(self, client):
        for i in range(KEYS):
            client.set(f"key:{i}", i, ex=3600)
        return {f"key:{i}": client.execute_command("PEXPIRETIME", f"key:{i}") for i in range(KEYS)}

    def check(self, client, deadlines):
        for i, (key, deadline) in enumerate(deadlines.items()):
            self.assertEqual(client.get(key), str(i))
            self.assertEqual(client.execute_command("PEXPIRETIME", key), deadline)

    def test_two_servers_share_one_database(self):
        first = self.server()
        one = self.client(first)
        self.await_shares(first)
        deadlines = self.fill(one)
        second = self.server()
        self.await_shares(first, second)
        two = self.client(second)
        self.check(one, deadlines)
        self.check(two, deadlines)
        self.assertEqual((one.dbsize(), two.dbsize()), (KEYS, KEYS))
        self.assertEqual(sorted(two.scan_iter(count=50)), sorted(deadlines))
        two.set("short", "x", px=200)
        self.assertTrue(wait_until(lambda: one.exists("short") == 0))
        with self.assertRaisesRegex(redis.ResponseError, "CROSSSLOT|same slot"):
            one.execute_command("MGET", "a", "b")

    def test_a_server_that_stops_leaves_nothing_behind(self):
        first, second = self.server(), self.server()
        self.await_shares(first, second)
        deadlines = self.fill(self.client(first))
        self.assertEqual(first.stop(), 0)
        self.await_shares(second)
        self.check(self.client(second), deadlines)

    def test_what_a_killed_server_acknowledged_is_there(self):
        first, second = self.server(), self.server()
        self.await_shares(first, second)
        deadlines = self.fill(self.client(first))
        killed = time.monotonic()
        first.kill()
        self.await_shares(second)
        print(f"the shards of a killed server were taken over after {time.monotonic() - killed:.1f} s")
        self.check(self.client(second), deadlines)

    def test_a_server_that_stood_still_shows_what_others_wrote(self):
        first, second = self.server(), self.server()
        self.await_shares(first, second)
        one, two = self.client(first), self.client(second)
        deadlines = self.fill(one)
        first.process.send_signal(signal.SIGSTOP)
        try:
            self.assertTrue(wait_until(lambda: self.owned(second) == {second.port: SHARDS}))
            for key in deadlines:
                two.set(key, "new")
        finally:
            first.process.send_signal(signal.SIGCONT)
        for key in deadlines:
            self.assertEqual(one.get(key), "new")
        self.await_shares(first, second)
        for key in deadlines:
            self.assertEqual(one.get(key), "new")

    def test_a_cluster_client_goes_on_when_servers_come_and_go(self):
        first, second = self.server("always"), self.server("always")
        self.await_shares(first, second)
        nodes = [ClusterNode("127.0.0.1", server.port) for server in (first, second)]
        cluster = RedisCluster(startup_nodes=nodes, decode_responses=True, cluster_error_retry_attempts=30)
        self.addCleanup(cluster.close)
        for i in range(KEYS):
            cluster.set(f"a{i}", i)
        third = self.server("always")
        for i in range(KEYS):
            cluster.set(f"b{i}", i)
        self.assertTrue(wait_until(lambda: len(self.owned(third)) == 3))
        self.assertEqual(first.stop(), 0)
        for i in range(KEYS):
            self.assertEqual(cluster.get(f"a{i}"), str(i))
            self.assertEqual(cluster.get(f"b{i}"), str(i))

    def test_a_number_that_is_in_use_is_refused(self):
        first = self.server()
        self.await_shares(first)
        deadlines = self.fill(self.client(first))
        run = subprocess.run([MAYFLY, "serve", "--port", "0", "--http-port", "-1", "--cluster",
                              f"{self.lab}/ceph.conf", "--cluster-name", self.name, "--cluster-server", "1"],
                             capture_output=True, text=True, timeout=120)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("has the number 1 of this one", run.stderr)
        self.check(self.client(first), deadlines)
        self.await_shares(first)

    def test_servers_compare_their_clocks(self):
        first, second = self.server(), self.server()
        self.await_shares(first, second)
        for server in (first, second):
            client = self.client(server)
            self.assertTrue(wait_until(lambda: client.info("cluster")["mayfly_clocks"] == "agree"),
                            client.info("cluster"))
            self.assertEqual(client.info("cluster")["mayfly_clocks_known"], 1)
            client.set("short:" + str(server.port), "x", px=100)
        self.assertTrue(wait_until(lambda: self.client(first).info("stats")["expired_keys"]
                                   + self.client(second).info("stats")["expired_keys"] == 2))

    def test_a_server_answers_and_stops_while_ceph_is_silent(self):
        server = self.server()
        self.await_shares(server)
        client = self.client(server)
        for i in range(4):  # In shards of their own: one that waits for another's key holds its thread.
            client.set(f"key{i}", 1)
        osds = [int(pid.read_text()) for pid in pathlib.Path(self.lab).rglob("osd.*.pid")]
        self.assertEqual(len(osds), 3)
        for osd in osds:
            os.kill(osd, signal.SIGSTOP)
        try:
            writers = [redis.Redis(port=server.port, socket_timeout=300) for _ in range(4)]
            for i, writer in enumerate(writers):
                self.addCleanup(writer.close)
                connection = writer.connection_pool.get_connection("INCR")
                connection.send_command("INCR", f"key{i}")
            begin = time.monotonic()
            self.assertTrue(wait_until(
                lambda: self.client(server).execute_command("CLUSTER INFO")["cluster_state"] == "fail"))
            self.assertTrue(client.ping())
            print(f"the state was fail, and PING answered, {time.monotonic() - begin:.1f} s after Ceph fell silent")
            begin = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            server.process.wait(timeout=100)
            print(f"the server ended {time.monotonic() - begin:.1f} s after SIGTERM")
        finally:
            for osd in osds:
                os.kill(osd, signal.SIGCONT)

    def tables(self, server):
        """As programs have it: ten attempts."""
        client = boto3.client("dynamodb", endpoint_url=f"http://127.0.0.1:{server.http_port}",
                              region_name="any", aws_access_key_id="any", aws_secret_access_key="any")
        self.addCleanup(client.close)
        return client

    def make_table(self, client, name, key="p"):
        client.create_table(
            TableName=name, BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"},
                                  {"AttributeName": "writer", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": key, "KeyType": "HASH"}],
            GlobalSecondaryIndexes=[{"IndexName": "by_writer", "Projection": {"ProjectionType": "ALL"},
                                     "KeySchema": [{"AttributeName": "writer", "KeyType": "HASH"}]}])
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})

    def test_a_program_with_awss_sdk_lives_through_the_death_of_a_server(self):
        writers, keys = 4, 5
        first, second = self.server(), self.server()
        self.await_shares(first, second)
        client = self.tables(second)
        self.make_table(self.tables(first), "numbers")
        ends = threading.Event()
        longest = [0.0] * writers

        def write(writer):
            number = 0
            while not ends.is_set():
                number += 1
                for key in range(keys):
                    begin = time.monotonic()
                    name = {"S": f"{writer}:{key}"}
                    client.put_item(TableName="numbers", Item={
                        "p": name, "writer": {"S": str(writer)}, "n": {"N": str(number)}})
                    found = client.get_item(TableName="numbers", Key={"p": name}, ConsistentRead=True)
                    self.assertEqual(found["Item"]["n"]["N"], str(number))
                    longest[writer] = max(longest[writer], time.monotonic() - begin)
            return number

        with concurrent.futures.ThreadPoolExecutor(writers) as pool:
            running = [pool.submit(write, writer) for writer in range(writers)]
            try:
                time.sleep(1)
                first.kill()
                self.await_shares(second)
                time.sleep(1)
            finally:
                ends.set()
            numbers = [one.result() for one in running]
        print(f"{sum(numbers) * keys} writes; the longest pair of requests took {max(longest):.1f} s")
        for writer, number in enumerate(numbers):
            found = client.query(TableName="numbers", IndexName="by_writer",
                                 KeyConditionExpression="writer = :w",
                                 ExpressionAttributeValues={":w": {"S": str(writer)}})["Items"]
            self.assertEqual([item["n"]["N"] for item in found], [str(number)] * keys)
        self.assertEqual(client.scan(TableName="numbers")["Count"], writers * keys)

    def test_a_server_that_stood_still_knows_a_table_that_was_made_again(self):
        first, second = self.server(), self.server()
        self.await_shares(first, second)
        one, two = self.tables(first), self.tables(second)
        self.make_table(one, "again")
        for i in range(20):
            one.put_item(TableName="again", Item={"p": {"S": f"old{i}"}, "q": {"S": f"old{i}"}})
        first.process.send_signal(signal.SIGSTOP)
        try:
            self.assertTrue(wait_until(lambda: self.owned(second) == {second.port: SHARDS}))
            two.delete_table(TableName="again")
            two.get_waiter("table_not_exists").wait(TableName="again", WaiterConfig={"Delay": 1})
            self.make_table(two, "again", key="q")
        finally:
            first.process.send_signal(signal.SIGCONT)
        for i in range(20):
            item = {"p": {"S": f"a{i}"}, "q": {"S": f"b{i}"}}
            one.put_item(TableName="again", Item=item)
            self.assertEqual(two.get_item(TableName="again", Key={"q": item["q"]})["Item"], item)
        self.await_shares(first, second)
        for client in (one, two):
            self.assertEqual(client.scan(TableName="again")["Count"], 20)

    def test_bad_settings_are_refused_by_name(self):
        def refused(*flags):
            run = subprocess.run([MAYFLY, "serve", "--port", "0", "--http-port", "-1", *flags],
                                 capture_output=True, text=True, timeout=120)
            self.assertNotEqual(run.returncode, 0)
            return run.stderr
        conf = f"{self.lab}/ceph.conf"
        self.assertIn("cluster-server", refused("--cluster", conf))
        self.assertIn("nowhere", refused("--cluster", conf, "--cluster-server", "1", "--cluster-pool", "nowhere"))
        self.assertIn("/missing.conf", refused("--cluster", "/missing.conf", "--cluster-server", "1"))
        self.assertIn("power", refused("--cluster", conf, "--cluster-server", "1", "--cluster-shards", "3",
                                       "--cluster-name", "three"))


if __name__ == "__main__":
    unittest.main()
