"""The check refuses a library with an empty unwind entry, and takes one without.

Method: two functions in assembly, the first with a body or without, linked with lld, as a build
does: ld drops empty entries by itself.
"""

import pathlib
import subprocess
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("check_unwind.py")

SOURCE = """
    .text
    .globl first, second
first:
    .cfi_startproc
    {body}
    .cfi_endproc
second:
    .cfi_startproc
    ret
    .cfi_endproc
    .section .note.GNU-stack, "", @progbits
"""


class CheckUnwind(unittest.TestCase):
    def check(self, body):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "two.s")
            library = pathlib.Path(folder, "libtwo.so")
            source.write_text(SOURCE.format(body=body))
            subprocess.run(["cc", "-fuse-ld=lld", "-shared", "-nostdlib", "-o", library, source], check=True)
            return subprocess.run(["python3", CHECK, library], stderr=subprocess.PIPE, text=True)

    def test_functions_of_some_length_are_taken(self):
        result = self.check("ret")
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.returncode, 0)

    def test_a_function_of_no_length_is_refused(self):
        result = self.check("")
        self.assertEqual(result.returncode, 1)
        self.assertIn("is empty", result.stderr)
        self.assertIn("two unwind entries begin at", result.stderr)

    def test_a_file_without_entries_is_refused(self):
        result = subprocess.run(["python3", CHECK, "/dev/null"], stderr=subprocess.PIPE, text=True)
        self.assertNotEqual(result.returncode, 0)


if __name__ == "__main__":
    unittest.main()
