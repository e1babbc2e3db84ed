# Goal: statements of PartiQL do what AWS says they do, and what it refuses is refused in its words.
# Method: the executable that ships gets requests over HTTP; a table with indexes, made anew for each test.
import sys
import unittest

from http_home import ServerProcess, ask, kind_of

SERVER = ServerProcess(sys.argv.pop())
NOT_WELL_FORMED = "Statement wasn't well formed, can't be processed: "


def attribute(name, kind="S"):
    return {"AttributeName": name, "AttributeType": kind}


def index(name, partition, sort=None, projection="ALL", **more):
    keys = [{"AttributeName": partition, "KeyType": "HASH"}]
    if sort:
        keys.append({"AttributeName": sort, "KeyType": "RANGE"})
    return {"IndexName": name, "KeySchema": keys, "Projection": {"ProjectionType": projection, **more}}


TABLE = {"TableName": "music", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [attribute("artist"), attribute("year", "N"), attribute("genre"), attribute("label")],
         "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}, {"AttributeName": "year", "KeyType": "RANGE"}],
         "GlobalSecondaryIndexes": [index("by-genre", "genre", "year"), index("keys", "genre", None, "KEYS_ONLY")],
         "LocalSecondaryIndexes": [index("by-label", "artist", "label", "KEYS_ONLY")]}


def setUpModule():
    SERVER.start()


def tearDownModule():
    assert SERVER.stop() == 0


class Case(unittest.TestCase):
    def setUp(self):
        self.assertEqual(ask(SERVER.http_port, "CreateTable", TABLE)[0], 200)

    def tearDown(self):
        self.assertEqual(ask(SERVER.http_port, "DeleteTable", {"TableName": "music"})[0], 200)

    def done(self, operation, body):
        status, reply = ask(SERVER.http_port, operation, body)
        self.assertEqual(status, 200, (operation, body, reply))
        return reply

    def run_one(self, statement, *parameters, **more):
        if parameters:
            more["Parameters"] = list(parameters)
        return self.done("ExecuteStatement", {"Statement": statement, **more})

    def items(self, statement, *parameters, **more):
        return self.run_one(statement, *parameters, **more)["Items"]

    def years(self, statement, *parameters, **more):
        return [int(item["year"]["N"]) for item in self.items(statement, *parameters, **more)]

    def refused(self, text, statement, *parameters, kind="ValidationException", **more):
        if parameters:
            more["Parameters"] = list(parameters)
        status, reply = ask(SERVER.http_port, "ExecuteStatement", {"Statement": statement, **more})
        self.assertEqual((status, kind_of(reply)), (400, kind), (statement, reply))
        self.assertEqual(reply["message"], text, statement)
        return reply

    def batch(self, *statements, **more):
        return self.done("BatchExecuteStatement", {
            "Statements": [{"Statement": one} if isinstance(one, str) else one for one in statements], **more})

    def fill(self):
        for artist, years in (("a", (1, 2, 3, 4)), ("b", (5, 6))):
            for year in years:
                self.run_one("INSERT INTO music VALUE {'artist': ?, 'year': ?, 'genre': ?, 'label': ?, 'n': ?, "
                             "'info': {'tags': ['x', 'y'], 'cold': true}}", {"S": artist}, {"N": str(year)},
                             {"S": "odd" if year % 2 else "even"}, {"S": f"l{9 - year}"}, {"N": str(year * 10)})


