# Runs one file of browser tests against a `mayfly serve` of its own, whose clock stands until a test moves it.
#   browser_tests.py FOLDER FILE BINARY      FOLDER: for the packages of package.json, and for screenshots
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from server_process import ServerProcess

HERE = pathlib.Path(__file__).resolve().parent


def install(folder):
    """The packages as the lock file names them, once; beside copies of the tests that import them."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = (HERE / "package-lock.json").read_text()
    installed = folder / "package-lock.json"
    if not installed.exists() or installed.read_text() != lock or not (folder / "node_modules").exists():
        shutil.copy(HERE / "package.json", folder)
        shutil.copy(HERE / "package-lock.json", folder)
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder, check=True)
    for file in HERE.glob("*.js"):
        shutil.copy(file, folder)


def main():
    folder, file, binary = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    install(folder)
    with ServerProcess(binary, "--manual-clock", "--enable-debug-command", "local") as server:
        code = subprocess.run(["node", "--test", "--test-reporter=spec", file], cwd=folder, timeout=200,
                              env={**os.environ, "MAYFLY_PORT": str(server.port),
                                   "MAYFLY_HTTP_PORT": str(server.http_port)}).returncode
        if code != 0:
            print(server.log.read_text(errors="replace")[-4000:])
        stopped = server.stop()
    sys.exit(code or stopped)


if __name__ == "__main__":
    main()
