// The spans of a forecast: asked for in bounded pages and added up, so that the chart fills from the left and other
// clients never wait for it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { fields, list, number, text } from '../../api/reply';
import { call } from '../../api/server';

// Whose deaths are counted: those of a database, or of the keyspace of this name.
export interface Source {
  db: number;
  keyspace?: string;
}

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

const firstOf = (window: Window, step: number, now: number) => window.from ?? Math.floor(now / step) * step;

// `now`: the server's, when a count begins. `round` counts anew, and what was counted before stays until then; `limit` is
// how many keys may be counted.
export function useSpans(
  { db, keyspace }: Source,
  window: Window,
  now: () => number,
  round: number,
): Counted & { goOn: () => void } {
  const [counted, setCounted] = useState<Counted | null>(null);
  const [limit, setLimit] = useState(kKeysUnasked);
  const place = useRef<{ round: number; from: number; cursor: string; spans: Map<number, Span>; keys: number } | null>(
    null,
  );
  const step = stepOf(window.length);
  const mark = JSON.stringify([db, keyspace, window.from, window.length]);

  useEffect(() => {
    place.current = null;
    setCounted(null);
    setLimit(kKeysUnasked);
  }, [mark]);

  useEffect(() => {
    let current = true;
    if (place.current?.round !== round) place.current = null;
    const from = place.current?.from ?? firstOf(window, step, now());
    let at = place.current ?? { round, from, cursor: '', spans: new Map<number, Span>(), keys: 0 };
    const state = (complete: boolean, paused: boolean, fault = ''): Counted => {
      const spans = [...at.spans.values()].sort((a, b) => a.begin - b.begin);
      return { spans, from, to: from + window.length, step, keys: at.keys, complete, paused, fault };
    };
    const count = async () => {
      try {
        for (;;) {
          const [next, rows] = list(
            await call(
              db,
              'TTL.FORECAST',
              ...(keyspace ? ['KEYSPACE', keyspace] : []),
              'BUCKET',
              step,
              'BUCKETS',
              Math.ceil(window.length / step),
              ...(at.cursor ? ['CURSOR', at.cursor] : ['FROM', Math.floor(from)]),
            ),
          );
          if (!current) return;
          const spans = addUp(at.spans, list(rows).map(fields));
          const keys = [...spans.values()].reduce((sum, one) => sum + one.keys, 0);
          at = { round, from, cursor: text(next), spans, keys };
          if (at.cursor === '0') return setCounted(state(true, false));
          if (at.keys >= limit) {
            place.current = at;
            return setCounted(state(false, true));
          }
          // The first count fills the chart from the left.
          setCounted((old) => (old?.complete ? old : state(false, false)));
        }
      } catch (fault) {
        if (current) setCounted(state(false, false, (fault as Error).message));
      }
    };
    count();
    return () => {
      current = false;
    };
  }, [mark, limit, round]);

  const from = firstOf(window, step, now());
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