class Select(Case):
    def setUp(self):
        super().setUp()
        self.fill()

    def test_reads_partitions_ranges_and_everything(self):
        self.assertEqual(self.years("SELECT * FROM music WHERE artist = 'a'"), [1, 2, 3, 4])
        self.assertEqual(self.years("SELECT * FROM music WHERE artist = 'a' ORDER BY \"year\" DESC"), [4, 3, 2, 1])
        self.assertEqual(self.years("SELECT year FROM music WHERE artist = 'a' AND year BETWEEN 2 AND 3"), [2, 3])
        self.assertEqual(self.years("SELECT * FROM music WHERE artist = 'a' AND 2 < year"), [3, 4])
        self.assertEqual(self.years("SELECT * FROM music WHERE artist IN ['b', 'a'] ORDER BY artist"), [1, 2, 3, 4, 5, 6])
        self.assertEqual(self.years("SELECT * FROM music WHERE artist = 'b' OR artist = 'none'"), [5, 6])
        self.assertEqual(sorted(self.years("SELECT * FROM music")), [1, 2, 3, 4, 5, 6])
        self.assertEqual(self.items("SELECT * FROM music WHERE artist = 'nobody'"), [])

    def test_filters_by_every_operator(self):
        for where, years in (("n > 20 AND NOT n = 40", [3, 5, 6]), ("n IN (10, 60) OR genre = 'even'", [1, 2, 4, 6]),
                             ("n <> 10 AND n != 20", [3, 4, 5, 6]), ("n BETWEEN 15 AND 35", [2, 3]),
                             ("begins_with(label, 'l8')", [1]), ("contains(info.tags, 'y') AND n < 20", [1]),
                             ("attribute_type(n, 'S')", []), ("size(info.tags) = 2 AND n = 50", [5]),
                             ("nothing IS MISSING AND n = 10", [1]), ("n IS NOT MISSING AND n = 10", [1]),
                             ("nothing = MISSING AND n = 10", [1]), ("n IS NULL", []), ("n IS NOT NULL AND n = 10", [1]),
                             ("info.tags[1] = 'y' AND info.cold = true AND n >= 60", [6]), ("attribute_exists(zz)", []),
                             ("info = {'tags': ['x', 'y'], 'cold': true} AND n = 20", [2]), ("year > 1 AND year <= 2", [2])):
            with self.subTest(where=where):
                self.assertEqual(sorted(self.years("SELECT * FROM music WHERE " + where)), years)
        self.assertEqual(self.years("SELECT * FROM music WHERE artist = ? AND n IN ?", {"S": "a"},
                                    {"L": [{"N": "10"}, {"N": "40"}]}), [1, 4])
        self.assertEqual(self.years("SELECT * FROM music WHERE artist = 'a' AND (year = 1 OR n = 40)"), [1, 4])

    def test_names_parts_by_their_last_names(self):
        self.assertEqual(self.items("SELECT info.cold, info.tags[1], nothing FROM music WHERE artist = 'a' AND year = 1"),
                         [{"cold": {"BOOL": True}, "tags[1]": {"S": "y"}}])

    def test_reads_indexes_as_they_are(self):
        self.assertEqual(self.years("SELECT * FROM \"music\".\"by-genre\" WHERE genre = 'odd' AND year > 1"), [3, 5])
        self.assertEqual(sorted(self.years("SELECT * FROM \"music\".\"by-genre\" WHERE n = 10")), [1])
        self.assertEqual(self.items("SELECT * FROM music.\"keys\" WHERE genre = 'odd' AND year = 5"),
                         [{"genre": {"S": "odd"}, "artist": {"S": "b"}, "year": {"N": "5"}}])
        self.assertEqual(self.years("SELECT year, n FROM music.\"by-label\" WHERE artist = 'b'", ConsistentRead=True), [6, 5])
        self.refused("One or more parameter values were invalid: Global secondary index keys does not project [n]",
                     "SELECT n FROM music.keys WHERE genre = 'odd'")
        for name, where in (("keys", "genre = 'odd' AND n = 1"), ("by-label", "artist = 'a' AND n IS MISSING")):
            self.refused(f"One or more parameter values were invalid: Secondary index {name} does not project one or "
                         "more filter attributes: [n]", f"SELECT artist FROM music.\"{name}\" WHERE {where}")
        self.assertEqual(self.items("SELECT artist FROM music.keys WHERE n = 10"), [])
        self.refused("Strongly consistent read is not supported on Global Secondary Indexes",
                     "SELECT * FROM music.keys WHERE genre = 'odd'", ConsistentRead=True)
        self.refused("The table does not have the specified index", "SELECT * FROM music.other")

    def test_goes_on_with_its_token_until_everything_was_read_once(self):
        for statement in ("SELECT * FROM music WHERE artist IN ['a', 'b', 'c']", "SELECT * FROM music",
                          "SELECT * FROM music WHERE artist = 'a' OR n > 0"):
            for limit in (1, 2, 4, 100):
                years, token, rounds = [], {}, 0
                while True:
                    page = self.run_one(statement, Limit=limit, **token)
                    years += [int(item["year"]["N"]) for item in page["Items"]]
                    rounds += 1
                    self.assertLess(rounds, 20)
                    if "NextToken" not in page:
                        break
                    token = {"NextToken": page["NextToken"]}
                self.assertEqual(sorted(years), [1, 2, 3, 4, 5, 6], (statement, limit))
        token = self.run_one("SELECT * FROM music", Limit=1)["NextToken"]
        wrong = "NextToken does not match request"
        self.refused(wrong, "SELECT * FROM music WHERE n > 0", NextToken=token)
        for broken in ("x", token[:-4], "e30=", "bm8="):
            self.refused(wrong, "SELECT * FROM music", NextToken=broken)

    def test_tells_what_it_consumed(self):
        told = self.run_one("SELECT * FROM music.\"by-genre\" WHERE genre = 'odd'", ReturnConsumedCapacity="INDEXES")
        self.assertEqual(told["ConsumedCapacity"]["GlobalSecondaryIndexes"], {"by-genre": {"CapacityUnits": 0.5}})
        told = self.run_one("SELECT * FROM music", ReturnConsumedCapacity="TOTAL", ConsistentRead=True)
        self.assertEqual(told["ConsumedCapacity"], {"CapacityUnits": 1, "TableName": "music"})

    def test_refuses_orders_that_keys_do_not_have(self):
        self.refused("Must have WHERE clause in the statement when using ORDER BY clause.",
                     "SELECT * FROM music ORDER BY year")
        self.refused("Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.",
                     "SELECT * FROM music WHERE n = 1 ORDER BY year")
        self.refused("Variable reference n in ORDER BY clause must be part of the primary key",
                     "SELECT * FROM music WHERE artist = 'a' ORDER BY n")


