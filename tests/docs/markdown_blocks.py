"""Finds the code blocks of a Markdown page, and the comments that say what to do with them.

A block is fenced, with a language, or indented by four spaces. A comment in front of a block tells
the runner about it:

    <!-- not run: REASON -->      leave it alone
    <!-- file: NAME -->           write it to the file NAME
    <!-- before: COMMAND -->      run this in the page's shell first; readers do not need it
    <!-- terminal -->             show its commands a terminal, for which programs draw
"""

import dataclasses
import re

FENCE = re.compile(r"^( *)(```+|~~~+) *([A-Za-z0-9_+-]*) *$")
DIRECTIVE = re.compile(r"^\s*<!--\s*(not run|file|before|terminal)\b:?\s*(.*?)\s*-->\s*$")
LIST_ITEM = re.compile(r"^( *)([-*+]|\d+[.)])( +)\S")
INDENT = 4


class Fault(Exception):
    """A block that cannot be read or run, or whose output is not as shown."""


@dataclasses.dataclass
class Block:
    page: str
    line: int  # Of its first line of code, from 1.
    language: str
    text: str
    not_run: str = ""
    file: str = ""
    terminal: bool = False
    before: list[str] = dataclasses.field(default_factory=list)

    @property
    def where(self):
        return f"{self.page}:{self.line}"


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


def language_of(lines):
    """The language of an indented block, as far as its first line shows it."""
    if lines[0].startswith("$ "):
        return "console"
    if lines[0].startswith("> "):
        return "redis"
    return ""


class Reader:
    """Goes over the lines of a page once."""

    def __init__(self, page, text):
        self.page = page
        self.lines = text.split("\n")
        self.at = 0
        self.blocks = []
        self.directives = []  # In front of the next block: (name, value, line).
        self.list_indent = 0  # Of the text of the list item that contains this line.

    def read(self):
        blank = True
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if match := FENCE.match(line):
                self.read_fence(match)
                blank = True
            elif match := DIRECTIVE.match(line):
                self.directives.append((match[1], match[2], self.at + 1))
                self.at += 1
            elif not line.strip():
                blank = True
                self.at += 1
            elif blank and indent_of(line) >= self.list_indent + INDENT:
                self.read_indented()
            else:
                self.read_text(line)
                blank = False
        self.refuse_directives()
        return self.blocks

    def read_text(self, line):
        self.refuse_directives()
        if match := LIST_ITEM.match(line):
            self.list_indent = len(match[1]) + len(match[2]) + len(match[3])
        elif indent_of(line) == 0:
            self.list_indent = 0
        self.at += 1

    def read_fence(self, match):
        indent, fence, language = len(match[1]), match[2], match[3]
        begin = self.at + 1
        for end in range(begin, len(self.lines)):
            if self.lines[end].strip() == fence:
                lines = [line[min(indent, indent_of(line)):] for line in self.lines[begin:end]]
                self.at = end + 1
                return self.add(begin + 1, language, lines)
        raise Fault(f"{self.page}:{begin}: this fence is not closed")

    def read_indented(self):
        begin = self.at
        indent = self.list_indent + INDENT
        end = begin
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip():
                if indent_of(line) < indent:
                    break
                end = self.at + 1
            self.at += 1
        self.at = end
        lines = [line[indent:] for line in self.lines[begin:end]]
        self.add(begin + 1, language_of(lines), lines)

    def add(self, line, language, lines):
        block = Block(self.page, line, language, "\n".join(lines) + "\n")
        for name, value, where in self.directives:
            if name == "terminal":
                block.terminal = True
                continue
            if not value:
                what = "a reason" if name == "not run" else "a value"
                raise Fault(f"{self.page}:{where}: `{name}` without {what}")
            if name == "not run":
                block.not_run = value
            elif name == "file":
                block.file = value
            else:
                block.before.append(value)
        self.directives = []
        self.blocks.append(block)

    def refuse_directives(self):
        if self.directives:
            name, _, line = self.directives[0]
            raise Fault(f"{self.page}:{line}: `{name}` is not in front of a block")


def read_blocks(page, text):
    return Reader(page, text).read()
