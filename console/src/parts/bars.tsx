// A chart of bars over time, by uPlot. Dragging over it zooms, a click takes a bar. Its view shows the same figures as
// a table, for the keyboard and for screen readers.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface Bar {
  begin: number;
  end: number;
  value: number;
}

const colorOf = (element: Element, name: string) => getComputedStyle(element).getPropertyValue(name).trim();

// Marks of the time axis by how far they are apart, in UTC; the day is said where it begins, and at the first mark.
function marks(_: uPlot, splits: number[], __: number, ___: number, apart: number): string[] {
  return splits.map((ms, at) => {
    const iso = new Date(ms).toISOString();
    const [day, time] = [iso.slice(0, 10), iso.slice(11)];
    if (apart >= 28 * 86_400_000) return day.slice(0, 7);
    if (apart >= 86_400_000) return at === 0 ? day : day.slice(5);
    const words = apart < 1000 ? time.slice(3, 12) : apart < 60_000 ? time.slice(0, 8) : time.slice(0, 5);
    return at === 0 || time.startsWith('00:00:00.000') ? `${words}\n${day}` : words;
  });
}

function options(
  host: HTMLElement,
  height: number,
  range: () => [number, number],
  words: (value: number) => string,
  upright: number[],
): uPlot.Options {
  const axis = {
    stroke: colorOf(host, '--muted'),
    grid: { stroke: colorOf(host, '--line'), width: 1 },
    ticks: { stroke: colorOf(host, '--line'), width: 1 },
    font: '12px system-ui, sans-serif',
  };
  return {
    width: host.clientWidth,
    height,
    ms: 1,
    tzDate: (ms) => uPlot.tzDate(new Date(ms), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
    scales: { x: { time: true, range }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
    axes: [
      { ...axis, values: marks, space: 70 },
      { ...axis, size: 64, incrs: upright, values: (_, ticks) => ticks.map(words) },
    ],
    series: [
      {},
      {
        fill: colorOf(host, '--accent'),
        width: 0,
        points: { show: false },
        paths: uPlot.paths.bars!({ size: [0.88, 400], align: 1 }),
      },
    ],
    padding: [12, 12, 0, 0],
  };
}

// A bar is as wide as two neighbours are apart: so that of a bar without one, its end is a neighbour without a value.
function pointsOf(bars: Bar[]): uPlot.AlignedData {
  const [begins, values]: [number[], (number | null)[]] = [[], []];
  bars.forEach(({ begin, end, value }, at) => {
    begins.push(begin);
    values.push(value);
    if (bars[at + 1]?.begin !== end) {
      begins.push(end);
      values.push(null);
    }
  });
  return [begins, values];
}

export function Bars({
  label,
  bars,
  from,
  to,
  height = 240,
  words,
  marks: upright,
  take,
  zoom,
  theme,
}: {
  label: string;
  bars: Bar[];
  from: number;
  to: number;
  height?: number;
  words: (value: number) => string;
  marks: number[];
  take: (bar: Bar) => void;
  zoom: (from: number, to: number) => void;
  theme: string;
}) {
  const host = useRef<HTMLDivElement>(null);
  const now = useRef({ bars, take, zoom, from, to });
  now.current = { bars, take, zoom, from, to };
  const chart = useRef<uPlot | null>(null);

  useEffect(() => {
    const element = host.current!;
    const plot = new uPlot(
      options(element, height, () => [now.current.from, now.current.to], words, upright),
      [[], []],
      element,
    );
    chart.current = plot;
    let dragged = false;
    plot.hooks.setSelect = [
      () => {
        dragged = plot.select.width > 6;
        if (!dragged) return;
        now.current.zoom(
          plot.posToVal(plot.select.left, 'x'),
          plot.posToVal(plot.select.left + plot.select.width, 'x'),
        );
        plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
      },
    ];
    const clicked = () => {
      if (dragged) {
        dragged = false;
        return;
      }
      const at = plot.posToVal(plot.cursor.left ?? -1, 'x');
      const bar = now.current.bars.find((one) => one.begin <= at && at < one.end);
      if (bar) now.current.take(bar);
    };
    plot.over.addEventListener('click', clicked);
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
      chart.current = null;
    };
  }, [theme, height, words]);

  useEffect(() => {
    chart.current?.setData(pointsOf(bars));
  }, [bars, from, to, theme, words]);

  return <div class="chart" ref={host} role="img" aria-label={label} />;
}