class Write(Case):
    def setUp(self):
        super().setUp()
        self.fill()

    def stored(self, artist="a", year=1):
        return self.done("GetItem", {"TableName": "music", "Key": {"artist": {"S": artist}, "year": {"N": str(year)}}}).get("Item")

    def test_inserts_what_is_not_there(self):
        self.assertEqual(self.run_one("INSERT INTO music VALUE ?", {"M": {"artist": {"S": "c"}, "year": {"N": "7"}}}),
                         {"Items": []})
        self.assertIsNotNone(self.stored("c", 7))
        old = self.stored()
        reply = self.refused("Duplicate primary key exists in table", "INSERT INTO music VALUE {'artist': 'a', 'year': 1}",
                             kind="DuplicateItemException", ReturnValuesOnConditionCheckFailure="ALL_OLD")
        self.assertEqual((reply["Item"], self.stored()), (old, old))
        self.refused("One or more parameter values were invalid: Missing the key year in the item",
                     "INSERT INTO music VALUE {'artist': 'a'}")

    def test_updates_what_is_there(self):
        where = " WHERE artist = 'a' AND year = 1"
        self.run_one("UPDATE music SET n = n + 5, info.tags = list_append(info.tags, ['z']) SET s = <<'p'>> REMOVE label" + where)
        item = self.stored()
        self.assertEqual((item["n"], item["info"]["M"]["tags"]["L"][2], item["s"]), ({"N": "15"}, {"S": "z"}, {"SS": ["p"]}))
        self.assertNotIn("label", item)
        self.run_one("UPDATE music SET s = set_add(s, <<'q', 'r'>>)" + where)
        self.run_one("FROM music" + where + " SET s = SET_DELETE(s, ?)", {"SS": ["p"]})
        self.assertEqual(self.stored()["s"], {"SS": ["q", "r"]})
        self.refused("The conditional request failed", "UPDATE music SET n = 1 WHERE artist = 'no' AND year = 1",
                     kind="ConditionalCheckFailedException")
        self.assertIsNone(self.stored("no", 1))
        reply = self.refused("The conditional request failed", "UPDATE music SET n = 1" + where + " AND (n = 1 OR n = 2)",
                             kind="ConditionalCheckFailedException", ReturnValuesOnConditionCheckFailure="ALL_OLD")
        self.assertEqual(reply["Item"]["n"], {"N": "15"})
        self.refused("One or more parameter values were invalid: Cannot update attribute year. This attribute is part "
                     "of the key", "UPDATE music SET year = 2" + where)
        self.refused("An operand in the update expression has an incorrect data type",
                     "UPDATE music SET n = set_add(n, <<'x'>>)" + where)

    def test_returns_what_is_asked_for(self):
        where = " WHERE artist = 'a' AND year = 1"
        self.assertEqual(self.items("UPDATE music SET n = 1" + where + " RETURNING MODIFIED OLD *"), [{"n": {"N": "10"}}])
        self.assertEqual(self.items("UPDATE music SET n = 2" + where + " RETURNING MODIFIED NEW *"), [{"n": {"N": "2"}}])
        self.assertEqual(self.items("UPDATE music SET n = 3" + where + " RETURNING ALL OLD *")[0]["n"], {"N": "2"})
        self.assertEqual(self.items("UPDATE music SET n = 4" + where + " RETURNING ALL NEW *")[0]["n"], {"N": "4"})
        self.assertEqual(self.items("UPDATE music REMOVE n" + where + " RETURNING MODIFIED NEW *"), [])
        self.assertEqual(self.items("DELETE FROM music" + where + " RETURNING ALL OLD *")[0]["year"], {"N": "1"})
        self.assertEqual(self.items("DELETE FROM music" + where + " RETURNING ALL OLD *"), [])

    def test_deletes_under_conditions_where_there_is_something(self):
        self.refused("The conditional request failed", "DELETE FROM music WHERE artist = 'a' AND year = 2 AND n = 1",
                     kind="ConditionalCheckFailedException")
        self.run_one("DELETE FROM music WHERE artist = 'a' AND year = 2 AND n = 20")
        self.assertIsNone(self.stored("a", 2))
        self.run_one("DELETE FROM music WHERE artist = 'a' AND year = 2 AND n = 20")
        key = "Where clause does not contain a mandatory equality on all key attributes"
        for statement in ("DELETE FROM music WHERE artist = 'a'", "UPDATE music SET n = 1 WHERE artist = 'a' AND year > 1",
                          "DELETE FROM music", "UPDATE music SET n = 1"):
            self.refused(key, statement)

    def test_tells_faults_before_it_looks_for_the_table(self):
        self.refused("Incorrect operand type for operator or function; operator or function: <, operand type: BOOL",
                     "SELECT * FROM nowhere WHERE a < ?", {"BOOL": True})
        self.refused(NOT_WELL_FORMED + "Unexpected term", "SELECT * FROM nowhere WHERE")
        self.refused("Number of parameters in request and statement don't match.", "SELECT * FROM nowhere WHERE a = ?")
        self.refused("Requested resource not found", "SELECT * FROM nowhere", kind="ResourceNotFoundException")
        self.refused("1 validation error detected: Value '' at 'statement' failed to satisfy constraint: Member must "
                     "have length greater than or equal to 1", "")


