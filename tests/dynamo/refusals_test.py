# Goal: every refusal and error of DynamoDB is a response; the server goes on, and so do Redis' clients.
# Method: the executable that ships gets requests over HTTP for each kind of refusal in each place it can come from.
import re
import sys
import unittest

from http_home import SOURCE, ServerProcess, ask, kind_of

SERVER = ServerProcess(sys.argv.pop())

TABLE = {"TableName": "tab", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}]}
KEY = {"k": {"S": "a"}}
NOT_NUMBERS = ["NaN", "x", "abc", "", "1e999", "-1e999", "0x10", "1" * 40, "--1", "1e", "Infinity"]
IMPOSSIBLE = {"ConditionExpression": "attribute_exists(zz)"}


def on_tab(**more):
    return {"TableName": "tab", **more}


def with_number(text):
    """Each operation that reads values, with a malformed number."""
    bad = {"N": text}
    values = {"ExpressionAttributeValues": {":v": bad}}
    comparison = {"ComparisonOperator": "EQ", "AttributeValueList": [bad]}
    yield "PutItem", on_tab(Item={**KEY, "n": bad})
    yield "PutItem", on_tab(Item={**KEY, "n": {"NS": [text]}})
    yield "PutItem", on_tab(Item={**KEY, "n": {"L": [{"M": {"deep": bad}}]}})
    yield "PutItem", on_tab(Item=KEY, ConditionExpression="n = :v", **values)
    yield "PutItem", on_tab(Item=KEY, Expected={"n": {"Value": bad}})
    yield "GetItem", on_tab(Key={"k": bad})
    yield "DeleteItem", on_tab(Key={"k": bad})
    yield "UpdateItem", on_tab(Key=KEY, UpdateExpression="SET n = :v", **values)
    yield "UpdateItem", on_tab(Key=KEY, AttributeUpdates={"n": {"Value": bad}})
    yield "Query", on_tab(KeyConditionExpression="k = :v", **values)
    yield "Query", on_tab(KeyConditions={"k": comparison})
    yield "Scan", on_tab(FilterExpression="n = :v", **values)
    yield "Scan", on_tab(ScanFilter={"n": comparison})
    yield "Scan", on_tab(ExclusiveStartKey={"k": bad})
    yield "BatchGetItem", {"RequestItems": {"tab": {"Keys": [{"k": bad}]}}}
    yield "BatchWriteItem", {"RequestItems": {"tab": [{"PutRequest": {"Item": {**KEY, "n": bad}}}]}}
    yield "BatchWriteItem", {"RequestItems": {"tab": [{"DeleteRequest": {"Key": {"k": bad}}}]}}
    yield "TransactGetItems", {"TransactItems": [{"Get": on_tab(Key={"k": bad})}]}
    yield "TransactWriteItems", {"TransactItems": [{"Put": on_tab(Item={**KEY, "n": bad})}]}
    yield "TransactWriteItems", {"TransactItems": [
        {"Update": on_tab(Key=KEY, UpdateExpression="SET n = :v", **values)}]}


