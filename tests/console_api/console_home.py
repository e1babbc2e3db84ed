"""A `mayfly serve` with its console, and a client of the console that keeps what a browser would."""
import http.client
import json
import pathlib
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from server_process import ServerProcess  # noqa: F401  (for the tests)


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        return json.loads(self.body)


class Page:
    """What a page of the console does: a cookie, the token, and JSON."""

    def __init__(self, server, address="127.0.0.1"):
        self.address, self.port = address, server.http_port
        self.cookie = self.csrf = None

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(self.address, self.port, timeout=30)
        sent = {"Cookie": f"mayfly_console={self.cookie}"} if self.cookie else {}
        connection.request(method, path, body=body, headers=sent | (headers or {}))
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def post(self, path, body, **headers):
        sent = {"Content-Type": "application/json"}
        if self.csrf:
            sent["X-CSRF-Token"] = self.csrf
        sent |= {name.replace("_", "-"): text for name, text in headers.items()}
        return self.ask("POST", path, json.dumps(body), {name: text for name, text in sent.items() if text is not None})

    def log_in(self, user="default", password=""):
        answer = self.post("/console/api/login", {"user": user, "password": password})
        if answer.status == 200:
            self.csrf = answer.json()["csrf"]
            self.cookie = answer.headers["Set-Cookie"].split(";")[0].split("=", 1)[1]
        return answer

    def run(self, *commands, db=0):
        answer = self.post("/console/api/command", {"db": db, "commands": list(commands)})
        assert answer.status == 200, (answer.status, answer.body)
        return answer.json()["replies"]


def pairs(reply):
    return dict((key, value) for key, value in reply["map"])


class Resp:
    """A client of the Redis protocol, for what a test sets up."""

    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        self.file = self.socket.makefile("rb")

    def send(self, *words):
        words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))

    def __call__(self, *words):
        self.send(*words)
        return self.read()

    def read(self):
        line = self.file.readline().rstrip(b"\r\n")
        kind, rest = line[:1], line[1:]
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return [self.read() for _ in range(int(rest))]
        return int(rest) if kind == b":" else rest.decode()

    def close(self):
        self.file.close()
        self.socket.close()
