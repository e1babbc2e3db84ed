# Goal: help, man pages, completions and the page of documentation say the same, of every subcommand.
# Method: the help of each is run; the files that the executable writes are checked, by bash and groff where they are.
import pathlib
import re
import shutil
import subprocess
import unittest

from cli_home import MAYFLY, CliTest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WITHOUT_EXAMPLES = {"version", "keyspace"}


class Pages(CliTest):
    def commands(self, *words):
        """The subcommands that the help names, each as a tuple of words."""
        text = self.good(*words, "--help")
        listed = text.split("\nSubcommands:\n")[1:]
        for name in re.findall(r"(?m)^  ([a-z]\S*) ", listed[0] if listed else ""):
            yield (*words, name)
            yield from self.commands(*words, name)

    def test_every_subcommand_has_help_with_examples_and_a_man_page(self):
        self.good("pages", self.folder)
        commands = list(self.commands())
        self.assertIn(("keyspace", "policy"), commands)
        self.assertGreater(len(commands), 25)
        for command in commands:
            text = self.good(*command, "--help")
            name = "-".join(("mayfly", *command))
            page = (self.folder / "man" / "man1" / f"{name}.1").read_text()
            self.assertTrue(page.startswith(f".TH {name.upper()} 1 "), name)
            for flag in re.findall(r"(?m)^  (--[a-z-]+)", text):
                self.assertIn(flag.replace("-", "\\-"), page, name)
            if command[0] not in WITHOUT_EXAMPLES or len(command) > 1:
                self.assertIn("Examples:\n  mayfly " + " ".join(command), text)
                self.assertIn(".SH EXAMPLES", page)
        pages = {path.stem for path in (self.folder / "man" / "man1").iterdir()}
        self.assertEqual(pages, {"mayfly"} | {"-".join(("mayfly", *one)) for one in commands})

    def test_man_pages_are_good_roff(self):
        if shutil.which("groff") is None:
            self.skipTest("there is no groff")
        self.good("pages", self.folder)
        for page in (self.folder / "man" / "man1").iterdir():
            run = subprocess.run(["groff", "-man", "-ww", "-z", page], capture_output=True, text=True,
                                 timeout=60)
            self.assertEqual((run.returncode, run.stderr), (0, ""), page.name)

    def complete(self, *words):
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mayfly; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        run = subprocess.run(
            ["bash", "-c", script, "bash", self.folder / "bash-completion/completions/mayfly",
             "mayfly", *words], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout.split()

    def test_bash_completes(self):
        self.good("pages", self.folder)
        self.assertEqual(self.complete("fore"), ["forecast"])
        self.assertEqual(sorted(self.complete("ex")), ["expire", "export"])
        self.assertIn("policy", self.complete("keyspace", ""))
        self.assertEqual(self.complete("keyspace", "policy", "--js"), ["--json"])
        self.assertEqual(self.complete("put", "data", "--tt"), ["--ttl"])
        self.assertEqual(self.complete("serve", "--appendf"), ["--appendfsync"])
        self.assertEqual(self.complete("get", "ma"), ["man"])  # A folder.
        self.assertNotIn("pages", self.complete(""))

    def test_zsh_has_the_same_words(self):
        self.good("pages", self.folder)
        text = (self.folder / "zsh/site-functions/_mayfly").read_text()
        self.assertTrue(text.startswith("#compdef mayfly\n"))
        self.assertIn(" 'forecast:Show how many rows and bytes will die, and when'", text)
        self.assertIn("    'keyspace policy')\n", text)
        if shutil.which("zsh"):
            subprocess.run(["zsh", "-n", self.folder / "zsh/site-functions/_mayfly"], check=True)

    def test_the_documentation_has_the_table(self):
        self.good("pages", self.folder)
        table = (self.folder / "doc/mayfly/subcommands.md").read_text()
        self.assertIn(table, (ROOT / "docs/command_line.md").read_text(),
                      "copy build/release/share/doc/mayfly/subcommands.md into docs/command_line.md")

    def test_wrong_calls(self):
        self.assertIn("subcommand is required", self.bad(2))
        self.assertIn("frobnicate", self.bad(2, "frobnicate"))
        self.assertIn("cannot write", self.bad(1, "pages", "/proc/nowhere"))
        self.assertIn("Usage: mayfly keyspace [OPTIONS]", self.bad(2, "keyspace"))

    def test_help_is_a_word_as_well(self):
        for command in ((), ("get",), ("keyspace", "policy")):
            self.assertEqual(self.good("help", *command), self.good(*command, "--help"))
        self.assertIn("bogus", self.bad(2, "help", "bogus"))
        self.assertIn("bogus", self.bad(2, "help", "keyspace", "bogus"))

    def test_output_that_cannot_be_written_is_told(self):
        self.good("put", self.folder / "db", "k", "v", "--create")
        for command in (["--help"], ["get", "--help"], ["version"], ["scan", self.folder / "db"]):
            with open("/dev/full", "wb") as full:
                run = subprocess.run([MAYFLY, *map(str, command)], stdout=full, stderr=subprocess.PIPE, timeout=60,
                                     env=self.environment())
            self.assertEqual((run.returncode, run.stderr), (1, b"mayfly: the output could not be written\n"), command)


if __name__ == "__main__":
    unittest.main()
