"""check_layers.py - reads every #include line and refuses the ones against the direction, and the
lines that take the time from nowhere.

Part of the build (cmake/MayflyModule.cmake), so a wrong dependency fails there and not in a review.
The link test cannot see everything: a header used for its types alone links with nothing.

modules.txt has a line per module: `name kind folder uses,comma`, the kind being library, app or
test_support. A file belongs to the module with the longest folder around it, so that
src/engine/rocks/x.cc is of `engine_rocks` and not of `engine`.

Rules:
(1) A module includes its own files and those of the modules it names in USES. What a used module
    uses in turn must be named as well: otherwise dropping it there would break files here.
(2) A header of include/mayfly/ belongs to the module whose source of the same name includes it
    first (clock.h: src/base/clock.cc), and rule 1 holds for it. Without such a source it is free.
(3) include/mayfly/ includes standard headers and its own: no third-party type reaches a user.
(4) A library of RESERVED is included in its folders alone.
(5) tests/ and bench/ may include every module; no module includes them, nor an app. A test beside
    its module (x_test.cc, x_test.c, x_fuzz.cc) may include test support without naming it: what
    ships does not.
(6) USES names known modules and has no cycle. Every file of src/, apps/ and bindings/ is in a
    module.
(7) Time comes from outside: a file of src/ names SystemClock, or reads a clock of std::chrono, only
    if CLOCK_HOMES has it. Tests and test support may.
(8) A folder of src/ or apps/ has at most FOLDER_FILES_MAX files that ship, and none includes
    another that includes it, directly or by way of others: also where both are of one module.
"""

import argparse
import pathlib
import re
import sys
from typing import NamedTuple, Optional

SCANNED = ("include", "src", "apps", "bindings", "tests", "bench")
SUFFIXES = {".h", ".cc", ".c", ".hpp", ".cpp", ".inc"}
PUBLIC = "include/mayfly/"
FREE = ("tests/", "bench/")  # May include every module.
TESTS = ("_test.cc", "_test.c", "_fuzz.cc")
FOLDER_FILES_MAX = 40

# First part of the include -> the only paths, by their beginning, that may include it.
RESERVED = {"rocksdb": ("src/engine/rocks/", "bench/raw_rocks", "bench/peer_rocks"),
            "rados": ("src/engine/cluster/rados/",)}

