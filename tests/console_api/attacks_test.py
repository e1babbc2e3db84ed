# Goal: what a stranger tries against the console and the HTTP port below it: requests that two servers would read
# differently, bodies and headers without end, stolen, planted and forged cookies, other origins and names, commands
# that a user may not run, and names of keys that would be markup or headers.
# Method: requests as bytes over a socket to `mayfly serve`, as no browser would send them.
#   attacks_test.py MAYFLY
import concurrent.futures
import gzip
import json
import pathlib
import re
import socket
import sys
import unittest

from console_home import Page, Resp, ServerProcess

SERVER = ServerProcess(sys.argv.pop(), "--http-threads", "2")


def setUpModule():
    SERVER.start()


def tearDownModule():
    assert SERVER.stop() == 0


class Raw:
    """Bytes to the HTTP port, and the responses that come back."""

    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", SERVER.http_port), timeout=30)

    def send(self, data):
        try:
            self.socket.sendall(data if isinstance(data, bytes) else data.encode())
        except OSError:
            pass  # It was closed: what it sent before counts.
        return self

    def all(self):
        """Everything until the server closes, once we say that there is no more."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
            with self.socket.makefile("rb") as file:
                return file.read()
        except OSError:
            return b""
        finally:
            self.socket.close()


def memory_bytes():
    status = pathlib.Path(f"/proc/{SERVER.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) * 1024


class Case(unittest.TestCase):
    def setUp(self):
        self.resp = Resp(SERVER)
        self.resp("FLUSHALL")
        self.page = Page(SERVER)
        self.page.log_in()
        self.host = f"Host: 127.0.0.1:{SERVER.http_port}\r\n"

    def tearDown(self):
        for user in self.resp("ACL", "USERS"):
            if user != b"default":
                self.resp("ACL", "DELUSER", user)
        self.resp.close()

    def user(self, name, *rules):
        self.assertEqual(self.resp("ACL", "SETUSER", name, "on", f">{name}-secret", *rules), "OK")
        page = Page(SERVER)
        self.assertEqual(page.log_in(name, f"{name}-secret").status, 200)
        return page

    def lives(self):
        self.assertEqual(self.page.run(["PING"]), ["PONG"])


class Requests(Case):
    """Two servers in a row that disagree where a request ends let one client write another's request."""

    SMUGGLED = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"

    def refused(self, head, body):
        answer = Raw().send(f"POST /console/api/login HTTP/1.1\r\n{self.host}{head}\r\n").send(body).all()
        self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), (head, answer))
        self.assertEqual(answer.count(b"HTTP/1.1 "), 1, (head, answer))

    def test_a_length_beside_chunks_is_refused(self):
        for head in ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                     "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"):
            self.refused(head, b"0\r\n\r\n" + self.SMUGGLED)

    def test_two_lengths_are_refused(self):
        for head in ("Content-Length: 2\r\nContent-Length: 7\r\n", "Content-Length: 2, 7\r\n",
                     "Content-Length: 2\r\ncontent-length: 0\r\n"):
            self.refused(head, b"{}" + self.SMUGGLED)

    def test_a_length_that_is_no_number_is_refused(self):
        for length in ("-1", "+2", "0x2", "2e1", "2 2", "18446744073709551617", "99999999999999999999999", ""):
            self.refused(f"Content-Length: {length}\r\n", b"{}" + self.SMUGGLED)

    def test_other_encodings_than_chunks_are_refused(self):
        for coding in ("identity", "chunked, identity", "gzip", "xchunked", "chunked\x0b", "\x00chunked", "chunke d"):
            self.refused(f"Transfer-Encoding: {coding}\r\n", b"0\r\n\r\n" + self.SMUGGLED)

    def test_names_of_fields_that_others_would_trim_are_refused(self):
        for head in ("Transfer-Encoding : chunked\r\n", " Transfer-Encoding: chunked\r\n",
                     "Transfer\x00-Encoding: chunked\r\n", "X: a\r\n\x01Transfer-Encoding: chunked\r\n",
                     "X: a\r\n\tTransfer-Encoding: chunked\r\n", "X: a\r\n Content-Length: 5\r\n"):
            self.refused(head, b"0\r\n\r\n" + self.SMUGGLED)

    def test_chunks_that_are_none_end_the_connection(self):
        for body in (b"-1\r\n", b"0x1\r\nx\r\n0\r\n\r\n", b"g\r\n", b"ffffffffffffffffff\r\nx", b"1\nx\n0\n\n",
                     b"1\r\nxx\r\n0\r\n\r\n", b" 1\r\nx\r\n0\r\n\r\n"):
            answer = Raw().send(f"POST /console/api/login HTTP/1.1\r\n{self.host}Transfer-Encoding: chunked\r\n\r\n") \
                .send(body + self.SMUGGLED).all()
            self.assertNotIn(b"\r\n\r\nok\n", answer, body)
            self.assertLessEqual(answer.count(b"HTTP/1.1 "), 1, (body, answer))

    def test_a_line_ends_with_both_its_bytes(self):
        for request in (b"GET /health HTTP/1.1\nHost: x\n\n", b"GET /health HTTP/1.1\rHost: x\r\r",
                        b"GET /health HTTP/1.1\r\nHost: x\n\r\n"):
            self.assertNotIn(b"\r\n\r\nok\n", Raw().send(request).all(), request)

    def test_what_is_no_request_line_is_refused(self):
        for line in ("GET  /health HTTP/1.1", "GET /health", "GET /health HTTP/9.9", "GET /health HTTP/1.1 x",
                     "GET /hea lth HTTP/1.1", "GET\t/health\tHTTP/1.1", "\x00GET /health HTTP/1.1",
                     "GET \x7f HTTP/1.1"):
            answer = Raw().send(f"{line}\r\n{self.host}\r\n").all()
            self.assertNotIn(b"\r\n\r\nok\n", answer, line)
            self.assertLessEqual(answer.count(b"HTTP/1.1 "), 1, (line, answer))

    def test_a_body_of_a_request_that_has_none_is_no_request(self):
        answer = Raw().send(f"GET /health HTTP/1.1\r\n{self.host}Content-Length: {len(self.SMUGGLED)}\r\n\r\n") \
            .send(self.SMUGGLED).all()
        self.assertEqual(answer.count(b"HTTP/1.1 200 "), 1, answer)

    def test_no_other_protocol_is_taken_up(self):
        for head in ("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
                     "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"):
            answer = Raw().send(f"GET /console/api/session HTTP/1.1\r\n{self.host}{head}\r\n").all()
            self.assertTrue(answer.startswith(b"HTTP/1.1 401 "), answer)
        self.assertTrue(Raw().send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").all().startswith(b"HTTP/1.1 400 "))

    def test_other_methods_do_nothing_and_repeat_nothing(self):
        for method in ("TRACE", "CONNECT", "PUT", "DELETE", "PATCH", "OPTIONS", "get", "X" * 100):
            answer = Raw().send(f"{method} /console/api/session HTTP/1.1\r\n{self.host}Cookie: "
                                f"mayfly_console={self.page.cookie}\r\nX-Secret: seen\r\n\r\n").all()
            self.assertRegex(answer, rb"^HTTP/1.1 (405|400) ", method)
            self.assertNotIn(self.page.cookie.encode(), answer)
            self.assertNotIn(b"seen", answer)
            self.assertNotIn(b"Access-Control", answer)

    def test_a_method_cannot_be_overridden(self):
        answer = self.page.ask("GET", "/console/api/command", json.dumps({"commands": [["SET", "k", "v"]]}),
                               {"X-HTTP-Method-Override": "POST", "Content-Type": "application/json",
                                "X-CSRF-Token": self.page.csrf})
        self.assertEqual(answer.status, 405)
        self.assertIsNone(self.resp("GET", "k"))


class Paths(Case):
    def test_no_path_leads_to_a_file_however_it_is_written(self):
        for path in ("/console/%252e%252e/%252e%252e/etc/passwd", "/console/%c0%ae%c0%ae/etc/passwd",
                     "/console/..%5c..%5cetc/passwd", "/console/..\\..\\etc\\passwd",
                     "/console/assets/..;/..;/etc/passwd",
                     "/console/./../etc/passwd", "/console/assets//../../etc/passwd", "//etc/passwd", "/etc/passwd",
                     "/console%2fassets", "/console/%00", "/CONSOLE", "/console/assets/%2e", "file:///etc/passwd",
                     "/console/?file=../../etc/passwd#x", "/console/assets/index.js/../../../etc/passwd"):
            answer = Raw().send(f"GET {path} HTTP/1.1\r\n{self.host}Connection: close\r\n\r\n").all()
            self.assertRegex(answer, rb"^HTTP/1.1 (404|400|200) ", path)
            self.assertNotIn(b"root:", answer, path)
            if b" 200 " in answer[:16]:
                self.assertIn(b"<html", answer.lower(), path)

    def test_a_whole_address_as_the_target_leads_nowhere_else(self):
        for target in (f"http://127.0.0.1:{SERVER.http_port}/console/api/session", "http://evil.example/console",
                       "//evil.example/console", "*"):
            answer = Raw().send(f"GET {target} HTTP/1.1\r\n{self.host}Connection: close\r\n\r\n").all()
            self.assertRegex(answer, rb"^HTTP/1.1 (404|400) ", target)
            self.assertNotIn(b"\r\nLocation:", answer)

    def test_a_path_that_is_markup_is_shown_as_text(self):
        target = "/console/<script>alert(1)</script>"
        answer = Raw().send(f"GET {target} HTTP/1.1\r\n{self.host}Connection: close\r\n\r\n").all()
        self.assertIn(b"Content-Type: text/plain", answer)
        self.assertIn(b"X-Content-Type-Options: nosniff", answer)


class Sizes(Case):
    def test_headers_have_a_bound_in_bytes_however_many_they_are(self):
        for head in ("X: " + "x" * 20_000 + "\r\n", "X: y\r\n" * 4_000, "".join(f"X{i}: y\r\n" for i in range(3_000)),
                     "Cookie: " + "mayfly_console=; " * 2_000 + "\r\n"):
            answer = Raw().send(f"GET /console HTTP/1.1\r\n{self.host}{head}\r\n").all()
            self.assertTrue(answer.startswith(b"HTTP/1.1 431 "), answer[:200])
        answer = Raw().send(f"GET /{'x' * 20_000} HTTP/1.1\r\n{self.host}\r\n").all()
        self.assertRegex(answer, rb"^HTTP/1.1 (431|400) ")

    def test_a_body_that_is_announced_too_large_is_not_read(self):
        head = f"POST /console/api/command HTTP/1.1\r\n{self.host}Content-Length: 1000000000000\r\n"
        raw = Raw().send(head + "Expect: 100-continue\r\n\r\n")
        answer = raw.all()
        self.assertTrue(answer.startswith(b"HTTP/1.1 413 "), answer)
        self.assertNotIn(b"100 Continue", answer)

    def test_json_that_is_deep_wide_or_long_takes_bounded_memory(self):
        size = (8 << 20) - 100
        bombs = [b'{"commands":' + b"[" * size, b'{"commands":[' + b"[]," * (size // 3),
                 b'{"a":' * (size // 5), b'{"commands":[[' + b'"",' * (size // 3),
                 b'{"commands":[["' + b"\\u0000" * (size // 6), b'{"commands":' + b"9" * size,
                 b"{" + b",".join(b'"%d":0' % i for i in range(size // 12))]
        headers = {"Content-Type": "application/json", "X-CSRF-Token": self.page.csrf}
        before = memory_bytes()
        for bomb in bombs:
            answer = self.page.ask("POST", "/console/api/command", bomb[:size], headers)
            self.assertEqual(answer.status, 400, bomb[:30])
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(
                lambda bomb: self.page.ask("POST", "/console/api/command", bomb[:size], headers).status, bombs * 2))
        self.assertLessEqual(set(answers), {400, 503})
        self.assertLess(memory_bytes() - before, 400 << 20)
        self.lives()

    def test_a_compressed_body_is_not_inflated(self):
        bomb = gzip.compress(b" " * (64 << 20))
        self.assertLess(len(bomb), 100_000)
        answer = self.page.ask("POST", "/console/api/command", bomb,
                               {"Content-Type": "application/json", "Content-Encoding": "gzip",
                                "X-CSRF-Token": self.page.csrf})
        self.assertEqual(answer.status, 400)

    def test_strangers_who_ask_much_and_read_nothing_hold_nobody_up(self):
        mute = []
        for _ in range(16):
            raw = Raw()
            raw.socket.setblocking(False)
            asked = (f"GET /console HTTP/1.1\r\n{self.host}\r\n" * 2_000).encode()
            try:
                raw.socket.send(asked)
            except BlockingIOError:
                pass
            mute.append(raw)
        before = memory_bytes()
        for _ in range(10):
            self.lives()
        self.assertLess(memory_bytes() - before, 64 << 20)
        for raw in mute:
            raw.socket.close()

    def test_strangers_who_send_slowly_hold_nobody_up(self):
        slow = [Raw().send(f"POST /console/api/login HTTP/1.1\r\n{self.host}Content-Length: 4000\r\n\r\n{{")
                for _ in range(100)]
        slow += [Raw().send("GET /console HTTP/1.1\r\nX: ") for _ in range(100)]
        for _ in range(5):
            self.lives()
        for raw in slow:
            raw.socket.close()


class Cookies(Case):
    def session(self, cookie):
        return self.page.ask("GET", "/console/api/session", headers={"Cookie": cookie}).status

    def test_an_id_that_was_planted_is_not_taken_up(self):
        planted = "a" * 64
        page = Page(SERVER)
        page.cookie = planted
        page.log_in()
        self.assertNotEqual(page.cookie, planted)
        self.assertEqual(self.session(f"mayfly_console={planted}"), 401)

    def test_a_second_cookie_of_the_name_makes_both_worthless(self):
        """One that a page of a neighbouring name planted could make a person act as the attacker."""
        self.resp("ACL", "SETUSER", "mallory", "on", ">mallory-secret", "+@all", "~*")
        mallory = Page(SERVER)
        mallory.log_in("mallory", "mallory-secret")
        mine, other = self.page.cookie, mallory.cookie
        self.assertEqual(self.session(f"mayfly_console={mine}"), 200)
        for cookie in (f"mayfly_console={other}; mayfly_console={mine}",
                       f"mayfly_console={mine}; mayfly_console={other}",
                       f"mayfly_console={mine};mayfly_console=", f"mayfly_console=x; a=b; mayfly_console={mine}"):
            self.assertEqual(self.session(cookie), 401, cookie)
        answer = Raw().send(f"GET /console/api/session HTTP/1.1\r\n{self.host}Cookie: mayfly_console={mine}\r\n"
                            f"Cookie: mayfly_console={other}\r\n\r\n").all()
        self.assertTrue(answer.startswith(b"HTTP/1.1 401 "), answer[:100])

    def test_an_id_is_compared_whole(self):
        mine = self.page.cookie
        for other in (mine[:-1], mine + "0", mine.upper() if mine.upper() != mine else "x", mine + " ",
                      '"' + mine + '"', "",
                      "0" * 64, "*", "../" + mine, mine + "\x00"):
            self.assertIn(self.session(f"mayfly_console={other}; a=b"), (400, 401), other)
        for name in ("xmayfly_console", "mayfly_console2", "Mayfly_Console", "mayfly_console "):
            self.assertEqual(self.session(f"{name}={mine}"), 401, name)

    def test_an_id_in_the_address_or_the_body_is_none(self):
        for path in (f"/console/api/session?mayfly_console={self.page.cookie}",
                     f"/console/api/session;mayfly_console={self.page.cookie}"):
            self.assertIn(Page(SERVER).ask("GET", path).status, (401, 404))

    def test_the_token_is_not_taken_from_elsewhere(self):
        body = {"commands": [["SET", "k", "v"]], "csrf": self.page.csrf, "X-CSRF-Token": self.page.csrf}
        answer = self.page.ask("POST", f"/console/api/command?X-CSRF-Token={self.page.csrf}", json.dumps(body),
                               {"Content-Type": "application/json",
                                "Cookie": f"mayfly_console={self.page.cookie}; X-CSRF-Token={self.page.csrf}"})
        self.assertEqual(answer.status, 403)
        self.assertIsNone(self.resp("GET", "k"))

    def test_a_wrong_user_is_told_as_a_wrong_password(self):
        self.resp("ACL", "SETUSER", "ann", "on", ">right", "+@all")
        self.resp("ACL", "SETUSER", "off", "off", ">right", "+@all")
        said = {(answer.status, answer.body) for answer in
                (Page(SERVER).log_in("ann", "wrong"), Page(SERVER).log_in("nobody", "wrong"),
                 Page(SERVER).log_in("off", "right"), Page(SERVER).log_in("", ""), Page(SERVER).log_in("ann\x00",
                                                                                                       "right"))}
        self.assertEqual(len(said), 1, said)


class Origins(Case):
    def test_hosts_that_look_like_ours_are_refused(self):
        port = SERVER.http_port
        for host in ("127.0.0.1.nip.example", "0x7f.0.0.1", "2130706433", "localhost.", "localhost.evil.example",
                     f"127.0.0.1:{port}@evil.example", f"127.0.0.1:{port}.evil.example", "[::1].evil.example", "[::1",
                     "evil.example#127.0.0.1", "127.0.0.1 evil.example", "127.0.0.1, evil.example", "127.0.0.1:",
                     ":8000",
                     "127.0.0.1:80:80", "127.0.0.1:8x"):
            for path in ("/console", "/console/api/session"):
                self.assertEqual(self.page.ask("GET", path, headers={"Host": host}).status, 403, host)

    def test_two_hosts_are_none(self):
        answer = Raw().send(f"GET /console HTTP/1.1\r\n{self.host}Host: evil.example\r\n\r\n").all()
        self.assertRegex(answer, rb"^HTTP/1.1 40[03] ")
        answer = Raw().send(b"GET /console HTTP/1.0\r\n\r\n").all()
        self.assertTrue(answer.startswith(b"HTTP/1.0 403 "), answer[:100])

    def test_a_forwarded_host_or_address_is_not_believed(self):
        answer = self.page.ask("GET", "/console/api/session",
                               headers={"Host": "evil.example", "X-Forwarded-Host": "localhost",
                                        "Forwarded": "host=localhost",
                                        "X-Forwarded-For": "127.0.0.1", "X-Original-URL": "/console"})
        self.assertEqual(answer.status, 403)

    def test_every_answer_binds_the_browser(self):
        answers = [self.page.ask("GET", path) for path in ("/console", "/console/api/session", "/console/api/command")]
        answers += [Page(SERVER).ask("GET", "/console/api/session"),
                    self.page.ask("GET", "/console", headers={"Host": "evil.example"}),
                    self.page.post("/console/api/command", {"commands": "x"}), self.page.log_in("nobody", "x")]
        for answer in answers:
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            self.assertNotIn("Access-Control-Allow-Origin", answer.headers)
            self.assertNotIn("Access-Control-Allow-Credentials", answer.headers)
            if answer.status == 405:
                continue
            self.assertEqual(answer.headers["Cross-Origin-Resource-Policy"], "same-origin")
            self.assertIn("frame-ancestors 'none'", answer.headers["Content-Security-Policy"])

    def test_private_answers_are_kept_by_no_cache(self):
        for answer in (self.page.ask("GET", "/console/api/session"), Page(SERVER).ask("GET", "/console/api/session"),
                       self.page.post("/console/api/command", {"commands": [["PING"]]}),
                       self.page.ask("GET", "/console/api/session", headers={"If-None-Match": "*"}),
                       self.page.post("/console/api/command", {}), self.page.log_in(),
                       self.page.post("/console/api/logout", {})):
            self.assertEqual(answer.headers["Cache-Control"], "no-store")
            self.assertNotIn("ETag", answer.headers)
            self.assertNotEqual(answer.status, 304)

    def test_files_of_the_page_are_the_same_for_everybody(self):
        mine, anybodys = self.page.ask("GET", "/console"), Page(SERVER).ask("GET", "/console")
        self.assertEqual((mine.body, mine.headers["ETag"]), (anybodys.body, anybodys.headers["ETag"]))
        self.assertNotIn("Set-Cookie", mine.headers)

    def test_a_page_of_a_foreign_name_cannot_use_the_tables(self):
        """A name that was made to mean this machine: for the browser, its page and ours are one origin."""
        headers = {"X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": "application/x-amz-json-1.0"}
        port = SERVER.http_port
        for origin in (f"http://evil.example:{port}", "null", "https://evil.example", "http://127.0.0.1.evil.example"):
            answer = self.page.ask("POST", "/", "{}", headers | {"Origin": origin, "Host": f"evil.example:{port}"})
            self.assertEqual(answer.status, 400, origin)
            self.assertTrue(answer.json()["__type"].endswith("AccessDeniedException"), answer.body)
        for origin in (f"http://localhost:{port}", "http://127.0.0.1:3000"):
            answer = self.page.ask("POST", "/", "{}", headers | {"Origin": origin})
            self.assertEqual((answer.status, answer.json()), (200, {"TableNames": []}), origin)


class Listening(Case):
    def setUp(self):
        super().setUp()
        self.resp("TTL.POLICY", "SET", "events", "value")
        self.last = self.last_event()

    def tearDown(self):
        self.resp("TTL.POLICY", "SET", "events", "off")
        super().tearDown()

    def last_event(self):
        statistics = self.page.run(["TTL.STATS"])[0]["map"]
        return dict(map(tuple, statistics))["events-last"]

    def let_die(self, *keys, value="v"):
        for key in keys:
            self.resp("SET", key, value, "PXAT", 1)
        self.assertEqual(self.last_event(), self.last + len(keys), "each was born dead, and told so")

    def hear(self, after=None, query="expiry=1", page=None, **headers):
        headers = {name.replace("_", "-"): text for name, text in headers.items()}
        if after is not None:
            headers["Last-Event-ID"] = str(after)
        return (page or self.page).ask("GET", f"/console/api/live?{query}", headers=headers)

    def test_names_and_values_cannot_end_their_event(self):
        hostile = ["x\n\nevent: refused\ndata: {}\n\n", "\r\revent: end\r\r", "\r\n\r\nid: 999\r\n", "\u2028data: x"]
        self.let_die(*hostile, value=hostile[0])
        answer = self.hear(self.last)
        lines = re.split(rb"\r\n|\r|\n", answer.body)  # As browsers do it.
        self.assertEqual({line.split(b":")[0] for line in lines}, {b"", b"retry", b"id", b"event", b"data"})
        self.assertEqual([line for line in lines if line.startswith(b"event")], [b"event: expiry"])
        self.assertEqual([line for line in lines if line.startswith(b"id")], [b"id: %d" % (self.last + 4)])
        events = json.loads(next(line for line in lines if line.startswith(b"data"))[6:])
        self.assertEqual([dict(map(tuple, event["map"]))["key"] for event in events], hostile)
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        self.assertTrue(answer.headers["Content-Type"].startswith("text/event-stream"))

    def test_old_values_too_large_for_one_answer_come_in_several(self):
        self.let_die(*[f"large:{i}" for i in range(60)], value="x" * 700_000)
        seen, at, answers = 0, self.last, 0
        while at < self.last + 60:
            answer = self.hear(at)
            self.assertLess(len(answer.body), 20 << 20)
            at = int(re.findall(rb"^id: (\d+)$", answer.body, re.M)[-1])
            for data in re.findall(rb"^event: expiry\ndata: (.*)$", answer.body, re.M):
                seen += len(json.loads(data))
            answers += 1
            self.assertLessEqual(answers, 10)
        self.assertEqual(seen, 60)

    def test_an_old_value_too_large_for_any_answer_is_passed_over(self):
        self.let_die("huge", value="x" * (17 << 20))
        self.last += 1
        self.let_die("after it")
        first = self.hear(self.last - 1)
        self.assertIn(b"event: skipped", first.body)
        at = int(re.findall(rb"^id: (\d+)$", first.body, re.M)[-1])
        self.assertIn(b"after it", self.hear(at).body)

    def test_strangers_and_other_pages_hear_nothing(self):
        self.let_die("secret")
        for answer, status in ((self.hear(self.last, page=Page(SERVER)), 401),
                               (self.hear(self.last, Sec_Fetch_Site="cross-site"), 403),
                               (self.hear(self.last, Origin="http://evil.example"), 403),
                               (self.hear(self.last, Host="evil.example"), 403),
                               (self.page.post("/console/api/live", {}), 405)):
            self.assertEqual(answer.status, status)
            self.assertNotIn(b"secret", answer.body)

    def test_a_user_who_may_not_see_events_and_figures_sees_none(self):
        page = self.user("reader", "-@all", "+get", "~*")
        self.let_die("secret")
        for query in ("expiry=1", ""):
            answer = self.hear(self.last, query, page)
            self.assertIn(b"NOPERM", answer.body)
            self.assertNotIn(b"secret", answer.body)
            self.assertNotIn(b"redis_version", answer.body)
        self.resp("ACL", "DELUSER", "reader")
        self.assertEqual(self.hear(self.last, "expiry=1", page).status, 401)

    def test_filters_and_places_that_are_none_are_refused_or_mean_nothing(self):
        for query in ("expiry=1&match=zz", "expiry=1&match=6", "expiry=1&keyspace=%00",
                      "expiry=1&match=" + "2a" * 4_000 + "g"):
            self.assertEqual(self.hear(None, query).status, 400, query)
        for after in ("-1", "x", "18446744073709551616", "9" * 300, "1e3", ""):
            answer = self.hear(after)
            self.assertEqual(answer.status, 200, after)
            self.assertRegex(answer.body, rb"\nid: \d+\n")

    def test_pages_that_ask_and_never_read_hold_nobody_up(self):
        before = memory_bytes()
        mute = []
        for _ in range(8):
            raw = Raw()
            raw.socket.setblocking(False)
            try:
                raw.socket.send((f"GET /console/api/live HTTP/1.1\r\n{self.host}Cookie: mayfly_console="
                                 f"{self.page.cookie}\r\n\r\n" * 500).encode())
            except BlockingIOError:
                pass
            mute.append(raw)
        for _ in range(5):
            self.lives()
        self.assertLess(memory_bytes() - before, 64 << 20)
        for raw in mute:
            raw.socket.close()

    def test_tables_are_for_who_may_use_them(self):
        page = self.user("reader", "-@all", "+@read", "+ping", "~*")
        tried = (["TTL.TABLE", "READ", "ListTables", "{}"], ["TTL.TABLE", "WRITE", "DeleteTable", '{"TableName":"t"}'],
                 ["ttl.table", "read", "Scan", '{"TableName":"t"}'])
        for reply in page.run(*tried):
            self.assertTrue(reply["error"].startswith("NOPERM"), reply)
        self.resp("ACL", "SETUSER", "reader", "+ttl.table|read")
        self.assertEqual(page.run(tried[0]), ['{"TableNames":[]}'])
        for operation, body in (("CreateTable", {}), ("PutItem", {"TableName": "t", "Item": {}}),
                                ("ExecuteStatement", {"Statement": "DELETE FROM t WHERE p='x'"})):
            reply, = page.run(["TTL.TABLE", "READ", operation, json.dumps(body)])
            self.assertIn("error", reply, operation)
        self.assertTrue(page.run(tried[1])[0]["error"].startswith("NOPERM"))


class Commands(Case):
    REFUSED = ("NOPERM|needs a connection|unknown (sub)?command|not offered|can't run this command|No permission|"
               "not allowed")

    def test_a_reader_gets_nothing_more_by_another_way(self):
        page = self.user("reader", "-@all", "+@read", "+eval", "+fcall", "+multi", "+exec", "+ping", "~app:*")
        self.resp("SET", "app:1", "seen")
        self.resp("SET", "other", "hidden")
        tried = (["SET", "app:1", "x"], ["sEt", "app:1", "x"], ["CONFIG", "SET", "console-remote", "yes"],
                 ["CONFIG", "GET", "*"], ["ACL", "SETUSER", "reader", "+@all"], ["ACL", "GETUSER", "default"],
                 ["EVAL", "return redis.call('SET', 'app:1', 'x')", "0"],
                 ["EVAL", "return redis.call('CONFIG', 'SET', 'console-remote', 'yes')", "0"],
                 ["EVAL", "return redis.call('GET', 'other')", "1", "other"],
                 ["EVAL", "return redis.call('GET', KEYS[1])", "1", "other"], ["GET", "other"], ["MGET", "app:1",
                                                                                                 "other"],
                 ["SORT", "app:1", "BY", "nosort", "GET", "other"], ["COPY", "other", "app:2"], ["DUMP", "other"],
                 ["OBJECT", "ENCODING", "other"], ["DEBUG", "SLEEP", "0"], ["FLUSHALL"], ["SHUTDOWN", "NOSAVE"],
                 ["CLIENT", "LIST"], ["CLIENT", "KILL", "TYPE", "normal"], ["SLOWLOG", "GET"], ["MONITOR"],
                 ["REPLICAOF", "evil.example", "6379"], ["PSYNC", "?", "-1"], ["FUNCTION", "LOAD", "#!lua name=x\n"],
                 ["SCRIPT", "FLUSH"], ["MODULE", "LOAD", "/tmp/x.so"], ["MIGRATE", "evil.example", "6379", "app:1",
                                                                        "0", "1"],
                 ["RESTORE", "app:2", "0", "x"], ["TTL.POLICY", "SET", "default-ttl", "1"], ["TTL.EVENTS", "AFTER",
                                                                                             "0"],
                 ["TTL.PROVE", "FIND", "hidden"], ["TTL.BACKUP", "x"], ["TTL.PURGE"], ["TTL.JOB", "LIST"],
                 ["ACL|SETUSER", "reader", "+@all"], ["config|set", "console", "no"])
        for command, reply in zip(tried, page.run(*tried)):
            self.assertIsInstance(reply, dict, command)
            self.assertRegex(reply["error"], self.REFUSED, command)
            self.assertNotIn("hidden", json.dumps(reply))
        self.assertEqual((self.resp("GET", "app:1"), self.resp("GET", "other")), (b"seen", b"hidden"))
        self.assertEqual(self.resp("CONFIG", "GET", "console-remote")[1], b"no")

    def test_nothing_of_one_request_is_left_for_the_next(self):
        """No MULTI, no database, no user: executors are shared, sessions are not."""
        page = self.user("reader", "-@all", "+@read", "+ping", "~*")
        self.page.run(["MULTI"], ["SET", "k", "v"])
        self.assertIn("error", self.page.run(["EXEC"])[0])
        self.assertEqual(page.run(["GET", "k"]), ["v"])
        self.assertEqual(page.run(["SET", "k", "x"])[0]["error"].split()[0], "NOPERM")
        self.page.run(["SET", "k", "three"], db=3)
        self.assertEqual(self.page.run(["GET", "k"], ["CLIENT", "GETNAME"]), ["v", "console"])
        self.page.run(["CLIENT", "SETNAME", "another"], ["CLIENT", "NO-EVICT", "ON"], ["CLIENT", "TRACKING", "ON"])
        self.assertEqual(self.page.run(["CLIENT", "GETNAME"]), ["console"])

    def test_a_script_cannot_listen_block_or_become_another_user(self):
        for call in ("'SUBSCRIBE', 'c'", "'MONITOR'", "'AUTH', 'x'", "'SELECT', '99'", "'MULTI'", "'WATCH', 'k'",
                     "'RESET'", "'QUIT'", "'HELLO', '3'", "'PSYNC', '?', '-1'", "'CONFIG', 'SET', 'console', 'no'",
                     "'CLIENT', 'REPLY', 'OFF'", "'BLPOP', 'none', '0'", "'WAIT', '1', '0'"):
            reply, = self.page.run(["EVAL", f"return redis.call({call})", "0"])
            self.assertIn("error", reply, call)
        self.lives()

    def test_names_of_commands_are_words_and_no_lines(self):
        for command in (["PING\r\nFLUSHALL"], ["PING", "x\r\n*1\r\n$8\r\nFLUSHALL\r\n"], ["*1\r\n$8\r\nFLUSHALL\r\n"],
                        ["", "FLUSHALL"], [" FLUSHALL"], ["FLUSHALL\x00"]):
            self.resp("SET", "k", "v")
            reply, = self.page.run(command)
            self.assertEqual(self.resp("GET", "k"), b"v", (command, reply))

    def test_names_and_values_are_in_no_header_and_cannot_end_the_json(self):
        hostile = ("x\r\nSet-Cookie: mayfly_console=evil", "\r\n\r\n<script>", '"}]}<script>', "\u2028\u2029",
                   "</script>",
                   "\\u0022}", "event: end\ndata: {}\n\n", '{"error":"x"}', '{"base64":"eA=="}')
        for text in hostile:
            self.resp("SET", text, text)
            commands = [["GET", text], ["KEYS", "*"], [text], ["ECHO", text]]
            answer = self.page.post("/console/api/command", {"commands": commands})
            replies = answer.json()["replies"]
            self.assertEqual((replies[0], replies[3]), (text, text))
            self.assertIn(text, replies[1])
            self.assertIn("error", replies[2])
            self.assertNotIn("Set-Cookie", answer.headers)
            self.assertEqual(answer.headers["Content-Type"], "application/json; charset=utf-8")
            self.assertNotIn(b"\n", answer.body)

    def test_a_request_ends_when_its_user_does(self):
        """Commands behind one that took the user's rights, in the same request."""
        page = self.user("ann", "+@all", "~*")
        first, second, third = page.run(["SET", "k", "v"], ["ACL", "SETUSER", "ann", "-set", "+acl"], ["SET", "k", "x"])
        self.assertEqual((first, second), ("OK", "OK"))
        self.assertTrue(third["error"].startswith("NOPERM"), third)
        self.assertEqual(self.resp("GET", "k"), b"v")


class SlowCommands(Case):
    def test_health_is_told_while_people_run_commands_without_end(self):
        """Scripts, here, that take seconds each: more at a time than HTTP has threads."""
        user = self.user("slow", "+@all", "~*")
        script = "local x = 0 for i = 1, 3e7 do x = x + 1 end return x"
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            slow = [pool.submit(user.post, "/console/api/command", {"commands": [["EVAL", script, "0"]]}) for _ in range(6)]
            told = 0
            while not all(one.done() for one in slow):
                answer = Page(SERVER).ask("GET", "/health")
                self.assertEqual(answer.status, 200)
                told += 1
            statuses = {one.result().status for one in slow}
        self.assertLessEqual(statuses, {200, 503})
        self.assertIn(200, statuses)
        self.assertGreater(told, 0)


class Guesses(unittest.TestCase):
    def test_many_at_once_are_as_bounded_as_one_after_the_other(self):
        with ServerProcess(SERVER.binary, "--http-threads", "4") as server:
            resp = Resp(server)
            resp("ACL", "SETUSER", "ann", "on", ">right", "+@all", "~*")
            with concurrent.futures.ThreadPoolExecutor(20) as pool:
                guesses = [pool.submit(lambda i=i: Page(server).log_in("ann", f"guess {i}").status) for i in range(60)]
            statuses = [guess.result() for guess in guesses]
            # One more is free every three seconds, and each thread may be at one already.
            self.assertIn(429, statuses)
            self.assertLess(statuses.count(401), 30)
            self.assertLessEqual(set(statuses), {401, 429})
            resp.close()
            self.assertEqual(server.stop(), 0)


def own_address():
    """An address of this machine that is not a loopback one; None: it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # Sends nothing.
            return probe.getsockname()[0]
        except OSError:
            return None


@unittest.skipUnless(own_address(), "the machine has no address but loopback, so nothing can come from elsewhere")
class Elsewhere(unittest.TestCase):
    """Clients of another address, as those of other machines are."""

    def test_they_are_let_in_by_two_settings_and_a_password(self):
        with ServerProcess(SERVER.binary, "--http-bind", "0.0.0.0") as server:
            resp = Resp(server)
            page = Page(server, own_address())
            for path in ("/console", "/console/api/session", "/console/api/live"):
                answer = page.ask("GET", path)
                self.assertEqual(answer.status, 403, path)
                self.assertIn("console-remote", answer.json()["error"])
            self.assertEqual(page.log_in().status, 403)
            resp("CONFIG", "SET", "console-remote", "yes")
            self.assertEqual(page.ask("GET", "/console").status, 200)
            refused = page.log_in()
            self.assertEqual(refused.status, 403)
            self.assertIn("protected-mode", refused.json()["error"])
            resp("CONFIG", "SET", "requirepass", "a-long-password")
            self.assertEqual(page.log_in().status, 401)
            self.assertEqual(page.log_in("default", "a-long-password").status, 200)
            self.assertEqual(page.run(["PING"]), ["PONG"])
            self.assertEqual(page.ask("GET", "/console", headers={"Host": "evil.example"}).status, 403)
            resp.close()
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
