# Goal: sockets that a supervisor passes are served instead of those of the settings, and outlive the server.
# Method: as systemd does: the descriptors from 3 on, with LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES.
import os
import pathlib
import socket
import sys
import unittest
import urllib.error
import urllib.request

from started_server import ServeTest

MAYFLY = pathlib.Path(sys.argv.pop())
# The shell's process becomes the server's.
START = 'LISTEN_PID=${OTHER_PID:-$$} exec "$0" serve --memory-profile tiny "$@"'


class Activation(ServeTest):
    def listen(self, address="127.0.0.1"):
        listening = socket.create_server((address, 0))
        self.addCleanup(listening.close)
        return listening

    def start(self, sockets, *flags, **environment):
        """`sockets`: pairs of a name and a socket, in the order of descriptors."""
        redirections = "".join(f" {3 + i}<&{passed.fileno()}" for i, (_, passed) in enumerate(sockets))
        names = {"LISTEN_FDS": str(len(sockets)), "LISTEN_FDNAMES": ":".join(name for name, _ in sockets)}
        return self.run_server(
            ["bash", "-c", START + redirections, MAYFLY, *flags], env=dict(os.environ, **names, **environment),
            pass_fds=[passed.fileno() for _, passed in sockets])

    def ask(self, address, *lines):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        with socket.socket(family) as client:
            client.settimeout(30)
            client.connect(address)
            replies = []
            for line in lines:
                client.sendall(line.encode() + b"\r\n")
                replies.append(client.recv(1000).decode())
            return replies

    def stop(self, process):
        process.terminate()
        self.assertEqual(process.wait(timeout=60), 0)

    def test_serves_the_sockets_it_is_passed(self):
        redis, http = self.listen(), self.listen()
        local = socket.socket(socket.AF_UNIX)
        self.addCleanup(local.close)
        path = str(self.folder / "socket")
        local.bind(path)
        local.listen()
        process = self.start([("mayfly.socket", redis), ("http", http), ("unix", local)], "--port", "1")
        said = self.ready(process)
        self.assertIn(f"Redis protocol: 127.0.0.1:{redis.getsockname()[1]}, {path}\n", said)
        self.assertEqual(self.ask(redis.getsockname(), "SET a b"), ["+OK\r\n"])
        self.assertEqual(self.ask(path, "GET a"), ["$1\r\nb\r\n"])
        with urllib.request.urlopen(f"http://127.0.0.1:{http.getsockname()[1]}/ready", timeout=30) as page:
            self.assertEqual(page.read(), b"ready\n")
        # The supervisor decides where it listens.
        self.assertIn("Unable to listen", self.ask(path, "CONFIG SET port 6390")[0])
        self.assertEqual(self.ask(redis.getsockname(), "PING"), ["+PONG\r\n"])
        self.stop(process)
        self.assertTrue(os.path.exists(path))

    def test_clients_wait_while_it_is_restarted(self):
        redis = self.listen()
        flags = ("--dir", self.folder / "db", "--http-port", "-1")
        first = self.start([("redis", redis)], *flags)
        self.ready(first)
        self.assertEqual(self.ask(redis.getsockname(), "SET a b"), ["+OK\r\n"])
        self.stop(first)
        with socket.create_connection(redis.getsockname(), timeout=30) as client:  # Nobody accepts it yet.
            client.sendall(b"GET a\r\n")
            second = self.start([("redis", redis)], *flags)
            self.assertEqual(client.recv(100), b"$1\r\nb\r\n")
            self.ready(second)
        self.stop(second)

    def test_sockets_of_another_process_are_not_taken(self):
        redis = self.listen()
        process = self.start([("redis", redis)], "--port", "0", "--http-port", "-1", OTHER_PID="1")
        self.assertNotIn(f":{redis.getsockname()[1]}\n", self.ready(process))
        self.stop(process)

    def test_requests_from_strangers_are_judged_by_the_passed_address(self):
        for address, code in (("127.0.0.1", 200), ("0.0.0.0", 400)):
            http = self.listen(address)
            process = self.start([("http", http)], "--port", "0")
            self.ready(process)
            request = urllib.request.Request(
                f"http://127.0.0.1:{http.getsockname()[1]}/", data=b"{}",
                headers={"X-Amz-Target": "DynamoDB_20120810.ListTables",
                         "Content-Type": "application/x-amz-json-1.0"})
            try:
                with urllib.request.urlopen(request, timeout=30) as page:
                    got = page.status
            except urllib.error.HTTPError as error:
                got = error.code
                error.close()
            self.assertEqual(got, code, address)
            self.stop(process)

    def test_what_cannot_be_served_is_refused(self):
        silent = socket.socket()  # Does not listen.
        self.addCleanup(silent.close)
        for sockets, environment, words in (
                ([("redis", silent)], {}, "descriptor 3 is no socket that listens"),
                ([("http", silent)], {}, "descriptor 3 is no socket that listens"),
                ([("tls", self.listen())], {}, "tls"),
                ([("redis", self.listen())], {"OTHER_PID": "x"}, "LISTEN_PID is 'x', which is no number"),
                ([("http", self.listen()), ("http", self.listen())], {}, "http is served on one socket")):
            with self.subTest(words=words):
                process = self.start(sockets, "--port", "0", **environment)
                self.assertEqual(process.wait(timeout=60), 1)
                self.assertIn(words, process.stderr.read())


if __name__ == "__main__":
    unittest.main()