CLOCK = re.compile(r"\bSystemClock\b|\b(steady|system|high_resolution)_clock::now\b")
CLOCK_HOMES = {
    "src/base/clock.cc",  # The clock itself.
    # Where a caller may leave the clock out; all below is handed one.
    "src/capi/callbacks.cc",
    "src/capi/kvstore_clock.cc",
    "src/core/store/store.cc",
    "src/engine/hot/hot_open.cc",
    "src/engine/rocks/rocks_open.cc",
    "src/tables/table_service.cc",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# A standard C++ header is a bare word. The C headers are the ones c.h may need.
STANDARD = re.compile(r"^[a-z_0-9]+$|^(stdbool|stddef|stdint|limits)\.h$")


class Module(NamedTuple):
    name: str
    kind: str
    folder: str
    uses: tuple


class Include(NamedTuple):
    line: int
    quoted: bool
    path: str


def read_modules(text):
    """The modules of modules.txt, by name."""
    modules = {}
    for line in filter(None, text.splitlines()):
        name, kind, folder, uses = (line.split(" ") + [""])[:4]
        modules[name] = Module(name, kind, folder + "/", tuple(filter(None, uses.split(","))))
    return modules


def read_lines(path):
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def read_includes(path):
    lines = read_lines(path)
    found = ((number, INCLUDE.match(line)) for number, line in enumerate(lines, start=1))
    return [Include(number, m[1] == '"', m[2].strip()) for number, m in found if m]


def module_problems(modules):
    """What is wrong with USES itself (rule 6)."""
    for module in modules.values():
        for used in module.uses:
            if used not in modules:
                yield (f"{module.folder}CMakeLists.txt: {module.name} USES {used}, which is no "
                       f"module. Declare it with mayfly_module({used} ...) or correct the name.")
    for cycle in cycles({name: module.uses for name, module in modules.items()}):
        yield (f"{modules[cycle[0]].folder}CMakeLists.txt: USES goes in a circle: "
               f"{' -> '.join(cycle)}. Turn one arrow round with an interface in the lower module.")


def cycles(arrows):
    """Each cycle once, as the names along it with the first one again at the end."""
    done = set()

    def walk(name, path):
        if name in path:
            yield path[path.index(name):] + [name]
        elif name not in done and name in arrows:
            for used in arrows[name]:
                yield from walk(used, path + [name])
            done.add(name)

    for name in arrows:
        yield from walk(name, [])


def ships(file):
    return (file.startswith(("src/", "apps/")) and not file.endswith(TESTS)
            and not file.endswith("_bench.cc") and "/testing/" not in file)


class Tree:
    """The files below a root, whom they belong to, and what they include."""

    def __init__(self, root, modules):
        self.root = root
        self.modules = modules
        self.includes = {
            path.relative_to(root).as_posix(): read_includes(path)
            for folder in SCANNED
            for path in sorted((root / folder).rglob("*"))
            if path.suffix in SUFFIXES and path.is_file()
        }
        self.public_owners = self._public_owners()

    def _module_around(self, file) -> Optional[Module]:
        around = [m for m in self.modules.values() if file.startswith(m.folder)]
        return max(around, key=lambda m: len(m.folder), default=None)

    def _public_owners(self):
        owners = {}
        for file, includes in self.includes.items():
            module = self._module_around(file)
            if module is None or not includes or not file.endswith((".cc", ".c")):
                continue
            header = f"mayfly/{pathlib.PurePosixPath(file).stem}.h"
            if includes[0].path == header:
                owners.setdefault(f"include/{header}", set()).add(module)
        return {header: found.pop() for header, found in owners.items() if len(found) == 1}

    def owner(self, file) -> Optional[Module]:
        if file.startswith(PUBLIC):
            return self.public_owners.get(file)
        return self._module_around(file)

    def resolve(self, file, include) -> Optional[str]:
        """Our file that the line names; None when it names somebody else's."""
        beside = pathlib.PurePosixPath(file).parent / include.path
        candidates = [f"include/{include.path}", f"src/{include.path}"]
        if include.quoted:
            roots = ("", *FREE) if file.startswith(FREE) else ("",)
            candidates = [beside.as_posix(), *candidates, *(root + include.path for root in roots)]
        return next((c for c in candidates if c in self.includes), None)

    def problems(self):
        for file, includes in self.includes.items():
            if file.startswith(("src/", "apps/", "bindings/")) and self.owner(file) is None:
                yield (f"{file}:1: the file is in no module. Name its folder in a "
                       f"mayfly_module() or mayfly_app().")
            for include in includes:
                problem = self._problem(file, include)
                if problem:
                    yield f"{file}:{include.line}: {problem}"
        yield from self._folder_problems()
        yield from self._clock_problems()

    def _folder_problems(self):
        counts = {}
        arrows = {}  # Folder -> folder -> an include, as "file:line".
        for file in filter(ships, self.includes):
            folder = file.rpartition("/")[0]
            counts[folder] = counts.get(folder, 0) + 1
            for include in self.includes[file]:
                if self._problem(file, include):
                    continue  # Refused by another rule, and named once.
                target = self.resolve(file, include)
                other = target.rpartition("/")[0] if target and ships(target) else folder
                if other != folder:
                    arrows.setdefault(folder, {}).setdefault(other, f"{file}:{include.line}")
        for folder, count in counts.items():
            if count > FOLDER_FILES_MAX:
                yield (f"{folder}: {count} files ship from here, at most {FOLDER_FILES_MAX}. Move "
                       f"those of one subject to a folder of their own.")
        for cycle in cycles(arrows):
            places = [arrows[a][b] for a, b in zip(cycle, cycle[1:])]
            yield (f"{places[0]}: folders include each other: {' -> '.join(cycle)}, by "
                   f"{' and '.join(places)}. Move what one of them needs below both.")

    def _clock_problems(self):
        for file in self.includes:
            if (not file.startswith("src/") or file.endswith(TESTS) or "/testing/" in file
                    or file in CLOCK_HOMES):
                continue
            for number, line in enumerate(read_lines(self.root / file), start=1):
                found = CLOCK.search(line)
                if found:
                    yield (f"{file}:{number}: {found[0]} takes the time from nowhere. Take a Clock "
                           f"or an instant from the caller.")

    def _problem(self, file, include):
        if ".." in include.path.split("/"):
            return f'"{include.path}" climbs out of its folder. Write the path from src/.'
        target = self.resolve(file, include)
        if target is None:
            return self._foreign_problem(file, include)
        if file.startswith(PUBLIC) and not target.startswith(PUBLIC):
            return (f'a public header may not include "{include.path}". Users have include/mayfly/ '
                    f"alone: move what is needed there, or declare it forward.")
        if file.startswith(FREE):
            return None
        if target.startswith(FREE):
            return f'"{include.path}" is test or bench code. Only tests/ and bench/ include it.'
        owner = self.owner(target)
        if owner and owner.kind == "test_support" and file.endswith(TESTS):
            return None
        return self._direction_problem(self.owner(file), include, owner)

    @staticmethod
    def _foreign_problem(file, include):
        if include.quoted:
            return (f'"{include.path}" is not in include/, src/ or beside the file. Correct the '
                    f"path, or write <{include.path}> when it is a library's.")
        if file.startswith(PUBLIC) and not STANDARD.match(include.path):
            return (f"a public header may not include <{include.path}>: users would need that "
                    f"library, too. Hide it behind a type of ours in src/.")
        homes = RESERVED.get(include.path.split("/")[0])
        if homes and not file.startswith(homes):
            return (f"<{include.path}> may be included below {' and '.join(homes)} alone. "
                    f"Use the engine's interface instead.")
        return None

    @staticmethod
    def _direction_problem(module, include, target):
        if module is None or target is None or target == module or target.name in module.uses:
            return None
        return (f'{module.name} may not include "{include.path}" of {target.name}, which it does '
                f"not name in USES. Name it in {module.folder}CMakeLists.txt if ARCHITECTURE.md lets "
                f"it look there; if not, put an interface into {module.name} and implement it above.")


def check(root, modules_text):
    """All problems of the tree, as lines for a reader."""
    modules = read_modules(modules_text)
    return [*module_problems(modules), *Tree(pathlib.Path(root), modules).problems()]


def main():
    parser = argparse.ArgumentParser(description="Checks the direction of every #include.")
    parser.add_argument("--root", required=True, type=pathlib.Path)
    parser.add_argument("--modules", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    problems = check(arguments.root, arguments.modules.read_text())
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
