#!/usr/bin/env python3
"""Instructions per call of the library, under callgrind.

  library_instructions.py LIBRARY_CALLS [CALL ...] [--engine memory-first|rocks] [--calls N] [--functions N]

LIBRARY_CALLS is the program of library_calls.cc. Each call is run twice, with none and with N calls;
the difference, divided by N, is what one costs, with all threads. With --functions the dearest
functions are shown, with what they call.
"""
import argparse
import pathlib
import re
import subprocess
import tempfile

CALLS = ["get", "put", "put-new", "put-ttl", "scan", "purge", "item-get", "item-put", "item-update"]


def counted(options, call, number):
    """Instructions by function, what they call included; and of all together under ''."""
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "callgrind.out"
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}",
                        options.program, options.engine, call, str(number)],
                       check=True, capture_output=True)
        shown = subprocess.run(
            ["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(profile)],
            check=True, capture_output=True, text=True).stdout
    found = {}
    for line in shown.splitlines():
        match = re.match(r"\s*([\d,]+) \([ \d.]+%\)\s+(.*)", line)
        if not match:
            continue
        name = re.sub(r"^\S+?:(?=\S)|\s*\[.*?\]$", "", match[2]) if "PROGRAM" not in match[2] else ""
        found[name] = found.get(name, 0) + int(match[1].replace(",", ""))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("call", nargs="*", default=CALLS)
    parser.add_argument("--engine", default="memory-first")
    parser.add_argument("--calls", type=int, default=4000)
    parser.add_argument("--functions", type=int, default=0)
    options = parser.parse_args()
    for call in options.call:
        before, after = (counted(options, call, number) for number in (0, options.calls))
        costs = {name: (cost - before.get(name, 0)) / options.calls for name, cost in after.items()}
        print(f"{call:12} {costs.pop(''):10.0f}", flush=True)
        for name in sorted(costs, key=costs.get, reverse=True)[:options.functions]:
            print(f"  {costs[name]:10.0f}  {name[:120]}")


if __name__ == "__main__":
    main()
