# Goal: programs written for boto3 run unchanged: tables, items, batches, transactions, pages, errors.
# Method: a `mayfly serve` of its own (argv: the binary), which checks signatures.
import concurrent.futures
import unittest
from decimal import Decimal

import dynamo_home
from boto3.dynamodb.conditions import Attr, Key
from dynamo_home import SERVER, Case, connect, eventually

setUpModule, tearDownModule = dynamo_home.start, dynamo_home.stop


class Tables(Case):
    def test_a_table_from_its_making_to_its_end(self):
        self.make("orders", Tags=[{"Key": "team", "Value": "a"}])
        described = self.client.describe_table(TableName="orders")["Table"]
        self.assertEqual(described["TableStatus"], "ACTIVE")
        self.assertEqual(described["ItemCount"], 0)
        self.assertEqual(described["BillingModeSummary"]["BillingMode"], "PAY_PER_REQUEST")
        self.assertEqual(described["KeySchema"][1], {"AttributeName": "s", "KeyType": "RANGE"})
        self.fails("ResourceInUseException", self.make, "orders")
        self.client.delete_table(TableName="orders")
        self.client.get_waiter("table_not_exists").wait(TableName="orders")
        self.fails("ResourceNotFoundException", self.client.describe_table, TableName="orders")

    def test_tables_are_listed_by_pages(self):
        names = [f"table-{i}" for i in range(7)]
        for name in names:
            self.make(name, sort=None)
        pages = self.client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 3})
        self.assertEqual([name for page in pages for name in page["TableNames"]], names)

    def test_a_global_index_is_added_filled_and_dropped(self):
        table = self.make("orders")
        for i in range(20):
            table.put_item(Item={"p": str(i), "s": "x", "g": i % 2, "v": i})
        self.client.update_table(
            TableName="orders",
            AttributeDefinitions=[{"AttributeName": "g", "AttributeType": "N"}],
            GlobalSecondaryIndexUpdates=[{"Create": {
                "IndexName": "by_g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"}}}])
        eventually(lambda: self.client.describe_table(TableName="orders")["Table"]
                   ["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE")
        found = table.query(IndexName="by_g", KeyConditionExpression=Key("g").eq(1))
        self.assertEqual(found["Count"], 10)
        self.client.update_table(TableName="orders", GlobalSecondaryIndexUpdates=[
            {"Delete": {"IndexName": "by_g"}}])
        self.assertNotIn("GlobalSecondaryIndexes",
                         self.client.describe_table(TableName="orders")["Table"])

    def test_tags_come_and_go(self):
        self.make("orders", Tags=[{"Key": "team", "Value": "a"}])
        arn = self.client.describe_table(TableName="orders")["Table"]["TableArn"]
        self.client.tag_resource(ResourceArn=arn, Tags=[{"Key": "stage", "Value": "test"}])
        self.client.untag_resource(ResourceArn=arn, TagKeys=["team"])
        self.assertEqual(self.client.list_tags_of_resource(ResourceArn=arn)["Tags"],
                         [{"Key": "stage", "Value": "test"}])

    def test_the_service_tells_about_itself(self):
        self.make("orders")
        self.assertEqual(self.client.describe_endpoints()["Endpoints"][0]["Address"],
                         f"127.0.0.1:{SERVER.http_port}")
        self.assertGreater(self.client.describe_limits()["TableMaxReadCapacityUnits"], 0)
        backups = self.client.describe_continuous_backups(TableName="orders")
        self.assertEqual(backups["ContinuousBackupsDescription"]["ContinuousBackupsStatus"],
                         "DISABLED")
        self.fails("TableNotFoundException", self.client.describe_continuous_backups,
                   TableName="none")


class Items(Case):
    EVERYTHING = {
        "p": "a", "s": "b", "binary": b"\x00\xff", "true": True, "null": None,
        "number": Decimal("12345678901234567890123456789012345678"),
        "small": Decimal("1E-130"), "list": [1, "x", {"deep": [None]}], "map": {"": "empty name"},
        "strings": {"x", "y"}, "numbers": {Decimal("1.5"), Decimal("-2")},
        "binaries": {b"1", b"2"}, "empty": "", "text": "ü😀\u0000",
    }

    def test_every_type_comes_back(self):
        table = self.make()
        table.put_item(Item=self.EVERYTHING)
        found = table.get_item(Key={"p": "a", "s": "b"}, ConsistentRead=True)["Item"]
        found["binary"] = found["binary"].value
        found["binaries"] = {member.value for member in found["binaries"]}
        self.assertEqual(found, self.EVERYTHING)

    def test_updates_conditions_and_what_they_return(self):
        table = self.make()
        key = {"p": "a", "s": "b"}
        first = table.update_item(
            Key=key, UpdateExpression="SET #n = if_not_exists(#n, :zero) + :one, l = :l ADD t :t",
            ExpressionAttributeNames={"#n": "name"},
            ExpressionAttributeValues={":zero": 0, ":one": 1, ":l": [1], ":t": {"x"}},
            ReturnValues="ALL_NEW")
        self.assertEqual(first["Attributes"], {**key, "name": 1, "l": [1], "t": {"x"}})
        second = table.update_item(
            Key=key, UpdateExpression="SET l = list_append(l, :m) REMOVE #n",
            ExpressionAttributeNames={"#n": "name"}, ExpressionAttributeValues={":m": [2]},
            ConditionExpression=Attr("name").eq(1), ReturnValues="UPDATED_NEW")
        self.assertEqual(second["Attributes"], {"l": [1, 2]})
        failed = self.fails(
            "ConditionalCheckFailedException", self.client.put_item, TableName="items",
            Item={"p": {"S": "a"}, "s": {"S": "b"}},
            ConditionExpression="attribute_not_exists(p)")
        self.assertEqual(failed["Error"]["Message"], "The conditional request failed")
        gone = table.delete_item(Key=key, ReturnValues="ALL_OLD")
        self.assertEqual(gone["Attributes"]["l"], [1, 2])
        self.assertNotIn("Item", table.get_item(Key=key))

    def test_the_older_parameters(self):
        self.make()
        key = {"p": {"S": "a"}, "s": {"S": "b"}}
        self.client.put_item(TableName="items", Item={**key, "n": {"N": "1"}, "x": {"S": "1"}},
                             Expected={"p": {"Exists": False}})
        self.fails("ConditionalCheckFailedException", self.client.put_item, TableName="items",
                   Item=key, Expected={"n": {"ComparisonOperator": "GT",
                                             "AttributeValueList": [{"N": "1"}]}})
        self.client.update_item(TableName="items", Key=key, AttributeUpdates={
            "n": {"Action": "ADD", "Value": {"N": "4"}}, "x": {"Action": "DELETE"},
            "y": {"Value": {"S": "new"}}})
        found = self.client.get_item(TableName="items", Key=key, AttributesToGet=["n", "x", "y"])
        self.assertEqual(found["Item"], {"n": {"N": "5"}, "y": {"S": "new"}})
        queried = self.client.query(TableName="items", KeyConditions={
            "p": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]},
            "s": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"S": "b"}]}},
            QueryFilter={"n": {"ComparisonOperator": "IN",
                               "AttributeValueList": [{"N": "5"}, {"N": "6"}]}})
        self.assertEqual(queried["Count"], 1)
        scanned = self.client.scan(TableName="items", ScanFilter={
            "n": {"ComparisonOperator": "NULL"}, "y": {"ComparisonOperator": "NOT_NULL"}},
            ConditionalOperator="OR")
        self.assertEqual(scanned["Count"], 1)
        self.fails("ValidationException", self.client.put_item, TableName="items", Item=key,
                   Expected={"p": {"Exists": False}}, ConditionExpression="attribute_exists(p)")

    def test_pages_of_queries_and_scans_show_everything_once(self):
        table = self.make(sort="N", AttributeDefinitions=[
            {"AttributeName": "g", "AttributeType": "S"}], GlobalSecondaryIndexes=[{
                "IndexName": "by_g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"}}])
        with table.batch_writer() as batch:
            for i in range(100):
                batch.put_item(Item={"p": "a", "s": i - 50, "g": "same", "v": "x" * 50})
        paginate = self.client.get_paginator("query").paginate
        pages = list(paginate(TableName="items", KeyConditionExpression="p = :p AND s > :s",
                              ExpressionAttributeValues={":p": {"S": "a"}, ":s": {"N": "-10"}},
                              ScanIndexForward=False, PaginationConfig={"PageSize": 7}))
        numbers = [int(item["s"]["N"]) for page in pages for item in page["Items"]]
        self.assertEqual(numbers, list(range(49, -10, -1)))
        self.assertGreater(len(pages), 8)
        scans = self.client.get_paginator("scan").paginate(
            TableName="items", PaginationConfig={"PageSize": 9}, FilterExpression="s >= :zero",
            ExpressionAttributeValues={":zero": {"N": "0"}}, ProjectionExpression="s")
        self.assertEqual(sorted(int(item["s"]["N"]) for page in scans for item in page["Items"]),
                         list(range(50)))
        segments = [self.client.scan(TableName="items", Segment=i, TotalSegments=3)["Count"]
                    for i in range(3)]
        self.assertEqual(sum(segments), 100)
        indexed = paginate(TableName="items", IndexName="by_g", KeyConditionExpression="g = :g",
                           ExpressionAttributeValues={":g": {"S": "same"}},
                           PaginationConfig={"PageSize": 11})
        seen = [item["s"]["N"] for page in indexed for item in page["Items"]]
        self.assertEqual(len(seen), 100)
        self.assertEqual(len(set(seen)), 100)
        counted = table.query(KeyConditionExpression=Key("p").eq("a"), Select="COUNT")
        self.assertEqual(counted["Count"], 100)
        self.assertNotIn("Items", counted)

    def test_batches(self):
        table = self.make()
        with table.batch_writer() as batch:
            for i in range(60):
                batch.put_item(Item={"p": str(i), "s": "x"})
            batch.delete_item(Key={"p": "7", "s": "x"})
        got = self.client.batch_get_item(RequestItems={"items": {"Keys": [
            {"p": {"S": str(i)}, "s": {"S": "x"}} for i in range(70)],
            "ProjectionExpression": "p"}}, ReturnConsumedCapacity="TOTAL")
        self.assertEqual(len(got["Responses"]["items"]), 59)
        self.assertEqual(got["UnprocessedKeys"], {})
        self.assertEqual(got["ConsumedCapacity"][0]["CapacityUnits"], 35)
        self.fails("ValidationException", self.client.batch_get_item, RequestItems={
            "items": {"Keys": [{"p": {"S": str(i)}, "s": {"S": "x"}} for i in range(101)]}})

    def test_a_large_batch_is_read_in_parts(self):
        table = self.make()
        with table.batch_writer() as batch:
            for i in range(60):
                batch.put_item(Item={"p": str(i), "s": "x", "v": "v" * 300_000})
        wanted = {"items": {"Keys": [{"p": {"S": str(i)}, "s": {"S": "x"}} for i in range(60)]}}
        got, rounds = 0, 0
        while wanted:
            reply = self.client.batch_get_item(RequestItems=wanted)
            got += len(reply["Responses"]["items"])
            wanted = reply["UnprocessedKeys"]
            rounds += 1
        self.assertEqual(got, 60)
        self.assertEqual(rounds, 2)

    def test_transactions_happen_whole_or_not(self):
        self.make()
        key = {"p": {"S": "a"}, "s": {"S": "b"}}
        other = {"p": {"S": "c"}, "s": {"S": "d"}}
        actions = [
            {"Put": {"TableName": "items", "Item": {**key, "n": {"N": "1"}}}},
            {"Update": {"TableName": "items", "Key": other, "UpdateExpression": "ADD n :n",
                        "ExpressionAttributeValues": {":n": {"N": "5"}}}}]
        self.client.transact_write_items(TransactItems=actions, ClientRequestToken="once")
        self.client.transact_write_items(TransactItems=actions, ClientRequestToken="once")
        both = self.client.transact_get_items(TransactItems=[
            {"Get": {"TableName": "items", "Key": key}},
            {"Get": {"TableName": "items", "Key": other, "ProjectionExpression": "n"}}])
        self.assertEqual(both["Responses"][1]["Item"], {"n": {"N": "5"}})
        self.fails("IdempotentParameterMismatchException", self.client.transact_write_items,
                   TransactItems=actions[:1], ClientRequestToken="once")
        failed = self.fails(
            "TransactionCanceledException", self.client.transact_write_items, TransactItems=[
                {"Delete": {"TableName": "items", "Key": key}},
                {"ConditionCheck": {"TableName": "items", "Key": other,
                                    "ConditionExpression": "n > :n",
                                    "ExpressionAttributeValues": {":n": {"N": "9"}},
                                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}])
        self.assertEqual([reason["Code"] for reason in failed["CancellationReasons"]],
                         ["None", "ConditionalCheckFailed"])
        self.assertEqual(failed["CancellationReasons"][1]["Item"]["n"], {"N": "5"})
        self.assertIn("Item", self.client.get_item(TableName="items", Key=key))

    def test_no_update_is_lost_between_clients(self):
        self.make()
        key = {"p": {"S": "a"}, "s": {"S": "b"}}

        def add(client):
            for _ in range(50):
                client.update_item(TableName="items", Key=key, UpdateExpression="ADD n :one",
                                   ExpressionAttributeValues={":one": {"N": "1"}})
        # Clients are made one after the other: boto3's session is not for several threads.
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            for done in [threads.submit(add, connect()) for _ in range(8)]:
                done.result()
        found = self.client.get_item(TableName="items", Key=key)
        self.assertEqual(found["Item"]["n"], {"N": "400"})

    def test_statements_take_and_return_python_values(self):
        table = self.make(sort="N")
        client = dynamo_home.resource().meta.client
        for i in range(5):
            client.execute_statement(Statement="INSERT INTO items VALUE ?", Parameters=[
                {"p": "a", "s": i, "tags": {"x", "y"}, "price": Decimal("1.50"), "deep": {"list": [1, None, True]}}])
        self.assertEqual(table.get_item(Key={"p": "a", "s": 3})["Item"]["price"], Decimal("1.50"))
        told = client.execute_statement(Statement="SELECT s, deep.list[0] FROM items WHERE p = ? AND s >= ? ORDER BY s DESC",
                                        Parameters=["a", 3])
        self.assertEqual(told["Items"], [{"s": 4, "list[0]": 1}, {"s": 3, "list[0]": 1}])
        pages, more = [], {}
        while more is not None:
            page = client.execute_statement(Statement="SELECT * FROM items", Limit=2, **more)
            pages.append(len(page["Items"]))
            more = {"NextToken": page["NextToken"]} if "NextToken" in page else None
        self.assertEqual(sum(pages), 5)
        batch = client.batch_execute_statement(Statements=[
            {"Statement": "UPDATE items SET price = price + ? WHERE p = 'a' AND s = 1 RETURNING MODIFIED NEW *",
             "Parameters": [Decimal("0.25")]},
            {"Statement": "INSERT INTO items VALUE {'p': 'a', 's': 1}"}])["Responses"]
        self.assertEqual(batch[0]["Item"], {"price": Decimal("1.75")})
        self.assertEqual(batch[1]["Error"]["Code"], "DuplicateItem")
        self.fails("DuplicateItemException", client.execute_statement,
                   Statement="INSERT INTO items VALUE {'p': 'a', 's': 1}")
        failed = self.fails("TransactionCanceledException", client.execute_transaction, TransactStatements=[
            {"Statement": "DELETE FROM items WHERE p = 'a' AND s = 0"},
            {"Statement": "UPDATE items SET price = 0 WHERE p = 'a' AND s = 99"}])
        self.assertEqual([reason["Code"] for reason in failed["CancellationReasons"]], ["None", "ConditionalCheckFailed"])
        got = client.execute_transaction(TransactStatements=[{"Statement": "SELECT * FROM items WHERE p = 'a' AND s = 0"}])
        self.assertEqual(got["Responses"][0]["Item"]["tags"], {"x", "y"})

    def test_errors_have_their_names_and_words(self):
        self.make()
        key = {"p": {"S": "a"}, "s": {"S": "b"}}
        self.fails("ResourceNotFoundException", self.client.get_item, TableName="none", Key=key)
        missing = self.fails("ValidationException", self.client.get_item, TableName="items",
                             Key={"p": {"S": "a"}})
        self.assertEqual(missing["Error"]["Message"],
                         "The provided key element does not match the schema")
        self.fails("ValidationException", self.client.put_item, TableName="items",
                   Item={**key, "v": {"S": "x" * 500_000}})
        self.fails("ValidationException", self.client.update_item, TableName="items", Key=key,
                   UpdateExpression="SET a = :missing")
        self.fails("ValidationException", self.client.query, TableName="items",
                   KeyConditionExpression="v = :v", ExpressionAttributeValues={":v": {"S": "x"}})


if __name__ == "__main__":
    unittest.main(verbosity=1, warnings="ignore")  # boto3 keeps sockets open.
