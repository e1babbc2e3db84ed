"""The wheel and the sdist: built offline with Debian's tools, installed apart, and used. And types:
mypy accepts the package, the stubs and a program that uses them, and refuses a wrong program."""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import textwrap
import types

import pytest

import mayfly
from test_kvstore import PROGRAM

SOURCE = pathlib.Path(os.environ["MAYFLY_SOURCE"]) / "bindings" / "python"


def run(*command, cwd, **variables):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    result = subprocess.run([str(word) for word in command], cwd=cwd, text=True,
                            env=dict(environment, **variables), stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, check=False)
    assert result.returncode == 0, result.stdout
    return result.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """An sdist, and a wheel of what is in it, by the commands of the package's own page."""
    root = tmp_path_factory.mktemp("root")
    copy = root / "bindings" / "python"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg*"))
    (root / "build" / "release").mkdir(parents=True)
    (root / "build" / "release" / "python").symlink_to(os.environ["MAYFLY_BUILD"] + "/python")
    page = (SOURCE / "README.md").read_text()
    commands = page[page.index("    export MAYFLY_EXTENSION"):page.index("    MAYFLY_PREFIX")]
    # Debian's Python comes first: it has Debian's packages.
    run("bash", "-ec", commands, cwd=root, PATH="/usr/bin:" + os.environ["PATH"])
    return copy / "dist"


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


def mypy(*arguments, cwd):
    return subprocess.run(["/usr/bin/mypy", "--config-file", str(SOURCE / "mypy.ini"),
                           "--cache-dir", str(cwd / "cache"), *map(str, arguments)], cwd=cwd,
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


def programs_of(page):
    """The blocks of a page in Python, as one program: what follows the prompts, or whole blocks."""
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        if ">>>" not in block:
            yield block
            continue
        for line in block.splitlines():
            if re.match(r">>> |\.\.\. |\.\.\.$", line):
                yield line[4:]


def test_mypy_accepts_the_guide(tmp_path):
    page = (SOURCE.parent.parent / "docs" / "python.md").read_text()
    program = "\n".join(programs_of(page))
    assert "tags |= " in program and "@mayfly.memoize" in program and "KVStore" in program
    (tmp_path / "guide.py").write_text(program)
    # The guide's own functions have no annotations; all else is as strict as it gets.
    checked = mypy("--strict", "--allow-untyped-defs", "--allow-untyped-calls",
                   "--follow-imports=silent", tmp_path / "guide.py", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_strict_programs_are_accepted_and_results_have_types(tmp_path):
    (tmp_path / "right.py").write_text(textwrap.dedent("""
        from mayfly import (FOREVER, KEEP, Database, Hash, KVStore, List, NotFoundError, Policy,
                            Reaper, Set, SortedSet, Transaction, memoize)

        db = Database()

        @memoize(db, ttl=60)
        def double(x: int, *, plus: int = 0) -> int:
            return 2 * x + plus

        @memoize(db)
        async def text(x: int) -> str:
            return str(x)

        class Reports:
            @memoize(db)
            def of(self, day: int) -> str:
                return str(day)

        async def work(tx: Transaction) -> str:
            fields: Hash = tx.hash("h")
            fields.update({"user": "alice"}, theme="dark")
            fields["code", 90] = "4711"
            names: Set = db.set("s")
            names |= {"a", b"b"}
            names &= {"a"}
            board: SortedSet = db.sorted_set("z")
            board.update({"bob": 2})
            values: List = db.list("l")
            values += ["a"]
            found: bool = double.forget(1, plus=2)
            reaper: Reaper = db.start_reaper()
            total: int = double(1) + double.__wrapped__(2) + len(double.key(1))
            return await text(total) + Reports().of(1)
    """))
    (tmp_path / "wrong.py").write_text(textwrap.dedent("""
        from mayfly import Database, memoize

        db = Database()

        @memoize(db)
        def double(x: int) -> int:
            return 2 * x

        double("a")
        name: str = double(1)
        double.forget()
        double.unknown
    """))
    checked = mypy("--strict", "--follow-imports=silent", tmp_path / "right.py", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    refused = mypy("--strict", "--follow-imports=silent", tmp_path / "wrong.py", cwd=tmp_path)
    assert refused.stdout.count("error:") == 4, refused.stdout + refused.stderr


def test_all_names_what_the_package_offers():
    offered = {name for name, value in vars(mayfly).items()
               if not name.startswith("_") and not isinstance(value, types.ModuleType)}
    assert sorted(mayfly.__all__) == sorted(offered)
