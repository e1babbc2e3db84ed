#!/usr/bin/env python3
"""Fails when a line of prose in a page is wider than 100 columns.

Tables, code blocks and comments are excepted: breaking their lines would change them. So is a line
of a single word, such as a long link.
"""

import argparse
import pathlib
import re
import sys

COLUMNS_MAX = 100
FENCE = re.compile(r"^ *(```+|~~~+)")
ITEM = re.compile(r"^ *([-*+]|\d+\.) +")


def prose_of(text):
    """The lines of prose, with their numbers from 1 on."""
    fence = None
    indented = True  # Whether four spaces begin a code block here: after a blank line, or in one.
    for number, line in enumerate(text.splitlines(), start=1):
        found = FENCE.match(line)
        if fence or found:
            if fence is None:
                fence = found[1]
            elif line.strip() == fence:
                fence = None
            continue
        if not line.strip():
            indented = True
            continue
        if line.startswith("    ") and indented and not ITEM.match(line):
            continue
        indented = False
        if not line.lstrip().startswith(("|", "<!--")):
            yield number, line


def too_wide(text):
    return [(number, len(line)) for number, line in prose_of(text)
            if len(line) > COLUMNS_MAX and len(ITEM.sub("", line).split()) > 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=pathlib.Path, required=True)
    root = parser.parse_args().root.resolve()
    faults = 0
    for page in [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]:
        for number, width in too_wide(page.read_text()):
            print(f"{page.relative_to(root)}:{number}: {width} columns of prose, at most "
                  f"{COLUMNS_MAX}", file=sys.stderr)
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
