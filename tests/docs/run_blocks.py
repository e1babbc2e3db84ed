#!/usr/bin/env python3
"""Runs every code block of README.md and docs/, and compares the output that is shown.

The blocks of a page run in their order, in one temporary folder, which has the repository's
include/, examples/ and build/ in it. Languages:

    console   `$ ` begins a command, `> ` continues it, other lines are its output. One bash for
              the page. The exit code must be 0. A command behind `sleep N;` is repeated until it
              prints what is shown: N is enough for a reader's machine, not for every busy one.
    sh        a script, in the same bash.
    redis     `> ` begins a command for redis-cli, other lines are its reply.
    cpp, c    a program, if it has main(). C++ without it: the fragments of a page are the body of
              one function that returns mayfly::Status, run where the first of them is.
    python    in one process for the page; `>>>` begins a doctest.
    output    what the block before has printed.

A page that uses a server and does not start one gets one. Comments for the runner:
markdown_blocks.py; what shown output may leave open: shown_output.py. Any other block is a fault.
docs/decisions and docs/formats have none: they show bytes, or what was tried once.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time

from markdown_blocks import Fault, read_blocks
from page_ports import HTTP, REDIS, Ports
from sessions import (END_OF_BLOCK, MARK, Compiler, Python, Shell, end_processes, is_program,
                      page_program, servers, wait_for_end, wait_for_port)
from shown_output import difference, matches

WORKERS = 4  # Many pages wait for something to die.
LINKED = ("include", "examples", "bench", "bindings", "packaging", "scripts", "packages.txt", "docs")
APART = ("decisions", "formats", "reference")
STOPS = "SHUTDOWN"
NOT_BUILT = object()
ON_TERMINAL = "(set -o pipefail; script -qec 'bash .terminal' /dev/null | tr -d '\\r')"
IMPORTS_PACKAGE = re.compile(r"^(>>> )?(import|from) mayfly\b", re.MULTILINE)
USES_SERVER = re.compile(r"redis-cli|127\.0\.0\.1:8000|port=6379")
PAUSE = re.compile(r"sleep [\d.]+; ")
ERROR_REPLY = re.compile(r"^(Could not connect|\(error\))", re.MULTILINE)

# Programs in front of the real ones. They are not written for each page: a file that another thread's
# child still has open for writing cannot be run.
PROGRAMS = pathlib.Path(__file__).resolve().parent / "bin"


def find_pages(root):
    pages = [root / "README.md"]
    for page in sorted((root / "docs").rglob("*.md")):
        if page.relative_to(root / "docs").parts[0] not in APART:
            pages.append(page)
    return pages


class Page:
    """Runs the blocks of one page."""

    def __init__(self, root, build, page, folder, patience):
        self.patience = patience
        self.name = str(page.relative_to(root))
        self.folder = folder
        self.ports = Ports()
        self.blocks = read_blocks(self.name, page.read_text())
        self.build = build
        self.environment = {**os.environ, MARK: str(folder), "NO_COLOR": "1",
                            "LC_ALL": "C.UTF-8", "HOME": str(folder), "TERM": "dumb",
                            "PATH": f"{PROGRAMS}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                            "MAYFLY_DOCS_BUILD": str(build),
                            "MAYFLY_DOCS_REDIS_PORT": str(self.ports.real[REDIS]),
                            "MAYFLY_DOCS_HTTP_PORT": str(self.ports.real[HTTP]),
                            "PYTHONPATH": str(build / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
        self.prepare(root)
        self.shell = Shell(folder, self.environment)
        self.python = None
        self.compiler = Compiler(folder, self.environment, root / "include", build / "lib")
        self.fragments = [b for b in self.blocks
                          if b.language == "cpp" and self.is_run(b) and not is_program(b)]
        self.printed_by_fragments = None
        self.printed = None  # By the block before.
        self.is_served = False
        # A build of a few targets has no Python package; `make test` has.
        is_built = any((build / "python" / "mayfly").glob("_mayfly*.so"))
        self.lacks_package = not is_built and any(
            b.language == "python" and IMPORTS_PACKAGE.search(b.text) for b in self.blocks)

    @staticmethod
    def is_run(block):
        return not block.not_run and not block.file

    def prepare(self, root):
        (self.folder / "build").mkdir()
        (self.folder / "build" / "release").symlink_to(self.build)
        for name in LINKED:
            (self.folder / name).symlink_to(root / name)

    def serve(self, language, text):
        """Starts a server if this is the first text that uses one, and none that starts one."""
        uses = language == "redis" or USES_SERVER.search(text)
        if not self.is_served and "mayfly serve" not in text and uses:
            self.check_command("mayfly serve --dir data --daemonize yes --logfile data.log",
                               "starting a server")
        self.is_served = self.is_served or "mayfly serve" in text or bool(uses)

    def run(self):
        for block in self.blocks:
            for command in block.before:
                self.serve("sh", command)
                self.check_command(self.ports.localize(command), block.where)
            if block.not_run:
                self.printed = None
            elif block.file:
                target = self.folder / block.file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(self.ports.localize(block.text))
            else:
                self.serve(block.language, block.text)
                self.run_block(block)

    def run_block(self, block):
        runners = {"console": self.run_console, "sh": self.run_script, "redis": self.run_redis,
                   "cpp": self.run_program, "c": self.run_program, "python": self.run_python,
                   "output": self.check_output}
        if block.language not in runners:
            raise Fault(f"{block.where}: no way to run a block of language "
                        f"'{block.language or 'unknown'}'; name one, or write `not run: reason`")
        self.printed = runners[block.language](block)

    def check_command(self, command, where, shown=""):
        before = servers(self.folder) if STOPS in command else None
        code, printed = self.shell.run(command)
        printed = self.ports.documented(printed)
        # redis-cli ends with 0 after an error, which a block may show.
        if code != 0 or ERROR_REPLY.search(printed) and "(error)" not in shown:
            raise Fault(f"{where}: `{command}` ended with {code}\n{printed}")
        if re.search(r"^(mayfly serve|redis-server)\b", command) and "--help" not in command:
            named = re.search(r"--port (\d+)", command)
            wait_for_port(int(named[1]) if named else self.ports.real[REDIS])
        if before:
            wait_for_end(self.folder, before)
        return printed

    def compare(self, where, shown, printed):
        if not matches(shown, printed):
            raise Fault(f"{where}: the output differs\n{difference(shown, printed)}")

    def run_session(self, block, prompt, continuation, run):
        """A session: commands behind a prompt, each with the output it shows, or none."""
        steps = []
        for number, line in enumerate(block.text.splitlines()):
            if line.startswith(prompt):
                steps.append([block.line + number, line[len(prompt):], []])
            elif not steps:
                if line.strip():
                    raise Fault(f"{block.where}: output without a command")
            elif not steps[-1][2] and continuation and line.startswith(continuation):
                steps[-1][1] += "\n" + line[len(continuation):]
            elif not steps[-1][2] and steps[-1][1].endswith("\\"):
                steps[-1][1] += "\n" + line
            else:
                steps[-1][2].append(line)
        printed = ""
        for line, command, shown in steps:
            where = f"{block.page}:{line}"
            printed = run(command, where, "\n".join(shown))
            if any(text.strip() for text in shown):
                self.compare(where, "\n".join(shown), printed)
        return printed

    def wait_for_output(self, command, where, shown):
        deadline = time.monotonic() + self.patience
        while True:
            printed, fault = "", None
            try:
                printed = self.check_command(command, where, shown)
            except Fault as failed:
                fault = failed
            if time.monotonic() > deadline and fault:
                raise fault
            if time.monotonic() > deadline or not fault and matches(shown, printed):
                return printed
            time.sleep(0.1)

    def run_console(self, block):
        def run(command, where, shown):
            command = self.ports.localize(command)
            if (pause := PAUSE.match(command)) and shown:
                self.check_command(pause[0], where)
                return self.wait_for_output(command[pause.end():], where, shown)
            if block.terminal:
                (self.folder / ".terminal").write_text(command + "\n")
                command = ON_TERMINAL
            return self.check_command(command, where, shown)
        return self.run_session(block, "$ ", "> ", run)

    def run_redis(self, block):
        def run(command, where, shown):
            (self.folder / ".redis").write_text(command + "\n")
            return self.check_command("redis-cli < .redis", where, shown)
        return self.run_session(block, "> ", None, run)

    def run_script(self, block):
        return self.check_command(self.ports.localize(block.text), block.where)

    def run_python(self, block):
        if self.lacks_package:
            return NOT_BUILT
        if self.python is None:
            self.python = Python(self.folder, self.environment)
        return self.ports.documented(self.python.run(self.ports.localize(block.text), block.where))

    def run_program(self, block):
        if is_program(block):
            return self.compiler.run(f"program_{block.line}", block.language, block.text)
        if block.language == "c":
            raise Fault(f"{block.where}: a block of C needs main()")
        if self.printed_by_fragments is None:
            text = page_program(self.fragments)
            self.printed_by_fragments = self.compiler.run("page", "cpp", text).split(END_OF_BLOCK)
        return self.printed_by_fragments[self.fragments.index(block)]

    def check_output(self, block):
        if self.printed is NOT_BUILT:
            return NOT_BUILT
        if self.printed is None:
            raise Fault(f"{block.where}: output of a block that is not run")
        self.compare(block.where, block.text, self.printed)

    def close(self):
        self.shell.close()
        if self.python is not None:
            self.python.close()
        end_processes(self.folder)


def run_page(root, build, path, patience):
    """Returns what is wrong with a page, or nothing, and how it went."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="mayfly-docs-"))
    page = None
    try:
        page = Page(root, build, path, folder, patience)
        page.run()
        ran = sum(1 for b in page.blocks if not b.not_run)
        return "", f"{ran} blocks" + (", without Python's" if page.lacks_package else "")
    except Fault as fault:
        return str(fault), "FAILED"
    finally:
        if page is not None:
            page.close()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--root", type=pathlib.Path, required=True)
    arguments.add_argument("--build", type=pathlib.Path, required=True)
    arguments.add_argument("pages", nargs="*", type=pathlib.Path, help="default: all")
    arguments.add_argument("--patience", type=float, default=30,
                           help="seconds that a command behind `sleep` is repeated")
    options = arguments.parse_args()
    root, build = options.root.resolve(), options.build.resolve()
    pages = [page.resolve() for page in options.pages] or find_pages(root)

    def timed(page):
        begin = time.monotonic()
        fault, state = run_page(root, build, page, options.patience)
        took = time.monotonic() - begin
        print(f"{page.relative_to(root)}: {state}, {took:.1f} s", flush=True)
        return fault

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        # The tutorials take longest and come last in the alphabet.
        faults = [fault for fault in pool.map(timed, reversed(pages)) if fault]
    for fault in faults:
        print(f"\n{fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
