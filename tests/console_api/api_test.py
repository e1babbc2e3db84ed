# Goal: the console's side of HTTP: who may log in, what a page may send, and what it gets back.
# Method: requests over a socket to `mayfly serve`, as a page would send them and as an attacker would.
#   api_test.py MAYFLY
import json
import re
import sys
import time
import unittest

from console_home import Page, Resp, ServerProcess, pairs

SERVER = ServerProcess(sys.argv.pop())


def setUpModule():
    SERVER.start()


def tearDownModule():
    assert SERVER.stop() == 0


class Case(unittest.TestCase):
    def setUp(self):
        self.resp = Resp(SERVER)
        self.resp("FLUSHALL")
        self.page = Page(SERVER)

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


class Logins(Case):
    def test_the_default_user_without_a_password_logs_in_as_in_redis_cli(self):
        answer = self.page.log_in()
        self.assertEqual((answer.status, answer.json()["user"]), (200, "default"))
        cookie = answer.headers["Set-Cookie"]
        for word in ("HttpOnly", "SameSite=Strict", "Path=/console"):
            self.assertIn(word, cookie)
        self.assertNotIn("Secure", cookie)
        session = self.page.ask("GET", "/console/api/session")
        self.assertEqual(session.status, 200)
        self.assertEqual((session.json()["user"], session.json()["databases"], session.json()["tls"]),
                         ("default", 16, False))
        self.assertEqual(session.headers["Cache-Control"], "no-store")

    def test_without_a_login_nothing_is_answered(self):
        for method, path in (("GET", "session"), ("POST", "command"), ("POST", "logout")):
            self.assertEqual(self.page.ask(method, f"/console/api/{path}", "{}",
                                           {"Content-Type": "application/json"}).status, 401, path)

    def test_a_wrong_password_is_refused_as_by_auth_and_logged_in_acls_log(self):
        self.resp("ACL", "SETUSER", "ann", "on", ">right")
        self.resp("ACL", "LOG", "RESET")
        answer = self.page.log_in("ann", "wrong")
        self.assertEqual(answer.status, 401)
        self.assertEqual(answer.json()["error"], "WRONGPASS invalid username-password pair or user is disabled.")
        self.assertNotIn("Set-Cookie", answer.headers)
        entry = self.resp("ACL", "LOG")[0]
        logged = dict(zip(entry[::2], entry[1::2]))
        self.assertEqual((logged[b"reason"], logged[b"username"], logged[b"object"]), (b"auth", b"ann", b"console"))
        self.assertIn(b"name=console", logged[b"client-info"])

    def test_an_id_is_new_with_each_login_and_none_of_the_clients_is_taken(self):
        self.page.cookie = "0" * 64
        self.assertEqual(self.page.ask("GET", "/console/api/session").status, 401)
        self.page.log_in()
        first = self.page.cookie
        self.assertNotEqual(first, "0" * 64)
        self.assertRegex(first, "^[0-9a-f]{64}$")
        self.page.log_in()
        self.assertNotEqual(self.page.cookie, first)
        self.page.cookie = first
        self.assertEqual(self.page.ask("GET", "/console/api/session").status, 401, "it ended with the second login")

    def test_a_logout_ends_the_session(self):
        self.page.log_in()
        cookie = self.page.cookie
        answer = self.page.post("/console/api/logout", {})
        self.assertEqual(answer.status, 200)
        self.assertIn("Max-Age=0", answer.headers["Set-Cookie"])
        self.page.cookie = cookie
        self.assertEqual(self.page.ask("GET", "/console/api/session").status, 401)

    def test_a_session_ends_with_its_user_and_with_its_password(self):
        for change in (("ACL", "DELUSER", "ann"), ("ACL", "SETUSER", "ann", "off"),
                       ("ACL", "SETUSER", "ann", "resetpass", ">another")):
            page = self.user("ann", "+@all", "~*")
            self.assertEqual(page.run(["PING"]), ["PONG"])
            self.resp(*change)
            self.assertEqual(page.ask("GET", "/console/api/session").status, 401, change)
            self.assertEqual(page.post("/console/api/command", {"commands": [["PING"]]}).status, 401, change)
            self.resp("ACL", "DELUSER", "ann")


