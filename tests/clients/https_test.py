# Goal: the HTTP port over TLS: boto3, curl and a browser's requests with a certificate that they check; what
# is refused; certificates and versions that change while it runs.
# Method: an authority and certificates made by openssl, and a `mayfly serve` with them (argv: the binary).
import contextlib
import http.client
import json
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
import boto3
import botocore.exceptions
import redis
from botocore.config import Config
from server_process import ServerProcess

MAYFLY = sys.argv.pop()
FOLDER = tempfile.TemporaryDirectory()
HOME = pathlib.Path(FOLDER.name)
KEY_ID, SECRET = "AKIAMAYFLY", "wJalrXUtnFEMI/K7MDENG"
SERVER = None


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=60)


def make_certificate(name, authority="authority"):
    """NAME.key and NAME.pem, for localhost and 127.0.0.1, signed by the authority."""
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", HOME / f"{name}.key",
            "-subj", f"/CN={name}", "-out", HOME / f"{name}.csr")
    (HOME / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", HOME / f"{name}.csr", "-CA", HOME / f"{authority}.pem", "-CAkey",
            HOME / f"{authority}.key", "-CAcreateserial", "-days", "2", "-extfile", HOME / "names", "-out",
            HOME / f"{name}.pem")


def setUpModule():
    global SERVER
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-keyout",
            HOME / "authority.key", "-subj", "/CN=authority", "-out", HOME / "authority.pem")
    for name in ("first", "second", "client"):
        make_certificate(name)
    SERVER = ServerProcess(MAYFLY, "--http-tls", "yes", "--tls-cert-file", HOME / "first.pem", "--tls-key-file",
                           HOME / "first.key", "--http-keys", f"{KEY_ID}:{SECRET}")
    SERVER.start()


def tearDownModule():
    assert SERVER.stop() == 0
    FOLDER.cleanup()


def trusting(**options):
    context = ssl.create_default_context(cafile=HOME / "authority.pem")
    for name, value in options.items():
        setattr(context, name, value)
    return context


def ask(method, path, body=None, headers=None, context=None):
    connection = http.client.HTTPSConnection("127.0.0.1", SERVER.http_port, timeout=30, context=context or trusting())
    with contextlib.closing(connection):
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        content = response.read()
        shown = ssl.DER_cert_to_PEM_cert(connection.sock.getpeercert(True)) if connection.sock else None
        return response, content, shown