class Several(Case):
    def setUp(self):
        super().setUp()
        self.fill()

    def test_in_a_batch_succeed_or_fail_by_themselves(self):
        one = "SELECT * FROM music WHERE artist = 'a' AND year = 1"
        primary = ("Select statements within BatchExecuteStatement must specify the primary key in the where clause.")
        told = self.batch(one, "SLECT 1", "SELECT * FROM music WHERE artist = 'a'", "SELECT * FROM nowhere WHERE a = 1",
                          one + " AND n = 10", "SELECT n FROM music WHERE artist = 'a' AND year = 99",
                          {"Statement": one, "ConsistentRead": True}, ReturnConsumedCapacity="TOTAL")
        slots = told["Responses"]
        self.assertEqual((slots[0]["TableName"], slots[0]["Item"]["n"]), ("music", {"N": "10"}))
        self.assertEqual(slots[1], {"Error": {"Code": "ValidationError",
                                              "Message": NOT_WELL_FORMED + "Expected data manipulation"}})
        self.assertEqual([slots[i]["Error"] for i in (2, 4)], [{"Code": "ValidationError", "Message": primary}] * 2)
        self.assertEqual(slots[3]["Error"]["Code"], "ResourceNotFound")
        self.assertEqual(slots[5], {"TableName": "music"})
        self.assertEqual(told["ConsumedCapacity"], [{"CapacityUnits": 2, "TableName": "music"}])

    def test_in_a_batch_write(self):
        slots = self.batch(
            "INSERT INTO music VALUE {'artist': 'a', 'year': 1}", "INSERT INTO music VALUE {'artist': 'z', 'year': 1}",
            {"Statement": "UPDATE music SET n = 1 WHERE artist = 'a' AND year = 1 AND n = 2",
             "ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
            "DELETE FROM music WHERE artist = 'a' AND year = 2 RETURNING ALL OLD *",
            "DELETE FROM music WHERE artist = 'a' AND year = 3 RETURNING ALL NEW *")["Responses"]
        self.assertEqual(slots[0]["Error"], {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"})
        self.assertEqual(slots[1], {"TableName": "music"})
        self.assertEqual((slots[2]["Error"]["Code"], slots[2]["Error"]["Item"]["n"]), ("ConditionalCheckFailed", {"N": "10"}))
        self.assertEqual(slots[3]["Item"]["year"], {"N": "2"})
        self.assertEqual(slots[4]["Error"]["Code"], "ValidationError")
        self.assertEqual(len(self.items("SELECT * FROM music")), 6)

    def transact(self, *statements, **more):
        return ask(SERVER.http_port, "ExecuteTransaction",
                   {"TransactStatements": [{"Statement": one} for one in statements], **more})

    def test_in_a_transaction_happen_whole_or_not(self):
        status, reply = self.transact("INSERT INTO music VALUE {'artist': 'n', 'year': 1}",
                                      "UPDATE music SET n = n + 1 WHERE artist = 'a' AND year = 1",
                                      "DELETE FROM music WHERE artist = 'a' AND year = 2",
                                      "EXISTS(SELECT * FROM music WHERE artist = 'a' AND year = 3 AND n = 30)")
        self.assertEqual((status, reply), (200, {"Responses": [{}, {}, {}, {}]}))
        self.assertEqual(sorted(self.years("SELECT * FROM music")), [1, 1, 3, 4, 5, 6])
        status, reply = self.transact("INSERT INTO music VALUE {'artist': 'm', 'year': 1}",
                                      "INSERT INTO music VALUE {'artist': 'n', 'year': 1}",
                                      "EXISTS(SELECT * FROM music WHERE artist = 'a' AND year = 3 AND n = 31)")
        self.assertEqual((status, kind_of(reply)), (400, "TransactionCanceledException"))
        self.assertEqual([(reason["Code"], reason.get("Message")) for reason in reply["CancellationReasons"]],
                         [("None", None), ("DuplicateItem", "Duplicate primary key exists in table"),
                          ("ConditionalCheckFailed", "The conditional request failed")])
        self.assertEqual(len(self.items("SELECT * FROM music")), 6)

    def test_in_a_transaction_read_one_state(self):
        status, reply = self.transact("SELECT n FROM music WHERE artist = 'a' AND year = 1",
                                      "SELECT * FROM music WHERE artist = 'a' AND year = 99")
        self.assertEqual((status, reply), (200, {"Responses": [{"Item": {"n": {"N": "10"}}}, {}]}))

    def test_in_a_transaction_with_a_token_happen_once(self):
        for _ in range(3):
            status, reply = self.transact("UPDATE music SET n = n + 1 WHERE artist = 'a' AND year = 1",
                                          ClientRequestToken="once")
            self.assertEqual(status, 200, reply)
        self.assertEqual(self.items("SELECT n FROM music WHERE artist = 'a' AND year = 1"), [{"n": {"N": "11"}}])
        status, reply = self.transact("DELETE FROM music WHERE artist = 'a' AND year = 1", ClientRequestToken="once")
        self.assertEqual((status, kind_of(reply)), (400, "IdempotentParameterMismatchException"))

    def test_in_a_transaction_that_is_none_are_told_by_number(self):
        good = "DELETE FROM music WHERE artist = 'a' AND year = 1"
        for statement, text in (
                ("SELECT * FROM music WHERE", NOT_WELL_FORMED + "Unexpected term"),
                (good + " RETURNING ALL OLD *", "RETURNING clause is not supported in ExecuteTransaction."),
                ("SELECT * FROM music.keys WHERE genre = 'x'", "Reads on indices are not supported within transactions."),
                ("SELECT * FROM music WHERE artist = 'a'",
                 "Select statements within ExecuteTransaction must specify the primary key in the where clause."),
                ("EXISTS(SELECT * FROM music WHERE artist = 'a' AND year = 1)",
                 "EXISTS() must contain a single item read with additional condition")):
            status, reply = self.transact(good, statement)
            self.assertEqual((status, reply["message"]), (400, "Validation failed in TransactStatements[1]: " + text))
        self.assertEqual(len(self.items("SELECT * FROM music")), 6)


if __name__ == "__main__":
    unittest.main()
