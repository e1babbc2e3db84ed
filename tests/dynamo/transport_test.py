# Goal: what surrounds a request is as with AWS: content types, compression, checksums, dates, browsers, regions.
# Method: executables that ship, with and without keys, get requests over HTTP.
import email.utils
import gzip
import http.client
import json
import sys
import time
import unittest
import zlib

from http_home import ServerProcess

BINARY = sys.argv.pop()
OPEN = ServerProcess(BINARY)
NAMED = ServerProcess(BINARY, "--http-origins", "https://app.example, https://b.example", "--http-region", "eu-west-3")
KEYED = ServerProcess(BINARY, "--http-keys", "me:secret")
JSON_1_0 = "application/x-amz-json-1.0"
TABLE = {"TableName": "tab", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}]}


def send(server, method="POST", path="/", body=b"{}", operation="ListTables", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.http_port, timeout=30)
    try:
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if operation:
            headers["X-Amz-Target"] = "DynamoDB_20120810." + operation
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def setUpModule():
    for server in (OPEN, NAMED, KEYED):
        server.start()
    response, body = send(OPEN, body=json.dumps(TABLE), operation="CreateTable")
    assert response.status == 200, body


def tearDownModule():
    for server in (OPEN, NAMED, KEYED):
        assert server.stop() == 0


class ContentTypes(unittest.TestCase):
    def test_come_back_as_they_were_sent(self):
        for sent, answered in ((JSON_1_0, JSON_1_0), ("application/json", "application/json"),
                               ("Application/JSON; charset=utf-8", "application/json"),
                               ("application/x-www-form-urlencoded", JSON_1_0), ("", JSON_1_0)):
            response, body = send(OPEN, Content_Type=sent)
            self.assertEqual((response.status, response.getheader("Content-Type")), (200, answered), body)
        response, _ = send(OPEN, body=b"[]", Content_Type="application/json")
        self.assertEqual((response.status, response.getheader("Content-Type")), (400, "application/json"))

    def test_that_are_no_json_are_not_known(self):
        for other in ("text/plain", "application/xml", "application/x-amz-json-1.1"):
            response, body = send(OPEN, Content_Type=other)
            self.assertEqual((response.status, body), (404, b"<UnknownOperationException/>\n"))
            self.assertEqual(response.getheader("x-amz-crc32"), "3552371480")

    def test_matter_only_where_the_path_and_the_operation_are_known(self):
        self.assertEqual(send(OPEN, path="/other")[0].status, 404)
        response, body = send(OPEN, operation="NoSuchThing")
        self.assertEqual((response.status, json.loads(body)["__type"]),
                         (400, "com.amazon.coral.service#UnknownOperationException"))
        response, body = send(OPEN, "GET", operation=None, body=None)
        self.assertEqual((response.status, body), (200, b"healthy: dynamodb.mayfly.amazonaws.com "))


class EveryResponse(unittest.TestCase):
    def test_has_a_checksum_a_date_and_an_id(self):
        for body in (b"{}", b"{"):
            response, text = send(OPEN, body=body)
            self.assertEqual(response.getheader("x-amz-crc32"), str(zlib.crc32(text)))
            self.assertEqual(len(response.getheader("x-amzn-RequestId")), 52)
            at = email.utils.parsedate_to_datetime(response.getheader("Date")).timestamp()
            self.assertLess(abs(at - time.time()), 60)


