# Goal: the shell edits lines, completes, hints, remembers and draws, on a folder and on a server.
# Method: a person at a terminal, and scripts in a pipe. Nothing sleeps: each step waits for what is shown.
import json
import os
import unittest

from cli_home import CliTest

PROMPT = "db0> "


class Shell:
    """`self.target` names the database."""

    def person(self, *flags, **environment):
        terminal = self.terminal("shell", *self.target, "--no-color", *flags, **environment)
        terminal.wait_for("Ctrl-D ends.")
        terminal.wait_for(PROMPT)
        return terminal

    def test_one_command(self):
        self.assertEqual(self.good("shell", *self.target, "-c", 'SET "a key" "it\\x41\\n" EX 100'),
                         "OK\n")
        self.assertEqual(self.good("shell", *self.target, "-c", "GET 'a key'"), "itA\\n\n")
        self.assertEqual(self.good("shell", *self.target, "-c", "MGET 'a key' none", "--json"),
                         '["itA\\n",null]\n')
        code, output, _ = self.run_mayfly("shell", *self.target, "-c", "NOSUCH x")
        self.assertEqual((code, output[:27]), (1, b"ERR unknown command 'NOSUCH"))
        self.assertIn("quote", self.bad(1, "shell", *self.target, "-c", "GET 'open"))

    def test_a_script(self):
        given = b"HSET h f 1 g 2\nHGETALL h\n\nRPUSH l a b\nLRANGE l 0 -1\nEXISTS nobody\n"
        self.assertEqual(self.good("shell", *self.target, given=given), "2\nf\n1\ng\n2\n2\na\nb\n0\n")
        code, output, _ = self.run_mayfly("shell", *self.target, given=b"GET h\nPING\n")
        self.assertEqual(code, 1)
        self.assertTrue(output.endswith(b"\nPONG\n"), output)
        self.assertEqual(self.good("shell", *self.target, given=b"quit\nNOSUCH\n"), "")
        objects = self.good("shell", *self.target, "--json", given=b"HGETALL h\nTTL.POLICY\n")
        self.assertEqual(objects.splitlines()[0], '{"f":"1","g":"2"}')

    def test_a_pipe_gets_a_line_per_value(self):
        given = b'RPUSH lines "a\\nb" "\\xff\\t" "\xc3\xa9"\nLRANGE lines 0 -1\nINFO server\n'
        output = self.good("shell", *self.target, given=given)
        self.assertTrue(output.startswith("3\na\\nb\n\\xff\\t\n\u00e9\n# Server"), output)

    def test_json_tells_names_that_are_no_text_from_those_that_are(self):
        long = "n" * 100
        given = f'HSET h "\\xff" 1 "\\\\xff" 2\nHSET text {long} 1 {long}x 2\n'
        self.good("shell", *self.target, given=given.encode())
        pairs = json.loads(self.good("shell", *self.target, "--json", "-c", "HGETALL h"))
        self.assertEqual(sorted(pairs, key=str), sorted([[{"base64": "/w=="}, "1"], ["\\xff", "2"]], key=str))
        self.assertEqual(json.loads(self.good("shell", *self.target, "--json", "-c", "HGETALL text")),
                         {long: "1", long + "x": "2"})

    def test_completion_and_hints(self):
        person = self.person()
        person.type("HGETAL\t")  # In the case that is typed, with the hint at once.
        person.wait_for("Get all fields and values of a hash.")
        person.type("h\n")
        person.wait_for("(empty)")
        person.wait_for(PROMPT)
        person.type("config \t")  # Subcommands, listed when there are several.
        person.wait_for("get  ")
        person.wait_for("rewrite  ")
        person.wait_for(PROMPT)
        person.type("re\t")
        person.wait_for("s")
        person.type("\x03")  # Drops the line.
        person.wait_for("^C")
        person.wait_for(PROMPT)
        person.type("pin\t\n")
        person.wait_for("PONG\r\n")
        person.wait_for(PROMPT)
        person.type("\x04")
        self.assertEqual(person.finish()[0], 0)

    def test_results_are_drawn(self):
        person = self.person()
        for line, shown in (("SET k v EX 1000", "OK\r\n"), ("GET k", '"v"\r\n'),
                            ("GET nobody", "(nothing)\r\n"), ("RPUSH l a b", "2\r\n"),
                            ("LRANGE l 0 -1", '1) "a"\r\n2) "b"\r\n'),
                            ("HSET h f 1 long 2", "2\r\n"), ("HGETALL h", "f     1\r\nlong  2\r\n"),
                            ("GET l", "(error) WRONGTYPE"), ("GET 'open", "a quote is not closed"),
                            ("TTL.STATS", "  mortal-rows  due-rows"),
                            ("TTL.FORECAST", '1) "0"\r\n2) 1) begin'),
                            ("help ttl.purge", "TTL.PURGE  Remove what has expired")):
            person.type(line + "\n")
            person.wait_for(shown)
            person.wait_for(PROMPT)
        person.type("exit\n")
        self.assertEqual(person.finish()[0], 0)

    def test_errors_are_red_on_a_terminal(self):
        person = self.terminal("shell", *self.target)
        person.wait_for(PROMPT)
        person.type("NOSUCH\n")
        person.wait_for("\x1b[1;31m(error) ERR unknown command")
        person.wait_for(PROMPT)
        person.type("quit\n")
        self.assertEqual(person.finish()[0], 0)

    def test_history_is_kept_without_passwords(self):
        person = self.person()
        for line in ("SET kept 1", "AUTH secret-word", "ACL SETUSER ann >secret-word"):
            person.type(line + "\n")
            person.wait_for("\n")
            person.wait_for(PROMPT)
        person.type("quit\n")
        self.assertEqual(person.finish()[0], 0)
        history = self.folder / ".mayfly_history"
        self.assertIn("kept", history.read_text())
        self.assertNotIn("secret-word", history.read_text())
        self.assertEqual(os.stat(history).st_mode & 0o777, 0o600)
        person = self.person()
        person.type("\x1b[A")  # Up.
        person.wait_for("kept")
        person.type("\n")
        person.wait_for("OK")
        person.wait_for(PROMPT)
        person.type("\x04")
        self.assertEqual(person.finish()[0], 0)
        history.unlink()
        person = self.person("--no-history")
        person.type("quit\n")
        person.finish()
        self.assertFalse(history.exists())

    def test_a_subscription_ends_with_ctrl_c(self):
        person = self.person()
        person.type("SUBSCRIBE news\n")
        person.wait_for('"subscribe"')
        person.wait_for("1\r\n")
        person.interrupt()
        person.wait_for(PROMPT)
        person.type("PING\n")
        person.wait_for("PONG\r\n")
        person.wait_for(PROMPT)
        person.type("\x04")
        self.assertEqual(person.finish()[0], 0)


