# Goal: programs written for boto3 run unchanged on a cluster, on any of its servers, while shards move:
# no error, no lost write, nothing twice; what a cluster does not offer is refused by name.
# Method: two servers in one process (argv: the binary), real time; clients of both.
import concurrent.futures
import json
import pathlib
import socket
import sys
import time
import unittest
from decimal import Decimal

import boto3
import botocore.exceptions
from boto3.dynamodb.conditions import Attr, Key
from botocore.config import Config
from redis.crc import key_slot

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster_process import SHARDS, ClusterProcess

BINARY = sys.argv.pop()
ITEMS = 200


def connect(kind, port, attempts=1):
    """Without retries, unless a test is about them: an unexpected error must show."""
    return kind("dynamodb", endpoint_url=f"http://127.0.0.1:{port}", region_name="any",
                aws_access_key_id="any", aws_secret_access_key="any",
                config=Config(retries={"max_attempts": attempts, "mode": "standard"},
                              max_pool_connections=20))


def pipelined(port, asked):
    """The replies to requests that are sent together on one connection; none may be refused."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        for operation, body in asked:
            own = operation in ("SetTTL", "GetTTL", "RemoveTTL")
            prefix = "Mayfly_20261101" if own else "DynamoDB_20120810"
            text = json.dumps(body)
            connection.sendall(f"POST / HTTP/1.1\r\nHost: x\r\nX-Amz-Target: {prefix}.{operation}\r\n"
                               f"Content-Length: {len(text)}\r\n\r\n{text}".encode())
        replies = []
        with connection.makefile("rb") as arriving:
            for operation, _ in asked:
                status = arriving.readline()
                length = 0
                while (line := arriving.readline()) != b"\r\n":
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                reply = arriving.read(length)
                assert b" 200 " in status, (operation, status, reply)
                replies.append(json.loads(reply))
        return replies


class Case(unittest.TestCase):
    shards = SHARDS
    settings = ()

    def setUp(self):
        self.cluster = ClusterProcess(BINARY, *self.settings, shards=self.shards)
        self.cluster.__enter__()
        self.addCleanup(self.cluster.__exit__)
        self.clients = [connect(boto3.client, port) for port in self.cluster.http_ports]
        self.resources = [connect(boto3.resource, port) for port in self.cluster.http_ports]
        for client in self.clients + [resource.meta.client for resource in self.resources]:
            self.addCleanup(client.close)

    def make(self, name="items", sort="N", **more):
        definitions = [{"AttributeName": "p", "AttributeType": "S"}]
        schema = [{"AttributeName": "p", "KeyType": "HASH"}]
        if sort:
            definitions.append({"AttributeName": "s", "AttributeType": sort})
            schema.append({"AttributeName": "s", "KeyType": "RANGE"})
        definitions += more.pop("AttributeDefinitions", [])
        made = self.clients[0].create_table(TableName=name, AttributeDefinitions=definitions,
                                            KeySchema=schema, BillingMode="PAY_PER_REQUEST", **more)
        if not self.settings:
            self.assertEqual(made["TableDescription"]["TableStatus"], "ACTIVE")
        return [resource.Table(name) for resource in self.resources]

    def settle(self, name):
        while self.clients[1].describe_table(TableName=name)["Table"]["TableStatus"] != "ACTIVE":
            time.sleep(0.01)

    def refused(self, text, call, *args, code="ValidationException", **kwargs):
        with self.assertRaises(botocore.exceptions.ClientError) as caught:
            call(*args, **kwargs)
        error = caught.exception.response["Error"]
        self.assertEqual(error["Code"], code, error)
        self.assertIn(text, error["Message"])


class Definitions(Case):
    def test_a_table_from_its_making_to_its_end_on_both_servers(self):
        self.make("orders", Tags=[{"Key": "team", "Value": "a"}])
        for client in self.clients:
            self.assertEqual(client.list_tables()["TableNames"], ["orders"])
            described = client.describe_table(TableName="orders")["Table"]
            self.assertEqual((described["TableStatus"], described["ItemCount"]), ("ACTIVE", 0))
            self.assertEqual(client.list_tags_of_resource(ResourceArn=described["TableArn"])["Tags"],
                             [{"Key": "team", "Value": "a"}])
        ids = {c.describe_table(TableName="orders")["Table"]["TableId"] for c in self.clients}
        self.assertEqual(len(ids), 1)
        self.refused("Table already exists: orders", self.make, "orders",
                     code="ResourceInUseException")
        self.clients[1].delete_table(TableName="orders")
        self.clients[0].get_waiter("table_not_exists").wait(TableName="orders",
                                                            WaiterConfig={"Delay": 1})
        for client in self.clients:
            self.refused("", client.describe_table, TableName="orders",
                         code="ResourceNotFoundException")
            self.refused("", client.get_item, TableName="orders", Key={"p": {"S": "a"}},
                         code="ResourceNotFoundException")

    def test_two_servers_that_make_the_same_table_make_one(self):
        def make(number):
            try:
                self.clients[number % 2].create_table(
                    TableName="same", BillingMode="PAY_PER_REQUEST",
                    AttributeDefinitions=[{"AttributeName": f"p{number}", "AttributeType": "S"}],
                    KeySchema=[{"AttributeName": f"p{number}", "KeyType": "HASH"}])
                self.assertEqual(self.clients[0].scan(TableName="same")["Count"], 0)
                return number
            except botocore.exceptions.ClientError as error:
                self.assertEqual(error.response["Error"]["Code"], "ResourceInUseException")
                return None
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            made = [number for number in pool.map(make, range(8)) if number is not None]
        self.assertEqual(len(made), 1)
        self.settle("same")
        for client in self.clients:
            schema = client.describe_table(TableName="same")["Table"]["KeySchema"]
            self.assertEqual(schema[0]["AttributeName"], f"p{made[0]}")
            for i in range(40):
                client.put_item(TableName="same", Item={f"p{made[0]}": {"S": f"x{i}"}})
        self.assertEqual(self.clients[0].scan(TableName="same")["Count"], 40)

    def test_a_table_that_is_made_again_with_another_key_is_found_by_it(self):
        for key in ("p", "q", "r"):
            self.clients[0].create_table(
                TableName="again", BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"}],
                KeySchema=[{"AttributeName": key, "KeyType": "HASH"}])
            self.settle("again")
            for i in range(20):
                item = {name: {"S": f"{i}{name}"} for name in ("p", "q", "r")}
                self.clients[1].put_item(TableName="again", Item=item)
                self.assertEqual(self.clients[0].get_item(
                    TableName="again", Key={key: {"S": f"{i}{key}"}})["Item"], item)
            self.assertEqual(self.clients[1].scan(TableName="again")["Count"], 20)
            self.clients[0].delete_table(TableName="again")
            self.clients[1].get_waiter("table_not_exists").wait(TableName="again",
                                                                WaiterConfig={"Delay": 1})

    def test_definitions_change_while_shards_move(self):
        self.cluster.keep_moving()
        for i in range(12):
            tables = self.make(f"table{i}")
            tables[0].put_item(Item={"p": "a", "s": i})
            self.assertEqual(tables[1].scan(ConsistentRead=True)["Count"], 1)
            if i % 2:
                self.clients[i % 2].delete_table(TableName=f"table{i}")
        self.cluster.rest()
        self.assertGreater(self.cluster.moves, 0)
        for client in self.clients:
            self.assertEqual(client.list_tables()["TableNames"],
                             sorted(f"table{i}" for i in range(0, 12, 2)))

    def test_what_is_not_offered_is_refused_by_name(self):
        self.refused("StreamSpecification is not offered on a cluster", self.make, "one",
                     StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
        self.refused("mayfly:ttl-mode is not offered", self.make, "one",
                     Tags=[{"Key": "mayfly:ttl-mode", "Value": "until-swept"}])
        self.assertEqual(self.clients[0].list_tables()["TableNames"], [])
        self.make("one")
        self.refused("ExecuteStatement is not offered on a cluster",
                     self.clients[1].execute_statement, Statement='SELECT * FROM "one"')
        streams = boto3.client("dynamodbstreams", region_name="any", aws_access_key_id="any",
                               aws_secret_access_key="any",
                               endpoint_url=f"http://127.0.0.1:{self.cluster.http_ports[0]}")
        self.addCleanup(streams.close)
        self.refused("ListStreams is not offered on a cluster", streams.list_streams)


class Items(Case):
    def fill(self, tables):
        for i in range(ITEMS):
            tables[i % 2].put_item(Item={"p": f"part{i % 50}", "s": i, "even": i % 2 == 0})

    def test_each_server_serves_every_item(self):
        tables = self.make()
        self.fill(tables)
        for i in range(ITEMS):
            key = {"p": f"part{i % 50}", "s": i}
            for table in tables:
                self.assertEqual(table.get_item(Key=key)["Item"], {**key, "even": i % 2 == 0})
        updated = tables[1].update_item(Key={"p": "part0", "s": 0}, UpdateExpression="ADD n :one",
                                        ExpressionAttributeValues={":one": 1},
                                        ReturnValues="ALL_NEW")
        self.assertEqual(updated["Attributes"]["n"], 1)
        self.refused("The conditional request failed", tables[0].put_item,
                     Item={"p": "part0", "s": 0}, ConditionExpression=Attr("p").not_exists(),
                     code="ConditionalCheckFailedException")
        for table in tables:
            table.delete_item(Key={"p": "part1", "s": 1})
            self.assertNotIn("Item", table.get_item(Key={"p": "part1", "s": 1}))
        counts = [c.describe_table(TableName="items")["Table"]["ItemCount"] for c in self.clients]
        self.assertEqual(counts, [ITEMS - 1, ITEMS - 1])

    def test_wrong_requests_are_refused_as_by_a_server_alone(self):
        table = self.make()[0]
        self.refused("Missing the key p in the item", table.put_item, Item={"s": 1})
        self.refused("Type mismatch for key", table.put_item, Item={"p": 1, "s": 1})
        self.refused("The provided key element does not match the schema", table.get_item,
                     Key={"p": "a"})
        self.refused("", self.clients[0].get_item, TableName="none", Key={"p": {"S": "a"}},
                     code="ResourceNotFoundException")
        self.refused("Query condition missed key schema element: p", table.query,
                     KeyConditionExpression=Key("q").eq("a"))
        self.refused("The table does not have the specified index", table.query, IndexName="none",
                     KeyConditionExpression=Key("p").eq("a"))

    def test_queries_read_their_partition_by_pages(self):
        tables = self.make(LocalSecondaryIndexes=[{
            "IndexName": "by_rank", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"},
                          {"AttributeName": "rank", "KeyType": "RANGE"}]}],
            AttributeDefinitions=[{"AttributeName": "rank", "AttributeType": "N"}])
        for partition in range(10):
            for i in range(10):
                tables[i % 2].put_item(Item={"p": f"part{partition}", "s": i, "rank": 10 - i})
        for partition in range(10):
            seen, start = [], {}
            for page in range(10):
                reply = tables[page % 2].query(KeyConditionExpression=Key("p").eq(f"part{partition}"),
                                               Limit=3, **start)
                seen += [int(item["s"]) for item in reply["Items"]]
                if "LastEvaluatedKey" not in reply:
                    break
                start = {"ExclusiveStartKey": reply["LastEvaluatedKey"]}
            self.assertEqual(seen, list(range(10)))
            by_rank = tables[1].query(IndexName="by_rank", ScanIndexForward=False,
                                      KeyConditionExpression=Key("p").eq(f"part{partition}")
                                      & Key("rank").gt(5))
            self.assertEqual([int(item["rank"]) for item in by_rank["Items"]], [10, 9, 8, 7, 6])
            old = tables[0].query(KeyConditions={"p": {
                "AttributeValueList": [f"part{partition}"], "ComparisonOperator": "EQ"}})
            self.assertEqual(old["Count"], 10)

    def test_scans_find_everything_once_on_any_server(self):
        tables = self.make()
        self.fill(tables)
        for limit in ({}, {"Limit": 1}, {"Limit": 7}, {"Limit": ITEMS}):
            for more in ({}, {"FilterExpression": Attr("even").eq(True)}):
                seen, scanned, start, page = [], 0, {}, 0
                while True:
                    reply = tables[page % 2].scan(**limit, **more, **start)
                    self.assertLessEqual(reply["ScannedCount"], limit.get("Limit", ITEMS))
                    self.assertNotIn("ConsumedCapacity", reply)
                    seen += [int(item["s"]) for item in reply["Items"]]
                    scanned += reply["ScannedCount"]
                    page += 1
                    if "LastEvaluatedKey" not in reply:
                        break
                    self.assertEqual(set(reply["LastEvaluatedKey"]), {"p", "s"})
                    start = {"ExclusiveStartKey": reply["LastEvaluatedKey"]}
                self.assertEqual(scanned, ITEMS)
                self.assertEqual(sorted(seen), list(range(0, ITEMS, 2 if more else 1)))
        count = tables[0].scan(Select="COUNT", ReturnConsumedCapacity="TOTAL")
        self.assertEqual((count["Count"], count["ConsumedCapacity"]["TableName"]), (ITEMS, "items"))
        self.assertNotIn("Items", count)

    def test_parallel_scans_share_the_table_out(self):
        tables = self.make()
        self.fill(tables)
        seen = []
        for segment in range(5):
            start = {}
            while True:
                reply = tables[segment % 2].scan(Segment=segment, TotalSegments=5, Limit=9, **start)
                seen += [int(item["s"]) for item in reply["Items"]]
                if "LastEvaluatedKey" not in reply:
                    break
                start = {"ExclusiveStartKey": reply["LastEvaluatedKey"]}
        self.assertEqual(sorted(seen), list(range(ITEMS)))

    def test_large_tables_are_scanned_in_pages_of_bounded_size(self):
        tables = self.make()
        with tables[0].batch_writer() as batch:
            for i in range(100):
                batch.put_item(Item={"p": f"large{i}", "s": i, "text": "x" * 100_000})
        seen, pages, start = [], 0, {}
        while True:
            reply = tables[pages % 2].scan(**start)
            size = sum(len(item["text"]) for item in reply["Items"])
            self.assertLess(size, 1_700_000)
            seen += [int(item["s"]) for item in reply["Items"]]
            pages += 1
            if "LastEvaluatedKey" not in reply:
                break
            start = {"ExclusiveStartKey": reply["LastEvaluatedKey"]}
        self.assertEqual(sorted(seen), list(range(100)))
        self.assertGreaterEqual(pages, 7)

    def test_batches_are_split_and_joined(self):
        tables = self.make()
        others = self.make("others", sort=None)
        with tables[1].batch_writer() as batch:
            for i in range(ITEMS):
                batch.put_item(Item={"p": f"part{i}", "s": i})
        others[0].put_item(Item={"p": "x"})
        asked = {"items": {"Keys": [{"p": f"part{i}", "s": i} for i in range(60)],
                           "ProjectionExpression": "s"}, "others": {"Keys": [{"p": "x"}]}}
        for resource in self.resources:
            reply = resource.batch_get_item(RequestItems=asked, ReturnConsumedCapacity="TOTAL")
            self.assertEqual(sorted(int(item["s"]) for item in reply["Responses"]["items"]),
                             list(range(60)))
            self.assertEqual(reply["Responses"]["others"], [{"p": "x"}])
            self.assertEqual(reply["UnprocessedKeys"], {})
            units = {one["TableName"]: one["CapacityUnits"] for one in reply["ConsumedCapacity"]}
            self.assertEqual(units, {"items": 30, "others": 0.5})
        put = {"PutRequest": {"Item": {"p": "x", "s": 1}}}
        self.refused("Too many items requested", self.resources[0].batch_get_item, RequestItems={
            "items": {"Keys": [{"p": str(i), "s": i} for i in range(60)]},
            "others": {"Keys": [{"p": str(i)} for i in range(60)]}})
        self.refused("duplicates", self.resources[1].batch_write_item,
                     RequestItems={"items": [put, put]})

    def test_a_large_batch_is_read_in_parts(self):
        table = self.make(sort=None)[0]
        keys = [{"p": f"large{i}"} for i in range(50)]
        for key in keys:
            table.put_item(Item={**key, "text": "x" * 390_000})
        seen, left, calls = [], {"items": {"Keys": keys, "ConsistentRead": True}}, 0
        while left:
            reply = self.resources[calls % 2].batch_get_item(RequestItems=left)
            self.assertLess(sum(len(one["text"]) for one in reply["Responses"]["items"]), 16 << 20)
            seen += [one["p"] for one in reply["Responses"]["items"]]
            left, calls = reply["UnprocessedKeys"], calls + 1
        self.assertEqual(sorted(seen), sorted(key["p"] for key in keys))
        self.assertGreater(calls, 1)

    def test_transactions_work_within_a_slot(self):
        self.make("orders", sort=None)
        self.make("customers", sort=None)
        put = [{"Put": {"TableName": name, "Item": {"p": {"S": f"{name}:{{42}}"}}}}
               for name in ("orders", "customers")]
        for client in self.clients:
            client.transact_write_items(TransactItems=put)
            found = client.transact_get_items(TransactItems=[
                {"Get": {"TableName": "orders", "Key": {"p": {"S": "orders:{42}"}}}},
                {"Get": {"TableName": "customers", "Key": {"p": {"S": "customers:{42}"}}}}])
            self.assertEqual(len([one for one in found["Responses"] if "Item" in one]), 2)
        put[1]["Put"]["Item"] = {"p": {"S": "customers:43"}}
        for client in self.clients:
            self.refused("must have one slot on a cluster", client.transact_write_items,
                         TransactItems=put)
        self.assertNotIn("Item", self.clients[0].get_item(TableName="customers",
                                                          Key={"p": {"S": "customers:43"}}))
        put[1]["Put"] |= {"Item": {"p": {"S": "customers:{42}"}},
                          "ConditionExpression": "attribute_not_exists(p)"}
        self.refused("ConditionalCheckFailed", self.clients[1].transact_write_items,
                     TransactItems=put, code="TransactionCanceledException")

    def test_items_die_at_their_instant_in_every_shard(self):
        tables = self.make()
        instant = Decimal(f"{time.time() + 1.5:.3f}")
        for i in range(40):
            tables[i % 2].put_item(Item={"p": f"mortal{i}", "s": i, "expires": instant})
            tables[i % 2].put_item(Item={"p": f"lasting{i}", "s": i})
        self.clients[0].update_time_to_live(TableName="items", TimeToLiveSpecification={
            "Enabled": True, "AttributeName": "expires"})
        for client in self.clients:
            while client.describe_time_to_live(TableName="items")["TimeToLiveDescription"][
                    "TimeToLiveStatus"] != "ENABLED":
                time.sleep(0.01)
        while time.time() <= instant:
            time.sleep(0.01)
        for table in tables:
            self.assertEqual(table.scan()["Count"], 40)
            for i in range(40):
                self.assertNotIn("Item", table.get_item(Key={"p": f"mortal{i}", "s": i}))
        dead = Decimal(int(time.time()) - 5)
        tables[1].put_item(Item={"p": "lasting0", "s": 0, "expires": dead})
        self.assertNotIn("Item", tables[0].get_item(Key={"p": "lasting0", "s": 0}))

    def test_requests_of_one_connection_have_their_effect_in_turn(self):
        self.make(sort=None)
        asked = []
        for i in range(60):
            key = {"p": {"S": f"turn{i % 3}"}}
            asked.append(("PutItem", {"TableName": "items", "Item": {**key, "n": {"N": str(i)}}}))
            asked.append(("GetItem", {"TableName": "items", "Key": key}))
        for port in self.cluster.http_ports:
            replies = pipelined(port, asked)
            self.assertEqual([int(one["Item"]["n"]["N"]) for one in replies[1::2]],
                             list(range(60)))

    def test_mayflys_own_operations_go_to_the_owner(self):
        self.make(sort=None)
        self.clients[0].update_time_to_live(TableName="items", TimeToLiveSpecification={
            "Enabled": True, "AttributeName": "expires"})
        keys = [{"p": {"S": f"own{i}"}} for i in range(16)]
        for key in keys:
            self.clients[0].put_item(TableName="items", Item=key)
        for port in self.cluster.http_ports:
            named = [{"TableName": "items", "Key": key} for key in keys]
            pipelined(port, [("SetTTL", {**one, "TtlSeconds": 100}) for one in named])
            for reply in pipelined(port, [("GetTTL", one) for one in named]):
                self.assertIn(reply["RemainingSeconds"], (99, 100, 101))
            self.assertEqual(pipelined(port, [("RemoveTTL", one) for one in named]),
                             [{"Removed": True}] * 16)
            self.assertEqual(pipelined(port, [("GetTTL", one) for one in named]),
                             [{"RemainingSeconds": None}] * 16)

    def test_counts_are_exact_while_shards_move(self):
        tables = self.make(sort=None)
        self.cluster.keep_moving()
        keys = [{"p": f"count{i}"} for i in range(40)]

        def count(number):
            for _ in range(15):
                for key in keys[number::8]:
                    tables[number % 2].update_item(Key=key, UpdateExpression="ADD n :one",
                                                   ExpressionAttributeValues={":one": 1})
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(count, range(8)))
        for table in tables:
            self.assertEqual([int(table.get_item(Key=key)["Item"]["n"]) for key in keys], [15] * 40)
            self.assertEqual(table.scan()["Count"], 40)
        self.cluster.rest()
        self.assertGreater(self.cluster.moves, SHARDS)


def shard_of(partition):
    return key_slot(partition.encode()) * SHARDS // 16384


def by_group(kind="ALL"):
    return {"AttributeDefinitions": [{"AttributeName": "g", "AttributeType": "S"},
                                     {"AttributeName": "rank", "AttributeType": "N"}],
            "GlobalSecondaryIndexes": [{
                "IndexName": "by_group", "Projection": {"ProjectionType": kind},
                "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"},
                              {"AttributeName": "rank", "KeyType": "RANGE"}]}]}


class GlobalIndexes(Case):
    def fill(self, tables):
        """Ranks come twice, in two partitions of the table."""
        for i in range(ITEMS):
            tables[i % 2].put_item(Item={"p": f"part{i}", "s": i, "g": f"group{i % 4}",
                                         "rank": i // 8, "even": i // 4 % 2 == 0, "text": "x"})

    def pages(self, tables, **query):
        seen, start = [], {}
        for page in range(1000):
            reply = tables[page % 2].query(IndexName="by_group", **query, **start)
            self.assertLessEqual(reply["ScannedCount"], query.get("Limit", ITEMS))
            seen += reply["Items"]
            if "LastEvaluatedKey" not in reply:
                return seen
            self.assertEqual(set(reply["LastEvaluatedKey"]), {"p", "s", "g", "rank"})
            start = {"ExclusiveStartKey": reply["LastEvaluatedKey"]}

    def test_are_queried_in_their_order_by_pages(self):
        tables = self.make(**by_group())
        self.fill(tables)
        group = Key("g").eq("group1")
        members = [i for i in range(ITEMS) if i % 4 == 1]
        whole = self.pages(tables, KeyConditionExpression=group)
        self.assertEqual([int(item["rank"]) for item in whole], [i // 8 for i in members])
        self.assertEqual(sorted(int(item["s"]) for item in whole), members)
        self.assertEqual(set(whole[0]), {"p", "s", "g", "rank", "even", "text"})
        for limit in (1, 3, 50):
            self.assertEqual(self.pages(tables, KeyConditionExpression=group, Limit=limit), whole)
            self.assertEqual(self.pages(tables, KeyConditionExpression=group, Limit=limit,
                                        ScanIndexForward=False), whole[::-1])
        even = self.pages(tables, KeyConditionExpression=group, Limit=7,
                          FilterExpression=Attr("even").eq(True),
                          ProjectionExpression="#t, rank_", ExpressionAttributeNames={"#t": "text"})
        self.assertEqual(even, [{"text": "x"}] * (len(members) // 2))
        for condition, ranks in ((Key("rank").eq(3), [3, 3]), (Key("rank").lt(2), [0, 0, 1, 1]),
                                 (Key("rank").between(23, 24), [23, 23, 24, 24]),
                                 (Key("rank").gte(24), [24, 24]), (Key("rank").gt(24), []),
                                 (Key("rank").lte(0), [0, 0])):
            found = tables[1].query(IndexName="by_group", KeyConditionExpression=group & condition)
            self.assertEqual([int(item["rank"]) for item in found["Items"]], ranks)
        count = tables[0].query(IndexName="by_group", KeyConditionExpression=group, Select="COUNT",
                                ReturnConsumedCapacity="INDEXES")
        self.assertEqual((count["Count"], "Items" in count), (len(members), False))
        self.assertEqual(count["ConsumedCapacity"]["GlobalSecondaryIndexes"]["by_group"],
                         {"CapacityUnits": 0.5})

    def test_are_refused_what_a_server_alone_refuses(self):
        table = self.make(**by_group("KEYS_ONLY"))[0]
        group = Key("g").eq("group1")
        self.refused("Consistent reads are not supported on global secondary indexes", table.query,
                     IndexName="by_group", KeyConditionExpression=group, ConsistentRead=True)
        self.refused("Select type ALL_ATTRIBUTES is not supported", table.query,
                     IndexName="by_group", KeyConditionExpression=group, Select="ALL_ATTRIBUTES")
        self.refused("does not project [text]", table.query, IndexName="by_group",
                     KeyConditionExpression=group, ProjectionExpression="#t",
                     ExpressionAttributeNames={"#t": "text"})
        self.refused("unused in expressions", table.query, IndexName="by_group",
                     KeyConditionExpression="g = :g",
                     ExpressionAttributeValues={":g": "group1", ":h": 1})
        self.refused("The provided starting key", table.query, IndexName="by_group",
                     KeyConditionExpression=group, ExclusiveStartKey={"p": "x", "s": 1})

    def test_are_scanned_whole_by_pages(self):
        tables = self.make(**by_group("KEYS_ONLY"))
        self.fill(tables)
        seen, start, page = [], {}, 0
        while True:
            reply = tables[page % 2].scan(IndexName="by_group", Limit=9, **start)
            seen += [int(item["s"]) for item in reply["Items"]]
            page += 1
            if "LastEvaluatedKey" not in reply:
                break
            start = {"ExclusiveStartKey": reply["LastEvaluatedKey"]}
        self.assertEqual(sorted(seen), list(range(ITEMS)))

    def test_follow_their_items_and_their_deaths(self):
        tables = self.make(**by_group())
        self.clients[0].update_time_to_live(TableName="items", TimeToLiveSpecification={
            "Enabled": True, "AttributeName": "expires"})
        self.fill(tables)
        for i in range(0, ITEMS, 4):
            tables[1].update_item(Key={"p": f"part{i}", "s": i}, UpdateExpression="SET g = :g",
                                  ExpressionAttributeValues={":g": "moved"})
        moved = self.pages(tables, KeyConditionExpression=Key("g").eq("moved"), Limit=20)
        self.assertEqual(sorted(int(item["s"]) for item in moved), list(range(0, ITEMS, 4)))
        self.assertEqual(self.pages(tables, KeyConditionExpression=Key("g").eq("group0")), [])
        instant = Decimal(f"{time.time() + 0.5:.3f}")
        for i in range(0, ITEMS, 8):
            tables[0].update_item(Key={"p": f"part{i}", "s": i}, UpdateExpression="SET expires = :e",
                                  ExpressionAttributeValues={":e": instant})
        while time.time() <= instant:
            time.sleep(0.01)
        left = self.pages(tables, KeyConditionExpression=Key("g").eq("moved"))
        self.assertEqual(sorted(int(item["s"]) for item in left), list(range(4, ITEMS, 8)))

    def test_are_added_to_and_taken_from_tables_with_items(self):
        tables = self.make()
        self.fill(tables)
        index = by_group()
        self.clients[1].update_table(
            TableName="items", AttributeDefinitions=index["AttributeDefinitions"],
            GlobalSecondaryIndexUpdates=[{"Create": index["GlobalSecondaryIndexes"][0]}])
        while True:
            described = self.clients[0].describe_table(TableName="items")["Table"]
            if described["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE":
                break
            time.sleep(0.01)
        found = self.pages(tables, KeyConditionExpression=Key("g").eq("group3"))
        self.assertEqual(sorted(int(item["s"]) for item in found), list(range(3, ITEMS, 4)))
        self.settle("items")
        described = self.clients[1].describe_table(TableName="items")["Table"]
        self.assertEqual(described["GlobalSecondaryIndexes"][0]["ItemCount"], ITEMS)
        self.clients[0].update_table(TableName="items", GlobalSecondaryIndexUpdates=[
            {"Delete": {"IndexName": "by_group"}}])
        self.settle("items")
        self.refused("The table does not have the specified index", tables[1].query,
                     IndexName="by_group", KeyConditionExpression=Key("g").eq("group3"))

    def test_are_queried_exactly_while_shards_move(self):
        tables = self.make(**by_group())
        self.fill(tables)
        self.cluster.keep_moving(0.005)
        for _ in range(10):
            for group in range(4):
                found = self.pages(tables, KeyConditionExpression=Key("g").eq(f"group{group}"),
                                   Limit=13)
                self.assertEqual(sorted(int(item["s"]) for item in found),
                                 list(range(group, ITEMS, 4)))
        self.cluster.rest()
        self.assertGreater(self.cluster.moves, SHARDS)


class WithoutAnOwner(Case):
    settings = ("cluster-patience", "100")

    def test_a_shard_is_left_out_of_batches_and_of_nothing_else(self):
        tables = self.make(sort=None)
        while True:  # With so little patience, the table may be on its way still.
            if self.clients[0].describe_table(TableName="items")["Table"]["TableStatus"] == "ACTIVE":
                break
        items = [{"p": f"some{i}"} for i in range(25)]
        shard = shard_of("some0")
        self.cluster.release(shard)
        reply = self.resources[0].batch_write_item(
            RequestItems={"items": [{"PutRequest": {"Item": item}} for item in items]})
        left = [one["PutRequest"]["Item"] for one in reply["UnprocessedItems"]["items"]]
        self.assertCountEqual(left, [item for item in items if shard_of(item["p"]) == shard])
        asked = {"items": {"Keys": items, "ConsistentRead": True}}
        for resource in self.resources:
            reply = resource.batch_get_item(RequestItems=asked)
            self.assertCountEqual(reply["UnprocessedKeys"]["items"]["Keys"], left)
            self.assertTrue(reply["UnprocessedKeys"]["items"]["ConsistentRead"])
            self.assertCountEqual(reply["Responses"]["items"] + left, items)
        for call in (lambda: tables[0].get_item(Key=left[0]), lambda: tables[1].put_item(Item=left[0]),
                     tables[0].scan, lambda: self.clients[1].describe_table(TableName="items")):
            with self.assertRaises(botocore.exceptions.ClientError) as caught:
                call()
            self.assertEqual(caught.exception.response["ResponseMetadata"]["HTTPStatusCode"], 503)
        self.cluster.give(shard, 1)
        for item in left:
            tables[0].put_item(Item=item)
        self.assertEqual(tables[1].scan()["Count"], 25)


class ManyShards(Case):
    shards = 256

    def test_a_few_items_in_many_shards_are_one_page_that_costs_little(self):
        tables = self.make()
        for i in range(20):
            tables[i % 2].put_item(Item={"p": f"few{i}", "s": i})
        for table in tables:
            page = table.scan(ReturnConsumedCapacity="TOTAL")
            self.assertEqual(page["Count"], 20)
            self.assertNotIn("LastEvaluatedKey", page)
            self.assertLessEqual(page["ConsumedCapacity"]["CapacityUnits"], 11)
        described = self.clients[0].describe_table(TableName="items")["Table"]
        self.assertEqual(described["ItemCount"], 20)


if __name__ == "__main__":
    unittest.main()
