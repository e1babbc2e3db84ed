# Goal: a server that does not answer ends every subcommand with an error that says so, and one that is slow on purpose
# does not.
# Method: sockets that accept and say nothing, that never accept, and that answer HELLO alone; a port without TLS.
# Nothing is timed: the silence has no end, so a run that ends has noticed it.
import socket
import threading
import unittest

from cli_home import CliTest

HELLO = b"%1\r\n$6\r\nserver\r\n$5\r\nredis\r\n"


class Silence(CliTest):
    def listen(self, replies=(), family=socket.AF_INET, address=("127.0.0.1", 0)):
        """A peer that answers the first requests of each connection with these bytes, and then nothing."""
        door = socket.socket(family)
        door.bind(address)
        door.listen()
        kept = []

        def serve():
            while True:
                try:
                    client, _ = door.accept()
                except OSError:
                    return
                kept.append(client)
                for reply in replies:
                    client.recv(65536)
                    client.sendall(reply)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()

        def close():
            door.shutdown(socket.SHUT_RDWR)
            thread.join()
            door.close()
            for client in kept:
                client.close()

        self.addCleanup(close)
        return door.getsockname()

    def test_a_peer_that_accepts_and_is_silent(self):
        port = self.listen()[1]
        self.listen(family=socket.AF_UNIX, address=str(self.folder / "s"))
        for url in (f"redis://127.0.0.1:{port}", f"unix://{self.folder}/s"):
            for command in (["get", url, "k"], ["count", "--url", url], ["shell", url, "-c", "PING"], ["bench", url],
                            ["events", url, "--follow"], ["top", url, "--once"]):
                errors = self.bad(1, *command, "--timeout", "150ms")
                self.assertIn("no answer for 150ms; --timeout", errors, command)

    def test_a_peer_that_falls_silent(self):
        url = f"redis://127.0.0.1:{self.listen([HELLO])[1]}"
        self.assertIn("no answer for", self.bad(1, "get", url, "k", "--timeout", "150ms"))
        self.assertIn("no answer for", self.bad(1, "shell", url, "-c", "PING", "--timeout", "150ms"))

    def test_a_peer_that_does_not_accept(self):
        # A full queue: the kernel drops what comes next.
        door = socket.socket()
        self.addCleanup(door.close)
        door.bind(("127.0.0.1", 0))
        door.listen(0)
        for _ in range(4):
            waiting = socket.socket()
            self.addCleanup(waiting.close)
            waiting.setblocking(False)
            waiting.connect_ex(door.getsockname())
        url = f"redis://127.0.0.1:{door.getsockname()[1]}"
        self.assertIn("no answer for 150ms", self.bad(1, "get", url, "k", "--timeout", "150ms"))

    def test_tls_on_a_plain_port(self):
        port = self.serve().port
        for port, flags in ((port, ["--timeout", "300ms"]), (self.listen([b"-ERR no\r\n"])[1], [])):
            errors = self.bad(1, "get", f"rediss://127.0.0.1:{port}", "k", *flags)
            self.assertIn("TLS", errors)
            self.assertIn("Does the server speak TLS on this port? A URL with redis:// goes without", errors)

    def test_ctrl_c_ends_the_wait(self):
        port = self.listen([HELLO])[1]
        for flags in ([], ["--timeout", "none"]):
            process = self.start("shell", f"redis://127.0.0.1:{port}", *flags)
            self.give(process, b"PING\n")
            self.interrupt(process)

    def test_commands_that_wait_are_waited_for(self):
        server = self.serve()
        url = f"redis://127.0.0.1:{server.port}"
        process = self.start("shell", url, "-c", "BLPOP list 0")
        while b"blocked_clients:1" not in self.redis_cli(server, "INFO", "clients"):
            self.assertIsNone(process.poll())
        self.redis_cli(server, "RPUSH", "list", "v")
        self.assertEqual(process.communicate(timeout=60), (b"list\nv\n", b""))
        self.assertIn("no answer", self.bad(1, "shell", url, "-c", "BLPOP none 0", "--timeout", "150ms"))

    def test_lengths(self):
        url = f"redis://127.0.0.1:{self.serve().port}"
        for length in ("5s", "1m30s", "none"):
            self.assertEqual(self.good("count", url, "--timeout", length), "0\n")
        for length in ("0s", "5", "soon"):
            self.bad(2, "count", url, "--timeout", length)


if __name__ == "__main__":
    unittest.main()
