# Goal: `mayfly serve` listens where it says, refuses what it should, and stops cleanly with everything kept.
# Method: it is run as a user runs it, on free ports and a folder of its own; commands go over a socket.
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import unittest
import unittest.mock
import urllib.request

from started_server import ServeTest

MAYFLY = pathlib.Path(sys.argv.pop())


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.file = self.socket.makefile("rb")

    def ask(self, line):
        """The reply to an inline command: a line as text, a bulk string as bytes, None for a null."""
        self.socket.sendall(line.encode() + b"\r\n")
        reply = self.file.readline().rstrip(b"\r\n")
        if not reply.startswith(b"$"):
            return reply.decode()
        size = int(reply[1:])
        if size < 0:
            return None
        return self.file.read(size + 2)[:-2]

    def close(self):
        self.file.close()
        self.socket.close()


class MayflyServe(ServeTest):
    def start(self, *arguments):
        return self.run_server([MAYFLY, "serve", "--bind", "127.0.0.1", "--port", "0", "--http-port", "0",
                                "--memory-profile", "tiny", *arguments])

    def ports(self, process):
        text = self.ready(process)
        redis = int(re.search(r"Redis protocol: 127\.0\.0\.1:(\d+)", text)[1])
        http = int(re.search(r"http://127\.0\.0\.1:(\d+)/metrics", text)[1])
        return redis, http

    def client(self, port):
        client = Client(port)
        self.addCleanup(client.close)
        return client

    def test_serves_and_stops_on_ctrl_c(self):
        process = self.start("--dir", self.folder / "db")
        port, http = self.ports(process)
        client = self.client(port)
        self.assertEqual(client.ask("PING"), "+PONG")
        with urllib.request.urlopen(f"http://127.0.0.1:{http}/health", timeout=30) as response:
            self.assertEqual(response.read(), b"ok\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(client.file.read(), b"")

    def test_stops_on_a_signal_that_comes_while_it_starts(self):
        # Deriving the key of an encrypted database takes a while, behind the writing of the pid.
        key, pid = self.folder / "key", self.folder / "pid"
        key.write_text("correct horse\n")
        process = self.start("--dir", self.folder / "db", "--encryption-key-file", key, "--pidfile", pid)
        while not pid.exists() or not pid.read_text():
            time.sleep(0.001)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=20), 0)
        self.assertIn("stopped; everything is on disk", process.stderr.read())

    def test_keeps_what_it_was_told_across_a_restart(self):
        first = self.start("--dir", self.folder / "db")
        port, _ = self.ports(first)
        self.assertEqual(self.client(port).ask("SWAPDB 0 1"), "+OK")
        first.send_signal(signal.SIGTERM)
        self.assertEqual(first.wait(timeout=60), 0)
        second = self.start("--dir", self.folder / "db")
        port, _ = self.ports(second)
        client = self.client(port)
        self.assertEqual(client.ask("SWAPDB 0 1"), "+OK")
        client.socket.sendall(b"SHUTDOWN\r\n")
        self.assertEqual(second.wait(timeout=60), 0)

    def test_reads_a_file_and_lets_flags_win(self):
        file = self.folder / "mayfly.toml"
        file.write_text("maxclients = 77\ntimeout = 5\nhttp-port = -1\n")
        process = self.start("--config", file, "--timeout", "6")
        port, _ = self.ports(process)
        client = self.client(port)
        self.assertEqual(client.ask("CONFIG GET timeout"), "*2")
        self.assertIn(b"6", client.file.read(len("$7\r\ntimeout\r\n$1\r\n6\r\n")))
        self.assertEqual(client.ask("CONFIG REWRITE"), "+OK")
        self.assertIn('timeout = "6"', file.read_text())

    def test_reads_debians_redis_conf(self):
        """Every line that the package of Redis sets, with the test's own paths."""
        file = self.folder / "redis.conf"
        try:
            lines = pathlib.Path("/etc/redis/redis.conf").read_text()
        except PermissionError:
            self.skipTest("Debian lets root and redis alone read /etc/redis/redis.conf")
        lines = lines.replace("/var/lib/redis", str(self.folder / "db"))
        lines = lines.replace("/var/log/redis", str(self.folder)).replace("/run/redis", str(self.folder))
        file.write_text(lines)
        process = self.start(file, "--daemonize", "no")
        port, _ = self.ports(process)
        client = self.client(port)
        self.assertEqual((self.folder / "redis-server.pid").read_text(), f"{process.pid}\n")
        self.assertEqual(client.ask("SET a b"), "+OK")
        self.assertEqual(client.ask("ACL SETUSER ann on >pw ~* +@all"), "+OK")
        self.assertEqual(client.ask("CONFIG REWRITE"), "+OK")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(process.stderr.read(), "")
        self.assertFalse((self.folder / "redis-server.pid").exists())
        log = (self.folder / "redis-server.log").read_text()
        self.assertIn("setting 'appendonly' has no effect here", log)
        self.assertIn("stopped; everything is on disk", log)
        again = self.start(file, "--daemonize", "no")
        port, _ = self.ports(again)
        client = self.client(port)
        self.assertEqual(client.ask("AUTH ann pw"), "+OK")
        self.assertEqual(client.ask("GET a"), b"b")

    def test_reads_a_redis_conf_with_every_directive_of_redis_7_4(self):
        """What has no effect is named with the reason, line for line; the rest is in force."""
        source = pathlib.Path(__file__).resolve().parent / "redis-7.4.conf"
        log, pidfile = self.folder / "redis.log", self.folder / "redis.pid"
        own = {"dir": self.folder / "db", "logfile": log, "pidfile": pidfile,
               "unixsocket": self.folder / "redis.sock", "masteruser": "m", "masterauth": "n",
               "requirepass": '"a secret"'}
        file = self.folder / "redis.conf"
        file.write_text(source.read_text() + "".join(f"{name} {value}\n" for name, value in own.items()))
        process = self.start(file)
        port, _ = self.ports(process)
        client = self.client(port)
        self.assertEqual(client.ask('AUTH "a secret"'), "+OK")
        self.assertIn("unknown command 'CONFIG'", client.ask("CONFIG GET port"))
        self.assertIn("unknown command 'FLUSHALL'", client.ask("FLUSHALL"))
        renamed = "b840fc02d524045429941cc15f59e41cb7be6c52"

        def setting(name):
            if client.ask(f"{renamed} GET {name}") != "*2":
                return None
            reply = [client.file.readline() for _ in range(3)]
            return client.file.read(int(reply[2][1:]) + 2)[:-2].decode()

        for name, value in (("maxmemory", "104857600"), ("maxmemory-policy", "allkeys-lru"),
                            ("syslog-enabled", "yes"), ("bgsave_cpulist", "1,10-11"),
                            ("slave-announce-ip", "5.5.5.5"), ("min-replicas-to-write", "3")):
            self.assertEqual(setting(name), value)
        directives = [line.split()[0] for line in source.read_text().splitlines()
                      if line.strip() and not line.startswith("#")]
        for name in sorted(set(directives) - {"rename-command", "user"}):
            self.assertIsNotNone(setting(name), name)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 0)
        ignored = dict(re.findall(r"setting '([^']+)' has no effect here: (.+)", log.read_text()))
        self.assertEqual(ignored["syslog-enabled"].split(":")[0].split(",")[0],
                         "log lines go to logfile or standard error")
        for name in ("save", "appendonly", "activedefrag", "server-cpulist", "tls-replication",
                     "io-threads", "shutdown-on-sigterm", "enable-module-command", "sanitize-dump-payload",
                     "bind-source-addr", "cluster-announce-ip"):
            self.assertIn(name, ignored)
        for name in ("maxmemory", "min-replicas-to-write", "maxclients", "maxmemory-policy", "bind", "dir", "tls-auth-clients"):
            self.assertNotIn(name, ignored)

    def test_refuses_to_rename_what_there_is_not(self):
        file = self.folder / "redis.conf"
        for line, words in (("rename-command NONE x", "there is no command 'NONE'"),
                            ("rename-command GET SET", "there is a command 'SET' already")):
            file.write_text(line + "\n")
            process = self.start(file)
            self.assertNotEqual(process.wait(timeout=60), 0)
            self.assertIn(words, process.stderr.read())

    def test_says_that_a_database_in_memory_is_gone(self):
        process = self.start("--hz", "100")
        self.ports(process)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 0)
        log = process.stderr.read()
        self.assertIn("stopped; the database was in memory, and is gone", log)
        self.assertIn("setting 'hz' has no effect here: nothing is polled", log)

    def test_tells_systemd_when_it_is_ready(self):
        path = self.folder / "notify"
        supervisor = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(supervisor.close)
        supervisor.bind(str(path))
        supervisor.settimeout(60)
        with unittest.mock.patch.dict(os.environ, {"NOTIFY_SOCKET": str(path)}):
            process = self.start("--supervised", "systemd")
        self.assertEqual(supervisor.recv(100), b"STATUS=Opening the database")
        ready = supervisor.recv(100).decode()
        port, _ = self.ports(process)
        self.assertEqual(ready, f"READY=1\nSTATUS=Serving 127.0.0.1:{port}")
        self.assertIn(b"process_supervised:systemd", self.client(port).ask("INFO server"))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(supervisor.recv(100), b"STOPPING=1\nSTATUS=Saying goodbye to clients")
        self.assertEqual(supervisor.recv(100), b"STATUS=Closing the database")
        self.assertEqual(process.wait(timeout=60), 0)

    def test_goes_to_the_background(self):
        pid, log = self.folder / "pid", self.folder / "log"
        process = self.start("--daemonize", "yes", "--pidfile", pid, "--logfile", log)
        self.assertEqual(process.wait(timeout=60), 0)
        deadline = time.monotonic() + 60
        while not log.exists() or "ready on port" not in log.read_text():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        port = int(re.search(r"ready on port (\d+)", log.read_text())[1])
        client = self.client(port)
        self.assertEqual(client.ask("PING"), "+PONG")
        os.kill(int(pid.read_text()), signal.SIGTERM)
        self.assertEqual(client.file.read(), b"")

    def test_says_what_is_wrong(self):
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        port = str(taken.getsockname()[1])
        bad = self.folder / "bad.toml"
        bad.write_text("prot = 1\n")
        no_value = self.folder / "no_value.toml"
        no_value.write_text("# ours\ntimeout = -1\n")
        file = self.folder / "file"
        file.write_text("not a folder")
        users = self.folder / "users.acl"
        users.write_text("user alice on +nonsense\n")
        for arguments, code, words in (
                (["--port", port], 1, f"cannot listen on 127.0.0.1:{port}: Address already in use"),
                (["--bind", "nowhere.example"], 1, "nowhere.example"),
                (["--config", str(bad)], 2, "bad.toml:1: there is no setting 'prot'"),
                (["--config", str(self.folder / "missing")], 1, "missing"),
                (["--maxclients", "0"], 2, "'maxclients' cannot be '0'"),
                (["--config", str(no_value)], 2, "no_value.toml:2: setting 'timeout' cannot be '-1'"),
                (["--http-port", port], 1, f"cannot listen on 127.0.0.1:{port}"),
                (["--dir", str(file / "db")], 1, str(file / "db")),
                (["--dir", str(file)], 1, str(file)),
                (["--dir", "/proc/closed"], 1, "/proc/closed"),  # Where root may not write either.
                (["--appendfsync", "often"], 2, "one of the following: everysec, always, no"),
                (["--reaper", "maybe"], 2, "'reaper' cannot be 'maybe': argument must be 'yes' or 'no'"),
                (["--lua-memory-max", "1"], 2, "'lua-memory-max' cannot be '1'"),
                (["--http-keys", "id:secret,hush"], 1, "http-keys: entry 2 is not of the form ID:SECRET"),
                (["--events-keep", "0"], 2, "'events-keep' cannot be '0'"),
                (["--aclfile", str(self.folder / "missing.acl")], 1, "missing.acl"),
                (["--aclfile", str(users)], 1, "users.acl"),
                (["--tls-port", "1", "--tls-cert-file", "nowhere.pem"], 1, "tls"),
                (["--timeout"], 2, "--timeout: 1 required VALUE missing"),
                (["--nonsense", "1"], 2, "--nonsense"),
                (["nonsense"], 1, "cannot read nonsense")):
            with self.subTest(arguments=arguments):
                process = self.start(*arguments)
                self.assertEqual(process.wait(timeout=60), code)
                said = process.stderr.read()
                self.assertIn(words, said)
                # Malformed flags are reported by the flag parser, in its words.
                self.assertEqual(said.count("mayfly: "), 0 if words.startswith("--") else 1, said)
                self.assertNotIn("terminate called", said)

    def test_help_shows_what_has_an_effect(self):
        shown = subprocess.run([MAYFLY, "serve", "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual(shown.returncode, 0)
        for flag in ("--config", "--port", "--dir", "--events-keep", "--lua-memory-max", "--aclfile"):
            self.assertIn(flag + " ", shown.stdout)
        self.assertIn("(auto, always or never; default: auto)", shown.stdout)  # --cluster-redirect
        self.assertNotIn("No effect", shown.stdout)
        self.assertNotIn("--always-show-logo", shown.stdout)

    def test_the_reaper_purges_unless_it_is_switched_off(self):
        def rows_left(reaper):
            """How many of one dead row a purge finds after the reaper has run."""
            process = self.start("--manual-clock", "--enable-debug-command", "yes", "--reaper", reaper)
            client = self.client(self.ports(process)[0])
            self.assertEqual(client.ask("SET k v PX 10"), "+OK")
            client.ask("DEBUG CLOCK ADVANCE 10")
            expired = b"expired_keys:1\r\n"
            while reaper == "yes" and expired not in client.ask("INFO stats"):
                time.sleep(0.01)
            self.assertEqual(expired in client.ask("INFO stats"), reaper == "yes")
            self.assertEqual(client.ask("TTL.PURGE"), "*6")
            self.assertEqual(client.file.read(len("$4\r\nrows\r\n")), b"$4\r\nrows\r\n")
            return client.file.readline()

        self.assertEqual(rows_left("yes"), b":0\r\n")
        self.assertEqual(rows_left("no"), b":1\r\n")

    def test_a_second_server_on_the_folder_is_refused(self):
        first = self.start("--dir", self.folder / "db")
        self.ports(first)
        second = self.start("--dir", self.folder / "db")
        self.assertEqual(second.wait(timeout=60), 1)
        self.assertIn("Busy", second.stderr.read())

    def test_the_clock_can_be_moved_by_hand(self):
        process = self.start("--manual-clock", "--enable-debug-command", "yes")
        port, _ = self.ports(process)
        client = self.client(port)
        before = int(client.ask("DEBUG CLOCK ADVANCE 0")[1:])
        self.assertEqual(client.ask("DEBUG CLOCK ADVANCE 250"), f":{before + 250}")


if __name__ == "__main__":
    unittest.main()
