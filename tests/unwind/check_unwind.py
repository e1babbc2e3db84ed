"""check_unwind - refuses binaries whose exceptions could not be caught.

    check_unwind.py BINARY...

An exception finds its handler through a table with one unwind entry per address. gcc can leave a
function of no length with an entry of its own, at the address of the next function; a linker that
keeps one entry per address may then keep the empty one, and an exception thrown through the real
function ends the process. So no entry may be empty, and no two may begin at one address.
"""

import re
import subprocess
import sys

# readelf names the file of each part of an archive, and the addresses of each entry.
ENTRY = re.compile(r"\bFDE\b.*\bpc=([0-9a-f]+)\.\.([0-9a-f]+)")


def entries(binary):
    """The begin and end of every unwind entry, as numbers."""
    listing = subprocess.run(["readelf", "--wide", "--debug-dump=frames", binary],
                             env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
                             stdout=subprocess.PIPE, text=True, check=True).stdout
    return [(int(begin, 16), int(end, 16)) for begin, end in ENTRY.findall(listing)]


def faults(binary):
    found = []
    begins = set()
    all_entries = entries(binary)
    if not all_entries:
        return [f"{binary}: no unwind entries were found, so nothing was checked"]
    for begin, end in all_entries:
        if begin == end:
            found.append(f"{binary}: the unwind entry at {begin:#x} is empty")
        if begin in begins:
            found.append(f"{binary}: two unwind entries begin at {begin:#x}")
        begins.add(begin)
    return found


def main(binaries):
    found = [fault for binary in binaries for fault in faults(binary)]
    for fault in found:
        print(fault, file=sys.stderr)
    if found:
        print("Exceptions could end the process there. Compile at -O2, as the preset release does, and "
              "the file it is in with -fno-reorder-blocks-and-partition.", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
