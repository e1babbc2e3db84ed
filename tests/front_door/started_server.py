"""The fixture of tests that start `mayfly serve` themselves, and read what it prints."""
import pathlib
import subprocess
import tempfile
import unittest


class ServeTest(unittest.TestCase):
    """A folder of its own, and processes that end with the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_server(self, command, **options):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def ready(self, process):
        """What it prints until it is ready."""
        text = ""
        while "Ctrl-C" not in text:
            line = process.stdout.readline()
            if not line:
                self.fail(text + process.stderr.read())
            text += line
        return text