class ShellOnAFolder(Shell, CliTest):
    def setUp(self):
        super().setUp()
        self.target = [self.folder / "db"]
        self.good("shell", *self.target, "--create", "-c", "PING")

    def test_what_it_writes_is_there_afterwards(self):
        self.good("shell", *self.target, "-c", "SET k v")
        self.assertEqual(self.good("get", *self.target, "k"), "v")
        self.good("check", *self.target)

    def test_folders_that_cannot_be_shown(self):
        self.assertIn("there is no database", self.bad(1, "shell", self.folder / "no", "-c", "PING"))
        self.good("put", self.folder / "library", "k", "v", "--create")
        self.assertIn("written by a program", self.bad(1, "shell", self.folder / "library"))
        server = self.serve()
        self.assertIn("Busy", self.bad(1, "shell", server.folder / "data", "-c", "PING"))


class ShellOnAServer(Shell, CliTest):
    def setUp(self):
        super().setUp()
        self.server = self.serve()
        self.target = ["--url", f"redis://127.0.0.1:{self.server.port}"]

    def test_the_server_goes_away(self):
        person = self.person()
        self.server.stop()
        person.type("PING\n")
        code, text = person.finish()
        self.assertEqual(code, 1)
        self.assertIn("IoError", text)

    def test_wrong_use(self):
        self.bad(2, "shell")
        self.assertIn("Connection refused", self.bad(1, "shell", "redis://127.0.0.1:1"))


if __name__ == "__main__":
    unittest.main()
