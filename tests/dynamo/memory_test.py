# Goal: unauthenticated clients cannot make the server take gigabytes, nor keep others from being served.
# Method: unfinished bodies on many connections, and one body whose JSON is all brackets, against the executable that
# ships; its peak of memory is read from the system.
import json
import pathlib
import socket
import sys
import threading
import unittest

from http_home import ServerProcess, ask, kind_of

MAYFLY = sys.argv.pop()
MIB = 1 << 20
BODY = 16 * MIB
HEADER = ("POST / HTTP/1.1\r\nHost: x\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\n"
          f"Content-Length: {BODY}\r\n\r\n").encode()


class Memory(unittest.TestCase):
    def setUp(self):
        self.server = ServerProcess(MAYFLY, "--http-threads", "2").__enter__()
        self.addCleanup(self.server.__exit__)
        self.assertEqual(self.ask("ListTables", {})[0], 200)
        self.before = self.memory("VmRSS")

    def ask(self, operation, body):
        return ask(self.server.http_port, operation, body)

    def memory(self, name):
        """VmRSS or VmHWM of the server, in MiB."""
        status = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text()
        return int(status.partition(name + ":")[2].split()[0]) / 1024

    def begin(self, replies):
        """A body that lacks its last byte, or the server's early response."""
        client = socket.create_connection(("127.0.0.1", self.server.http_port), 30)
        self.addCleanup(client.close)
        piece = b" " * MIB

        def send():
            try:
                client.sendall(HEADER)
                for _ in range(BODY // MIB - 1):
                    client.sendall(piece)
                client.sendall(piece[:-1])
                replies.append(client.recv(4096).decode())
            except OSError as error:
                replies.append(str(error))

        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        return thread

    def test_of_unfinished_bodies_has_one_bound(self):
        replies = []
        threads = [self.begin(replies) for _ in range(60)]
        for thread in threads:
            thread.join(120)  # Refused, or given up after a few seconds; slow machines send for longer.
            self.assertFalse(thread.is_alive(), "a body is waited for while others are kept out")
        self.assertGreater(sum("503" in reply and "ServiceUnavailable" in reply for reply in replies), 40, replies)
        taken = self.memory("VmHWM") - self.before
        print(f"60 unfinished bodies of 16 MiB: {taken:.0f} MiB at most", file=sys.stderr)
        # 128 MiB, and what buffers and the allocator add; each body by itself would be 960.
        self.assertLess(taken, 320)
        self.assertEqual(self.ask("ListTables", {})[0], 200)

    def test_of_others_is_left_for_small_requests_meanwhile(self):
        replies = []
        for _ in range(20):
            self.begin(replies)
        for _ in range(50):
            self.assertEqual(self.ask("ListTables", {})[0], 200)

    def test_of_json_is_bounded_by_its_text(self):
        for element in ("{}", "[]", "0"):
            text = '{"a":[' + ",".join([element] * (15_000_000 // (len(element) + 1))) + "]}"
            status, reply = self.ask("PutItem", text)
            self.assertEqual((status, kind_of(reply)), (413, "RequestEntityTooLargeException"), reply)
        taken = self.memory("VmHWM") - self.before
        print(f"a body of 15 MB that is brackets: {taken:.0f} MiB at most", file=sys.stderr)
        self.assertLess(taken, 300)
        # A valid item is not refused for its JSON.
        numbers = {"TableName": "tab", "Item": {"p": {"S": "a"}, "l": {"L": [{"N": "1"}] * 700_000}}}
        status, reply = self.ask("PutItem", json.dumps(numbers, separators=(",", ":")))
        self.assertEqual((status, kind_of(reply)), (400, "ResourceNotFoundException"), reply)


if __name__ == "__main__":
    unittest.main()
