# Goal: requests that AWS refuses are refused, in its words, and have no other effects.
# Method: the executable that ships gets requests over HTTP; each case is a request and the text it gets.
import sys
import unittest

from http_home import ServerProcess, ask, kind_of

SERVER = ServerProcess(sys.argv.pop())
INVALID = "One or more parameter values were invalid: "


def table(name, **more):
    return {"TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"},
                                     {"AttributeName": "g", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
            "GlobalSecondaryIndexes": [index()], **more}


def index(name="by_g", attribute="g", **more):
    return {"IndexName": name, "KeySchema": [{"AttributeName": attribute, "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"}, **more}


def units(read, write):
    return {"ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write}}


class Case(unittest.TestCase):
    def ask(self, operation, **body):
        return ask(SERVER.http_port, operation, body)

    def done(self, operation, **body):
        status, reply = self.ask(operation, **body)
        self.assertEqual(status, 200, (operation, body, reply))
        return reply

    def refused(self, text, operation, kind="ValidationException", **body):
        status, reply = self.ask(operation, **body)
        self.assertEqual((status, kind_of(reply)), (400, kind), (operation, body, reply))
        self.assertEqual(reply.get("message") or reply.get("Message"), text)
        return reply


def setUpModule():
    SERVER.start()
    for made in (table("free"), table("paid", BillingMode="PROVISIONED", **units(5, 6))):
        status, reply = ask(SERVER.http_port, "CreateTable", made)
        assert status == 200, reply


def tearDownModule():
    assert SERVER.stop() == 0


class UpdateItemThatOnlyTakes(Case):
    def test_makes_no_item_where_none_is(self):
        numbers = {":s": {"NS": ["1"]}}
        for way in ({"UpdateExpression": "REMOVE a, b"},
                    {"UpdateExpression": "DELETE a :s", "ExpressionAttributeValues": numbers},
                    {"UpdateExpression": "REMOVE b DELETE a :s", "ExpressionAttributeValues": numbers},
                    {"AttributeUpdates": {"a": {"Action": "DELETE"}}}):
            with self.subTest(way=way):
                key = {"p": {"S": "missing"}}
                reply = self.done("UpdateItem", TableName="free", Key=key, ReturnValues="ALL_NEW", **way)
                self.assertNotIn("Attributes", reply)
                self.assertNotIn("Item", self.done("GetItem", TableName="free", Key=key))

    def test_with_something_to_set_makes_one(self):
        for number, way in enumerate(({"UpdateExpression": "SET a = p REMOVE b"}, {},
                                      {"UpdateExpression": "ADD a :n REMOVE b",
                                       "ExpressionAttributeValues": {":n": {"N": "1"}}})):
            with self.subTest(way=way):
                key = {"p": {"S": f"made{number}"}}
                if "SET a" in way.get("UpdateExpression", ""):
                    way = {"UpdateExpression": "SET a = :a REMOVE b",
                           "ExpressionAttributeValues": {":a": {"S": "x"}}}
                self.done("UpdateItem", TableName="free", Key=key, **way)
                self.assertIn("Item", self.done("GetItem", TableName="free", Key=key))

    def test_keeps_an_item_of_which_nothing_but_the_key_is_left(self):
        key = {"p": {"S": "bare"}}
        self.done("PutItem", TableName="free", Item={**key, "a": {"S": "x"}})
        self.done("UpdateItem", TableName="free", Key=key, UpdateExpression="REMOVE a")
        self.assertEqual(self.done("GetItem", TableName="free", Key=key)["Item"], key)


class UpdateTable(Case):
    def test_needs_a_change(self):
        text = ("At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
                "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required")
        self.refused(text, "UpdateTable", TableName="paid")
        self.refused(text, "UpdateTable", TableName="paid", GlobalSecondaryIndexUpdates=[])
        self.refused(
            "The provisioned throughput for the table will not change. The requested value equals the "
            "current value. Current ReadCapacityUnits provisioned for the table: 5. Requested "
            "ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the table: 6. Requested "
            "WriteCapacityUnits: 6. Refer to the Amazon DynamoDB Developer Guide for current limits and "
            "how to request higher limits.", "UpdateTable", TableName="paid", **units(5, 6))

    def test_wants_billing_and_throughput_to_agree(self):
        none = INVALID + ("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                          "BillingMode is PAY_PER_REQUEST")
        self.refused(none, "UpdateTable", TableName="free", **units(1, 1))
        self.refused(none, "UpdateTable", TableName="paid", BillingMode="PAY_PER_REQUEST", **units(1, 1))
        self.refused(INVALID + "ReadCapacityUnits and WriteCapacityUnits must both be specified when "
                     "BillingMode is PROVISIONED", "UpdateTable", TableName="free",
                     BillingMode="PROVISIONED")

    def test_changes_billing_both_ways(self):
        self.done("CreateTable", **table("both"))
        described = self.done("UpdateTable", TableName="both", BillingMode="PROVISIONED", **units(2, 3))
        throughput = described["TableDescription"]["ProvisionedThroughput"]
        self.assertEqual((throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]), (2, 3))
        self.done("UpdateTable", TableName="both", **units(4, 3))
        described = self.done("UpdateTable", TableName="both", BillingMode="PAY_PER_REQUEST")
        throughput = described["TableDescription"]["ProvisionedThroughput"]
        self.assertEqual((throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]), (0, 0))

    def test_takes_no_throughput_for_an_index_where_requests_are_paid_for(self):
        text = INVALID + ("ProvisionedThroughput should not be specified for index: {} when BillingMode is "
                          "PAY_PER_REQUEST")
        self.refused(text.format("by_g"), "CreateTable",
                     **table("never", GlobalSecondaryIndexes=[index(**units(1, 1))]))
        self.refused(text.format("by_g"), "UpdateTable", TableName="free", GlobalSecondaryIndexUpdates=[
            {"Update": {"IndexName": "by_g", **units(1, 1)}}])
        self.refused(text.format("another"), "UpdateTable", TableName="free", GlobalSecondaryIndexUpdates=[
            {"Create": index("another", **units(1, 1))}])

    def test_does_not_redefine_an_attribute(self):
        for attribute in ("p", "g"):
            self.refused(
                INVALID + "Attributes cannot be redefined. Please check that your attribute has the same "
                "type as previously defined. Existing schema: Schema:[SchemaElement: "
                f"key{{{attribute}:S:HASH}}] New schema: Schema:[SchemaElement: key{{{attribute}:N:HASH}}]",
                "UpdateTable", TableName="free",
                AttributeDefinitions=[{"AttributeName": attribute, "AttributeType": "N"}],
                GlobalSecondaryIndexUpdates=[{"Create": index("another", attribute)}])


class OlderConditions(Case):
    def refused_filter(self, text, comparison, values):
        condition = {"a": {"ComparisonOperator": comparison, "AttributeValueList": values}}
        self.refused(INVALID + text, "Scan", TableName="free", ScanFilter=condition)
        self.refused(INVALID + text, "PutItem", TableName="free", Item={"p": {"S": "x"}}, Expected=condition)

    def test_compare_with_operands_of_one_type(self):
        for comparison in ("IN", "BETWEEN"):
            self.refused_filter("AttributeValues inside AttributeValueList must be of same type",
                                comparison, [{"S": "a"}, {"N": "1"}])

    def test_compare_with_types_the_operator_takes(self):
        sets_and_documents = [{"SS": ["a"]}, {"NS": ["1"]}, {"BS": ["AA=="]}, {"L": []}, {"M": {}}]
        for comparison in ("CONTAINS", "NOT_CONTAINS", "IN", "LT", "GE", "BEGINS_WITH"):
            for value in sets_and_documents:
                self.refused_filter(f"ComparisonOperator {comparison} is not valid for {next(iter(value))} "
                                    "AttributeValue type", comparison, [value])
        self.refused_filter("ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type",
                            "BEGINS_WITH", [{"N": "1"}])
        self.done("Scan", TableName="free", ScanFilter={
            "a": {"ComparisonOperator": "CONTAINS", "AttributeValueList": [{"S": "x"}]}})


class KeyConditions(Case):
    def test_go_with_a_filter_and_a_projection(self):
        for name in ("one", "two"):
            self.done("PutItem", TableName="free", Item={"p": {"S": "k" + name}, "m0": {"S": name}, "n": {"N": "1"}})
        keys = {"p": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "kone"}]}}
        for wanted, count in (("one", 1), ("two", 0)):
            reply = self.done("Query", TableName="free", KeyConditions=keys, FilterExpression="#m0 = :m0",
                              ProjectionExpression="n", ExpressionAttributeNames={"#m0": "m0"},
                              ExpressionAttributeValues={":m0": {"S": wanted}})
            self.assertEqual(reply["Items"], [{"n": {"N": "1"}}] * count)
        status, reply = self.ask("Query", TableName="free", KeyConditions=keys, KeyConditionExpression="p = :p",
                                 ExpressionAttributeValues={":p": {"S": "kone"}})
        self.assertEqual((status, kind_of(reply)), (400, "ValidationException"), reply)