class Https(unittest.TestCase):
    def setUp(self):
        self.redis = redis.Redis(port=SERVER.port)

    def tearDown(self):
        self.redis.close()

    def config(self, **settings):
        pairs = [word for name, value in settings.items() for word in (name.replace("_", "-"), str(value))]
        return self.redis.execute_command("CONFIG", "SET", *pairs)

    def client(self, verify):
        return boto3.client("dynamodb", endpoint_url=f"https://127.0.0.1:{SERVER.http_port}", verify=str(verify),
                            region_name="eu-central-1", aws_access_key_id=KEY_ID, aws_secret_access_key=SECRET,
                            config=Config(retries={"max_attempts": 1, "mode": "standard"}))

    def test_boto3_checks_the_certificate_and_works_as_without_tls(self):
        client = self.client(HOME / "authority.pem")
        client.create_table(TableName="items", AttributeDefinitions=[{"AttributeName": "p", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}], BillingMode="PAY_PER_REQUEST")
        client.get_waiter("table_exists").wait(TableName="items", WaiterConfig={"Delay": 1})
        large = {"p": {"S": "a"}, "text": {"S": "x" * 300_000}}
        client.put_item(TableName="items", Item=large)
        self.assertEqual(client.get_item(TableName="items", Key={"p": {"S": "a"}})["Item"], large)
        client.delete_table(TableName="items")
        client.close()
        stranger = self.client(HOME / "client.pem")  # No authority of it.
        with self.assertRaises(botocore.exceptions.SSLError):
            stranger.list_tables()
        stranger.close()

    def test_metrics_and_health_are_there_for_curl(self):
        for path, words in (("/metrics", "mayfly_build_info"), ("/health", "ok")):
            done = subprocess.run(["curl", "-sS", "--cacert", HOME / "authority.pem",
                                   f"https://localhost:{SERVER.http_port}{path}"], capture_output=True, text=True,
                                  timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(words, done.stdout)
        done = subprocess.run(["curl", "-sS", f"https://localhost:{SERVER.http_port}/health"], capture_output=True,
                              timeout=60)
        self.assertEqual(done.returncode, 60, "curl trusts no certificate of an unknown authority")

    def test_a_request_in_the_clear_is_told_so_and_not_answered(self):
        connection = http.client.HTTPConnection("127.0.0.1", SERVER.http_port, timeout=30)
        connection.request("GET", "/metrics")
        response = connection.getresponse()
        body = response.read().decode()
        connection.close()
        self.assertEqual(response.status, 400)
        self.assertIn("https://", body)
        self.assertNotIn("mayfly_build_info", body)

    def test_the_cookie_of_the_console_is_for_tls_alone(self):
        sent = {"Content-Type": "application/json", "Origin": f"https://127.0.0.1:{SERVER.http_port}"}
        body = json.dumps({"user": "default", "password": ""})
        response, content, _ = ask("POST", "/console/api/login", body, sent)
        self.assertEqual(response.status, 200, content)
        cookie = response.headers["Set-Cookie"]
        for word in ("Secure", "HttpOnly", "SameSite=Strict"):
            self.assertIn(f"; {word}", cookie)
        response, content, _ = ask("GET", "/console/api/session", None, {"Cookie": cookie.split(";")[0]})
        self.assertTrue(json.loads(content)["tls"])
        response, _, _ = ask("POST", "/console/api/login", body,
                             sent | {"Origin": f"http://127.0.0.1:{SERVER.http_port}"})
        self.assertEqual(response.status, 403, "a page without TLS is another origin")

    def test_a_new_certificate_is_shown_to_clients_that_come_later(self):
        before = (HOME / "first.pem").read_text()
        self.assertEqual(ask("GET", "/health")[2].split(), before.split())
        connection = http.client.HTTPSConnection("127.0.0.1", SERVER.http_port, timeout=30, context=trusting())
        connection.connect()
        self.config(tls_cert_file=HOME / "second.pem", tls_key_file=HOME / "second.key")
        self.assertEqual(ask("GET", "/health")[2].split(), (HOME / "second.pem").read_text().split())
        connection.request("GET", "/health")
        self.assertEqual(connection.getresponse().read(), b"ok\n")
        connection.close()
        with self.assertRaises(redis.ResponseError) as refused:  # A key of another certificate.
            self.config(tls_key_file=HOME / "first.key")
        self.assertIn("Unable to update TLS configuration", str(refused.exception))
        self.assertEqual(ask("GET", "/health")[2].split(), (HOME / "second.pem").read_text().split())
        self.config(tls_cert_file=HOME / "first.pem", tls_key_file=HOME / "first.key")

    def test_old_versions_are_not_spoken_and_new_ones_can_be_demanded(self):
        for version in ("-tls1", "-tls1_1"):
            spoken = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{SERVER.http_port}", version,
                                     "-cipher",
                                     "ALL:@SECLEVEL=0"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
            self.assertNotEqual(spoken.returncode, 0, version)
            self.assertIn(b"alert protocol version", spoken.stderr)
        second = trusting(maximum_version=ssl.TLSVersion.TLSv1_2)
        self.assertEqual(ask("GET", "/health", context=second)[1], b"ok\n")
        self.config(tls_protocols="TLSv1.3")
        with self.assertRaises(OSError):
            ask("GET", "/health", context=second)
        self.assertEqual(ask("GET", "/health")[1], b"ok\n")
        self.config(tls_protocols="")

    def test_ciphers_are_those_of_the_settings(self):
        self.config(tls_ciphers="ECDHE-ECDSA-AES256-GCM-SHA384")
        offered = trusting(maximum_version=ssl.TLSVersion.TLSv1_2)
        offered.set_ciphers("ECDHE-ECDSA-AES128-GCM-SHA256")
        with self.assertRaises(OSError):
            ask("GET", "/health", context=offered)
        offered.set_ciphers("ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384")
        self.assertEqual(ask("GET", "/health", context=offered)[1], b"ok\n")
        self.config(tls_ciphers="")

    def test_clients_can_be_asked_for_a_certificate(self):
        self.config(tls_ca_cert_file=HOME / "authority.pem", http_tls_auth_clients="yes")
        with self.assertRaises(OSError):
            ask("GET", "/health")
        known = trusting()
        known.load_cert_chain(HOME / "client.pem", HOME / "client.key")
        self.assertEqual(ask("GET", "/health", context=known)[1], b"ok\n")
        session = None
        for _ in range(2):  # Comes again with its session, as browsers do.
            with socket.create_connection(("127.0.0.1", SERVER.http_port), timeout=30) as plain, \
                    known.wrap_socket(plain, server_hostname="127.0.0.1", session=session) as secure:
                secure.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                self.assertTrue(secure.makefile("rb").read().endswith(b"ok\n"))
                self.assertEqual(secure.session_reused, session is not None)
                session = secure.session
        self.config(http_tls_auth_clients="no", tls_ca_cert_file="")
        self.assertEqual(ask("GET", "/health")[1], b"ok\n")
        with self.assertRaises(redis.ResponseError):  # Whose certificates would be good?
            self.config(http_tls_auth_clients="yes")

    def test_tls_is_turned_off_and_on_while_it_runs(self):
        self.config(http_tls="no")
        with socket.create_connection(("127.0.0.1", SERVER.http_port), timeout=30) as plain:
            plain.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            self.assertTrue(plain.makefile("rb").read().endswith(b"ok\n"))
        self.config(http_tls="yes")
        self.assertEqual(ask("GET", "/health")[1], b"ok\n")

    def test_without_a_certificate_it_does_not_start(self):
        done = subprocess.run([MAYFLY, "serve", "--port", "0", "--http-port", "0", "--http-tls", "yes"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("TLS needs tls-cert-file and tls-key-file", done.stderr)


if __name__ == "__main__":
    unittest.main()
