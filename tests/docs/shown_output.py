"""Compares what a block shows with what it printed.

`...` stands for any text within a line, and alone on a line for any lines. An instant stands for any
other: a number of 13 digits, or a date and time such as 2026-11-16T20:03:07.818Z.
"""

import difflib
import re

ANY_INSTANT = r"\b(?:\d{13}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\b"
INSTANT = re.compile(ANY_INSTANT)


def pattern_of(line):
    parts = []
    for part in line.split("..."):
        pieces = INSTANT.split(part)
        parts.append(ANY_INSTANT.join(re.escape(piece) for piece in pieces))
    return ".*".join(parts)


def lines_of(text):
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def matches(shown, printed):
    pattern = ""
    for line in lines_of(shown):
        pattern += r"(?:[^\n]*\n)*" if line.strip() == "..." else pattern_of(line) + r"\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in lines_of(printed))) is not None


def difference(shown, printed):
    return "\n".join(difflib.unified_diff(lines_of(shown), lines_of(printed), "shown", "printed",
                                          lineterm=""))
