"""The wheel and the sdist: built offline with Debian's tools, installed apart, and used. And types:
mypy accepts the package, the stubs and a program that uses them, and refuses a wrong program."""

import ast
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import textwrap

import pytest

import mayfly
from test_kvstore import PROGRAM

SOURCE = pathlib.Path(os.environ["MAYFLY_SOURCE"]) / "bindings" / "python"
EXTENSION = glob.glob(os.environ["MAYFLY_BUILD"] + "/python/mayfly/_mayfly.*.so")[0]


def run(*command, cwd, **variables):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    result = subprocess.run([str(word) for word in command], cwd=cwd, text=True,
                            env=dict(environment, **variables), stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, check=False)
    assert result.returncode == 0, result.stdout
    return result.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """An sdist of a copy of the sources, and a wheel of what is in the sdist."""
    copy = tmp_path_factory.mktemp("copy") / "python"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg*"))
    dist = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", dist, cwd=copy,
        MAYFLY_EXTENSION=EXTENSION)
    return dist


def test_the_sdist_has_the_sources(dist):
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    expected = {f"src/{path.name}" for path in (SOURCE / "src").iterdir()}
    expected |= {f"mayfly/{path.name}" for path in (SOURCE / "mayfly").glob("*.py*")}
    assert expected | {"setup.py", "mayfly/py.typed"} <= names


def test_the_wheel_installs_and_runs_the_published_program(dist, tmp_path):
    wheel = next(dist.glob("*.whl"))
    assert "cp311" in wheel.name and "linux" in wheel.name
    run(sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target",
        tmp_path / "site", wheel, cwd=tmp_path)
    assert (tmp_path / "site" / "mayfly" / "_mayfly.pyi").exists()
    program = PROGRAM + "\nimport mayfly\nprint(mayfly.__file__, val, round(remaining))\n"
    printed = run(sys.executable, "-c", program, cwd=tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert printed.split() == [str(tmp_path / "site" / "mayfly" / "__init__.py"), "b'tok123'", "60"]


def test_the_stub_names_what_the_extension_has():
    stub = ast.parse((SOURCE / "mayfly" / "_mayfly.pyi").read_text())
    classes = {node.name: {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
               for node in stub.body if isinstance(node, ast.ClassDef)}
    extension = mayfly._mayfly
    real = {name: each for name, each in vars(extension).items() if isinstance(each, type)}
    assert set(classes) == set(real)
    ignored = {"__init__", "__module__", "__doc__", "__weakref__", "__repr__", "__reduce__"}
    for name, kind in real.items():
        have = {each for each in vars(kind) if not each.startswith("__pybind")} - ignored
        assert classes[name] - {"__init__"} == have, name


def mypy(*files, cwd):
    return subprocess.run(["/usr/bin/mypy", "--config-file", str(SOURCE / "mypy.ini"),
                           "--cache-dir", str(cwd / "cache"), *map(str, files)], cwd=cwd,
                          env=dict(os.environ, MYPYPATH=str(SOURCE)), text=True,
                          capture_output=True, check=False)


def test_mypy_accepts_the_package_and_refuses_a_wrong_program(tmp_path):
    (tmp_path / "right.py").write_text(textwrap.dedent("""
        import mayfly

        def work(db: mayfly.Database) -> float:
            db["k", 5] = "v"
            with db.transaction() as tx:
                tx.keyspace("s").put(b"k", b"v", ttl=mayfly.FOREVER)
            return db.ttl("k") or 0.0
    """))
    (tmp_path / "wrong.py").write_text(textwrap.dedent("""
        import mayfly

        def work(db: mayfly.Database) -> int:
            db.put("k", 5)
            return db.ttl("k")
    """))
    checked = mypy(SOURCE / "mayfly", tmp_path / "right.py", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    refused = mypy(tmp_path / "wrong.py", cwd=tmp_path)
    assert refused.stdout.count("error:") == 2, refused.stdout + refused.stderr
