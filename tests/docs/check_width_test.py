#!/usr/bin/env python3
"""Goal: check_width.py finds wide prose, and nothing else. Method: pages of a few lines."""

import unittest

from check_width import COLUMNS_MAX, too_wide

WIDE = "word " * (COLUMNS_MAX // 5) + "x"
FITS = WIDE[:COLUMNS_MAX]


class Width(unittest.TestCase):
    def test_prose_is_found_from_one_column_too_many(self):
        self.assertEqual(too_wide(f"{FITS}\n{WIDE}\n"), [(2, COLUMNS_MAX + 1)])

    def test_items_of_lists_are_prose(self):
        self.assertEqual(too_wide(f"- {WIDE}\n"), [(1, COLUMNS_MAX + 3)])
        self.assertEqual(too_wide(f"- an item\n\n    - {WIDE}\n"), [(3, COLUMNS_MAX + 7)])
        self.assertEqual(too_wide(f"- an item\n    {WIDE}\n"), [(2, COLUMNS_MAX + 5)])

    def test_tables_comments_and_code_are_not(self):
        self.assertEqual(too_wide(f"| {WIDE} |\n<!-- {WIDE} -->\n"), [])
        self.assertEqual(too_wide(f"```sh\n{WIDE}\n```\n"), [])
        self.assertEqual(too_wide(f"as here:\n\n    {WIDE}\n\n    {WIDE}\n"), [])

    def test_prose_behind_code_is_found(self):
        self.assertEqual(too_wide(f"```\n{WIDE}\n```\n{WIDE}\n"), [(4, COLUMNS_MAX + 1)])
        self.assertEqual(too_wide(f"    code\n\n{WIDE}\n"), [(3, COLUMNS_MAX + 1)])

    def test_one_long_word_cannot_be_broken(self):
        self.assertEqual(too_wide("- " + "x" * (COLUMNS_MAX + 1) + "\n"), [])


if __name__ == "__main__":
    unittest.main()
