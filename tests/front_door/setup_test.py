# Goal: scripts/setup installs what is missing and nothing else, and says what to do when it cannot.
# Method: a machine made of stubs. PATH holds only the tools the script may use and our dpkg-query,
# apt-cache, apt-get, sudo and id, which read the machine's state from files and record each call.
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETUP = ROOT / "scripts" / "setup"
TOOLS = ("bash", "sed", "awk", "env", "mktemp", "cat", "rm", "dirname", "cp", "grep")

# `installed`: names. `index`: names apt knows. `server`: names apt knows after an update.
STUBS = {
    "dpkg-query": """
        shift 2
        code=0
        for name in "$@"; do
          if grep -qx "$name" installed; then echo "ii  $name"; else code=1; fi
        done
        exit $code""",
    "apt-cache": """
        shift
        for name in "$@"; do
          if grep -qx "$name" index; then
            printf '%s:\\n  Installed: (none)\\n  Candidate: 1.0\\n' "$name"
          fi
        done""",
    "apt-get": """
        echo "apt-get $*" >>calls
        if [[ "$*" == *update* ]]; then
          [[ ! -e offline ]] || { echo "E: no route to the mirror"; exit 100; }
          cp server index
          rm -f stale
          exit 0
        fi
        [[ ! -e stale ]] || { echo "E: 404"; exit 100; }
        [[ ! -e broken ]] || { echo "E: dpkg was interrupted"; exit 100; }
        for name in "$@"; do
          if grep -qx "$name" index; then echo "$name" >>installed; fi
        done""",
    "sudo": 'echo sudo >>calls; exec "$@"',
    "id": "cat user",
}


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.machine = pathlib.Path(folder.name)
        self.bin = self.machine / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        for name, script in STUBS.items():
            self.stub(name, script)
        self.state(list="one # first\n\n# a comment\ntwo\n", installed="one\ntwo\n",
                   index="one\ntwo\n", server="one\ntwo\n", user="0\n", calls="")

    def stub(self, name, script):
        path = self.bin / name
        path.write_text(f"#!{shutil.which('bash')}\ncd {self.machine}\n{script}\n")
        path.chmod(0o755)

    def state(self, **files):
        for name, text in files.items():
            (self.machine / name).write_text(text)

    def run_setup(self):
        return subprocess.run([SETUP, self.machine / "list"], check=False, capture_output=True,
                              text=True, env={"PATH": str(self.bin)})

    def calls(self):
        return (self.machine / "calls").read_text().splitlines()

    def fails_with(self, *words):
        run = self.run_setup()
        self.assertEqual(run.returncode, 1, run.stderr)
        for word in words:
            self.assertIn(word, run.stderr)

    def test_a_package_is_not_needed_where_its_command_is(self):
        self.state(list="one\nthree|tool\n", index="one\nthree\n")
        self.stub("tool", "true")
        self.assertEqual((self.run_setup().returncode, self.calls()), (0, []))
        (self.bin / "tool").unlink()
        self.assertEqual(self.run_setup().returncode, 0)
        self.assertIn("three", (self.machine / "installed").read_text())

    def test_is_silent_when_nothing_is_missing(self):
        run = self.run_setup()
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))
        self.assertEqual(self.calls(), [])

    def test_installs_only_what_is_missing_and_does_not_update(self):
        self.state(installed="one\n")
        run = self.run_setup()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stderr, "setup: installing two\n")
        self.assertEqual(len(self.calls()), 1, self.calls())
        self.assertTrue(self.calls()[0].endswith(" two"), self.calls())
        self.assertEqual(self.run_setup().stderr, "")

    def test_updates_when_the_index_does_not_know_a_package(self):
        self.state(installed="one\n", index="")
        self.assertEqual(self.run_setup().returncode, 0)
        self.assertIn("update", self.calls()[0])
        self.assertEqual(len(self.calls()), 2, self.calls())

    def test_updates_and_tries_again_when_the_index_is_too_old(self):
        self.state(installed="one\n", stale="")
        self.assertEqual(self.run_setup().returncode, 0)
        self.assertEqual(["update" in call for call in self.calls()], [False, True, False])

    def test_uses_sudo_when_not_root(self):
        self.state(installed="one\n", user="1000\n")
        self.assertEqual(self.run_setup().returncode, 0)
        self.assertEqual(self.calls()[0], "sudo")

    def test_names_the_command_when_there_is_neither_root_nor_sudo(self):
        self.state(installed="one\n", user="1000\n")
        (self.bin / "sudo").unlink()
        self.fails_with("no sudo", "As root, run: apt-get install two")
        self.assertEqual(self.calls(), [])

    def test_names_a_package_that_no_source_has(self):
        self.state(list="one\nno-such-package\n")
        self.fails_with("no package source of this machine has: no-such-package", "Debian 12")

    def test_says_that_the_index_could_not_be_fetched(self):
        self.state(installed="one\n", index="one\n", offline="")
        self.fails_with("E: no route to the mirror", "does not know: two", "Check the network")

    def test_shows_the_words_of_apt_when_an_install_fails(self):
        self.state(installed="one\n", broken="")
        self.fails_with("E: dpkg was interrupted", "apt-get could not install: two")

    def test_says_what_to_do_on_another_system(self):
        (self.bin / "dpkg-query").unlink()
        self.fails_with("not a Debian system", "SETUP=true")

    def test_refuses_an_empty_list(self):
        self.state(list="# nothing\n")
        self.fails_with("names no package")


class PackageList(unittest.TestCase):
    def test_gives_a_reason_for_every_package_and_names_none_twice(self):
        lines = (ROOT / "packages.txt").read_text().splitlines()
        packages = [line for line in lines if line and not line.startswith("#")]
        for line in packages:
            self.assertRegex(line, r"^[a-z0-9.+-]+(\|[a-z]+)? +# \S.*\.$")
        names = [line.split()[0] for line in packages]
        self.assertEqual(len(names), len(set(names)))

    @unittest.skipUnless(shutil.which("dpkg-query"), "asks dpkg")
    def test_is_checked_in_less_than_a_tenth_of_a_second_when_complete(self):
        if subprocess.run(["dpkg-query", "-W", *self.names()], check=False,
                          capture_output=True).returncode:
            self.skipTest("this machine was set up by other means")
        times = []
        for _ in range(5):
            begin = time.monotonic()
            subprocess.run([SETUP], check=True)
            times.append(time.monotonic() - begin)
        # The best of five: the others measure how busy the machine is.
        self.assertLess(min(times), 0.1)

    @staticmethod
    def names():
        lines = (ROOT / "packages.txt").read_text().splitlines()
        return [line.split()[0] for line in lines if line and not line.startswith("#")]


if __name__ == "__main__":
    unittest.main()
