"""What the tests of packages share."""
import subprocess


def run(*command, **options):
    """The output of a command that must succeed."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}")
    return done.stdout


def check_pages(test, share, zsh):
    """Man pages and completions below `share` are those of the program, and the tools find them there."""
    pages = {path.name for path in (share / "man/man1").iterdir()}
    test.assertLess({"mayfly.1.gz", "mayfly-serve.1.gz", "mayfly-keyspace-policy.1.gz"}, pages)
    test.assertEqual([name for name in pages if not name.endswith(".1.gz")], [])
    title = run("gzip", "-dc", share / "man/man1/mayfly-get.1.gz").splitlines()[0]
    test.assertTrue(title.startswith(".TH MAYFLY-GET 1 "), title)
    test.assertIn("mayfly", run("bash", "-c", 'source "$1" && complete -p mayfly', "bash",
                                share / "bash-completion/completions/mayfly"))
    test.assertTrue((share / "zsh" / zsh / "_mayfly").read_text().startswith("#compdef mayfly"))
