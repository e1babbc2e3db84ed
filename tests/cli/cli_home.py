"""Runs the executable as a person would: in pipes, or on a terminal of its own; on a folder or on a server."""
import errno
import json
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import fcntl
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from server_process import ServerProcess  # noqa: E402

MAYFLY = sys.argv.pop() if len(sys.argv) > 1 else "mayfly"
WAIT_SECONDS = int(os.environ.get("CLI_WAIT", 60))
# Each run of the executable opens and closes a database: on a busy disk most of the time is fsync.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class CliTest(unittest.TestCase):
    """A folder of its own, and the executable in pipes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=MEMORY)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items()
                if name not in ("NO_COLOR", "MAYFLY_PASSWORD")}
        return {**kept, "HOME": str(self.folder), "TERM": "xterm", **more}

    def run_mayfly(self, *arguments, given=None, **more):
        """Exit code, output and errors, as bytes."""
        run = subprocess.run([MAYFLY, *map(str, arguments)], input=given, capture_output=True,
                             timeout=WAIT_SECONDS, env=self.environment(**more),
                             stdin=subprocess.DEVNULL if given is None else None)
        return run.returncode, run.stdout, run.stderr

    def good(self, *arguments, given=None):
        """Output of a run that must succeed."""
        code, output, errors = self.run_mayfly(*arguments, given=given)
        self.assertEqual((code, errors), (0, b""), (arguments, output))
        return output.decode()

    def bad(self, code, *arguments, **more):
        """Errors of a run that must end with this exit code and no output."""
        got, output, errors = self.run_mayfly(*arguments, **more)
        self.assertEqual((got, output), (code, b""), (arguments, errors))
        return errors.decode()

    def objects(self, *arguments):
        return [json.loads(line) for line in self.good(*arguments, "--json").splitlines()]

    def serve(self, *flags, name="served"):
        (self.folder / name).mkdir(exist_ok=True)
        server = ServerProcess(MAYFLY, "--memory-profile", "tiny", "--disk-reserve", "0", *flags,
                               folder=self.folder / name)
        server.start()
        self.addCleanup(server.stop)
        return server

    def start(self, *arguments):
        """A process that reads and writes pipes."""
        process = subprocess.Popen([MAYFLY, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment())
        self.addCleanup(process.kill)
        return process

    def interrupt(self, process):
        """Ctrl-C. Returns the output of a process that ends by it, and in order."""
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=WAIT_SECONDS)
        self.assertEqual((process.returncode, errors), (130, b"mayfly: interrupted\n"))
        return output

    def give(self, process, given):
        """Returns when the process has read all of it, and waits for more."""
        process.stdin.write(given)
        process.stdin.flush()
        end = time.monotonic() + WAIT_SECONDS
        left = bytearray(4)
        while fcntl.ioctl(process.stdin, termios.FIONREAD, left) == 0 and struct.unpack("i", left)[0] > 0:
            self.assertLess(time.monotonic(), end, "it does not read")
            os.sched_yield()

    def redis_cli(self, server, *words):
        """For what the executable is not to be trusted with yet."""
        run = subprocess.run(["redis-cli", "-p", str(server.port), *words], capture_output=True,
                             timeout=WAIT_SECONDS, check=True)
        return run.stdout

    def terminal(self, *arguments, **more):
        terminal = Terminal([MAYFLY, *map(str, arguments)], self.environment(**more))
        self.addCleanup(terminal.close)
        return terminal


class Terminal:
    """A process on a terminal of 100 columns. Nothing sleeps: wait_for() reads until the text is there."""

    def __init__(self, command, environment):
        self.text = ""
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.execve(command[0], command, environment)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.code = None

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def wait_for(self, text):
        """Reads until the text has come since the last call; returns all up to it."""
        end = time.monotonic() + WAIT_SECONDS
        while text not in self.text:
            if not self._read(end - time.monotonic()):
                raise AssertionError(f"no {text!r} in {self.text!r}")
        before, self.text = self.text.split(text, 1)
        return before + text

    def finish(self):
        """Reads to the end; returns the exit code and what came since the last wait_for()."""
        end = time.monotonic() + WAIT_SECONDS
        while self._read(end - time.monotonic()):
            pass
        _, status = os.waitpid(self.process, 0)
        self.code = os.waitstatus_to_exitcode(status)
        return self.code, self.text

    def interrupt(self):
        os.kill(self.process, signal.SIGINT)

    def close(self):
        if self.code is None:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.descriptor)

    def _read(self, seconds):
        ready, _, _ = select.select([self.descriptor], [], [], max(seconds, 0))
        if not ready:
            raise AssertionError(f"too late; so far {self.text!r}")
        try:
            piece = os.read(self.descriptor, 65536)
        except OSError as error:
            if error.errno != errno.EIO:  # EIO: the process closed the terminal.
                raise
            piece = b""
        self.text += piece.decode(errors="replace")
        return piece != b""
