# Goal: items die on time for boto3, streams record it, and signatures are checked.
# Method: a `mayfly serve` of its own (argv: the binary), real time, ttls of a second or two.
import json
import time
import unittest
import urllib.error
import urllib.request

import botocore.exceptions
import dynamo_home
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from dynamo_home import KEY_ID, SECRET, SERVER, Case, connect, eventually
from server_process import ServerProcess

setUpModule, tearDownModule = dynamo_home.start, dynamo_home.stop


def call(target, body, port=None, sign=True, change=lambda request: None):
    """A request made by hand: the status, and the body."""
    request = AWSRequest("POST", f"http://127.0.0.1:{port or SERVER.http_port}/",
                         data=json.dumps(body),
                         headers={"X-Amz-Target": target,
                                  "Content-Type": "application/x-amz-json-1.0"})
    if sign:
        SigV4Auth(Credentials(KEY_ID, SECRET), "dynamodb", "eu-central-1").add_auth(request)
    change(request)
    sent = urllib.request.Request(request.url, request.data.encode(), dict(request.headers))
    try:
        with urllib.request.urlopen(sent) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


class TimeToLive(Case):
    def test_an_item_is_gone_at_its_instant_on_every_path(self):
        table = self.make(ttl="at", AttributeDefinitions=[
            {"AttributeName": "g", "AttributeType": "S"}], GlobalSecondaryIndexes=[{
                "IndexName": "by_g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"}}])
        at = int(time.time()) + 2
        key = {"p": "a", "s": "dies"}
        table.put_item(Item={**key, "at": at, "g": "x"})
        table.put_item(Item={"p": "a", "s": "stays", "at": 0, "g": "x"})
        table.put_item(Item={"p": "a", "s": "text", "at": str(at), "g": "x"})

        def counts():
            query = {"ExpressionAttributeValues": {":a": "a"}, "KeyConditionExpression": "p = :a"}
            index = {"ExpressionAttributeValues": {":x": "x"}, "KeyConditionExpression": "g = :x",
                     "IndexName": "by_g"}
            return (table.query(**query)["Count"], table.query(**index)["Count"],
                    table.scan()["Count"], len(table.get_item(Key=key).get("Item", {})) > 0)

        self.assertEqual(counts(), (3, 3, 3, True))
        self.assertLess(time.time(), at, "the machine was too slow for this test")
        eventually(lambda: "Item" not in table.get_item(Key=key))
        self.assertGreaterEqual(time.time(), at)
        self.assertEqual(counts(), (2, 2, 2, False))
        table.put_item(Item={**key, "again": True}, ConditionExpression="attribute_not_exists(p)")
        self.assertEqual(counts(), (3, 2, 3, True))

    def test_a_put_whose_instant_has_passed_leaves_nothing(self):
        table = self.make(ttl="at")
        table.put_item(Item={"p": "a", "s": "b", "at": int(time.time()) - 60})
        self.assertEqual(table.scan()["Count"], 0)

    def test_naming_the_attribute_later_counts_for_items_that_are_there(self):
        table = self.make()
        table.put_item(Item={"p": "a", "s": "b", "at": int(time.time()) - 5})
        table.put_item(Item={"p": "a", "s": "c"})
        self.assertEqual(table.scan()["Count"], 2)
        self.client.update_time_to_live(TableName="items", TimeToLiveSpecification={
            "Enabled": True, "AttributeName": "at"})
        eventually(lambda: table.scan()["Count"] == 1)
        self.fails("ValidationException", self.client.update_time_to_live, TableName="items",
                   TimeToLiveSpecification={"Enabled": True, "AttributeName": "at"})

    def test_mayflys_own_calls_set_tell_and_remove(self):
        self.make(ttl="at")
        key = {"p": {"S": "a"}, "s": {"S": "b"}}
        self.client.put_item(TableName="items", Item=key)
        body = {"TableName": "items", "Key": key}
        self.assertEqual(call("Mayfly_20261101.GetTTL", body), (200, {"RemainingSeconds": None}))
        self.assertEqual(call("Mayfly_20261101.SetTTL", {**body, "TtlSeconds": 100})[0], 200)
        left = call("Mayfly_20261101.GetTTL", body)[1]["RemainingSeconds"]
        self.assertTrue(90 < left <= 101, left)
        self.assertEqual(call("Mayfly_20261101.RemoveTTL", body), (200, {"Removed": True}))
        self.assertEqual(call("Mayfly_20261101.SetTTL", {**body, "TtlSeconds": 1})[0], 200)
        eventually(lambda: "Item" not in self.client.get_item(TableName="items", Key=key))
        status, error = call("Mayfly_20261101.GetTTL", body)
        self.assertEqual((status, error["__type"].split("#")[1]),
                         (400, "ResourceNotFoundException"))
        self.assertEqual(call("Mayfly_20261101.SweepExpiredTTL", {"TableName": "items"})[0], 200)

    def test_awss_manner_is_a_tag_away(self):
        table = self.make(ttl="at", Tags=[{"Key": "mayfly:ttl-mode", "Value": "until-swept"}])
        arn = self.client.describe_table(TableName="items")["Table"]["TableArn"]
        self.fails("ValidationException", self.client.tag_resource, ResourceArn=arn,
                   Tags=[{"Key": "mayfly:ttl-mode", "Value": "sometimes"}])
        table.put_item(Item={"p": "a", "s": "old", "at": 1})  # Too old to count.
        table.put_item(Item={"p": "a", "s": "due", "at": int(time.time()) - 60})
        eventually(lambda: table.scan()["Count"] == 1)  # The table reaper sweeps.
        self.assertEqual(table.scan()["Items"][0]["s"], "old")


