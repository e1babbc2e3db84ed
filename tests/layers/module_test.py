# Goal: a dependency that a module forgot to name fails the build, by linking and by including.
# Method: a project of two modules in a temporary folder, built with the real mayfly_module(), once
# as it should be and once per fault.
import pathlib
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
CMAKE_FOLDER = HERE.parent.parent / "cmake"

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(two_modules CXX)
set(MAYFLY_LINK_TESTS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_library(mayfly_compiler INTERFACE)
target_include_directories(mayfly_compiler INTERFACE ${PROJECT_SOURCE_DIR}/src)
include(%s/MayflyModule.cmake)
add_subdirectory(src/low)
add_subdirectory(src/high)
mayfly_check_layers()
"""
LOW = {"low.h": "int Low();\n", "low.cc": '#include "low/low.h"\nint Low() { return 1; }\n'}
INCLUDES = '#include "low/low.h"\nint High() { return Low() + 1; }\n'
# Declares what it calls by itself, so that no #include line gives it away.
DECLARES = "int Low();\nint High() { return Low() + 1; }\n"
# Needs a header alone: nothing is left for the linker to miss.
HEADER_ONLY = '#include "low/low.h"\nint High() { return sizeof(decltype(&Low)); }\n'


class MayflyModule(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        cls.write("CMakeLists.txt", CMAKE % CMAKE_FOLDER)
        cls.write("src/low/CMakeLists.txt", "mayfly_module(low SOURCES low.cc)\n")
        for file, text in LOW.items():
            cls.write(f"src/low/{file}", text)
        cls.write("tests/layers/check_layers.py", "")
        shutil.copy(HERE / "check_layers.py", cls.root / "tests/layers/check_layers.py")

    @classmethod
    def write(cls, file, text):
        path = cls.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def build(self, uses, source):
        self.write("src/high/CMakeLists.txt", f"mayfly_module(high {uses} SOURCES high.cc)\n")
        self.write("src/high/high.cc", source)
        build = self.root / "build"
        subprocess.run(["cmake", "-G", "Ninja", "-S", self.root, "-B", build],
                       check=True, stdout=subprocess.DEVNULL)
        run = subprocess.run(["ninja", "-C", build, "-k", "0"], check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return run.returncode, run.stdout

    def test_builds_when_what_is_used_is_named(self):
        code, output = self.build("USES low", INCLUDES)
        self.assertEqual(code, 0, output)

    def test_does_not_link_when_a_used_module_is_not_named(self):
        code, output = self.build("", DECLARES)
        self.assertNotEqual(code, 0, output)
        self.assertRegex(output, r"undefined (symbol|reference).*Low")
        self.assertNotIn("may not include", output)

    def test_does_not_build_when_a_header_of_an_unnamed_module_is_included(self):
        code, output = self.build("", HEADER_ONLY)
        self.assertNotEqual(code, 0, output)
        self.assertIn("src/high/high.cc:1: high may not include", output)
        self.assertNotRegex(output, r"undefined (symbol|reference)")


if __name__ == "__main__":
    unittest.main()
