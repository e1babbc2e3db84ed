# Goal: what `cmake --install` puts down is all that a user's program needs, and nothing of it is missing.
# Method: the build is installed into a staging folder, as packagers do; C and C++ programs are built
# against it by find_package and by pkg-config, without a look at the source tree's headers, and are run.
#   install_test.py BUILD LIBDIR      LIBDIR: below the prefix
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from commands import check_pages, run

LIBDIR = sys.argv.pop()
BUILD = pathlib.Path(sys.argv.pop())
HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
PREFIX = "/opt/mayfly"


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        run("cmake", "--install", BUILD, "--prefix", PREFIX,
            env=dict(os.environ, DESTDIR=str(cls.folder / "stage")))
        cls.prefix = pathlib.Path(f"{cls.folder}/stage{PREFIX}")
        cls.libraries = cls.prefix / LIBDIR
        cls.environment = dict(os.environ, LD_LIBRARY_PATH=str(cls.libraries),
                               PKG_CONFIG_PATH=str(cls.libraries / "pkgconfig"))

    def pkg_config(self, *flags):
        return run("pkg-config", *flags, "mayfly", env=self.environment).split()

    def compile(self, compiler, source, *flags):
        program = self.folder / f"{pathlib.Path(source).stem}_{self._testMethodName}"
        run(*compiler, EXAMPLES / source, "-o", program, *flags)
        return program

    def needed(self, program):
        return re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "--wide", "--dynamic", program))

    def test_find_package_gives_what_a_program_needs(self):
        build = self.folder / "user"
        run("cmake", "-G", "Ninja", "-S", HERE / "user", "-B", build, f"-DEXAMPLES={EXAMPLES}",
            f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        for program in ("cpp_program", "c_program", "cpp_program_static", "c_program_static"):
            with self.subTest(program=program):
                self.assertNotIn("NOT TRUE", run(build / program))
                self.assertEqual("libmayfly.so.0.1" in self.needed(build / program),
                                 not program.endswith("static"))

    def test_notices_of_packages_in_the_console_are_there(self):
        page = BUILD / "src" / "console" / "page"
        if not page.exists():
            self.skipTest("this build has no page, and no packages in it")
        notices = (self.prefix / "share/doc/mayfly/third-party-notices.txt").read_text()
        for package in ("preact", "uplot"):
            self.assertIn((page / "node_modules" / package / "LICENSE").read_text().strip(), notices)

    def test_find_package_serves_a_project_without_cpp(self):
        project = self.folder / "c_only"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(c_only LANGUAGES C)\n"
            "find_package(mayfly REQUIRED)\n"
            f"add_executable(program {EXAMPLES}/one_time_links.c)\n"
            "target_link_libraries(program PRIVATE mayfly::mayfly)\n")
        run("cmake", "-G", "Ninja", "-S", project, "-B", project, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", project)
        self.assertNotIn("NOT TRUE", run(project / "program"))

    def test_find_package_without_what_only_the_static_library_needs(self):
        for word, works in (("OPTIONAL_COMPONENTS", True), ("COMPONENTS", False)):
            project = self.folder / word
            project.mkdir()
            (project / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES C)\n"
                f"find_package(mayfly REQUIRED {word} static)\n"
                "if(NOT TARGET mayfly::mayfly OR mayfly_static_FOUND)\n  message(FATAL_ERROR wrong)\nendif()\n")
            done = subprocess.run(
                ["cmake", "-G", "Ninja", "-S", project, "-B", project, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                 "-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON"], capture_output=True, text=True)
            self.assertEqual(done.returncode == 0, works, done.stderr)
            self.assertEqual("libmayfly.a is linked with fmt" in done.stderr, not works, done.stderr)

    def test_find_package_refuses_a_version_that_may_differ(self):
        for version, found in (("0.1", True), ("0.2", False), ("1.0", False)):
            script = self.folder / "find.cmake"
            script.write_text(f"include({self.libraries}/cmake/mayfly/mayfly-config-version.cmake)\n"
                              'message("compatible: ${PACKAGE_VERSION_COMPATIBLE}")\n')
            major, minor = version.split(".")
            said = run("cmake", "-DCMAKE_SIZEOF_VOID_P=8", f"-DPACKAGE_FIND_VERSION={version}",
                       f"-DPACKAGE_FIND_VERSION_MAJOR={major}", f"-DPACKAGE_FIND_VERSION_MINOR={minor}",
                       "-P", script)
            self.assertEqual("compatible: TRUE" in said, found, said)

    def test_pkg_config_gives_what_a_program_needs(self):
        self.assertEqual(self.pkg_config("--modversion"), ["0.1.0"])
        flags = self.pkg_config("--cflags", "--libs")
        for compiler, source in ((["g++", "-std=c++20"], "session_store.cc"), (["gcc"], "one_time_links.c")):
            with self.subTest(source=source):
                program = self.compile(compiler, source, *flags)
                self.assertNotIn("NOT TRUE", run(program, env=self.environment))
                self.assertIn("libmayfly.so.0.1", self.needed(program))

    def test_pkg_config_knows_what_the_static_library_is_linked_with(self):
        flags = [flag.replace("-lmayfly", "-l:libmayfly.a")
                 for flag in self.pkg_config("--static", "--cflags", "--libs")]
        program = self.compile(["gcc"], "one_time_links.c", *flags)
        self.assertNotIn("NOT TRUE", run(program))
        self.assertNotIn("libmayfly.so.0.1", self.needed(program))

    def test_exports_the_public_names_and_no_others(self):
        listing = run("nm", "--dynamic", "--defined-only", "--demangle", self.libraries / "libmayfly.so")
        names = [line.split(maxsplit=2)[2].split("@")[0] for line in listing.splitlines()]
        # A template that returns a public type begins with that type's name.
        public = re.compile(r"(mayfly|kvstore|snkv)_\w+$"
                            r"|((typeinfo|typeinfo name|vtable) for )?mayfly::([A-Z]|operator)")
        self.assertEqual([name for name in names if not public.match(name)], [])
        headers = "".join((self.prefix / "include/mayfly" / file).read_text()
                          for file in ("c.h", "c_database.h", "c_maintenance.h", "kvstore.h"))
        code = re.sub(r"/\*.*?\*/|static inline.*?^}", "", headers, flags=re.DOTALL | re.MULTILINE)
        declared = set(re.findall(r"\b((?:mayfly|kvstore|snkv)_\w+)\(", code))
        self.assertGreater(len(declared), 100)
        self.assertEqual(declared - set(names), set())

    def test_the_program_runs_from_where_it_is_installed(self):
        self.assertEqual(run(self.prefix / "bin/mayfly", "version"), "mayfly 0.1.0\n")

    def test_man_pages_and_completions_are_beside_it(self):
        check_pages(self, self.prefix / "share", "site-functions")

    def test_installed_files_name_no_folder_of_the_build(self):
        for file in self.prefix.rglob("*"):
            if file.is_file() and file.suffix in (".cmake", ".pc", ".h"):
                self.assertNotIn(str(BUILD.parent.parent), file.read_text(), file)


if __name__ == "__main__":
    unittest.main()
