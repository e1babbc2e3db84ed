# Goal: get, put, del, expire, ttl, scan and count do the same on a folder and on a server, byte for byte.
# Method: each case runs on both; output in pipes is compared whole, on a terminal by its lines.
import socket
import subprocess
import unittest

from cli_home import MAYFLY, CliTest


class Rows:
    """The cases; `self.target` is a list of arguments that names the database."""

    def test_a_value_comes_back_byte_for_byte(self):
        value = bytes(range(256)) * 10
        self.assertEqual(self.run_mayfly("put", *self.target, "bin", given=value), (0, b"", b""))
        self.assertEqual(self.run_mayfly("get", *self.target, "bin"), (0, value, b""))
        self.good("put", *self.target, "empty", "")
        self.assertEqual(self.run_mayfly("get", *self.target, "empty"), (0, b"", b""))

    def test_a_missing_key_has_its_own_exit_code(self):
        for command in (["get"], ["ttl"]):
            self.assertIn("there is no key 'nobody'", self.bad(4, *command, *self.target, "nobody"))
        self.bad(4, "expire", *self.target, "nobody", "--ttl", "5s")
        self.assertEqual(self.run_mayfly("del", *self.target, "nobody"), (4, b"deleted\t0\n", b""))

    def test_lifetimes(self):
        self.good("put", *self.target, "a", "v", "--ttl", "1h30m")
        left = int(self.good("ttl", *self.target, "a"))
        self.assertTrue(5_300_000 < left <= 5_400_000, left)
        self.good("put", *self.target, "a", "w", "--keep-ttl")
        self.assertLessEqual(int(self.good("ttl", *self.target, "a")), left)
        self.good("put", *self.target, "a", "w")
        self.assertEqual(self.good("ttl", *self.target, "a"), "forever\n")
        self.good("expire", *self.target, "a", "--at", "2100-01-01T02:00:00+02:00")
        (row,) = self.objects("get", *self.target, "a")
        self.assertEqual(row, {"key": "a", "deadline": 4102444800000, "type": "string",
                               "value": "w"})
        self.good("expire", *self.target, "a", "--forever")
        self.assertEqual(self.objects("ttl", *self.target, "a"), [{"key": "a", "ttl": None}])
        self.good("put", *self.target, "a", "w", "--at", "2001-01-01")
        self.bad(4, "get", *self.target, "a")

    def test_scan_and_count(self):
        for key in ("user:2", "user:1", "user*3", "other", "user:\u00e9"):
            self.good("put", *self.target, key, "value of " + key)
        self.good("put", *self.target, "user:1", "tab\there", "--at", "2100-01-01")
        self.assertEqual(self.good("scan", *self.target, "--prefix", "user:"),
                         "user:1\t4102444800000\tstring\ttab\\there\n"
                         "user:2\t\tstring\tvalue of user:2\n"
                         "user:\u00e9\t\tstring\tvalue of user:\u00e9\n")
        self.assertEqual(self.good("scan", *self.target, "--prefix", "user*", "--keys-only"),
                         "user*3\t\tstring\n")
        self.assertEqual(len(self.good("scan", *self.target, "--limit", "2").splitlines()), 2)
        self.assertEqual(self.good("count", *self.target), "5\n")
        self.assertEqual(self.good("count", *self.target, "--prefix", "user:"), "3\n")
        self.assertEqual(self.objects("count", *self.target), [{"count": 5}])
        self.assertEqual(self.good("del", *self.target, "user:1", "user:2", "nobody"),
                         "deleted\t2\n")
        self.assertEqual(self.good("count", *self.target), "3\n")

    def test_json_of_bytes_that_are_no_text(self):
        self.run_mayfly("put", *self.target, "k", given=b"\xff\x00")
        (row,) = self.objects("scan", *self.target)
        self.assertEqual(row["value_base64"], "/wA=")
        self.assertEqual(self.good("scan", *self.target), "k\t\tstring\t\\xff\\x00\n")

    def test_a_terminal_gets_a_table_with_colours_unless_refused(self):
        self.good("put", *self.target, "session", "alice", "--ttl", "2h")
        code, text = self.terminal("scan", *self.target).finish()
        self.assertEqual(code, 0)
        self.assertIn("\x1b[1mkey", text)
        self.assertRegex(text, r"session  1h 59min +\d{4}-\d\d-\d\dT\S+Z +string +alice")
        self.assertIn("1 row\r\n", text)
        for more, environment in ((["--no-color"], {}), ([], {"NO_COLOR": "1"})):
            code, text = self.terminal("scan", *self.target, *more, **environment).finish()
            self.assertNotIn("\x1b", text)
        code, text = self.terminal("get", *self.target, "session").finish()
        self.assertEqual((code, text), (0, "alice\r\n"))
        code, text = self.terminal("ttl", *self.target, "session").finish()
        self.assertRegex(text, r"^1h 59min 5\ds")

    def test_a_terminal_without_escapes_gets_none(self):
        self.good("put", *self.target, "k", "v")
        code, text = self.terminal("scan", *self.target, TERM="dumb").finish()
        self.assertEqual(code, 0)
        self.assertNotIn("\x1b", text)

    def test_a_closed_pipe_ends_it_quietly(self):
        for n in range(3):
            self.run_mayfly("put", *self.target, f"large:{n}", given=b"x" * 200_000)
        process = subprocess.Popen([MAYFLY, "scan", *map(str, self.target)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment())
        process.stdout.read(1)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(60), 1)

    def test_a_put_that_is_interrupted_writes_nothing(self):
        process = self.start("put", *self.target, "half")
        self.give(process, b"a val")
        self.interrupt(process)
        self.bad(4, "get", *self.target, "half")

    def test_wrong_use_is_told_and_has_exit_code_2(self):
        for arguments, word in ((["get", *self.target], "KEY"),
                                (["get", *self.target, "k", "--nonsense"], "--nonsense"),
                                (["put", *self.target, "k", "v", "--ttl", "30"], "with its unit"),
                                (["put", *self.target, "k", "v", "--ttl", "0s"], "more than zero"),
                                (["put", *self.target, "k", "v", "--at", "soon"], "no instant"),
                                (["put", *self.target, "k", "v", "--at", "2030-02-30"], "instant"),
                                (["put", *self.target, "k", "v", "--ttl", "1s", "--forever"],
                                 "excludes"),
                                (["expire", *self.target, "k"], "--forever"),
                                (["scan", *self.target, "--limit", "-1"], "'-1' is no whole number of 1 or more"),
                                (["events", *self.target, "--limit", "x"], "'x' is no whole number"),
                                (["purge", *self.target, "--rows", "0"], "'0' is no whole number"),
                                (["scan", *self.target, "--json", "--raw"], "excludes")):
            self.assertIn(word, self.bad(2, *arguments))