class Requests(Case):
    def setUp(self):
        super().setUp()
        self.page.log_in()

    def command(self, **headers):
        return self.page.post("/console/api/command", {"commands": [["SET", "k", "v"]]}, **headers)

    def test_the_token_is_needed(self):
        self.assertEqual(self.command(X_CSRF_Token=None).status, 403)
        self.assertEqual(self.command(X_CSRF_Token="0" * 64).status, 403)
        self.assertIsNone(self.resp("GET", "k"))
        self.assertEqual(self.command().status, 200)

    def test_the_token_is_of_this_session(self):
        other = Page(SERVER)
        other.log_in()
        self.assertEqual(self.command(X_CSRF_Token=other.csrf).status, 403)

    def test_a_page_of_another_origin_is_refused(self):
        here = f"127.0.0.1:{SERVER.http_port}"
        for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": f"http://{here}0"},
                        {"Origin": "http://localhost"}, {"Sec_Fetch_Site": "cross-site"},
                        {"Sec_Fetch_Site": "same-site", "Origin": f"http://{here}"}):
            self.assertEqual(self.command(**headers).status, 403, headers)
        self.assertIsNone(self.resp("GET", "k"))
        self.assertEqual(self.command(Origin=f"http://{here}", Sec_Fetch_Site="same-origin").status, 200)

    def test_a_login_of_another_origin_is_refused(self):
        answer = Page(SERVER).post("/console/api/login", {"user": "default", "password": ""},
                                   Origin="http://evil.example")
        self.assertEqual(answer.status, 403)
        self.assertNotIn("Set-Cookie", answer.headers)

    def test_nothing_of_it_may_be_read_by_another_origin(self):
        answer = self.page.ask("GET", "/console/api/session", headers={"Sec-Fetch-Site": "cross-site"})
        self.assertEqual(answer.status, 403)
        for path in ("/console", "/console/api/session"):
            headers = self.page.ask("GET", path).headers
            self.assertNotIn("Access-Control-Allow-Origin", headers)
            self.assertEqual(headers["Cross-Origin-Resource-Policy"], "same-origin")
        self.assertEqual(self.page.ask("OPTIONS", "/console/api/command").status, 405)

    def test_a_name_that_is_not_ours_is_refused(self):
        port = SERVER.http_port
        for host in ("evil.example", f"evil.example:{port}", "localhost.evil.example", "127.0.0.1.evil.example", ""):
            self.assertEqual(self.page.ask("GET", "/console/api/session", headers={"Host": host}).status, 403, host)
            self.assertEqual(self.page.ask("GET", "/console", headers={"Host": host}).status, 403, host)
        for host in ("localhost", f"LOCALHOST:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"):
            self.assertEqual(self.page.ask("GET", "/console/api/session", headers={"Host": host}).status, 200, host)
        self.resp("CONFIG", "SET", "console-hosts", "db.example, Other.Example")
        for host in ("db.example", f"other.example:{port}"):
            self.assertEqual(self.page.ask("GET", "/console/api/session", headers={"Host": host}).status, 200, host)
        self.resp("CONFIG", "SET", "console-hosts", "")

    def test_a_form_of_another_page_is_refused(self):
        for kind in (None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            self.assertEqual(self.command(Content_Type=kind).status, 415, kind)
        self.assertEqual(self.command(Content_Type="application/json; charset=utf-8").status, 200)

    def test_bodies_have_a_bound(self):
        answer = self.page.post("/console/api/login", {"user": "default", "password": "x" * 5000})
        self.assertEqual(answer.status, 413)
        answer = self.page.post("/console/api/command", {"commands": [["SET", "k", "x" * (9 << 20)]]})
        self.assertEqual(answer.status, 413)
        self.assertIn("8388608", answer.json()["error"])

    def test_what_is_no_request_is_refused_in_words(self):
        for body in ({}, {"commands": "PING"}, {"commands": [["PING"], []]}, {"commands": [["GET", 7]]},
                     {"commands": [["GET", {"base64": "?"}]]}, {"commands": [["GET", {"text": "a"}]]},
                     {"db": 16, "commands": [["PING"]]}, {"db": -1, "commands": []}, {"db": "0", "commands": []},
                     {"commands": [["PING"]] * 101}, [], 7):
            answer = self.page.post("/console/api/command", body)
            self.assertEqual(answer.status, 400, body)
            self.assertTrue(answer.json()["error"], body)
        answer = self.page.ask("POST", "/console/api/command", "[" * 1000,
                               {"Content-Type": "application/json", "X-CSRF-Token": self.page.csrf})
        self.assertEqual(answer.status, 400)

    def test_no_path_leads_to_a_file(self):
        for path in ("/console/../../etc/passwd", "/console/assets/../../../../etc/passwd",
                     "/console/%2e%2e/%2e%2e/etc/passwd", "/console/..%2f..%2fetc/passwd", "/console//etc/passwd",
                     "/console/assets/", "/console/index.html%00.js"):
            answer = self.page.ask("GET", path)
            self.assertEqual(answer.status, 404, path)
            self.assertNotIn(b"root:", answer.body)
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")

    def test_it_can_be_turned_off(self):
        self.resp("CONFIG", "SET", "console", "no")
        self.assertEqual(self.page.ask("GET", "/console").status, 404)
        self.assertEqual(self.command().status, 404)
        self.resp("CONFIG", "SET", "console", "yes")
        self.assertEqual(self.command().status, 200)


class Files(Case):
    def test_the_page_comes_with_what_binds_a_browser(self):
        answer = self.page.ask("GET", "/console")
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        policy = answer.headers["Content-Security-Policy"]
        for rule in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
                     "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"):
            self.assertIn(rule, policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(answer.headers["Referrer-Policy"], "no-referrer")
        self.assertEqual(answer.headers["Cache-Control"], "no-cache")
        self.assertEqual(self.page.ask("GET", "/console/").body, answer.body)

    def test_the_page_runs_nothing_inline_and_loads_nothing_from_outside(self):
        text = self.page.ask("GET", "/console").body.decode()
        self.assertIsNone(re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", text))
        self.assertIsNone(re.search(r"""(?:src|href)=["'](?:https?:)?//""", text))
        for path in re.findall(r"""(?:src|href)=["']([^"']+)["']""", text):
            if path.startswith("data:"):
                continue
            asset = self.page.ask("GET", path)
            self.assertEqual(asset.status, 200, path)
            self.assertEqual(asset.headers["X-Content-Type-Options"], "nosniff")
            if "/assets/" in path:
                self.assertIn("immutable", asset.headers["Cache-Control"])

    def test_a_browser_that_has_it_gets_it_no_more(self):
        answer = self.page.ask("GET", "/console")
        again = self.page.ask("GET", "/console", headers={"If-None-Match": answer.headers["ETag"]})
        self.assertEqual((again.status, again.body), (304, b""))
        self.assertEqual(self.page.ask("GET", "/console", headers={"If-None-Match": '"x"'}).status, 200)

    def test_it_is_sent_compressed_to_who_takes_that(self):
        import gzip
        plain = self.page.ask("GET", "/console")
        packed = self.page.ask("GET", "/console", headers={"Accept-Encoding": "gzip, br"})
        self.assertEqual(packed.headers["Content-Encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed.body), plain.body)


class Commands(Case):
    def setUp(self):
        super().setUp()
        self.page.log_in()

    def test_replies_of_every_kind_come_as_json(self):
        run = self.page.run
        self.assertEqual(run(["SET", "k", "v"], ["GET", "k"], ["GET", "none"], ["INCR", "n"], ["NONSENSE"]),
                         ["OK", "v", None, 1, {"error": "ERR unknown command 'NONSENSE', with args beginning with: "}])
        self.assertEqual(run(["SET", "n", "9007199254740993"], ["INCR", "n"], ["SET", "n", "9007199254740991"],
                             ["INCR", "n"])[1::2], [{"integer": "9007199254740994"}, 9007199254740992])
        self.assertEqual(run(["ZADD", "z", "1.5", "a", "inf", "b"], ["ZSCORE", "z", "a"], ["ZSCORE", "z", "b"]),
                         [2, 1.5, {"double": "inf"}])
        self.assertEqual(run(["HSET", "h", "f", "v"], ["HGETALL", "h"], ["SADD", "s", "m"], ["SMEMBERS", "s"]),
                         [1, {"map": [["f", "v"]]}, 1, ["m"]])
        self.assertEqual(run(["INCR", "h"])[0],
                         {"error": "WRONGTYPE Operation against a key holding the wrong kind of value"})

    def test_bytes_that_are_no_text_come_and_go_in_base64(self):
        every_byte = bytes(range(256))
        import base64
        coded = {"base64": base64.b64encode(every_byte).decode()}
        self.assertEqual(self.page.run(["SET", coded, coded], ["GET", coded], ["KEYS", "*"]), ["OK", coded, [coded]])
        self.assertEqual(self.resp("GET", every_byte), every_byte)
        for bad in (b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"a\x80"):
            self.resp("SET", "k", bad)
            self.assertEqual(self.page.run(["GET", "k"]), [{"base64": base64.b64encode(bad).decode()}])
        for good in ("", "\0", "\u20ac", "\U0001f98b", "</script><!--\u2028"):
            self.resp("SET", "k", good)
            self.assertEqual(self.page.run(["GET", "k"]), [good])

    def test_a_database_is_chosen_with_each_request(self):
        self.page.run(["SET", "k", "three"], db=3)
        self.assertEqual(self.page.run(["GET", "k"], db=3) + self.page.run(["GET", "k"]), ["three", None])

    def test_commands_that_need_a_connection_are_refused_and_the_others_run(self):
        refused = (["SUBSCRIBE", "c"], ["UNSUBSCRIBE"], ["PSUBSCRIBE", "c*"], ["MONITOR"], ["BLPOP", "l", "0"], ["MULTI"],
                   ["EXEC"], ["WATCH", "k"], ["AUTH", "x"], ["HELLO", "2"], ["RESET"], ["QUIT"], ["SELECT", "1"],
                   ["CLIENT", "REPLY", "OFF"], ["SYNC"], ["PSYNC", "?", "-1"], ["WAIT", "1", "0"],
                   ["XREAD", "BLOCK", "0", "STREAMS", "s", "$"])
        for command in refused:
            first, second = self.page.run(command, ["SET", "after", "it"])
            self.assertIn("needs a connection that lasts", first["error"], command)
            self.assertEqual(second, "OK", command)

    def test_a_user_may_do_what_acl_allows_and_is_told_in_its_words(self):
        page = self.user("reader", "+@read", "+ping", "~app:*", "-@dangerous")
        self.resp("SET", "app:1", "seen")
        self.resp("SET", "other", "hidden")
        read, write, other, admin = page.run(["GET", "app:1"], ["SET", "app:1", "x"], ["GET", "other"], ["ACL", "LIST"])
        self.assertEqual(read, "seen")
        self.assertEqual(write, {"error": "NOPERM this user has no permissions to run the 'set' command"})
        self.assertTrue(other["error"].startswith("NOPERM this user has no permissions to access"), other)
        self.assertTrue(admin["error"].startswith("NOPERM"), admin)
        self.resp("ACL", "SETUSER", "reader", "+set")
        self.assertEqual(page.run(["SET", "app:1", "x"]), ["OK"], "a change of rules takes effect at once")

    def test_they_are_counted_and_slow_ones_logged_as_others_are(self):
        self.resp("CONFIG", "SET", "slowlog-log-slower-than", "0")
        self.resp("SLOWLOG", "RESET")
        self.page.run(["GET", "slow-one"])
        self.resp("CONFIG", "SET", "slowlog-log-slower-than", "10000")
        entries = self.resp("SLOWLOG", "GET", "10")
        entry = next(entry for entry in entries if entry[3] == [b"GET", b"slow-one"])
        self.assertEqual(entry[5], b"console")

    def test_a_script_that_holds_commands_back_does_not_hold_the_page(self):
        other = Resp(SERVER)
        other("CLIENT", "PAUSE", "60000", "WRITE")
        self.addCleanup(other.close)
        self.addCleanup(other, "CLIENT", "UNPAUSE")
        self.assertEqual(self.page.run(["SET", "k", "v"], ["GET", "k"]),
                         [{"error": "BUSY a script, or CLIENT PAUSE, holds commands back; try again"}, None])
        other("CLIENT", "UNPAUSE")
        self.assertEqual(self.page.run(["SET", "k", "v"]), ["OK"])

    def test_a_reply_has_a_bound(self):
        self.resp("SET", "large", "x" * (17 << 20))
        reply, after = self.page.run(["GET", "large"], ["PING"])
        self.assertIn("ask for a part", reply["error"])
        self.assertIn("ask for a part", after["error"])
        self.assertEqual(self.page.run(["GETRANGE", "large", "0", "2"]), ["xxx"])

    def test_info_comes_as_text(self):
        self.assertIn("redis_version:", self.page.run(["INFO", "server"])[0])
        self.assertIn("keyspaces", pairs(self.page.run(["TTL.STATS"])[0]))


class Live(Case):
    def setUp(self):
        super().setUp()
        self.resp("TTL.POLICY", "SET", "events", "value")
        self.page.log_in()

    def live(self, query="", after=None, page=None):
        answer = (page or self.page).ask("GET", f"/console/api/live{query}",
                                         headers={"Last-Event-ID": str(after)} if after is not None else {})
        self.assertEqual(answer.status, 200, answer.body)
        self.assertTrue(answer.headers["Content-Type"].startswith("text/event-stream"))
        fields = [line.split(": ", 1) for line in answer.body.decode().splitlines() if line]
        self.assertEqual(fields[0], ["retry", "1000"], "the browser asks again")
        names = [value for name, value in fields if name == "event"]
        data = [json.loads(value) for name, value in fields if name == "data"]
        ids = [int(value) for name, value in fields if name == "id"]
        return dict(zip(names, data)), ids[-1] if ids else None

    def die(self, *keys):
        for key in keys:
            self.resp("SET", key, "old", "PXAT", 1)

    def keys_of(self, events):
        return [pairs(event)["key"] for event in events["expiry"]]

    def test_figures_are_replies_of_commands(self):
        stats, info, histogram = self.live()[0]["figures"]
        self.assertIn("keyspaces", pairs(stats))
        self.assertIn("total_commands_processed:", info)
        self.assertIn("map", histogram)

    def test_events_come_once_each_behind_the_one_that_the_page_has(self):
        self.die("before")
        events, last = self.live("?expiry=1")
        self.assertEqual(self.keys_of(events)[-1:], ["before"], "the newest that are kept come first")
        self.die("a", "b")
        events, after = self.live("?expiry=1", after=last)
        self.assertEqual((self.keys_of(events), after), (["a", "b"], last + 2))
        self.assertEqual(self.live("?expiry=1", after=after)[0]["expiry"], [])

    def test_they_are_filtered_by_key_and_database(self):
        _, last = self.live("?expiry=1")
        self.die("cart:1", "session:1")
        match = "session:*".encode().hex()
        self.assertEqual(self.keys_of(self.live(f"?expiry=1&match={match}", after=last)[0]), ["session:1"])
        other = b"db1".hex()
        events, after = self.live(f"?expiry=1&keyspace={other}", after=last)
        self.assertEqual((events["expiry"], after), ([], last + 2), "and it goes on behind those it left out")
        self.assertEqual(self.page.ask("GET", "/console/api/live?expiry=1&match=zz").status, 400)

    def test_those_that_are_too_many_are_said_to_be_skipped(self):
        _, last = self.live("?expiry=1")
        self.die(*(f"key:{i}" for i in range(1200)))
        events, after = self.live("?expiry=1", after=last)
        self.assertEqual(events["skipped"], {"events": 200})
        self.assertEqual((len(events["expiry"]), after), (1000, last + 1200))
        sequences = [pairs(event)["sequence"] for event in events["expiry"]]
        self.assertEqual((sequences[0], sequences[-1]), (last + 201, last + 1200), "the newest are kept")

    def die_together(self, prefix, count):
        """Faster than die(): all in one script."""
        self.resp("EVAL", "for i = 1, ARGV[2] do redis.call('SET', ARGV[1] .. i, 'old', 'PXAT', 1) end", "0", prefix,
                  str(count))

    def test_a_rare_key_is_found_among_thousands_that_are_not_wanted(self):
        _, last = self.live("?expiry=1")
        self.die("login:1")
        self.die_together("cart:", 5000)
        match = "login:*".encode().hex()
        for place in (last, None):
            events, after = self.live(f"?expiry=1&match={match}", after=place)
            self.assertEqual((self.keys_of(events), after), (["login:1"], last + 5001))
            self.assertNotIn("skipped", events)

    def test_of_too_many_that_match_the_newest_come_and_the_others_are_counted(self):
        _, last = self.live("?expiry=1")
        self.die_together("cart:", 1500)
        match = "cart:*".encode().hex()
        events, after = self.live(f"?expiry=1&match={match}", after=last)
        self.assertEqual((len(events["expiry"]), after, events["skipped"]), (1000, last + 1500, {"events": 500}))
        self.assertEqual(pairs(events["expiry"][-1])["sequence"], last + 1500)

    def test_what_a_filter_does_not_look_through_is_said_to_be_skipped(self):
        _, last = self.live("?expiry=1")
        self.die("login:old")
        self.die_together("cart:", 20_000)
        self.die("login:new")
        match = "login:*".encode().hex()
        events, after = self.live(f"?expiry=1&match={match}", after=last)
        self.assertEqual((self.keys_of(events), after), (["login:new"], last + 20_002))
        self.assertEqual(events["skipped"], {"events": 2})

    def test_they_are_filtered_by_cause(self):
        _, last = self.live("?expiry=1")
        self.die("late")
        self.resp("SET", "met", "old", "PX", "1")
        while self.resp("GET", "met") is not None:
            pass
        def of(cause):
            return self.keys_of(self.live(f"?expiry=1&cause={cause.encode().hex()}", after=last)[0])
        self.assertEqual((of("born-dead"), of("evicted")), (["late"], []))
        deaths = []
        while not deaths:  # The reaper may have met it before.
            deaths = of("read") + of("purged")
        self.assertEqual(deaths, ["met"])

    def test_they_are_filtered_by_table(self):
        def write(operation, body):
            reply, = self.page.run(["TTL.TABLE", "WRITE", operation, json.dumps(body)])
            self.assertIsInstance(reply, str, reply)
        write("CreateTable", {"TableName": "carts", "BillingMode": "PAY_PER_REQUEST",
                              "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                              "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                              "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}})
        self.addCleanup(write, "DeleteTable", {"TableName": "carts"})
        write("UpdateTimeToLive", {"TableName": "carts",
                                   "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "dies"}})
        names = [pairs(one)["name"] for one in pairs(self.page.run(["TTL.STATS"])[0])["keyspaces"]]
        items, = [name for name in names if name.startswith("table.carts.items#")]
        _, last = self.live("?expiry=1")
        write("PutItem", {"TableName": "carts", "Item": {"id": {"S": "a"}, "dies": {"N": "4102444800"}}})
        write("SetTTL", {"TableName": "carts", "Key": {"id": {"S": "a"}}, "TtlSeconds": 0.05})
        events = {"expiry": []}
        end = time.monotonic() + 30
        while not events["expiry"]:
            self.assertLess(time.monotonic(), end, "no event of the item comes")
            events, _ = self.live(f"?expiry=1&keyspace={items.encode().hex()}", after=last)
        self.assertEqual({pairs(event)["keyspace"] for event in events["expiry"]}, {items})

    def test_who_may_not_see_them_is_told_so(self):
        page = self.user("reader", "+@read", "~*")
        events, _ = self.live("?expiry=1", page=page)
        self.assertTrue(events["refused"]["error"].startswith("NOPERM"))
        stats, info, _ = self.live(page=page)[0]["figures"]
        self.assertIn("map", stats)
        self.assertTrue(info["error"].startswith("NOPERM"))

    def test_without_a_login_or_from_another_page_nothing_is_told(self):
        self.assertEqual(Page(SERVER).ask("GET", "/console/api/live").status, 401)
        foreign = self.page.ask("GET", "/console/api/live", headers={"Sec-Fetch-Site": "same-site"})
        self.assertEqual(foreign.status, 403)

    def test_tables_are_for_users_who_were_given_them(self):
        page = self.user("reader", "+@read", "+@write", "~*")
        self.assertIn("NOPERM", page.run(["TTL.TABLE", "READ", "ListTables", "{}"])[0]["error"])
        self.resp("ACL", "SETUSER", "reader", "+ttl.table|read")
        listed, deleted = page.run(["TTL.TABLE", "READ", "ListTables", "{}"],
                                   ["TTL.TABLE", "WRITE", "DeleteTable", '{"TableName": "none"}'])
        self.assertIn("TableNames", json.loads(listed))
        self.assertIn("NOPERM", deleted["error"])
        wrong = page.run(["TTL.TABLE", "READ", "DeleteTable", "{}"], ["TTL.TABLE", "READ", "DescribeTable", "{}"],
                         ["TTL.TABLE", "READ", "Nonsense", "{}"], ["TTL.TABLE", "READ", "ListTables", "["])
        for one, words in zip(wrong, ("writes", "TableName", "no operation", "")):
            self.assertIn(words, one["error"])


class WrongPasswords(unittest.TestCase):
    def test_they_cannot_be_tried_without_end(self):
        with ServerProcess(SERVER.binary) as server:
            resp = Resp(server)
            resp("ACL", "SETUSER", "ann", "on", ">right")
            resp.close()
            page = Page(server)
            statuses = [page.log_in("ann", f"guess {i}").status for i in range(12)]
            self.assertEqual(statuses[:10], [401] * 10)
            self.assertIn(429, statuses[10:])
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
