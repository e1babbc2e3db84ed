"""What the blocks of one page run in: a shell, a Python process, C++ programs."""

import contextlib
import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import time

from markdown_blocks import Fault

HERE = pathlib.Path(__file__).resolve().parent
COMMAND_SECONDS = 60
MARK = "MAYFLY_DOCS_PAGE"  # In the environment of what a page starts.
PYTHON = "/usr/bin/python3"  # Debian's, which has the clients.


class Shell:
    """One bash for all commands of a page, so that variables, folders and jobs stay."""

    def __init__(self, folder, environment):
        self.folder = folder / ".shell"
        self.folder.mkdir()
        self.count = 0
        self.bash = subprocess.Popen(["bash", "--noprofile", "--norc"], cwd=folder, env=environment,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL, text=True)

    def run(self, command):
        """Returns the exit code and the output, standard error included."""
        self.count += 1
        script = self.folder / f"{self.count}.sh"
        output = self.folder / f"{self.count}.out"
        script.write_text(command + "\n")
        # Each command has an output of its own, which its background jobs keep.
        self.bash.stdin.write(f'source "{script}" < /dev/null > "{output}" 2>&1; echo "done $?"\n')
        self.bash.stdin.flush()
        ready, _, _ = select.select([self.bash.stdout], [], [], COMMAND_SECONDS)
        answer = self.bash.stdout.readline() if ready else ""
        printed = output.read_text(errors="replace") if output.exists() else ""
        if not answer.startswith("done "):
            why = "ended the shell" if ready else f"did not end within {COMMAND_SECONDS} s"
            raise Fault(f"`{command}` {why}\n{printed}")
        return int(answer.split()[1]), printed

    def close(self):
        self.bash.kill()
        self.bash.wait()


class Python:
    """One process for all Python blocks of a page."""

    def __init__(self, folder, environment):
        self.process = subprocess.Popen([PYTHON, "-B", "-u", HERE / "python_driver.py"], cwd=folder,
                                        env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def run(self, code, name):
        self.process.stdin.write(json.dumps({"code": code, "name": name}) + "\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], COMMAND_SECONDS)
        answer = self.process.stdout.readline() if ready else ""
        if not answer:
            raise Fault(f"{name}: no answer from Python within {COMMAND_SECONDS} s, or it ended")
        result = json.loads(answer)
        if result["error"]:
            raise Fault(f"{name}: {result['error']}")
        return result["output"]

    def close(self):
        self.process.kill()
        self.process.wait()


INCLUDE = re.compile(r"^\s*#include\s.*$|^using namespace [\w:]+;$", re.MULTILINE)
END_OF_BLOCK = "\x1e"  # Printed behind each fragment.

PRELUDE = """
#include <cstdio>
#include <iostream>
"""

MAIN = """
int main() {
  const mayfly::Status status = Page();
  if (!status.ok()) std::cerr << "the page returned " << status.ToString() << "\\n";
  return status.ok() ? 0 : 1;
}
"""


def is_program(block):
    return re.search(r"\bint main\(", block.text) is not None


def page_program(blocks):
    """One program of all C++ fragments of a page: the body of one function, in their order."""
    includes, body = [], []
    for block in blocks:
        includes += INCLUDE.findall(block.text)
        text = INCLUDE.sub("", block.text)
        body.append(f'#line {block.line} "{block.page}"\n{text}'
                    '\nstd::cout << "\\x1e" << std::flush;')
    return (PRELUDE + "\n".join(includes) + '\n#include "mayfly/database.h"\n'
            + "static mayfly::Status Page() {\n" + "\n".join(body)
            + "\nreturn mayfly::Status::Ok();\n}\n" + MAIN)


class Compiler:
    """Builds programs against the library in the build tree and runs them."""

    def __init__(self, folder, environment, include, library):
        self.folder = folder
        self.environment = environment
        self.flags = ["-O0", "-Wall", "-Wextra", "-Werror", "-I", str(include)]
        self.link = ["-L", str(library), "-lmayfly", f"-Wl,-rpath,{library}"]

    def run(self, name, language, text):
        source = self.folder / f".{name}.{'c' if language == 'c' else 'cc'}"
        program = self.folder / f".{name}"
        source.write_text(text)
        compiler = ["gcc", "-std=c11"] if language == "c" else ["g++", "-std=c++20"]
        built = subprocess.run([*compiler, *self.flags, str(source), "-o", str(program), *self.link],
                               capture_output=True, text=True, cwd=self.folder)
        if built.returncode != 0:
            raise Fault(f"{name}: does not compile\n{built.stderr}")
        try:
            ran = subprocess.run([str(program)], capture_output=True, text=True, cwd=self.folder,
                                 env=self.environment, timeout=COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            raise Fault(f"{name}: did not end within {COMMAND_SECONDS} s") from None
        if ran.returncode != 0:
            raise Fault(f"{name}: ended with {ran.returncode}\n{ran.stdout}{ran.stderr}")
        return ran.stdout


def wait_for_port(port, seconds=10):
    """Waits until something listens. A server in the background is ready a little later."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.02)


def marked_processes(folder):
    """Every process of a page: it was started in the page's folder, or works there."""
    mark = f"{MARK}={folder}".encode()
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                inside = pathlib.Path(os.readlink(entry / "cwd")).is_relative_to(folder)
                # redis-server writes its title over its environment.
                if inside or mark in (entry / "environ").read_bytes().split(b"\0"):
                    yield int(entry.name), (entry / "comm").read_text().strip()
            except OSError:
                pass  # It has ended, or is another user's.


def servers(folder):
    return {process for process, name in marked_processes(folder) if name in ("mayfly", "redis-server")}


def wait_for_end(folder, before, seconds=10):
    """Waits until one of the servers that ran before has ended; SHUTDOWN returns a little earlier."""
    deadline = time.monotonic() + seconds
    while before and before <= servers(folder) and time.monotonic() < deadline:
        time.sleep(0.02)


def end_processes(folder):
    """Ends what a page has left running."""
    for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + 3
        for process, _ in marked_processes(folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)
        while any(marked_processes(folder)) and time.monotonic() < deadline:
            time.sleep(0.02)
