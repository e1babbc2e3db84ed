// The spans of a forecast: asked for in bounded pages and added up, so that the chart fills from the left and other
// clients never wait for it.
import { useEffect, useState } from 'preact/hooks';
import { fields, list, number, text } from '../../api/reply';
import { call } from '../../api/server';

export interface Span {
  begin: number;
  end: number;
  keys: number;
  bytes: number;
}

export interface Window {
  from: number | null; // null: from now on.
  length: number;
}

export interface Counted {
  spans: Span[];
  from: number;
  to: number;
  step: number;
  keys: number;
  complete: boolean;
  paused: boolean;
  fault: string;
}

const kBars = 60;
const kSteps = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 432_000,
  864_000, 2_592_000, 7_776_000, 31_536_000,
].map((seconds) => seconds * 1000);
const kKeysUnasked = 200_000; // Counted without being asked to go on.

export const stepOf = (length: number): number =>
  kSteps.find((step) => length / step <= kBars) ?? kSteps[kSteps.length - 1];

function addUp(old: Map<number, Span>, rows: ReturnType<typeof fields>[]): Map<number, Span> {
  const all = new Map(old);
  for (const row of rows) {
    const begin = number(row.begin);
    const before = all.get(begin) ?? { begin, end: number(row.end), keys: 0, bytes: 0 };
    all.set(begin, { ...before, keys: before.keys + number(row.keys), bytes: before.bytes + number(row.bytes) });
  }
  return all;
}

// `now`: the server's, when the count begins. `round` asks anew; `limit` is how many keys may be counted.
export function useSpans(db: number, window: Window, now: () => number, round: number): Counted & { goOn: () => void } {
  const [counted, setCounted] = useState<Counted | null>(null);
  const [limit, setLimit] = useState(kKeysUnasked);
  const [place, setPlace] = useState<{ cursor: string; spans: Map<number, Span>; keys: number } | null>(null);
  const step = stepOf(window.length);
  const mark = JSON.stringify([db, window.from, window.length, round]);

  useEffect(() => {
    setPlace(null);
    setCounted(null);
    setLimit(kKeysUnasked);
  }, [mark]);

  useEffect(() => {
    let current = true;
    const from = window.from ?? now();
    let at = place ?? { cursor: '', spans: new Map<number, Span>(), keys: 0 };
    const state = (complete: boolean, paused: boolean, fault = ''): Counted => {
      const spans = [...at.spans.values()].sort((a, b) => a.begin - b.begin);
      const first = spans.length > 0 && window.from === null ? Math.min(from, spans[0].begin) : from;
      return { spans, from: first, to: first + window.length, step, keys: at.keys, complete, paused, fault };
    };
    const count = async () => {
      try {
        for (;;) {
          const [next, rows] = list(
            await call(
              db,
              'TTL.FORECAST',
              'BUCKET',
              step,
              'BUCKETS',
              Math.ceil(window.length / step),
              ...(at.cursor ? ['CURSOR', at.cursor] : window.from === null ? [] : ['FROM', Math.floor(window.from)]),
            ),
          );
          if (!current) return;
          const spans = addUp(at.spans, list(rows).map(fields));
          at = { cursor: text(next), spans, keys: [...spans.values()].reduce((sum, one) => sum + one.keys, 0) };
          if (at.cursor === '0') return setCounted(state(true, false));
          if (at.keys >= limit) {
            setPlace(at);
            return setCounted(state(false, true));
          }
          setCounted(state(false, false));
        }
      } catch (fault) {
        if (current) setCounted(state(false, false, (fault as Error).message));
      }
    };
    count();
    return () => {
      current = false;
    };
  }, [mark, limit]);

  const from = window.from ?? now();
  return {
    ...(counted ?? {
      spans: [],
      from,
      to: from + window.length,
      step,
      keys: 0,
      complete: false,
      paused: false,
      fault: '',
    }),
    goOn: () => setLimit(limit * 10),
  };
}
