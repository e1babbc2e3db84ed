# Goal: what is exported and imported is the same rows, byte for byte and with the same deadlines, in both formats.
# Method: rows with difficult bytes make a round trip between folders and a server; bad files are refused by line.
import base64
import csv
import io
import json
import pathlib
import random
import sys
import unittest

from cli_home import CliTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "dynamo"))
from http_home import ask  # noqa: E402

SEED = 20260101
FUTURE = 4102444800000  # 2100-01-01.


class Transfer(CliTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "db"
        self.server = None

    def rows(self, target):
        return sorted(self.good("export", target).splitlines())

    def fill(self, rows):
        lines = []
        for key, value, deadline in rows:
            lines.append(json.dumps({"key_base64": base64.b64encode(key).decode(),
                                     "value_base64": base64.b64encode(value).decode(),
                                     "deadline": deadline}))
        self.good("import", self.data, "--create", given="\n".join(lines).encode())

    def random_rows(self, count):
        print(f"seed {SEED}")
        chance = random.Random(SEED)
        pieces = [b",", b'"', b"\n", b"\r", b"\r\n", b"\t", b"\\", b"\x00", b"\xff", b"a", b"\xc3\xa9",
                  b"'", b" ", b"=", b"{}"]
        return [(b"%05d" % n + b"".join(chance.choices(pieces, k=chance.randrange(8))),
                 b"".join(chance.choices(pieces, k=chance.randrange(12))),
                 chance.choice([None, FUTURE + n])) for n in range(count)]

    def test_round_trips_between_folders_and_a_server(self):
        self.fill(self.random_rows(2500))
        url = f"redis://127.0.0.1:{self.serve().port}"
        expected = self.rows(self.data)
        self.assertEqual(len(expected), 2500)
        for n, (file, flags) in enumerate((("a.jsonl", []), ("a.csv", []), ("a", ["--format", "csv"]))):
            path = self.folder / file
            self.good("export", self.data, path, *flags)
            self.assertIn("2500 rows imported, 0 had died",
                          self.good("import", self.folder / f"new{n}", path, "--create", *flags))
            self.assertEqual(self.rows(self.folder / f"new{n}"), expected, file)
        self.good("import", "--url", url, self.folder / "a.csv")
        self.assertEqual(self.rows(url), expected)
        self.good("export", url, self.folder / "back.csv")
        self.good("import", self.folder / "last", self.folder / "back.csv", "--create")
        self.assertEqual(self.rows(self.folder / "last"), expected)
        keys = [line.split("\t")[0] for line in self.good("scan", url, "--keys-only").splitlines()]
        self.assertEqual(len(keys), 2500)

    def test_what_the_lines_look_like(self):
        self.fill([(b"k", b"v, \"w\"\nx", FUTURE), (b"\xff", b"", None)])
        self.assertEqual(self.good("export", self.data),
                         '{"key":"k","deadline":4102444800000,"value":"v, \\"w\\"\\nx"}\n'
                         '{"key_base64":"/w==","deadline":null,"value":""}\n')
        text = self.good("export", self.data, "--format", "csv")
        self.assertEqual(text, 'key,value,deadline,encoding\nk,"v, ""w""\nx",4102444800000,\n'
                               "/w==,,,base64\n")
        self.assertEqual(list(csv.reader(io.StringIO(text)))[1], ["k", 'v, "w"\nx', str(FUTURE), ""])

    def test_csv_of_others_is_read(self):
        given = b'value,"key"\r\n1,a\r\n"two\r\nlines",b\r\n'
        self.good("import", self.data, "--create", "--format", "csv", given=given)
        self.assertEqual(self.good("get", self.data, "b"), "two\r\nlines")
        given = b'{"key": "c", "value": "v", "deadline": "2100-01-01T00:00:00Z"}\n\n'
        self.good("import", self.data, given=given)
        self.assertIn(f'"deadline":{FUTURE}', self.good("export", self.data, "--prefix", "c"))

    def test_the_database_says_which_rows_are_dead(self):
        # A write whose instant has passed is a delete with an event, for import as for any other writer. A key
        # twice in the file: each line is a write, and counted by itself.
        given = (b'{"key": "a", "value": "v", "deadline": 1600000000000}\n{"key": "b", "value": "v"}\n'
                 b'{"key": "old", "value": "new", "deadline": 1600000000000}\n'
                 b'{"key": "c", "value": "1"}\n{"key": "c", "value": "2", "deadline": 1600000000000}\n'
                 b'{"key": "d", "value": "1", "deadline": 1600000000000}\n{"key": "d", "value": "2"}\n')
        url = f"redis://127.0.0.1:{self.serve().port}"
        for target, keyspace in ((self.data, "default"), (url, "db0")):
            self.good("put", target, "old", "v", "--create")
            self.good("keyspace", "policy", target, keyspace, "events=key")
            self.assertEqual(self.good("import", target, given=given), "3 rows imported, 4 had died\n")
            self.assertEqual(self.good("scan", target, "--keys-only"), "b\t\tstring\nd\t\tstring\n")
            told = [(event["key"], event["cause"]) for event in self.objects("events", target)]
            self.assertIn(("old", "born-dead"), told)

    def test_bad_lines_are_named(self):
        self.good("put", self.data, "k", "v", "--create")
        for flags, given, word in (
                ([], b'{"key": "a", "value": "v"}\nnonsense\n', "line 2: no JSON object: "),
                ([], b'{"key": "a"}\n', "line 1: there is no text under 'value'"),
                ([], b'{"key_base64": "*", "value": ""}\n', "bad Base64"),
                ([], b'{"key": "a", "value": "v", "deadline": "soon"}\n', "no instant"),
                ([], b'{"key": "a", "value": "v", "deadline": 1900000000}\n', "seconds"),
                (["--format", "csv"], b"key,deadline\n1,2\n", "'key' and 'value'"),
                (["--format", "csv"], b"key,value\n1,2,3\n", "line 2: 3 cells under 2 titles"),
                (["--format", "csv"], b'key,value\n1,"2\n', "not closed"),
                (["--format", "csv"], b'key,value\n1,2"3"\n', "a quote within"),
                (["--format", "csv"], b"key,value,encoding\n1,2,rot13\n", "no encoding")):
            self.assertIn(word, self.bad(1, "import", self.data, *flags, given=given))

    def test_fields_that_import_does_not_know_are_refused(self):
        # A row with "ttl" would be one that lives for ever.
        self.good("put", self.data, "k", "v", "--create")
        member = '{"key": "a", "type": "%s", "members": [{%s}]}'
        for flags, given, words in (
                ([], '{"key": "a", "value": "b", "ttl": 60000}',
                 "a string has no field 'ttl'; it may have key, key_base64, deadline, type, value, value_base64"),
                ([], '{"key": "a", "value": "b", "members": []}', "a string has no field 'members'"),
                ([], '{"key": "a", "type": "set", "value": "b"}', "a set has no field 'value'; it may have key,"),
                ([], member % ("hash", '"name": "n", "value": "v", "ttl": 1'), "a member of a hash has no field 'ttl'"),
                ([], member % ("set", '"name": "n", "score": 1'), "a member of a set has no field 'score'; it may"),
                ([], member % ("list", '"name": "n", "value": "v"'), "a member of a list has no field 'name'"),
                ([], '{"key": "a", "key_base64": "YQ==", "value": "b"}', "'key' and 'key_base64' are both there"),
                ([], '{"key": "a", "value": "b", "value_base64": "YQ=="}', "'value' and 'value_base64' are both there"),
                ([], '{"key": "a", "value": "b", "value": "c"}', "a name is there twice"),
                (["--format", "csv"], "key,value,ttl\na,b,60000",
                 "there is no column 'ttl'; there are key, value, deadline, encoding"),
                (["--format", "csv"], "key,value,key\na,b,c", "the column 'key' is there twice")):
            errors = self.bad(1, "import", self.data, *flags, given=given.encode())
            self.assertIn("line 1: ", errors)
            self.assertIn(words, errors)
            self.bad(4, "get", self.data, "a")

    def test_deadlines_of_any_age_make_a_round_trip(self):
        self.good("put", self.data, "a", "1", "--ttl", "420000w", "--create")
        self.good("put", self.data, "b", "2")
        for n, file in enumerate(("far.jsonl", "far.csv")):
            self.good("export", self.data, self.folder / file)
            self.assertEqual(self.good("import", self.folder / f"far{n}", self.folder / file, "--create"),
                             "2 rows imported, 0 had died\n")
            self.assertEqual(self.rows(self.folder / f"far{n}"), self.rows(self.data))

    def test_a_row_that_the_database_refuses_is_named_by_its_line(self):
        url = f"redis://127.0.0.1:{self.serve().port}"
        lines = [json.dumps({"key": f"k{n}", "value": "v", "deadline": FUTURE}) for n in range(5)]
        lines[3] = '\n{"key": "immortal", "value": "v"}'  # Behind an empty line: line 5.
        for target, keyspace in ((self.data, "default"), (url, "db0")):
            self.good("put", target, "old", "v", "--create")
            self.good("keyspace", "policy", target, keyspace, "require=yes")
            errors = self.bad(1, "import", target, given="\n".join(lines).encode())
            self.assertIn("line 5: ", errors)
            self.assertIn("3 rows before it are imported", errors)
            # A server's EXEC runs what stands behind a command that fails.
            self.assertEqual(self.good("count", target, "--prefix", "k"), "3\n" if target == self.data else "4\n")

    def test_a_failed_command_leaves_no_database(self):
        (self.folder / "empty").mkdir()
        (self.folder / "garbage").write_text("garbage\n")
        for target in (self.folder / "new", self.folder / "deep" / "er" / "new", self.folder / "empty"):
            for command in (["import", target, self.folder / "garbage", "--create"],
                            ["put", target, "", "v", "--create"],
                            ["put", target, "k", "v", "-k", "__bad", "--create"],
                            ["keyspace", "create", target, "__bad", "--create"]):
                self.bad(1, *command)
                self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["empty", "garbage"], command)
                self.assertEqual(list((self.folder / "empty").iterdir()), [], command)
        process = self.start("import", self.folder / "new", "-", "--create")
        self.give(process, b'{"key": "a", "val')
        self.interrupt(process)
        self.assertFalse((self.folder / "new").exists())

    def test_a_failed_command_leaves_no_keyspace(self):
        self.good("put", self.data, "k", "v", "--create")
        self.bad(1, "put", self.data, "", "v", "-k", "other", "--create")
        self.assertEqual([one["keyspace"] for one in self.objects("keyspace", "list", self.data)], ["default"])
        self.good("put", self.data, "k", "v", "-k", "other", "--create")
        self.bad(1, "put", self.data, "", "v", "-k", "other", "--create")
        self.assertEqual(self.good("get", self.data, "k", "-k", "other"), "v")

    def test_a_byte_order_mark_is_no_part_of_the_file(self):
        mark = b"\xef\xbb\xbf"
        self.good("import", self.data, "--create", given=mark + b'{"key": "a", "value": "v"}\n')
        self.good("import", self.data, "--format", "csv", given=mark + b"key,value\nb,v\n")
        self.assertEqual(self.good("count", self.data), "2\n")

    def test_scores_are_plain_numbers(self):
        given = '{"key":"z","deadline":null,"type":"zset","members":[{"name":"a","score":-7},{"name":"b","score":3}]}\n'
        self.good("import", self.data, "--create", given=given.encode())
        self.assertEqual(self.good("export", self.data), given)

    def test_files_are_not_overwritten_and_not_left_half(self):
        self.good("put", self.data, "k", "v", "--create")
        (self.folder / "old.csv").write_text("precious")
        self.assertIn("File exists", self.bad(1, "export", self.data, self.folder / "old.csv"))
        self.assertEqual((self.folder / "old.csv").read_text(), "precious")
        self.assertIn("No such file", self.bad(1, "import", self.data, self.folder / "missing"))
        self.bad(2, "export", self.data, "--format", "xml")
        code, output, errors = self.run_mayfly("export", self.data, "/dev/full")
        self.assertEqual(code, 1, errors)

    def test_ctrl_c_ends_an_export(self):
        count = 20_000  # More than a pipe holds, so that it cannot have ended.
        self.fill([(b"%05d" % n, b"x" * 100, None) for n in range(count)])
        process = self.start("export", self.data)
        process.stdout.readline()
        self.assertLess(len(self.interrupt(process).splitlines()), count - 1)

    def test_ctrl_c_ends_an_import_and_whole_rows_are_kept(self):
        for target in (self.data, f"redis://127.0.0.1:{self.serve().port}"):
            process = self.start("import", target, "-", "--create", "--format", "csv")
            self.give(process, b"key,value\n" + b"".join(b"%05d,x\n" % n for n in range(5000)) + b"half,a ro")
            output = self.interrupt(process)
            if target == self.data:
                self.assertEqual(output.decode(), f"{self.good('count', target).strip()} rows imported, 0 had died\n")
            self.bad(4, "get", target, "half")

    def test_a_file_that_cannot_be_read(self):
        self.assertIn("Is a directory", self.bad(1, "import", self.data, self.folder, "--create"))

    def fill_collections(self, server):
        """One of each type, with difficult bytes, and with deadlines of rows and of fields."""
        binary = b"\xff\n"
        for words in (("HSET", "hash", "user", "alice", "code", "4711", binary, binary),
                      ("HPEXPIREAT", "hash", str(FUTURE), "FIELDS", "1", "code"),
                      ("HSET", "mortal", "only", "field"),
                      ("HPEXPIREAT", "mortal", str(FUTURE + 1), "FIELDS", "1", "only"),
                      ("RPUSH", "list", "b", "a", "b", "", binary), ("PEXPIREAT", "list", str(FUTURE + 2)),
                      ("SADD", "set", "x", "y", binary),
                      ("ZADD", "zset", "1", "one", "0.1", "tenth", "-inf", "least", "1e300", "much"),
                      ("SET", "string", "v"), ("SETRANGE", "string", "100000", "in parts"),
                      ("SETRANGE", "string", "3", "x")):
            self.redis_cli(server, *words)

    def test_collections_make_a_round_trip(self):
        server = self.serve()
        url = f"redis://127.0.0.1:{server.port}"
        self.fill_collections(server)
        lines = {}
        for line in self.rows(url):
            row = json.loads(line)
            lines[row["key"]] = row
        self.assertEqual(sorted(lines), ["hash", "list", "mortal", "set", "string", "zset"])
        self.assertEqual(lines["mortal"], {"key": "mortal", "deadline": None, "type": "hash", "members": [
            {"name": "only", "value": "field", "deadline": FUTURE + 1}]})
        self.assertEqual(lines["list"], {"key": "list", "deadline": FUTURE + 2, "type": "list", "members": [
            {"value": "b"}, {"value": "a"}, {"value": "b"}, {"value": ""}, {"value_base64": "/wo="}]})
        self.assertEqual(lines["zset"]["members"], [
            {"name": "least", "score": "-inf"}, {"name": "tenth", "score": "0.1"},
            {"name": "one", "score": 1}, {"name": "much", "score": "1e+300"}])

        def content(target):
            """Members of hashes and sets are in no order."""
            rows = [json.loads(line) for line in self.good("export", target).splitlines()]
            for row in rows:
                if row.get("type") in ("hash", "set"):
                    row["members"].sort(key=json.dumps)
            return sorted(rows, key=lambda row: row["key"])

        expected = content(url)
        self.assertEqual(content(server.folder / "data"), expected)
        other = f"redis://127.0.0.1:{self.serve(name='other').port}"
        # To a folder, from there to a server, and to a server directly: over what is there.
        file = self.folder / "rows.jsonl"
        self.good("export", server.folder / "data", file)
        for n, (source, target) in enumerate(((url, self.data), (self.data, other), (url, other),
                                              (other, self.data))):
            self.good("put", target, "hash", "another type", "--create")
            self.assertEqual(self.good("import", target, "-", given=self.good("export", source).encode()),
                             "6 rows imported, 0 had died\n")
            self.assertEqual(content(target), expected, n)
            self.assertIn("nothing is wrong", self.good("check", target))
        self.assertIn("6 rows imported", self.good("import", self.folder / "new", file, "--create"))
        self.assertEqual(content(self.folder / "new"), expected)

    def test_dead_collections_and_fields_are_not_imported(self):
        dead = 1600000000000
        given = "\n".join(json.dumps(row) for row in (
            {"key": "a", "type": "list", "members": [{"value": "v"}], "deadline": dead},
            {"key": "b", "type": "hash", "members": [{"name": "f", "value": "v", "deadline": dead}]},
            {"key": "c", "type": "hash", "members": [{"name": "f", "value": "v", "deadline": dead},
                                                     {"name": "g", "value": "v"}]})).encode()
        url = f"redis://127.0.0.1:{self.serve().port}"
        for target in (self.data, url):
            self.good("put", target, "a", "old", "--create")
            self.assertEqual(self.good("import", target, given=given), "1 row imported, 2 had died\n")
            self.assertEqual(self.good("export", target),
                             '{"key":"c","deadline":null,"type":"hash","members":'
                             '[{"name":"g","value":"v","deadline":null}]}\n')

    def test_a_keyspaces_default_ttl_is_not_given_to_imported_rows(self):
        url = f"redis://127.0.0.1:{self.serve().port}"
        given = (b'{"key": "l", "type": "list", "members": [{"value": "v"}]}\n'
                 b'{"key": "s", "value": "v"}\n')
        for target, keyspace in ((self.data, "default"), (url, "db0")):
            self.good("put", target, "k", "v", "--create")
            self.good("keyspace", "policy", target, keyspace, "default-ttl=1h")
            self.good("import", target, given=given)
            self.assertEqual((self.good("ttl", target, "l"), self.good("ttl", target, "s")),
                             ("forever\n", "forever\n"))

    def test_bad_collections_are_named(self):
        self.good("put", self.data, "k", "v", "--create")
        row = '{"key": "k", "type": "%s", "members": [%s]}'
        for line, word in ((row % ("tree", ""), "'tree' is no type"),
                           (row % ("list", ""), "of one at least"),
                           ('{"key": "k", "type": "set"}', "'members'"),
                           (row % ("list", "1"), "a member is no JSON object"),
                           (row % ("set", "{}"), "no text under 'name'"),
                           (row % ("set", '{"name": "n"}, {"name": "n"}'), "twice"),
                           (row % ("hash", '{"name": "n"}'), "no text under 'value'"),
                           (row % ("hash", '{"name": "n", "value": "v", "deadline": 1900000000}'), "seconds"),
                           (row % ("zset", '{"name": "n", "score": "high"}'), "'score'"),
                           (row % ("zset", '{"name": "n", "score": "nan"}'), "'score'")):
            self.assertIn("line 1: ", errors := self.bad(1, "import", self.data, given=line.encode()))
            self.assertIn(word, errors)

    def test_csv_tells_what_it_left_out(self):
        server = self.serve()
        url = f"redis://127.0.0.1:{server.port}"
        self.good("put", url, "k", "v")
        self.redis_cli(server, "RPUSH", "list", "a", "b")
        for target in (url, server.folder / "data"):
            code, output, errors = self.run_mayfly("export", target, "--format", "csv")
            self.assertEqual((code, output), (3, b"key,value,deadline,encoding\nk,v,,\n"))
            self.assertEqual(errors, b"mayfly: 1 collection left out: CSV holds strings alone; "
                                     b"JSON lines hold all rows but streams\n")

    def test_items_of_tables_are_told(self):
        server = self.serve()
        key = [{"AttributeName": "k", "KeyType": "HASH"}]
        ask(server.http_port, "CreateTable", {
            "TableName": "sessions", "KeySchema": key, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}]})
        for name in ("a", "b"):
            status, reply = ask(server.http_port, "PutItem", {"TableName": "sessions", "Item": {"k": {"S": name}}})
            self.assertEqual(status, 200, reply)
        for target in (f"redis://127.0.0.1:{server.port}", server.folder / "data"):
            code, output, errors = self.run_mayfly("export", target)
            self.assertEqual((code, output), (0, b""))
            self.assertEqual(errors, b"mayfly: 2 items of tables not exported; `mayfly backup` has them\n")


if __name__ == "__main__":
    unittest.main()
