#!/usr/bin/env python3
"""Shows the plain comments of a public header to Doxygen as its own.

Headers are written for people who read them: // and /* */ without markup. Doxygen wants /// and
/** */, and gives a meaning to some characters. Indented lines of a comment are code or a drawing,
and are shown as they are.
"""

import re
import sys

SPECIAL = re.compile(r"[@\\<>#%&\"]")
BANNER = re.compile(r"^\s*/\* -+.*-+ \*/$")
TRAILING_LINE = re.compile(r"^(\s*[^\s/].*\S)\s+// (.*)$")
TRAILING_BLOCK = re.compile(r"^(\s*[^\s/*].*\S)\s+/\* (.*)$")
NOT_DECLARED = ("}", "#if", "#endif")  # A comment behind these is about no declaration.


def escape(text):
    """Characters stand for themselves, but for code in backticks."""
    parts = text.split("`")
    parts[::2] = [SPECIAL.sub(lambda match: "\\" + match[0], part) for part in parts[::2]]
    return "`".join(parts)


class Filter:
    def __init__(self):
        self.is_first = True      # The first comment of a file is about the file.
        self.in_block = False     # Within /* */.
        self.in_comment = False   # Behind a line of //.
        self.is_blank = False     # Behind a blank line of a comment.
        self.in_verbatim = False  # Within indented lines behind it.

    def comment(self, text):
        """The lines for one line of a comment, without their //."""
        if text.startswith("  ") and (self.is_blank or self.in_verbatim):
            begin = [] if self.in_verbatim else ["@verbatim"]
            self.in_verbatim = True
            return [*begin, text]
        self.is_blank = not text.strip()
        if self.is_blank:
            return [""]
        if self.is_first:
            self.is_first = False
            return ["@file", "@brief " + escape(text.split(" - ", 1)[-1])]
        return [*self.end_verbatim(), escape(text)]

    def end_verbatim(self):
        end = ["@endverbatim"] if self.in_verbatim else []
        self.in_verbatim = False
        return end

    def block(self, begin, text):
        """A line of /* */, its first with `begin`."""
        is_last = text.rstrip().endswith("*/")
        lines = self.comment(text.rstrip().removesuffix("*/").rstrip())
        if is_last:
            lines += self.end_verbatim()
        self.in_block = not is_last
        return begin + "\n".join(lines) + (" */" if is_last else "")

    def line(self, line):
        if self.in_block:
            return self.block("", re.sub(r"^\s*\*(?: |$)", "", line))
        stripped = line.lstrip()
        if stripped.startswith("//"):
            self.in_comment = True
            return "\n".join(f"/// {text}" for text in self.comment(stripped[2:].removeprefix(" ")))
        end = ""
        if self.in_comment and self.end_verbatim():
            end = "/// @endverbatim\n"
        self.in_comment = False
        return end + self.code(line, stripped)

    def code(self, line, stripped):
        if BANNER.match(line):
            return ""
        if stripped.startswith("/* "):
            return self.block("/** ", stripped[3:])
        if not stripped.startswith(NOT_DECLARED):
            if match := TRAILING_LINE.match(line):
                return f"{match[1]}  ///< {escape(match[2])}"
            if match := TRAILING_BLOCK.match(line):
                return match[1] + self.block(" /**< ", match[2])
        return line


def main():
    rewrite = Filter()
    with open(sys.argv[1], encoding="utf-8") as header:
        for line in header:
            print(rewrite.line(line.rstrip("\n")))


if __name__ == "__main__":
    main()
