# Goal: a program with AWS' SDK lives through the death of a server: no error that the SDK does not
# repeat by itself, and no acknowledged write is lost. A change of definitions that the dead server had
# begun is completed by another one.
# Method: two servers that own shards by lease, on one store in memory, in one process (argv: the
# binary), real time. Clients of the one that lives write and read back, until some time after the
# other's shards have been taken over.
import concurrent.futures
import pathlib
import sys
import threading
import time
import unittest

import boto3
from botocore.config import Config

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster_process import ClusterProcess

BINARY = sys.argv.pop()
WRITERS = 8
KEYS = 5  # Of each writer.


class Takeover(unittest.TestCase):
    def connect(self, cluster, server):
        """As users have it: ten attempts."""
        client = boto3.client("dynamodb", endpoint_url=f"http://127.0.0.1:{cluster.http_ports[server]}",
                              region_name="any", aws_access_key_id="any",
                              aws_secret_access_key="any", config=Config(max_pool_connections=WRITERS))
        self.addCleanup(client.close)
        return client

    def make(self, client, name):
        client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "p", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}])

    def test_no_acknowledged_write_is_lost(self):
        with ClusterProcess(BINARY, "--on-store") as cluster:
            client = self.connect(cluster, 0)
            self.make(client, "numbers")
            client.get_waiter("table_exists").wait(TableName="numbers", WaiterConfig={"Delay": 1})
            ends = threading.Event()
            pauses = []

            def write(writer):
                number, longest = 0, 0
                while not ends.is_set():
                    number += 1
                    for key in range(KEYS):
                        begin = time.monotonic()
                        name = {"S": f"{writer}:{key}"}
                        client.put_item(TableName="numbers", Item={"p": name,
                                                                   "n": {"N": str(number)}})
                        found = client.get_item(TableName="numbers", Key={"p": name},
                                                ConsistentRead=True)["Item"]
                        self.assertEqual(found["n"]["N"], str(number))
                        longest = max(longest, time.monotonic() - begin)
                pauses.append(longest)
                return number

            with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
                writers = [pool.submit(write, i) for i in range(WRITERS)]
                try:
                    time.sleep(1)
                    killed = time.monotonic()
                    cluster.kill(1)
                    self.make(client, "made_meanwhile")
                    client.get_waiter("table_exists").wait(TableName="made_meanwhile",
                                                           WaiterConfig={"Delay": 1})
                    taken_over = time.monotonic() - killed
                    time.sleep(1)
                finally:
                    ends.set()
                numbers = [writer.result() for writer in writers]
            print(f"a table was made {taken_over:.1f} s after the death; {sum(numbers) * KEYS} "
                  f"writes, the longest pair of requests took {max(pauses):.1f} s", flush=True)
            for writer, number in enumerate(numbers):
                for key in range(KEYS):
                    found = client.get_item(TableName="numbers",
                                            Key={"p": {"S": f"{writer}:{key}"}})["Item"]
                    self.assertEqual(found["n"]["N"], str(number))
            self.assertEqual(client.scan(TableName="numbers")["Count"], WRITERS * KEYS)
            self.assertEqual(client.describe_table(TableName="numbers")["Table"]["ItemCount"],
                             WRITERS * KEYS)

    def test_a_change_that_a_dead_server_had_begun_is_completed(self):
        # The home shard is of one of the two; both orders are tried. With so many shards the change is
        # under way for a while, and without patience CreateTable does not wait for its end.
        for dying in (1, 0):
            with self.subTest(dying=dying), \
                    ClusterProcess(BINARY, "--on-store", "cluster-patience", "0",
                                   shards=256) as cluster:
                client = self.connect(cluster, 1 - dying)
                self.make(self.connect(cluster, dying), "begun")
                described = client.describe_table(TableName="begun")["Table"]
                self.assertEqual(described["TableStatus"], "CREATING")
                cluster.kill(dying)
                client.get_waiter("table_exists").wait(TableName="begun", WaiterConfig={"Delay": 1})
                for i in range(50):
                    client.put_item(TableName="begun", Item={"p": {"S": str(i)}})
                self.assertEqual(client.scan(TableName="begun")["Count"], 50)
                client.delete_table(TableName="begun")
                client.get_waiter("table_not_exists").wait(TableName="begun",
                                                           WaiterConfig={"Delay": 1})
                self.assertEqual(client.list_tables()["TableNames"], [])


if __name__ == "__main__":
    unittest.main()
