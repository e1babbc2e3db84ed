#!/usr/bin/env python3
"""plot.py DIR - draws the CSV files that expiry_bench left in DIR, as SVG files beside them.

Standard library only. What is missing is skipped, so it can follow a run of one scenario.
"""
import csv
import math
import statistics
import sys
from pathlib import Path

WIDTH, HEIGHT = 820, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 46, 52
COLOURS = ["#1f6fb2", "#d1495b", "#3a9a5b", "#8a63b8", "#c98a1b"]
MIB = 1 << 20


def read(path):
    """The rows of a CSV file as dictionaries; numbers where they are some."""
    def number(text):
        try:
            return float(text)
        except ValueError:
            return text
    with open(path, newline="") as file:
        return [{name: number(text) for name, text in row.items()} for row in csv.DictReader(file)]


def ticks(low, high, count=6):
    """Round numbers that divide [low, high] into about `count` parts."""
    span = max(high - low, 1e-9)
    step = 10 ** math.floor(math.log10(span / count))
    step = next(step * m for m in (1, 2, 5, 10) if span / (step * m) <= count)
    first = math.ceil(low / step)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


class Chart:
    """Lines over a linear x axis; y is linear from zero, or logarithmic."""

    def __init__(self, title, x_title, y_title, log_y=False):
        self.title, self.x_title, self.y_title, self.log_y = title, x_title, y_title, log_y
        self.series = []   # (name, points, colour, dashes)
        self.marks = []    # (x, words): vertical lines
        self.names = {}    # of x, where it counts things instead of measuring them

    def line(self, name, points, dashed=False):
        points = [(x, y) for x, y in points if not self.log_y or y > 0]
        colour = COLOURS[len(self.series) % len(COLOURS)]
        if points:
            self.series.append((name, points, colour, "6 4" if dashed else ""))

    def mark(self, x, words):
        self.marks.append((x, words))

    def _bounds(self):
        xs = [x for _, points, _, _ in self.series for x, _ in points]
        ys = [y for _, points, _, _ in self.series for _, y in points]
        self.x_low, self.x_high = min(xs), max(xs)
        if self.log_y:
            self.y_low = 10 ** math.floor(math.log10(min(ys)))
            self.y_high = 10 ** math.ceil(math.log10(max(ys)))
        else:
            self.y_low, self.y_high = 0, 1.08 * max(ys)

    def _x(self, x):
        return LEFT + (x - self.x_low) / (self.x_high - self.x_low or 1) * (WIDTH - LEFT - RIGHT)

    def _y(self, y):
        low, high = self.y_low, self.y_high
        if self.log_y:
            low, high, y = math.log10(low), math.log10(high), math.log10(y)
        return HEIGHT - BOTTOM - (y - low) / (high - low or 1) * (HEIGHT - TOP - BOTTOM)

    def _grid(self):
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        for x in self.names or ticks(self.x_low, self.x_high, 9):
            yield f'<path class="grid" d="M{self._x(x):.1f} {TOP}V{bottom}"/>'
            yield f'<text x="{self._x(x):.1f}" y="{bottom + 18}" text-anchor="middle">'
            yield f"{self.names.get(x, f'{x:g}')}</text>"
        if self.log_y:
            powers = range(round(math.log10(self.y_low)), round(math.log10(self.y_high)) + 1)
            ys = [10.0 ** power for power in powers]
        else:
            ys = ticks(self.y_low, self.y_high)
        for y in ys:
            yield f'<path class="grid" d="M{LEFT} {self._y(y):.1f}H{right}"/>'
            yield f'<text x="{LEFT - 8}" y="{self._y(y) + 4:.1f}" text-anchor="end">{y:g}</text>'

    def svg(self):
        self._bounds()
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        middle_x, middle_y = (LEFT + right) / 2, (TOP + bottom) / 2
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}">',
            "<style>text{font:12px sans-serif;fill:#333}.title{font-size:15px;font-weight:bold}"
            ".grid{stroke:#e4e4e4;fill:none}.axis{stroke:#666;fill:none}"
            ".mark{stroke:#999;stroke-dasharray:2 3;fill:none}"
            ".line{fill:none;stroke-width:1.6;stroke-linejoin:round}</style>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
            f'<text class="title" x="{LEFT}" y="26">{self.title}</text>',
            *self._grid(),
            f'<path class="axis" d="M{LEFT} {TOP}V{bottom}H{right}"/>',
            f'<text x="{middle_x}" y="{HEIGHT - 12}" text-anchor="middle">{self.x_title}</text>',
            f'<text transform="translate(18 {middle_y}) rotate(-90)" '
            f'text-anchor="middle">{self.y_title}</text>',
        ]
        for x, words in self.marks:
            parts.append(f'<path class="mark" d="M{self._x(x):.1f} {TOP}V{bottom}"/>')
            parts.append(f'<text x="{self._x(x) + 4:.1f}" y="{TOP + 12}">{words}</text>')
        for i, (name, points, colour, dashes) in enumerate(self.series):
            path = "L".join(f"{self._x(x):.1f} {self._y(y):.1f}" for x, y in points)
            dash = f' stroke-dasharray="{dashes}"' if dashes else ""
            y = TOP + 10 + 20 * i
            parts.append(f'<path class="line" stroke="{colour}"{dash} d="M{path}"/>')
            parts.append(f'<path class="line" stroke="{colour}"{dash} d="M{right + 14} {y}h24"/>')
            parts.append(f'<text x="{right + 44}" y="{y + 4}">{name}</text>')
        return "\n".join([*parts, "</svg>\n"])


