# Goal: what is exported and imported is the same rows, byte for byte and with the same deadlines, in both formats.
# Method: rows with difficult bytes make a round trip between folders and a server; bad files are refused by line.
import base64
import csv
import io
import json
import random
import unittest

from cli_home import CliTest

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

    def test_dead_rows_are_left_out(self):
        given = b'{"key": "a", "value": "v", "deadline": 1600000000000}\n{"key": "b", "value": "v"}\n'
        self.assertEqual(self.good("import", self.data, "--create", given=given),
                         "1 row imported, 1 had died\n")
        self.assertEqual(self.good("scan", self.data, "--keys-only"), "b\t\tstring\n")

    def test_bad_lines_are_named(self):
        self.good("put", self.data, "k", "v", "--create")
        for flags, given, word in (
                ([], b'{"key": "a", "value": "v"}\nnonsense\n', "line 2: no JSON object; 0 rows before"),
                ([], b'{"key": "a"}\n', "line 1: there is no text under 'value'"),
                ([], b'{"key_base64": "*", "value": ""}\n', "bad Base64"),
                ([], b'{"key": "a", "value": "v", "deadline": "soon"}\n', "no instant"),
                ([], b'{"key": "a", "value": "v", "deadline": 1900000000}\n', "seconds"),
                (["--format", "csv"], b"a,b\n1,2\n", "'key' and 'value'"),
                (["--format", "csv"], b"key,value\n1,2,3\n", "line 2: 3 cells under 2 titles"),
                (["--format", "csv"], b'key,value\n1,"2\n', "not closed"),
                (["--format", "csv"], b'key,value\n1,2"3"\n', "a quote within"),
                (["--format", "csv"], b"key,value,encoding\n1,2,rot13\n", "no encoding")):
            self.assertIn(word, self.bad(1, "import", self.data, *flags, given=given))

    def test_files_are_not_overwritten_and_not_left_half(self):
        self.good("put", self.data, "k", "v", "--create")
        (self.folder / "old.csv").write_text("precious")
        self.assertIn("File exists", self.bad(1, "export", self.data, self.folder / "old.csv"))
        self.assertEqual((self.folder / "old.csv").read_text(), "precious")
        self.assertIn("No such file", self.bad(1, "import", self.data, self.folder / "missing"))
        self.bad(2, "export", self.data, "--format", "xml")
        code, output, errors = self.run_mayfly("export", self.data, "/dev/full")
        self.assertEqual(code, 1, errors)

    def test_collections_are_told(self):
        server = self.serve()
        url = f"redis://127.0.0.1:{server.port}"
        self.good("put", url, "k", "v")
        self.redis_cli(server, "RPUSH", "list", "a", "b")
        for target in (url, server.folder / "data"):
            code, output, errors = self.run_mayfly("export", target)
            self.assertEqual((code, output), (3, b'{"key":"k","deadline":null,"value":"v"}\n'))
            self.assertIn(b"1 collection left out", errors)


if __name__ == "__main__":
    unittest.main()
