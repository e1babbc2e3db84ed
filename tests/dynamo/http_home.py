"""The fixture of the tests that send DynamoDB's HTTP by hand: a server, and requests of any shape."""
import http.client
import json
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCE / "tests" / "redis"))
from server_process import ServerProcess  # noqa: E402, F401


def ask(port, operation, body, headers=None):
    """The status and the reply to one request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        target = operation if "." in operation else "DynamoDB_20120810." + operation
        text = body if isinstance(body, (str, bytes)) else json.dumps(body)
        connection.request("POST", "/", text, {"X-Amz-Target": target, **(headers or {})})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def kind_of(reply):
    """ "ValidationException" of a refusal."""
    return reply.get("__type", "").rpartition("#")[2]