class Streams(Case):
    def records(self, streams, arn):
        described = streams.describe_stream(StreamArn=arn)["StreamDescription"]
        iterator = streams.get_shard_iterator(
            StreamArn=arn, ShardId=described["Shards"][0]["ShardId"],
            ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        found = []
        while iterator:
            page = streams.get_records(ShardIterator=iterator, Limit=2)
            if not page["Records"]:
                break
            found += page["Records"]
            iterator = page.get("NextShardIterator")
        return found

    def test_changes_and_deaths_are_told_in_order(self):
        table = self.make(ttl="at", StreamSpecification={
            "StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
        streams = connect("dynamodbstreams")
        arn = self.client.describe_table(TableName="items")["Table"]["LatestStreamArn"]
        self.assertEqual([s["StreamArn"] for s in streams.list_streams(TableName="items")["Streams"]],
                         [arn])
        key = {"p": "a", "s": "b"}
        table.put_item(Item={**key, "v": 1})
        table.update_item(Key=key, UpdateExpression="SET v = :v",
                          ExpressionAttributeValues={":v": 2})
        table.delete_item(Key=key)
        table.put_item(Item={**key, "at": int(time.time()) + 1})
        found = eventually(lambda: (r := self.records(streams, arn)) and len(r) == 5 and r)
        self.assertEqual([record["eventName"] for record in found],
                         ["INSERT", "MODIFY", "REMOVE", "INSERT", "REMOVE"])
        self.assertEqual(found[1]["dynamodb"]["OldImage"]["v"], {"N": "1"})
        self.assertEqual(found[1]["dynamodb"]["NewImage"]["v"], {"N": "2"})
        self.assertNotIn("userIdentity", found[2])
        self.assertEqual(found[4]["userIdentity"],
                         {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"})
        self.assertEqual(found[4]["dynamodb"]["Keys"], {"p": {"S": "a"}, "s": {"S": "b"}})
        numbers = [record["dynamodb"]["SequenceNumber"] for record in found]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.client.update_table(TableName="items", StreamSpecification={"StreamEnabled": False})
        self.assertEqual(streams.describe_stream(StreamArn=arn)["StreamDescription"]["StreamStatus"],
                         "DISABLED")
        self.fails("ResourceNotFoundException", streams.describe_stream, StreamArn=arn + "x")


class Signatures(Case):
    def test_another_secret_and_another_client_are_refused(self):
        self.fails("InvalidSignatureException", connect(secret="wrong").list_tables)
        self.fails("UnrecognizedClientException", connect(key="NOBODY").list_tables)
        connect(key="other", secret="thing").list_tables()

    def test_a_request_that_was_changed_or_is_old_is_refused(self):
        def error(**how):
            status, body = call("DynamoDB_20120810.ListTables", {"Limit": 5}, **how)
            return status, body.get("__type", "").split("#")[-1]

        def tamper(request):
            request.data = request.data.replace("5", "6")

        def redirect(request):
            request.headers.replace_header("X-Amz-Target", "DynamoDB_20120810.DeleteTable")

        def age(request):
            request.headers.replace_header("X-Amz-Date", "20200101T000000Z")

        self.assertEqual(error(), (200, ""))
        self.assertEqual(error(sign=False), (400, "MissingAuthenticationTokenException"))
        self.assertEqual(error(change=tamper), (400, "InvalidSignatureException"))
        self.assertEqual(error(change=redirect), (400, "InvalidSignatureException"))
        self.assertEqual(error(change=age), (400, "InvalidSignatureException"))

    def test_without_keys_only_this_machine_is_served(self):
        with ServerProcess(dynamo_home.SERVER.binary) as local:
            connect(port=local.http_port, key="any", secret="any").list_tables()
            self.assertEqual(call("DynamoDB_20120810.ListTables", {}, local.http_port, sign=False),
                             (200, {"TableNames": []}))
        with ServerProcess(dynamo_home.SERVER.binary, "--http-bind", "0.0.0.0") as open_one:
            refused = self.fails("AccessDeniedException",
                                 connect(port=open_one.http_port).list_tables)
            self.assertIn("http-keys", refused["Error"]["Message"])

    def test_too_large_a_request_is_refused(self):
        status, body = call("DynamoDB_20120810.ListTables", {"x": "x" * 17_000_000})
        self.assertEqual(status, 413)
        self.assertIn("__type", body)


class Restart(Case):
    def test_tables_items_and_deadlines_outlive_a_kill(self):
        table = self.make(ttl="at", sort=None)
        table.put_item(Item={"p": "a", "at": int(time.time()) + 100})
        table.put_item(Item={"p": "b", "at": int(time.time()) + 2})
        SERVER.kill()
        SERVER.restart()
        self.client = connect()
        self.assertIn("Item", self.client.get_item(TableName="items", Key={"p": {"S": "a"}}))
        eventually(lambda: "Item" not in self.client.get_item(TableName="items",
                                                              Key={"p": {"S": "b"}}))
        self.assertEqual(self.client.describe_time_to_live(TableName="items")
                         ["TimeToLiveDescription"]["AttributeName"], "at")


if __name__ == "__main__":
    unittest.main(verbosity=1, warnings="ignore")  # boto3 keeps sockets open.
