# Goal: each rule of check_layers.py refuses what it should, and a good tree passes.
# Method: small trees in a temporary folder, each one good but for one line.
import pathlib
import subprocess
import sys
import tempfile
import unittest

import check_layers

MODULES = """base library src/base
engine library src/engine base
engine_rocks library src/engine/rocks engine,base
engine_testing test_support src/engine/testing base
core library src/core engine,base
app_mayfly app apps/mayfly core,base
"""

GOOD = {
    "include/mayfly/bytes.h": "#include <string_view>\n#include <stdint.h>\n",
    "include/mayfly/clock.h": '#include <chrono>\n#include "mayfly/bytes.h"\n',
    "include/mayfly/database.h": '#include "mayfly/bytes.h"\n',
    "src/base/clock.cc": '#include "mayfly/clock.h"\n#include "base/check.h"\n',
    "src/base/check.h": "#include <fmt/format.h>\n",
    "src/engine/engine.h": '#include "base/check.h"\n#include "mayfly/clock.h"\n',
    "src/engine/engine.cc": '#include "engine/engine.h"\n#include "engine.h"\n',
    "src/engine/rocks/rocks.h": '#include "engine/engine.h"\n',
    "src/engine/rocks/rocks.cc": '#include "engine/rocks/rocks.h"\n#include <rocksdb/db.h>\n',
    "src/engine/testing/faulty.h": '#include "base/check.h"\n',
    "src/engine/rocks/rocks_test.cc": '#include "engine/testing/faulty.h"\n',
    "src/engine/rocks/rocks_test.c": '#include "engine/testing/faulty.h"\n',
    "src/engine/rocks/rocks_fuzz.cc": '#include "engine/testing/faulty.h"\n',
    "src/core/database.cc": '#include "mayfly/database.h"\n#include "engine/engine.h"\n',
    "apps/mayfly/main.cc": '#include <CLI/CLI.hpp>\n#include "mayfly/database.h"\n',
    "tests/engine/suite.h": '#include "engine/engine.h"\n',
    "tests/engine/suite.cc": '#include "suite.h"\n#include "engine/rocks/rocks.h"\n',
    "tests/engine/cases.cc": '#include "engine/suite.h"\n#include "tests/engine/suite.h"\n',
    "bench/raw_rocks.cc": "#include <rocksdb/db.h>\n",
}


class CheckLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for file, text in GOOD.items():
            self.write(file, text)

    def write(self, file, text):
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def problems(self, modules=MODULES):
        return check_layers.check(self.root, modules)

    def refuses(self, where, *words, modules=MODULES):
        problems = self.problems(modules)
        self.assertEqual(len(problems), 1, problems)
        self.assertTrue(problems[0].startswith(where), problems[0])
        for word in words:
            self.assertIn(word, problems[0])

    def test_passes_a_good_tree(self):
        self.assertEqual(self.problems(), [])

    def test_refuses_a_module_that_is_not_named_in_uses(self):
        self.write("src/base/wrong.cc", '\n#include "engine/engine.h"\n')
        self.refuses("src/base/wrong.cc:2: ", "base may not include", "of engine", "USES")

    def test_refuses_what_only_a_used_module_uses(self):
        modules = MODULES.replace("src/core engine,base", "src/core engine")
        self.write("src/core/wrong.cc", '#include "base/check.h"\n')
        self.refuses("src/core/wrong.cc:1: ", "of base", modules=modules)

    def test_resolves_nested_modules_to_the_longest_folder(self):
        self.write("src/engine/wrong.cc", '#include "engine/rocks/rocks.h"\n')
        self.refuses("src/engine/wrong.cc:1: ", "of engine_rocks")

    def test_refuses_a_sibling_reached_without_its_path(self):
        self.write("src/engine/wrong.cc", '#include "rocks/rocks.h"\n')
        self.refuses("src/engine/wrong.cc:1: ", "of engine_rocks")

    def test_sees_our_header_in_angle_brackets_and_with_spaces(self):
        self.write("src/base/wrong.cc", "  #  include   <engine/engine.h>\n")
        self.refuses("src/base/wrong.cc:1: ", "of engine")

    def test_refuses_a_public_header_of_a_higher_module(self):
        self.write("src/engine/wrong.cc", '#include "mayfly/database.h"\n')
        self.refuses("src/engine/wrong.cc:1: ", "of core")

    def test_lets_everybody_include_a_public_header_without_a_source(self):
        self.write("src/base/fine.cc", '#include "mayfly/bytes.h"\n')
        self.assertEqual(self.problems(), [])

    def test_refuses_a_library_in_a_public_header(self):
        self.write("include/mayfly/bytes.h", "#include <string>\n#include <fmt/format.h>\n")
        self.refuses("include/mayfly/bytes.h:2: ", "public header", "<fmt/format.h>")

    def test_refuses_a_private_header_in_a_public_one(self):
        self.write("include/mayfly/bytes.h", '#include "base/check.h"\n')
        self.refuses("include/mayfly/bytes.h:1: ", "public header", "base/check.h")

    def test_keeps_rocksdb_to_its_folder(self):
        for file in ("src/engine/wrong.cc", "src/core/wrong.cc", "apps/mayfly/wrong.cc",
                     "tests/engine/wrong.cc", "bench/wrong.cc"):
            with self.subTest(file):
                self.write(file, "#include <rocksdb/slice.h>\n")
                self.refuses(f"{file}:1: ", "src/engine/rocks/")
                (self.root / file).unlink()

    def test_refuses_test_code_in_a_module(self):
        self.write("src/base/wrong.cc", '#include "tests/engine/suite.h"\n')
        self.refuses("src/base/wrong.cc:1: ", "test or bench code")

    def test_refuses_test_support_in_what_ships(self):
        self.write("src/engine/rocks/wrong.cc", '#include "engine/testing/faulty.h"\n')
        self.refuses("src/engine/rocks/wrong.cc:1: ", "of engine_testing")

    def test_refuses_another_module_in_a_test_beside_its_module(self):
        self.write("src/base/wrong_test.cc", '#include "engine/engine.h"\n')
        self.refuses("src/base/wrong_test.cc:1: ", "of engine")

    def test_refuses_an_app_in_a_module(self):
        self.write("apps/mayfly/demo.h", "")
        self.write("src/core/wrong.cc", '#include "apps/mayfly/demo.h"\n')
        self.refuses("src/core/wrong.cc:1: ", "of app_mayfly")

    def test_refuses_a_path_that_climbs(self):
        self.write("src/core/wrong.cc", '#include "../base/check.h"\n')
        self.refuses("src/core/wrong.cc:1: ", "climbs")

    def test_refuses_a_path_that_names_nothing(self):
        self.write("src/core/wrong.cc", '#include "base/chek.h"\n')
        self.refuses("src/core/wrong.cc:1: ", "base/chek.h")

    def test_refuses_a_file_without_a_module(self):
        self.write("src/stray/stray.cc", "#include <string>\n")
        self.refuses("src/stray/stray.cc:1: ", "no module")

    def test_refuses_a_binding_without_a_module(self):
        self.write("bindings/stray/stray.cc", "#include <string>\n")
        self.refuses("bindings/stray/stray.cc:1: ", "no module")

    def test_refuses_a_circle_of_uses(self):
        modules = MODULES.replace("src/base\n", "src/base core\n")
        problems = self.problems(modules)
        self.assertTrue(any("base -> core -> engine -> base" in p for p in problems), problems)

    def test_refuses_an_unknown_name_in_uses(self):
        modules = MODULES.replace("src/core engine,base", "src/core engine,base,ghost")
        self.refuses("src/core/CMakeLists.txt: ", "ghost", modules=modules)

    def test_refuses_folders_that_include_each_other(self):
        self.write("apps/mayfly/cli/flags.h", '#include "apps/mayfly/target/target.h"\n')
        self.write("apps/mayfly/target/target.h", "")
        self.write("apps/mayfly/cli/units.h", "")
        self.assertEqual(self.problems(), [])
        self.write("apps/mayfly/target/target.cc", '\n#include "apps/mayfly/cli/units.h"\n')
        self.refuses("apps/mayfly/", "cli/flags.h:1", "target/target.cc:2")

    def test_refuses_folders_that_include_each_other_by_way_of_a_third(self):
        self.write("apps/mayfly/a/a.h", '#include "apps/mayfly/b/b.h"\n')
        self.write("apps/mayfly/b/b.h", '#include "apps/mayfly/c/c.h"\n')
        self.write("apps/mayfly/c/c.h", '#include "apps/mayfly/a/other.h"\n')
        self.write("apps/mayfly/a/other.h", "")
        self.refuses("apps/mayfly/", "a/a.h:1", "b/b.h:1", "c/c.h:1")

    def test_lets_tests_include_across_folders(self):
        self.write("apps/mayfly/a/a.h", '#include "apps/mayfly/b/b.h"\n')
        self.write("apps/mayfly/b/b.h", "")
        self.write("apps/mayfly/b/b_test.cc", '#include "apps/mayfly/a/a.h"\n')
        self.assertEqual(self.problems(), [])

    def test_refuses_a_folder_of_too_many_files(self):
        there = sum(check_layers.ships(file) and file.startswith("src/core/") for file in GOOD)
        for i in range(there, check_layers.FOLDER_FILES_MAX):
            self.write(f"src/core/file_{i}.cc", "")
        self.write("src/core/database_test.cc", "")
        self.assertEqual(self.problems(), [])
        self.write("src/core/one_more.h", "")
        self.refuses("src/core: ", f"{check_layers.FOLDER_FILES_MAX + 1} files")

    def test_refuses_time_from_nowhere(self):
        for clock in ("SystemClock::Process().Now()", "SystemClock().Now()",
                      "std::chrono::steady_clock::now()", "std::chrono::system_clock::now()"):
            with self.subTest(clock):
                self.write("src/core/wrong.cc", f"\nauto t = {clock};\n")
                self.refuses("src/core/wrong.cc:2: ", "takes the time from nowhere")

    def test_lets_defaults_apps_and_tests_name_the_clock(self):
        for file in ("src/base/clock.cc", "src/core/store/store.cc", "src/core/fine_test.cc",
                     "src/engine/testing/fine.cc", "apps/mayfly/fine.cc", "tests/engine/fine.cc"):
            self.write(file, "auto& clock = SystemClock::Process();\n")
        self.assertEqual(self.problems(), [])

    def test_is_a_program_that_fails_with_the_problems_on_standard_error(self):
        self.write("modules.txt", MODULES)
        command = [sys.executable, check_layers.__file__, "--root", self.root,
                   "--modules", self.root / "modules.txt"]
        self.assertEqual(subprocess.run(command, check=False).returncode, 0)
        self.write("src/base/wrong.cc", '#include "engine/engine.h"\n')
        run = subprocess.run(command, check=False, capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("src/base/wrong.cc:1: ", run.stderr)


if __name__ == "__main__":
    unittest.main()
