# Runs one file of browser tests against a `mayfly serve` of its own, whose clock stands until a test moves it.
#   browser_tests.py FOLDER FILE BINARY [tls]      FOLDER: for the packages of package.json, and for screenshots
# tls: the page comes over TLS, with a certificate of an authority that the browser is told to trust.
# A line "restart" that a test writes to the pipe MAYFLY_WISHES has the server killed and started again, on the same
# ports and the same files.
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

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
        subprocess.run(["npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund",
                        "--loglevel=error"], cwd=folder, check=True)
    for file in HERE.glob("*.js"):
        shutil.copy(file, folder)


def certificate(folder):
    """Of 127.0.0.1, signed by itself."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                    "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                    str(folder / "server.key"), "-out", str(folder / "server.pem")], check=True, capture_output=True,
                   timeout=60)
    return ["--http-tls", "yes", "--tls-cert-file", folder / "server.pem", "--tls-key-file", folder / "server.key"]


def fulfil(server, wishes):
    """Reads a wish a line from a pipe, until it is closed for good."""
    while True:
        with open(wishes, encoding="utf-8") as lines:
            for line in lines:
                if line.strip() == "end":
                    return
                server.kill()
                server.restart()


def main():
    folder, file, binary = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    install(folder)
    with tempfile.TemporaryDirectory() as own:
        own = pathlib.Path(own)
        tls = certificate(own) if "tls" in sys.argv[4:] else []
        code = run(folder, file, binary, own, tls)
    sys.exit(code)


def run(folder, file, binary, own, tls):
    wishes = own / "wishes"
    os.mkfifo(wishes)
    with ServerProcess(binary, "--manual-clock", "--enable-debug-command", "local", *tls) as server:
        listener = threading.Thread(target=fulfil, args=(server, wishes), daemon=True)
        listener.start()
        code = subprocess.run(["node", "--test", "--test-reporter=spec", file], cwd=folder, timeout=280,
                              env={**os.environ, "MAYFLY_PORT": str(server.port),
                                   "MAYFLY_HTTP_PORT": str(server.http_port), "MAYFLY_WISHES": str(wishes),
                                   "MAYFLY_SCHEME": "https" if tls else "http"}).returncode
        wishes.write_text("end\n")
        listener.join()
        if code != 0:
            print(server.log.read_text(errors="replace")[-4000:])
        stopped = server.stop()
    return code or stopped


if __name__ == "__main__":
    main()