# Refused, and not for a number.
OTHERS = [
    ("DeleteItem", {"Key": {}}),
    ("DeleteItem", on_tab(Key={})),
    ("PutItem", on_tab(Item=KEY, Expected={"z": {"Exists": False}}, **IMPOSSIBLE)),
    ("GetItem", on_tab(Key=KEY, AttributesToGet=["k"], ProjectionExpression="k")),
    ("Scan", on_tab(ScanFilter={"z": {"ComparisonOperator": "NULL"}},
                    FilterExpression="attribute_exists(z)")),
    ("Scan", on_tab(ScanFilter={"z": {"ComparisonOperator": "FOO"}})),
    ("Scan", on_tab(ScanFilter={"z": {"ComparisonOperator": "XX", "AttributeValueList": [{"S": "a"}]}})),
    ("Query", on_tab(KeyConditions={"k": {"ComparisonOperator": "CONTAINS"}})),
    ("UpdateItem", on_tab(Key=KEY, AttributeUpdates={"n": {"Action": "ADD", "Value": {"S": "a"}}})),
    ("Query", on_tab()),
    ("Scan", on_tab(Segment=1)),
    ("CreateTable", {"TableName": "x"}),
    ("UpdateTable", on_tab(GlobalSecondaryIndexUpdates=[{}])),
    ("DeleteTable", {"TableName": "nosuchtable"}),
    ("UpdateTimeToLive", on_tab(TimeToLiveSpecification={"Enabled": False, "AttributeName": "t"})),
    ("TagResource", {"ResourceArn": "arn:none", "Tags": [{"Key": "a", "Value": "b"}]}),
    ("DynamoDBStreams_20120810.GetRecords", {"ShardIterator": "none"}),
    ("Mayfly_20261101.SetTTL", on_tab(Key=KEY, TtlSeconds=-1)),
    ("NoSuchOperation", {}),
]


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        SERVER.start()
        status, reply = ask(SERVER.http_port, "CreateTable", TABLE)
        assert status == 200, reply

    @classmethod
    def tearDownClass(cls):
        assert SERVER.stop() == 0

    def refused(self, operation, body):
        status, reply = ask(SERVER.http_port, operation, body)
        self.assertEqual(status, 400, (operation, body, reply))
        self.assertTrue(kind_of(reply).endswith("Exception"), (operation, body, reply))
        self.assertTrue(reply.get("message") or reply.get("Message"), (operation, body, reply))
        return reply

    def tearDown(self):
        self.assertTrue(SERVER.answers(), "Redis' clients are not answered any more")

    def test_a_number_that_is_none_is_refused_wherever_it_stands(self):
        for text in NOT_NUMBERS:
            for operation, body in with_number(text):
                with self.subTest(operation=operation, body=body):
                    self.assertEqual(kind_of(self.refused(operation, body)), "ValidationException")

    def test_a_transaction_whose_condition_fails_tells_its_reasons(self):
        for action in ({"Put": on_tab(Item=KEY, **IMPOSSIBLE)},
                       {"Delete": on_tab(Key=KEY, **IMPOSSIBLE)},
                       {"ConditionCheck": on_tab(Key=KEY, **IMPOSSIBLE)},
                       {"Update": on_tab(Key=KEY, UpdateExpression="REMOVE y", **IMPOSSIBLE)}):
            with self.subTest(action=action):
                other = {"Put": on_tab(Item={"k": {"S": "other"}})}
                reply = self.refused("TransactWriteItems", {"TransactItems": [other, action]})
                self.assertEqual(kind_of(reply), "TransactionCanceledException")
                self.assertEqual([reason["Code"] for reason in reply["CancellationReasons"]],
                                 ["None", "ConditionalCheckFailed"])

    def test_a_condition_that_fails_gives_the_item_that_was_asked_for(self):
        key = {"k": {"S": "there"}}
        self.assertEqual(ask(SERVER.http_port, "PutItem", on_tab(Item=key))[0], 200)
        reply = self.refused("PutItem", on_tab(
            Item=key, ReturnValuesOnConditionCheckFailure="ALL_OLD", **IMPOSSIBLE))
        self.assertEqual(kind_of(reply), "ConditionalCheckFailedException")
        self.assertEqual(reply["Item"], key)

    def test_whatever_else_is_refused_is_refused_with_words(self):
        for operation, body in OTHERS:
            with self.subTest(operation=operation, body=body):
                self.refused(operation, body)

    def test_no_refusal_is_an_exception(self):
        """Only a call of a library may throw, and it is caught there: in json.cc, which parses."""
        for file in sorted((SOURCE / "src" / "dynamo").rglob("*.*")):
            if file.suffix not in (".h", ".cc") or file.name == "json.cc":
                continue
            code = re.sub(r"//[^\n]*", "", file.read_text())
            self.assertIsNone(re.search(r"\b(throw|catch)\b\s*[({A-Za-z;]", code), file.name)


if __name__ == "__main__":
    unittest.main()
