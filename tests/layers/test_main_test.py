"""Goal: ctest's entry for a file runs the tests of that file, all of them, and fails without any.
Method: the tests of `base`, listed and run by file.
"""
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop()


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60)


class TestMain(unittest.TestCase):
    def test_runs_the_tests_of_one_file(self):
        listed = run("--from=coding_test", "--gtest_list_tests")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn("Varint", listed.stdout)
        self.assertNotIn("Hash64", listed.stdout)
        self.assertLess(len(listed.stdout), len(run("--gtest_list_tests").stdout))

    def test_fails_for_a_file_without_tests(self):
        for name in ("no_such_test", "coding", ""):
            refused = run(f"--from={name}")
            self.assertEqual(refused.returncode, 2, refused.stdout)
            self.assertIn(f"{name}.cc has no test", refused.stderr)

    def test_refuses_arguments_it_does_not_know(self):
        self.assertEqual(run("--form=coding_test").returncode, 2)

    def test_leaves_a_filter_alone(self):
        listed = run("--from=coding_test", "--gtest_filter=Hash64*", "--gtest_list_tests")
        self.assertIn("Hash64", listed.stdout)
        self.assertNotIn("Varint", listed.stdout)


if __name__ == "__main__":
    unittest.main()
