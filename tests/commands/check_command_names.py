"""check_command_names.py - finds code that knows a command by its name.

Everything about a command that can be data is in its line of a table (command.h), so that a new command is one line
and one handler. A name that is compared elsewhere is a second place to change, which is easily overlooked.

The names are read from the tables, `constexpr CommandSpec k...[]`. In the files of src/server, src/console and the shell,
tests aside, four things are refused:
(1) a comparison of what is called a name, or of the first argument, with the name of a command;
(2) a lookup in the table of a command of a known name;
(3) a text that lists commands, with blanks between them;
(4) an initialiser that lists commands, and nothing else.
"""
import pathlib
import re
import sys

FOLDERS = ("src/server", "src/console", "apps/mayfly/shell")

# "path: name" -> why it may be there. Empty is best.
ALLOWED = {}

TABLE = re.compile(r"constexpr CommandSpec k\w+\[\] = \{\n(.*?)\n\};", re.DOTALL)
LINE = re.compile(r'\{\s*"([^"]+)",\s*-?\d+,')
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TEXT = r'"((?:[^"\\\n]|\\.)*)"'

SUBJECT = r"(?:\bname\b|\bfull_name\b|\bargs\[0\]|\bargs\.front\(\)|\bcommand\b)(?:\(\))?"
COMPARISONS = [
    re.compile(SUBJECT + r"\s*[!=]=\s*" + TEXT),
    re.compile(TEXT + r"\s*[!=]=\s*[\w.>-]*" + SUBJECT),
    re.compile(SUBJECT + r"\.(?:starts_with|ends_with|compare|find)\(" + TEXT),
    re.compile(r"\b(?:IsWord|HasWord|EqualsIgnoreCase)\([\w.>()-]*" + SUBJECT + r",\s*" + TEXT),
]
LOOKS = [re.compile(r"\b(?:Find|FindFullName|FindSubcommand)\((?:[^()\"]*,\s*)?" + TEXT + r"\)")]
LIST = re.compile(r"\{((?:\s*" + TEXT + r"\s*,?)+)\}")
LISTED_MIN = 3


def names_of(sources):
    """The names of all commands, of subcommands alone as well as behind that of their command."""
    names = set()
    for text in sources.values():
        for table in TABLE.findall(text):
            names.update(LINE.findall(table))
    return names


def is_name(text, names):
    return bool(text) and all(part in names for part in text.lower().split("|"))


def without_tables(text):
    """The text with tables and comments blanked out, so that lines keep their numbers."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    return COMMENT.sub(blank, TABLE.sub(blank, text))


def found_in(text, names):
    """(offset, name, what is wrong) for each."""
    for pattern in COMPARISONS:
        for match in pattern.finditer(text):
            if is_name(match[1], names) or any(name.endswith(match[1]) for name in names if "_with(" in match[0]):
                yield match.start(), match[1], "is compared"
    for pattern in LOOKS:
        for match in pattern.finditer(text):
            if is_name(match[1], names):
                yield match.start(), match[1], "is looked for"
    for match in re.finditer(TEXT, text):
        words = match[1].split()
        if len(words) >= LISTED_MIN and all(is_name(word, names) for word in words):
            yield match.start(), words[0], "is listed in a text"
    for match in LIST.finditer(text):
        words = re.findall(TEXT, match[1])
        if len(words) >= LISTED_MIN and all(is_name(word, names) for word in words):
            yield match.start(), words[0], "is listed"


def check(root):
    """What is wrong, a line each."""
    files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".h", ".cc") and path.is_file()]
    shipped = [path for path in files if not re.search(r"_(test|testing|fuzz|bench)\.(h|cc)$|/testing/", str(path))]
    sources = {path.relative_to(root).as_posix(): path.read_text() for path in shipped}
    names = names_of(sources)
    problems = []
    for path, text in sources.items():
        code = without_tables(text)
        for offset, name, what in sorted(set(found_in(code, names))):
            if f"{path}: {name}" in ALLOWED:
                continue
            line = code.count("\n", 0, offset) + 1
            problems.append(f"{path}:{line}: \"{name}\" {what}. Say it with a flag in the command's line (command.h).")
    if not names:
        problems.append("no table of commands was found: the check has to follow them")
    return problems


def main():
    problems = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
