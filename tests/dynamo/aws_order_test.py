# Goal: a request with several faults is refused for the one that AWS tells first, in its words: types, then all
# broken constraints together, then meaning, then the table.
# Method: the executable that ships gets requests over HTTP; each case is a request and the text it gets.
import sys
import unittest

from http_home import ServerProcess, ask, kind_of

SERVER = ServerProcess(sys.argv.pop())
KEY = {"p": {"S": "a"}}
INVALID = "One or more parameter values were invalid: "


def table(name):
    return {"TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}]}


def setUpModule():
    SERVER.start()
    status, reply = ask(SERVER.http_port, "CreateTable", table("tab"))
    assert status == 200, reply


def tearDownModule():
    assert SERVER.stop() == 0


class Case(unittest.TestCase):
    def done(self, operation, **body):
        status, reply = ask(SERVER.http_port, operation, body)
        self.assertEqual(status, 200, (operation, body, reply))
        return reply

    def refused(self, text, operation, kind="ValidationException", **body):
        status, reply = ask(SERVER.http_port, operation, body)
        self.assertEqual((status, kind_of(reply)), (400, kind), (operation, body, reply))
        self.assertEqual(reply.get("message") or reply.get("Message"), text, (operation, body))

    def mistyped(self, text, operation, **body):
        self.refused(text, operation, "SerializationException", **body)


class Types(Case):
    def test_are_checked_before_everything_else(self):
        wrong = {"TableName": "no;", "Key": KEY, "Limit": 0, "ReturnConsumedCapacity": "SOME"}
        for operation in ("GetItem", "DeleteItem", "UpdateItem"):
            self.mistyped("NUMBER_VALUE cannot be converted to String", operation,
                          **{**wrong, "Key": {"p": {"S": 1}}})
        self.mistyped("TRUE_VALUE cannot be converted to Integer", "Scan", **{**wrong, "Limit": True})

    def test_of_every_kind_are_told_by_name(self):
        model = "com.amazonaws.dynamodb.v20120810."
        for wrong, text in (
                ({"TableName": {}}, "Start of structure or map found where not expected"),
                ({"TableName": []}, "Unrecognized collection type class java.lang.String"),
                ({"TableName": 1.5}, "DECIMAL_VALUE cannot be converted to String"),
                ({"ConsistentRead": 1}, "NUMBER_VALUE cannot be converted to Boolean"),
                ({"ConsistentRead": "maybe"}, "Unexpected token received from parser"),
                ({"Limit": "1"}, "STRING_VALUE cannot be converted to Integer"),
                ({"AttributesToGet": "a"}, "Unexpected field type"),
                ({"AttributesToGet": {}}, "Start of structure or map found where not expected"),
                ({"ExclusiveStartKey": []}, f"Unrecognized collection type java.util.Map<java.lang.String, {model}"
                                            "AttributeValue>"),
                ({"ExclusiveStartKey": {"p": "a"}}, "Unexpected value type in payload"),
                ({"ExclusiveStartKey": {"p": ["a"]}}, f"Unrecognized collection type class {model}AttributeValue"),
                ({"ExclusiveStartKey": {"p": {"B": 1}}}, "only base-64-encoded strings are convertible to bytes"),
                ({"ExclusiveStartKey": {"p": {"B": "a"}}},
                 "Base64 encoded length is expected a multiple of 4 bytes but found: 1"),
                ({"ExclusiveStartKey": {"p": {"B": "AAB="}}},
                 "Invalid last non-pad Base64 character dectected"),
                ({"ExclusiveStartKey": {"p": {"M": []}}},
                 f"Unrecognized collection type java.util.Map<java.lang.String, {model}AttributeValue>"),
                ({"ScanFilter": {"a": 1}}, "Unexpected value type in payload"),
                ({"ScanFilter": {"a": []}}, f"Unrecognized collection type class {model}Condition"),
                ({"ExpressionAttributeNames": []},
                 "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>")):
            with self.subTest(wrong=wrong):
                self.mistyped(text, "Scan", **{"TableName": "tab", **wrong})

    def test_of_structures_depend_on_where_they_stand(self):
        self.mistyped("Unexpected field type", "CreateTable", **{**table("new"), "ProvisionedThroughput": 1})
        self.mistyped("Unexpected value type in payload", "CreateTable", **{**table("new"), "KeySchema": [1]})

    def test_words_for_true_and_false_are_taken(self):
        self.done("PutItem", TableName="tab", Item={**KEY, "yes": {"BOOL": "Yes"}, "no": {"BOOL": "0"}})
        item = self.done("GetItem", TableName="tab", Key=KEY, ConsistentRead="TRUE")["Item"]
        self.assertEqual((item["yes"], item["no"]), ({"BOOL": True}, {"BOOL": False}))

    def test_what_is_null_or_unknown_does_not_count(self):
        self.done("GetItem", TableName="tab", Key={**KEY}, AttributesToGet=None, Nonsense={"a": 1},
                  ExpressionAttributeValues={"a": 1})


class Constraints(Case):
    def test_are_told_together_in_their_order_up_to_ten(self):
        self.refused(
            "4 validation errors detected: Value 'SOME' at 'returnConsumedCapacity' failed to satisfy constraint: "
            "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; Value 'a;' at 'tableName' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value 'a;' at 'tableName' "
            "failed to satisfy constraint: Member must have length greater than or equal to 3; Value null at 'key' "
            "failed to satisfy constraint: Member must not be null", "GetItem", TableName="a;",
            ReturnConsumedCapacity="SOME", ProjectionExpression="a,")
        definitions = [{"AttributeName": "a", "AttributeType": "X"}] * 12
        status, reply = ask(SERVER.http_port, "CreateTable", {**table("new"), "AttributeDefinitions": definitions})
        self.assertEqual((status, reply["message"].count("failed to satisfy")), (400, 10), reply)

    def test_of_maps_are_of_their_keys_and_values(self):
        keys = ("Map keys must satisfy constraint: [Member must have length less than or equal to 255, Member must "
                "have length greater than or equal to 3, Member must satisfy regular expression pattern: "
                "[a-zA-Z0-9_.-]+]")
        self.refused("2 validation errors detected: Value '{\"a;\":{\"Keys\":[{\"p\":{\"S\":\"a\"}}]}}' at "
                     f"'requestItems' failed to satisfy constraint: {keys}; Value 'SOME' at 'returnConsumedCapacity' "
                     "failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]",
                     "BatchGetItem", RequestItems={"a;": {"Keys": [KEY]}}, ReturnConsumedCapacity="SOME")
        self.refused("1 validation error detected: Value '{\"tab\":[]}' at 'requestItems' failed to satisfy "
                     "constraint: Map value must satisfy constraint: [Member must have length less than or equal to "
                     "25, Member must have length greater than or equal to 1]", "BatchWriteItem",
                     RequestItems={"tab": []})

    def test_on_the_names_of_tables_to_define_are_told_alone(self):
        for operation in ("CreateTable", "DescribeTable", "DeleteTable", "UpdateTable", "DescribeTimeToLive"):
            self.refused("The parameter 'TableName' is required but was not present in the request", operation,
                         BillingMode="SOME")
            self.refused("TableName must be at least 3 characters long and at most 255 characters long", operation,
                         TableName="ab", BillingMode="SOME")


class Meaning(Case):
    def test_is_checked_before_the_table(self):
        undefined = ("Invalid {}: An expression attribute value used in expression is not defined; attribute value: "
                     ":v")
        syntax = "Invalid ConditionExpression: Syntax error; token: \"<EOF>\", near: \"=\""
        self.refused(syntax, "PutItem", TableName="none", Item=KEY, ConditionExpression="a =")
        self.refused(syntax, "DeleteItem", TableName="none", Key=KEY, ConditionExpression="a =")
        self.refused(undefined.format("UpdateExpression"), "UpdateItem", TableName="none", Key=KEY,
                     UpdateExpression="SET a = :v")
        self.refused("Invalid ProjectionExpression: Syntax error; token: \"<EOF>\", near: \",\"", "GetItem",
                     TableName="none", Key=KEY, ProjectionExpression="a,")
        self.refused(undefined.format("KeyConditionExpression"), "Query", TableName="none",
                     KeyConditionExpression="p = :v")
        self.refused("Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}", "Scan",
                     TableName="none", FilterExpression="attribute_exists(a)",
                     ExpressionAttributeValues={":u": {"S": "x"}})
        deep = {"S": "x"}
        for _ in range(33):
            deep = {"M": {"m": deep}}
        self.refused("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond "
                     "supported limit", "PutItem", TableName="none", Item={**KEY, "d": deep})
        self.refused(syntax, "TransactWriteItems", TransactItems=[
            {"Put": {"TableName": "none", "Item": KEY}},
            {"Delete": {"TableName": "tab", "Key": KEY, "ConditionExpression": "a ="}}])
        for operation, body in (("PutItem", {"Item": KEY}), ("GetItem", {"Key": KEY}), ("Scan", {})):
            self.refused("Requested resource not found", operation, "ResourceNotFoundException", TableName="none", **body)

    def test_of_a_start_key_is_told_as_such(self):
        self.refused("The provided starting key is invalid: Supplied AttributeValue is empty, must contain exactly one "
                     "of the supported datatypes", "Scan", TableName="tab", ExclusiveStartKey={"p": {}})


class LegacyParameters(Case):
    """They have no bounds on their number, or their own."""

    def test_update_hundreds_of_attributes_at_once(self):
        names = [f"a{i}" for i in range(2000)]
        self.done("UpdateItem", TableName="tab", Key={"p": {"S": "wide"}},
                  AttributeUpdates={name: {"Value": {"N": "1"}} for name in names})
        item = self.done("GetItem", TableName="tab", Key={"p": {"S": "wide"}}, AttributesToGet=names[:255])["Item"]
        self.assertEqual(len(item), 255)
        self.done("PutItem", TableName="tab", Item={"p": {"S": "wide"}},
                  Expected={name: {"Value": {"N": "1"}} for name in names})

    def test_get_at_most_255_attributes(self):
        self.refused("1 validation error detected: Value '[256 members]' at 'attributesToGet' failed to satisfy "
                     "constraint: Member must have length less than or equal to 255", "GetItem", TableName="tab",
                     Key=KEY, AttributesToGet=["name%04d" % i for i in range(256)])

    def test_compare_with_more_than_a_hundred_values(self):
        self.done("PutItem", TableName="tab", Item={"p": {"S": "in"}, "n": {"N": "700"}})
        among = {"n": {"ComparisonOperator": "IN", "AttributeValueList": [{"N": str(i)} for i in range(1000)]}}
        self.assertEqual(self.done("Scan", TableName="tab", ScanFilter=among)["Count"], 1)

    def test_leave_expressions_bounded(self):
        values = {f":v{i}": {"N": str(i)} for i in range(101)}
        self.refused("Invalid FilterExpression: The IN operator is provided with too many operands; number of "
                     "operands: 101", "Query", TableName="tab",
                     KeyConditions={"p": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "in"}]}},
                     FilterExpression=f"n IN ({', '.join(values)})", ExpressionAttributeValues=values)


if __name__ == "__main__":
    unittest.main()