def column(rows, name, scale=1.0):
    return [(row["seconds"], row[name] * scale) for row in rows]


def steady(rows, name):
    chart = Chart(f"Rows come and die at the same rate ({name} memory)", "seconds", "MiB")
    chart.line("disk, logs and all", column(rows, "disk_bytes", 1 / MIB))
    chart.line("write-ahead logs", column(rows, "log_bytes", 1 / MIB))
    chart.line("living rows", column(rows, "live_bytes", 1 / MIB))
    chart.line("living rows x 1.5", column(rows, "live_bytes", 1.5 / MIB), dashed=True)
    return chart


def idle(rows):
    chart = Chart("Everything dies at once, and nobody writes", "seconds after the deadline", "MiB")
    chart.line("disk, logs and all", column(rows, "disk_bytes", 1 / MIB))
    chart.line("write-ahead logs", column(rows, "log_bytes", 1 / MIB))
    peak = max(row["disk_bytes"] for row in rows) / MIB
    chart.line("5% of the peak", [(row["seconds"], 0.05 * peak) for row in rows], dashed=True)
    chart.mark(0, "deadline")
    chart.mark(20, "promise")
    return chart


def burst(rows):
    """The median over runs, second by second."""
    chart = Chart("A million rows die at second 0", "seconds after the deadline",
                  "microseconds (p99)", log_y=True)
    for name, figure in (("put", "put_p99_us"), ("get", "get_p99_us")):
        for dying, words in ((1, "dying"), (0, "living on")):
            seconds = sorted({row["seconds"] for row in rows if row["dying"] == dying})
            points = [(second, statistics.median(row[figure] for row in rows
                                                 if row["dying"] == dying
                                                 and row["seconds"] == second))
                      for second in seconds]
            chart.line(f"{name}, {words}", points, dashed=not dying)
    chart.mark(0, "deadline")
    return chart


def scan(rows):
    chart = Chart("A scan where a million rows have died", "the rows are", "milliseconds",
                  log_y=True)
    chart.names = {i + 1: row["moment"] for i, row in enumerate(rows)}
    chart.line("range of the dead", [(i + 1, row["haunted_ms"]) for i, row in enumerate(rows)])
    chart.line("range that had none", [(i + 1, row["fresh_ms"]) for i, row in enumerate(rows)])
    return chart


CHARTS = {
    "steady_default": lambda rows: steady(rows, "default"),
    "steady_tiny": lambda rows: steady(rows, "tiny"),
    "idle": idle,
    "burst": burst,
    "scan": scan,
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, draw in CHARTS.items():
        source = Path(sys.argv[1]) / f"{name}.csv"
        rows = read(source) if source.exists() else []
        if len(rows) < 2:
            continue
        target = source.with_suffix(".svg")
        target.write_text(draw(rows).svg())
        print(target)


if __name__ == "__main__":
    main()