class Compression(unittest.TestCase):
    def test_of_requests_is_undone(self):
        item = {"TableName": "tab", "Item": {"p": {"S": "packed"}, "text": {"S": "x" * 300_000}}}
        packed = gzip.compress(json.dumps(item).encode())
        self.assertLess(len(packed), 5000)
        response, body = send(OPEN, operation="PutItem", body=packed, Content_Encoding="gzip")
        self.assertEqual(response.status, 200, body)

    def refused(self, status, kind, body, **headers):
        response, text = send(OPEN, body=body, **headers)
        self.assertEqual((response.status, json.loads(text)["__type"].rpartition("#")[2]), (status, kind), text)

    def test_that_is_none_is_refused(self):
        whole = gzip.compress(b"{}")
        for body in (b"", b"{}", whole[:-3], whole + b"more", zlib.compress(b"{}")):
            self.refused(400, "SerializationException", body, Content_Encoding="gzip")
        self.refused(400, "SerializationException", b"{}", Content_Encoding="br")

    def test_is_bounded_by_what_it_inflates_to(self):
        bomb = gzip.compress(b" " * (64 << 20))
        self.assertLess(len(bomb), 100_000)
        self.refused(413, "RequestEntityTooLargeException", bomb, Content_Encoding="gzip")
        response, _ = send(OPEN, body=gzip.compress(b" " * (8 << 20) + b"{}"), Content_Encoding="gzip")
        self.assertEqual(response.status, 200)

    def test_of_responses_is_for_clients_that_take_it(self):
        send(OPEN, operation="PutItem", body=json.dumps(
            {"TableName": "tab", "Item": {"p": {"S": "long"}, "text": {"S": "abc" * 10_000}}}))
        key = json.dumps({"TableName": "tab", "Key": {"p": {"S": "long"}}})
        plain = send(OPEN, operation="GetItem", body=key)[1]
        for accepted in ("gzip", "deflate, gzip;q=0.5", "*"):
            response, body = send(OPEN, operation="GetItem", body=key, Accept_Encoding=accepted)
            self.assertEqual(response.getheader("Content-Encoding"), "gzip", accepted)
            self.assertEqual(response.getheader("x-amz-crc32"), str(zlib.crc32(body)))
            self.assertLess(len(body), len(plain) // 10)
            self.assertEqual(gzip.decompress(body), plain)
        for accepted in ("identity", "br", "gzip;q=0", ""):
            response, body = send(OPEN, operation="GetItem", body=key, Accept_Encoding=accepted)
            self.assertEqual((response.getheader("Content-Encoding"), body), (None, plain), accepted)
        response, _ = send(OPEN, Accept_Encoding="gzip")
        self.assertIsNone(response.getheader("Content-Encoding"), "short responses are sent as they are")


class Browsers(unittest.TestCase):
    def allowed(self, server, origin):
        asked, _ = send(server, "OPTIONS", operation=None, body=None, Origin=origin,
                        Access_Control_Request_Headers="x-amz-target", Access_Control_Request_Method="POST")
        sent, _ = send(server, Origin=origin)
        self.assertEqual(asked.status, 200)
        allowed = asked.getheader("Access-Control-Allow-Origin")
        self.assertEqual(sent.getheader("Access-Control-Allow-Origin"), allowed)
        if allowed:
            self.assertEqual((asked.getheader("Access-Control-Allow-Headers"),
                              asked.getheader("Access-Control-Allow-Methods"),
                              asked.getheader("Access-Control-Max-Age")), ("x-amz-target", "POST", "172800"))
        return allowed

    def test_of_strangers_are_kept_out_where_requests_are_not_signed(self):
        for origin in ("http://localhost:3000", "http://127.0.0.1", "https://localhost", "http://[::1]:80"):
            self.assertEqual(self.allowed(OPEN, origin), origin)
        for origin in ("https://evil.example", "http://localhost.evil.example", "http://127.0.0.1.evil", "null"):
            self.assertIsNone(self.allowed(OPEN, origin), origin)

    def test_of_anybody_may_send_signed_requests(self):
        self.assertEqual(self.allowed(KEYED, "https://any.example"), "*")

    def test_are_let_in_by_name(self):
        self.assertEqual(self.allowed(NAMED, "https://b.example"), "https://b.example")
        for origin in ("https://c.example", "http://localhost:3000"):
            self.assertIsNone(self.allowed(NAMED, origin))

    def test_alone_ask(self):
        response, _ = send(OPEN)
        self.assertIsNone(response.getheader("Access-Control-Allow-Origin"))


class Regions(unittest.TestCase):
    def test_are_in_names(self):
        send(NAMED, body=json.dumps({**TABLE, "StreamSpecification": {
            "StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}}), operation="CreateTable")
        table = json.loads(send(NAMED, body=b'{"TableName":"tab"}', operation="DescribeTable")[1])["Table"]
        self.assertEqual(table["TableArn"], "arn:aws:dynamodb:eu-west-3:000000000000:table/tab")
        self.assertTrue(table["LatestStreamArn"].startswith(table["TableArn"] + "/stream/"))


if __name__ == "__main__":
    unittest.main()
