# Goal: no write of an item that was acknowledged over HTTP is lost when the server is killed, and none
# happens twice, though writes that come together share commits.
# Method: a `mayfly serve` of its own (argv: the binary). Writers send pipelines of counts, "ADD n 1", to
# items of their own and to one they share, and note the answers; the process is killed among them, and
# what they know is compared with what is there.
import http.client
import json
import pathlib
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from server_process import ServerProcess

BINARY = sys.argv.pop()
WRITERS = 12
PIPELINE = 16
KILLS = 3
ROUND_SECONDS = 1.0


def request_of(operation, body):
    text = json.dumps(body).encode()
    return (f"POST / HTTP/1.1\r\nHost: x\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n"
            f"Content-Length: {len(text)}\r\n\r\n").encode() + text


def call(port, operation, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("POST", "/", json.dumps(body),
                       {"X-Amz-Target": f"DynamoDB_20120810.{operation}"})
    response = connection.getresponse()
    answer = json.loads(response.read())
    connection.close()
    assert response.status == 200, answer
    return answer


def count_one(name):
    return request_of("UpdateItem", {
        "TableName": "counts", "Key": {"id": {"S": name}}, "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}}})


class Writer:
    """Counts in an item of its own, and in the shared one with every fourth request."""

    def __init__(self, number):
        self.names = ["shared" if i % 4 == 3 else f"own {number}" for i in range(PIPELINE)]
        self.pipeline = b"".join(count_one(name) for name in self.names)
        self.sent = {}
        self.acknowledged = {}
        self.refusals = 0

    def run(self, port):
        try:
            with socket.create_connection(("127.0.0.1", port), 20) as connection, \
                    connection.makefile("rb") as stream:
                while True:
                    for name in self.names:
                        self.sent[name] = self.sent.get(name, 0) + 1
                    connection.sendall(self.pipeline)
                    for name in self.names:
                        self.note(stream, name)
        except OSError:
            return  # Killed.

    def note(self, stream, name):
        status = stream.readline()
        length = 0
        while (line := stream.readline()) not in (b"\r\n", b""):
            field, _, value = line.partition(b":")
            if field.lower() == b"content-length":
                length = int(value)
        if len(stream.read(length)) < length or not status:
            raise OSError("the server has gone")
        if b" 200 " not in status:
            self.refusals += 1
            return
        self.acknowledged[name] = self.acknowledged.get(name, 0) + 1


class TablesKill(unittest.TestCase):
    def test_what_was_acknowledged_is_there_once(self):
        with ServerProcess(BINARY) as server:
            call(server.http_port, "CreateTable", {
                "TableName": "counts", "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]})
            before = {}
            for _ in range(KILLS):
                writers = [Writer(number) for number in range(WRITERS)]
                threads = [threading.Thread(target=writer.run, args=(server.http_port,))
                           for writer in writers]
                for thread in threads:
                    thread.start()
                time.sleep(ROUND_SECONDS)
                server.kill()
                for thread in threads:
                    thread.join()
                server.restart()
                before = self.compare(server.http_port, writers, before)
            self.assertEqual(server.stop(), 0)

    def compare(self, port, writers, before):
        sent, acknowledged = dict(before), dict(before)
        for writer in writers:
            self.assertEqual(writer.refusals, 0)
            for name, count in writer.sent.items():
                sent[name] = sent.get(name, 0) + count
            for name, count in writer.acknowledged.items():
                acknowledged[name] = acknowledged.get(name, 0) + count
        found = {item["id"]["S"]: int(item["n"]["N"])
                 for item in call(port, "Scan", {"TableName": "counts"})["Items"]}
        self.assertGreater(sum(acknowledged.values()), sum(before.values()), "nobody counted")
        for name in sent:
            self.assertGreaterEqual(found.get(name, 0), acknowledged.get(name, 0), name)
            self.assertLessEqual(found.get(name, 0), sent[name], name)
        return found


if __name__ == "__main__":
    unittest.main()