class RowsInAFolder(Rows, CliTest):
    def setUp(self):
        super().setUp()
        self.target = [self.folder / "db"]
        self.good("put", *self.target, "first", "v", "--create")
        self.good("del", *self.target, "first")

    def test_reverse(self):
        for key in ("p:1", "p:2", "p\xff", "q"):
            self.good("put", *self.target, key, "v")
        output = self.good("scan", *self.target, "--reverse", "--prefix", "p:", "--keys-only")
        self.assertEqual([line.split("\t")[0] for line in output.splitlines()], ["p:2", "p:1"])

    def test_a_missing_folder_or_keyspace_is_not_made(self):
        for arguments in (["get", self.folder / "no", "k"], ["put", self.folder / "no", "k", "v"]):
            self.assertIn("there is no database", self.bad(1, *arguments))
        self.assertIn("--create", self.bad(1, "put", self.folder / "no", "k", "v"))
        self.assertNotIn("--create", self.bad(1, "del", self.folder / "no", "k"))
        self.assertIn("a server's URL is redis://", self.bad(2, "get", "http://localhost", "k"))
        self.assertFalse((self.folder / "no").exists())
        self.assertIn("no keyspace 'other'", self.bad(1, "get", *self.target, "k", "-k", "other"))
        self.good("put", *self.target, "k", "v", "-k", "other", "--create")
        self.assertEqual(self.good("get", *self.target, "k", "-k", "other"), "v")
        self.bad(4, "get", *self.target, "k")

    def test_a_folder_that_is_served_can_be_read_and_not_written(self):
        server = self.serve()
        folder = server.folder / "data"
        self.good("put", f"redis://127.0.0.1:{server.port}", "k", "v")
        self.assertEqual(self.good("get", folder, "k"), "v")
        self.assertIn("--url", self.bad(1, "put", folder, "k", "w"))

    def test_an_encrypted_database(self):
        key = self.folder / "key"
        key.write_text("correct horse battery staple\n")
        flags = ["--encryption-key-file", key]
        self.good("put", self.folder / "secret", "k", "v", "--create", *flags)
        self.assertEqual(self.good("get", self.folder / "secret", "k", *flags), "v")
        self.assertIn("encrypted", self.bad(1, "get", self.folder / "secret", "k"))


