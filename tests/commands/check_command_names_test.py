# Goal: no file outside the tables knows a command by its name, and the check would see one that does.
# Method: the tree itself; then small trees, each good but for one line.
import pathlib
import tempfile
import unittest

import check_command_names

ROOT = pathlib.Path(__file__).resolve().parents[2]

TABLE = """constexpr CommandSpec kSubs[] = {
    {"get", -3, kAdmin, kNoKeys, ConfigGet, "Return settings."},
};
constexpr CommandSpec kCommands[] = {
    {"config", -2, kNoRows, kNoKeys, nullptr, "About settings.", kSubs},
    {"del",  -2, kWrite, AllKeys(kRM | kDelete), Del, "Delete keys."},
    {"exec", 1, kNoRows, kNoKeys, Exec,
     "Run the queued commands."},
    {"get",  2, kReadOnly, OneKey(kRO | kAccess), Get, "Return a string; see exec, del and config."},
    {"psubscribe", -2, kPubSub, kNoKeys, Listen, "Listen."},
};
"""

GOOD = [
    'if (IsWord(call.args[2], "get")) return {};',  # An option.
    'if (name == "default") return {};',
    'if (name == "maxmemory") return {};',
    '// if (entry.name == "exec") would be wrong.',
    'constexpr std::string_view kWords[] = {"get", "set-it", "exec"};',
    'return "exec it with del or get";',
    'if (file.name() == "data") return {};',
]

BAD = [
    'if (entry.spec->name == "exec") return {};',
    'if (entry.full_name != "config|get") return {};',
    'if ("exec" == spec.name) return {};',
    'return entry.container == nullptr &&\n    (name ==\n     "exec");',
    'if (IsWord(args[0], "del")) return {};',
    'if (IsWord(call.args[0], "DEL")) return {};',
    'if (IsWord(spec->name, "get")) return {};',
    'if (name.ends_with("subscribe")) return {};',
    'if (spec.name.starts_with("exec")) return {};',
    'table.FindFullName("config|get");',
    'table.Find("exec");',
    'table.FindSubcommand(*config, "get");',
    'constexpr std::string_view kLookers[] = {"exec", "del", "get"};',
    'return " exec del get ";',
]


class CheckCommandNames(unittest.TestCase):
    def problems(self, code, where="src/server"):
        with tempfile.TemporaryDirectory() as folder:
            for place, name, text in (("src/server", "table.cc", TABLE),
                                      (where, "code.cc", "// What it does.\n" + code + "\n")):
                (pathlib.Path(folder) / place).mkdir(parents=True, exist_ok=True)
                (pathlib.Path(folder) / place / name).write_text(text)
            return check_command_names.check(pathlib.Path(folder))

    def test_the_tree_compares_no_names(self):
        self.assertEqual(check_command_names.check(ROOT), [])

    def test_what_is_allowed_has_a_reason_and_is_there(self):
        for place, reason in check_command_names.ALLOWED.items():
            path, name = place.split(": ")
            self.assertIn(f'"{name}"', (ROOT / path).read_text())
            self.assertTrue(reason)

    def test_other_texts_pass(self):
        for code in GOOD:
            with self.subTest(code):
                self.assertEqual(self.problems(code), [])

    def test_a_name_is_refused(self):
        for code in BAD:
            with self.subTest(code):
                found = self.problems(code)
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith("src/server/code.cc:"), found)

    def test_a_tree_without_tables_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "src" / "server").mkdir(parents=True)
            self.assertEqual(len(check_command_names.check(pathlib.Path(folder))), 1)

    def test_the_shell_is_checked_as_well(self):
        self.assertEqual(len(self.problems(BAD[0], "apps/mayfly/shell")), 1)


if __name__ == "__main__":
    unittest.main()
