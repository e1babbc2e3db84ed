#!/usr/bin/env python3
"""Makes a copy of Lua's static library whose strings are hashed by all of their bytes.

Usage: hash_whole_strings.py LIBRARY COPY

Lua 5.1 keeps every string once, in a hash table, and takes about 32 bytes of a string for its hash: each
(length >> 5) + 1st. Strings of 1 kB that differ in the others form one chain, which each new one is compared with,
and a script that makes n of them takes n * n steps. With a shift by 63 the step is 1, for every length there can
be. That is one byte of one instruction of luaS_newlstr(); no other place shifts a 64-bit register by five in that
object. Exits with 1, and a line that says why, when the object does not look as expected.
"""
import sys

MEMBER = b"lstring-c++.o"
MAGIC = b"!<arch>\n"
HEADER = 60                            # Of a member: its name in 16 bytes, its size in 10 decimals from 48.
SHIFT_BY_5 = b"\x48\xc1\xe9\x05"       # shr $5, %rcx
NEXT = b"\x48\x83\xc1\x01"             # add $1, %rcx; a few instructions later
NEXT_WITHIN = 16
STEP_OF_ONE = 63


def member_range(archive, name):
    at = len(MAGIC)
    while at + HEADER <= len(archive):
        header = archive[at:at + HEADER]
        size = int(header[48:58])
        if header[:16].rstrip() == name + b"/":
            return at + HEADER, at + HEADER + size
        at += HEADER + size + size % 2
    return None


def patched(archive):
    if not archive.startswith(MAGIC):
        raise ValueError("not an archive")
    place = member_range(archive, MEMBER)
    if place is None:
        raise ValueError(f"no member {MEMBER.decode()}")
    member = archive[place[0]:place[1]]
    at = member.find(SHIFT_BY_5)
    if at < 0 or member.count(SHIFT_BY_5) != 1:
        raise ValueError("not one shift by five")
    behind = at + len(SHIFT_BY_5)
    if NEXT not in member[behind:behind + NEXT_WITHIN]:
        raise ValueError("no addition of one behind the shift")
    byte = place[0] + behind - 1
    return archive[:byte] + bytes([STEP_OF_ONE]) + archive[byte + 1:]


def main():
    library, copy = sys.argv[1:]
    with open(library, "rb") as file:
        archive = file.read()
    try:
        changed = patched(archive)
    except ValueError as error:
        sys.exit(f"{library}: {error}")
    with open(copy, "wb") as file:
        file.write(changed)


if __name__ == "__main__":
    main()