class Names(Case):
    def test_of_attributes_are_shorter_than_64_kb(self):
        text = INVALID + "Attribute name is too large, must be less than 65536 bytes"
        key = {"p": {"S": "named"}}
        self.done("PutItem", TableName="free", Item={**key, "n" * 65535: {"S": "x"}})
        self.refused(text, "PutItem", TableName="free", Item={**key, "n" * 65536: {"S": "x"}})
        self.refused(text, "PutItem", TableName="free",
                     Item={**key, "m": {"M": {"n" * 65536: {"S": "x"}}}})

    def test_of_tags_have_letters_digits_and_few_signs(self):
        arn = self.done("DescribeTable", TableName="free")["Table"]["TableArn"]
        pattern = ("' failed to satisfy constraint: Member must satisfy regular expression pattern: "
                   r"^([\p{L}\p{Z}\p{N}_.:/=+\-@]*)$")
        for key, value, where, wrong in (("a#b", "v", "key", "a#b"), ("k", "a<b", "value", "a<b"),
                                         ("a\n", "v", "key", "a\n"), ("k", "{}", "value", "{}")):
            self.refused(f"1 validation error detected: Value '{wrong}' at 'tags.1.member.{where}" + pattern,
                         "TagResource", ResourceArn=arn, Tags=[{"Key": key, "Value": value}])
        self.done("TagResource", ResourceArn=arn, Tags=[{"Key": "Größe_1.2:/=+-@ x", "Value": "日本"}])


