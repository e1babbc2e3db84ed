# Goal: the .deb packages hold what they should, depend on what they need, and their service starts.
# Method: cpack makes them; they are unpacked into a folder, not installed. clean_root_test.sh installs them.
#   deb_test.py BUILD
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

from commands import check_pages, run

BUILD = pathlib.Path(sys.argv.pop())
PLUGIN = BUILD / "lib" / "libmayfly_rados.so"
EXPOSURE_MAX = 2.0  # Of systemd-analyze security: 0 is a service that can do nothing, 10 one that can do all.


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        run("cpack", "-G", "DEB", "-B", cls.folder / "packages", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip",
            cwd=BUILD)
        cls.files = {path.name.split("_")[0]: path for path in (cls.folder / "packages").glob("*.deb")}
        cls.root = cls.folder / "root"
        for path in cls.files.values():
            run("dpkg-deb", "--extract", path, cls.root)

    def field(self, package, name):
        return run("dpkg-deb", "--field", self.files[package], name).strip()

    def test_there_is_one_per_component(self):
        expected = ["libmayfly-dev", "libmayfly0.1", "mayfly-rados", "mayfly-server", "python3-mayfly"]
        if not PLUGIN.exists():  # Built where librados' headers are.
            expected.remove("mayfly-rados")
        self.assertEqual(sorted(self.files), expected)
        for package in self.files:
            self.assertEqual(self.field(package, "Version"), "0.1.0")
            self.assertTrue((self.root / "usr/share/doc" / package / "copyright").is_file())

    def test_they_depend_on_what_they_are_linked_with(self):
        for package in ("libmayfly0.1", "mayfly-server", "python3-mayfly"):
            depends = self.field(package, "Depends")
            for library in ("libc6", "libstdc++6", "librocksdb7.8", "libssl3", "libfmt9"):
                self.assertIn(library, depends)
            self.assertNotIn("-dev", depends)
        self.assertEqual(self.field("libmayfly-dev", "Depends"), "libmayfly0.1 (= 0.1.0)")

    @unittest.skipUnless(PLUGIN.exists(), "this build has no plugin for Ceph")
    def test_the_plugin_alone_depends_on_ceph(self):
        for package in self.files:
            depends = self.field(package, "Depends")
            self.assertEqual("librados2" in depends, package == "mayfly-rados", depends)
        self.assertIn("mayfly-server (= 0.1.0)", self.field("mayfly-rados", "Depends"))
        self.assertEqual([path.name for path in self.root.rglob("libmayfly_rados.so")], [PLUGIN.name])
        # The program looks beside itself: this file is loaded, and Ceph's client says what is missing.
        said = subprocess.run(
            [self.root / "usr/bin/mayfly", "serve", "--cluster", self.folder / "none.conf", "--cluster-server", "1",
             "--port", "0", "--http-port", "-1"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=60)
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("none.conf", said.stdout)
        self.assertNotIn("mayfly-rados", said.stdout)

    @unittest.skipUnless(PLUGIN.exists(), "this build has no plugin for Ceph")
    def test_without_the_plugin_the_server_names_its_package(self):
        root = self.folder / "alone"
        run("dpkg-deb", "--extract", self.files["mayfly-server"], root)
        said = subprocess.run(
            [root / "usr/bin/mayfly", "serve", "--cluster", self.folder / "none.conf", "--cluster-server", "1"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("Install the package mayfly-rados", said.stdout)

    def test_the_server_depends_on_the_library_that_edits_lines(self):
        self.assertIn("libedit2", self.field("mayfly-server", "Depends"))
        self.assertNotIn("libedit2", self.field("libmayfly0.1", "Depends"))

    def test_the_server_has_man_pages_completions_and_notices(self):
        root = self.folder / "server"
        run("dpkg-deb", "--extract", self.files["mayfly-server"], root)
        self.assertIn("preact", (root / "usr/share/doc/mayfly/third-party-notices.txt").read_text())
        # Debian's zsh does not look into /usr/share/zsh/site-functions.
        check_pages(self, root / "usr/share", "vendor-completions")
        self.assertFalse((root / "usr/share/zsh/site-functions").exists())

    def test_the_python_package_can_be_imported(self):
        self.assertIn("python3 (<< 3.12)", self.field("python3-mayfly", "Depends"))
        packages = self.root / "usr/lib/python3/dist-packages"
        program = ("import mayfly, mayfly.aio, mayfly.tables; db = mayfly.Database('rows'); db['k', 60] = 'v'; "
                   "print(mayfly.__file__, db['k'])")
        said = run("/usr/bin/python3", "-B", "-c", program, cwd=self.folder,
                   env=dict(os.environ, PYTHONPATH=str(packages)))
        self.assertEqual(said.split(), [str(packages / "mayfly/__init__.py"), "b'v'"])
        self.assertTrue((packages / "mayfly/_mayfly.pyi").is_file())

    def test_settings_are_kept_over_an_upgrade(self):
        listing = run("dpkg-deb", "--info", self.files["mayfly-server"], "conffiles")
        self.assertEqual(listing, "/etc/mayfly/mayfly.toml\n")

    def test_scripts_of_dpkg_are_shell(self):
        for script in ("postinst", "prerm", "postrm"):
            text = run("dpkg-deb", "--info", self.files["mayfly-server"], script)
            run("sh", "-n", "/dev/stdin", input=text)

    def test_the_user_can_be_made(self):
        root = self.folder / "users"
        (root / "etc").mkdir(parents=True)
        run("systemd-sysusers", f"--root={root}", self.root / "usr/lib/sysusers.d/mayfly.conf")
        self.assertRegex((root / "etc/passwd").read_text(), r"(?m)^mayfly:.*:/var/lib/mayfly:/usr/sbin/nologin$")

    def test_the_service_is_valid_and_confined(self):
        unit = self.root / "usr/lib/systemd/system/mayfly.service"
        checked = self.folder / "mayfly.service"  # With a program that is there, whatever this machine has.
        checked.write_text(unit.read_text().replace("/usr/bin/mayfly", str(self.root / "usr/bin/mayfly")))
        for file in ("mayfly.socket", "mayfly-http.socket"):
            (self.folder / file).write_bytes((unit.parent / file).read_bytes())
        units = [self.folder / name for name in ("mayfly.service", "mayfly.socket", "mayfly-http.socket")]
        # It reads units of the machine as well, whose faults are not ours.
        verified = subprocess.run(["systemd-analyze", "verify", "--man=no", *units],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual([line for line in verified.stdout.splitlines() if "mayfly" in line], [])
        said = run("systemd-analyze", "security", "--offline=true", "--no-pager", checked)
        self.assertLess(float(re.search(r"exposure level for mayfly.service: ([\d.]+)", said)[1]), EXPOSURE_MAX)
        # A jump of the clock is believed when the machine's is synchronised: so it must be able to ask. The
        # C library turns the first call into the second.
        allowed = re.search(r"(?m)^SystemCallFilter=(.*)$", unit.read_text())[1].split()
        self.assertLessEqual({"@system-service", "adjtimex", "clock_adjtime"}, set(allowed))
        self.assertNotRegex(unit.read_text(), r"(?m)^(ProtectClock|ProcSubset|SystemCallFilter=~)")

    def test_the_command_of_the_service_tells_when_it_is_ready(self):
        unit = (self.root / "usr/lib/systemd/system/mayfly.service").read_text()
        self.assertIn("\nType=notify\n", unit)
        command = re.search(r"(?m)^ExecStart=(.*)$", unit)[1].split()
        command = [str(self.root) + part if part.startswith("/") else part for part in command]
        notify = self.folder / "notify"
        supervisor = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(supervisor.close)
        supervisor.bind(str(notify))
        supervisor.settimeout(60)
        with subprocess.Popen([*command, "--dir", self.folder / "data", "--port", "0", "--http-port", "0"],
                              env=dict(os.environ, NOTIFY_SOCKET=str(notify)),
                              stdout=subprocess.DEVNULL) as service:
            try:
                self.assertIn(b"STATUS=Opening", supervisor.recv(200))
                self.assertIn(b"READY=1", supervisor.recv(200))
                service.send_signal(signal.SIGTERM)
                self.assertIn(b"STOPPING=1", supervisor.recv(200))
                self.assertEqual(service.wait(timeout=60), 0)
            finally:
                service.kill()


if __name__ == "__main__":
    unittest.main()
