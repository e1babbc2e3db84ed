"""A `mayfly serve` for one test, on free ports and in a folder that is removed with it."""
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile

START_SECONDS = 30
STOP_SECONDS = 30


class ServerProcess:
    """with ServerProcess(binary) as server: ... server.port ..."""

    def __init__(self, binary, *flags, folder=None):
        self.binary = str(binary)
        self.flags = [str(flag) for flag in flags]
        self._own = tempfile.TemporaryDirectory() if folder is None else None
        self.folder = pathlib.Path(folder or self._own.name)
        self.log = self.folder / "serve.log"
        self.process = None
        self.port = None
        self.http_port = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        if self._own:
            self._own.cleanup()

    def start(self, port=0, http_port=0):
        """Returns once it prints its addresses; on the ports of the last start, if given."""
        command = [self.binary, "serve", "--dir", str(self.folder / "data"), "--port", str(port),
                   "--http-port", str(http_port), *self.flags]
        self._log = open(self.log, "ab")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._log,
                                        text=True)
        for line in self.process.stdout:
            self._log.write(line.encode())
            if found := re.search(r"Redis protocol: [^ ,]*:(\d+)", line):
                self.port = int(found.group(1))
            if found := re.search(r"https?://[^ ]*:(\d+)", line):
                self.http_port = int(found.group(1))
            if self.port and self.http_port:
                return
        raise RuntimeError(f"the server did not start:\n{self.log.read_text(errors='replace')}")

    def restart(self):
        self.start(self.port, self.http_port)

    def kill(self):
        """With SIGKILL, as in a crash."""
        self.process.send_signal(signal.SIGKILL)
        self._wait()

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return self.process.returncode if self.process else None
        self.process.send_signal(signal.SIGINT)
        return self._wait()

    def _wait(self):
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise RuntimeError("the server did not stop when asked")
        finally:
            self.process.stdout.close()
            self._log.close()
        return self.process.returncode

    def answers(self, seconds=3.0):
        try:
            with socket.create_connection(("127.0.0.1", self.port), seconds) as connection:
                connection.settimeout(seconds)
                connection.sendall(b"PING\r\n")
                return connection.recv(64)[:1] in (b"+", b"-")
        except OSError:
            return False