class StartKeys(Case):
    def test_fit_the_keys_of_table_and_index(self):
        whole = {"p": {"S": "a"}, "g": {"S": "b"}}
        of_index = {"KeyConditionExpression": "g = :g", "ExpressionAttributeValues": {":g": {"S": "b"}},
                    "IndexName": "by_g", "TableName": "free"}
        self.done("Query", ExclusiveStartKey=whole, **of_index)
        self.done("Scan", TableName="free", IndexName="by_g", ExclusiveStartKey=whole)
        for wrong in ({"g": {"N": "1"}}, {"g": {"BOOL": True}}, {"p": {"N": "1"}}, {"x": {"S": "more"}}):
            self.refused("The provided starting key is invalid", "Query", ExclusiveStartKey={**whole, **wrong},
                         **of_index)
            self.refused("The provided starting key is invalid: The provided key element does not match the "
                         "schema", "Scan", TableName="free", IndexName="by_g",
                         ExclusiveStartKey={**whole, **wrong})
        for lacking in ({"p": {"S": "a"}}, {"g": {"S": "b"}}, {}):
            self.refused("The provided starting key is invalid", "Query", ExclusiveStartKey=lacking, **of_index)
        self.refused("The provided starting key is invalid: The provided key element does not match the schema",
                     "Scan", TableName="free", ExclusiveStartKey={"p": {"N": "1"}})


class Expressions(Case):
    def test_append_no_appended_list(self):
        for value in ("list_append(list_append(a, :l), :l)", "list_append(:l, list_append(a, :l))"):
            self.refused("Invalid UpdateExpression: The function is not allowed to be used this way in an "
                         "expression; function: list_append", "UpdateItem", TableName="free",
                         Key={"p": {"S": "lists"}}, UpdateExpression="SET a = " + value,
                         ExpressionAttributeValues={":l": {"L": []}})
        self.done("UpdateItem", TableName="free", Key={"p": {"S": "lists"}},
                  UpdateExpression="SET a = list_append(if_not_exists(a, :l), :l)",
                  ExpressionAttributeValues={":l": {"L": []}})


class Transactions(Case):
    def canceled(self, action, message):
        other = {"Put": {"TableName": "free", "Item": {"p": {"S": "other"}}}}
        reply = self.refused("Transaction cancelled, please refer cancellation reasons for specific reasons "
                             "[None, ValidationError]", "TransactWriteItems", "TransactionCanceledException",
                             TransactItems=[other, action])
        self.assertEqual(reply["CancellationReasons"][1], {"Code": "ValidationError", "Message": message})
        self.assertNotIn("Item", self.done("GetItem", TableName="free", Key={"p": {"S": "other"}}))

    def test_with_a_type_that_does_not_fit_are_canceled(self):
        self.done("PutItem", TableName="free", Item={"p": {"S": "typed"}, "a": {"S": "text"}})
        self.canceled({"Put": {"TableName": "free", "Item": {"p": {"N": "1"}}}},
                      INVALID + "Type mismatch for key p expected: S actual: N")
        self.canceled({"Put": {"TableName": "free", "Item": {"p": {"S": "x"}, "g": {"N": "1"}}}},
                      INVALID + "Type mismatch for Index Key g Expected: S Actual: N IndexName: by_g")
        for name, more in (("Delete", {}), ("ConditionCheck", {"ConditionExpression": "attribute_exists(a)"}),
                           ("Update", {"UpdateExpression": "REMOVE a"})):
            self.canceled({name: {"TableName": "free", "Key": {"p": {"N": "1"}}, **more}},
                          "The provided key element does not match the schema")
        self.canceled({"Update": {"TableName": "free", "Key": {"p": {"S": "typed"}},
                                  "UpdateExpression": "SET a = a + :n",
                                  "ExpressionAttributeValues": {":n": {"N": "1"}}}},
                      "An operand in the update expression has an incorrect data type")

    def test_with_an_expression_that_is_none_are_invalid(self):
        status, reply = self.ask("TransactWriteItems", TransactItems=[
            {"Delete": {"TableName": "free", "Key": {"p": {"S": "x"}}, "ConditionExpression": "a ="}}])
        self.assertEqual((status, kind_of(reply)), (400, "ValidationException"), reply)


if __name__ == "__main__":
    unittest.main()