class RowsOfAServer(Rows, CliTest):
    def setUp(self):
        super().setUp()
        self.server = self.serve()
        self.url = f"redis://127.0.0.1:{self.server.port}"
        self.target = ["--url", self.url]

    def test_the_url_may_stand_anywhere(self):
        self.good("put", "k", "v", "--url", self.url)
        self.assertEqual(self.good("get", "k", f"--url={self.url}"), "v")
        self.assertEqual(self.good("get", self.url, "k"), "v")

    def test_databases(self):
        self.good("put", self.url + "/3", "k", "three")
        self.assertEqual(self.good("get", self.url, "k", "-k", "db3"), "three")
        self.bad(4, "get", self.url, "k")
        self.assertIn("db0, db1", self.bad(1, "get", self.url, "k", "-k", "sessions"))
        self.assertIn("out of range", self.bad(1, "get", self.url + "/9999", "k"))

    def test_what_a_server_cannot_do_is_told(self):
        self.assertIn("forwards only", self.bad(1, "scan", *self.target, "--reverse"))

    def test_another_type_is_told(self):
        self.good("put", *self.target, "k", "v")
        self.redis_cli(self.server, "RPUSH", "list", "a", "b")
        self.assertIn("WrongType", self.bad(1, "get", *self.target, "list"))
        self.assertEqual(self.good("scan", *self.target), "k\t\tstring\tv\nlist\t\tlist\t\n")

    def test_a_server_that_is_not_there(self):
        self.server.stop()
        self.assertIn("Connection refused", self.bad(1, "get", *self.target, "k"))
        self.assertIn("no such host", self.bad(1, "get", "redis://no.such.host.invalid", "k"))
        for url in ("redis://", "redis://host:notaport", "redis://host:99999", "redis://host/x", "unix://relative",
                    "redis://a%zz:b@host"):
            self.assertIn("a server's URL is", self.bad(2, "get", url, "k"))


class Passwords(CliTest):
    def test_passwords(self):
        server = self.serve("--requirepass", "se:cret@")
        self.assertIn("WrongPassword", self.bad(1, "get", f"redis://127.0.0.1:{server.port}", "k"))
        errors = self.bad(1, "get", f"redis://default:wrong@127.0.0.1:{server.port}", "k")
        self.assertIn("WrongPassword", errors)
        self.assertNotIn(":wrong", errors)
        self.good("put", f"redis://:se%3Acret%40@127.0.0.1:{server.port}", "k", "v")
        run = self.run_mayfly("get", f"redis://127.0.0.1:{server.port}", "k",
                              MAYFLY_PASSWORD="se:cret@")
        self.assertEqual(run, (0, b"v", b""))

    def test_tls_and_unix_sockets(self):
        key, cert = self.folder / "key.pem", self.folder / "cert.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key,
                        "-out", cert], check=True, capture_output=True)
        path = self.folder / "s.sock"
        port = free_port()
        self.serve("--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key,
                   "--tls-auth-clients", "no", "--unixsocket", path)
        self.good("put", f"unix://{path}?db=2", "k", "v")
        url = f"rediss://localhost:{port}/2"
        self.assertEqual(self.good("get", url, "k", "--tls-ca", cert), "v")
        self.assertEqual(self.good("get", url, "k", "--tls-insecure"), "v")
        self.assertIn("TLS", self.bad(1, "get", url, "k"))
        other = f"rediss://127.0.0.1:{port}/2"  # The certificate is another host's.
        self.assertIn("TLS", self.bad(1, "get", other, "k", "--tls-ca", cert))


def free_port():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


if __name__ == "__main__":
    unittest.main()
