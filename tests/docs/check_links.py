#!/usr/bin/env python3
"""Fails when a link between pages leads nowhere, or docs/README.md does not name a page.

Links to other sites are not tried. An anchor must be a heading, in GitHub's spelling.
"""

import argparse
import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?)\s*$", re.MULTILINE)
FENCED = re.compile(r"^ *(```+|~~~+).*?^ *\1 *$", re.MULTILINE | re.DOTALL)


def anchor_of(heading):
    text = LINK.sub(lambda match: match[0][1:match[0].index("]")], heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def text_of(page):
    return FENCED.sub("", page.read_text())


def anchors_of(page):
    return {anchor_of(heading) for heading in HEADING.findall(text_of(page))}


def faults_of(page, root):
    for target in LINK.findall(text_of(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"{page.relative_to(root)}: {target} does not exist"
        elif anchor and file.suffix == ".md" and anchor not in anchors_of(file):
            yield f"{page.relative_to(root)}: {target} has no such heading"


def find_faults(root):
    docs = root / "docs"
    for page in [*sorted(root.glob("*.md")), *sorted(docs.rglob("*.md"))]:
        yield from faults_of(page, root)
    index = docs / "README.md"
    linked = {(docs / target.partition("#")[0]).resolve() for target in LINK.findall(text_of(index))}
    for page in sorted(docs.rglob("*.md")):
        apart = page.relative_to(docs).parts[0] in ("decisions", "formats", "reference")
        if page != index and not apart and page not in linked:
            yield f"docs/README.md does not name {page.relative_to(docs)}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--root", type=pathlib.Path, required=True)
    faults = list(find_faults(arguments.parse_args().root.resolve()))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
