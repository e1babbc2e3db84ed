// Lengths of time and instants in words, and the server's clock. The browser's own clock is never shown: the server
// says its time every second, and between two reports the page counts on for a moment, no further.
import { useEffect, useState } from 'preact/hooks';

const kCountOnMax = 1500;

let reported = 0;
let reportedAt = 0;
const watchers = new Set<() => void>();

export function report(nowMs: number): void {
  reported = nowMs;
  reportedAt = performance.now();
  for (const watcher of watchers) watcher();
}

export const serverNow = (): number =>
  reported === 0 ? 0 : Math.floor(reported + Math.min(performance.now() - reportedAt, kCountOnMax));

// Renders the caller again whenever the server reports its time.
export function useNow(): number {
  const [, render] = useState(0);
  useEffect(() => {
    const watcher = () => render((count) => count + 1);
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  }, []);
  return serverNow();
}

const kUnits: [string, number][] = [
  ['y', 365 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
];

// The two largest units: "4 min 12 s"; milliseconds only below a second.
export function length(ms: number): string {
  if (!Number.isFinite(ms)) return 'unknown';
  let left = Math.round(Math.abs(ms));
  if (left >= 1000) left -= left % 1000;
  const at = kUnits.findIndex(([, unit]) => left >= unit);
  if (at < 0) return '0 s';
  const parts: string[] = [];
  for (const [name, unit] of kUnits.slice(at, at + 2)) {
    const count = Math.floor(left / unit);
    if (count > 0) parts.push(`${count} ${name}`);
    left -= count * unit;
  }
  return parts.join(' ');
}

// All of it, as parseLength() reads it: "1h 30min".
export function exactLength(ms: number): string {
  let left = ms;
  const parts = kUnits.slice(1).map(([name, unit]) => {
    const count = Math.floor(left / unit);
    left -= count * unit;
    return count > 0 ? `${count}${name}` : '';
  });
  return parts.filter((part) => part !== '').join(' ') || '0ms';
}

export const until = (ms: number, now: number): string =>
  ms > now ? `in ${length(ms - now)}` : `${length(now - ms)} ago`;

const kDateMax = 8.64e15; // What Date can hold; deadlines may lie beyond.

export function instant(ms: number): string {
  if (!Number.isFinite(ms) || Math.abs(ms) > kDateMax) return `${ms} ms after 1970`;
  return new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.000Z$/, 'Z');
}

// "90s", "1h 30m", "2 d", "500ms"; a bare number is seconds. Milliseconds, or an error that says what is understood.
export function parseLength(words: string): number {
  const units: Record<string, number> = {
    ms: 1,
    s: 1000,
    sec: 1000,
    m: 60_000,
    min: 60_000,
    h: 3_600_000,
    d: 86_400_000,
    w: 604_800_000,
    y: 365 * 86_400_000,
  };
  const trimmed = words.trim();
  if (!/^(\d+(\.\d+)?\s*(ms|sec|s|min|m|h|d|w|y)?\s*)+$/.test(trimmed)) {
    throw new Error('write a length such as 90s, 15m, 1h 30m, 7d or 500ms');
  }
  let sum = 0;
  for (const [, count, , unit] of trimmed.matchAll(/(\d+(\.\d+)?)\s*(ms|sec|s|min|m|h|d|w|y)?/g)) {
    sum += Number(count) * units[unit ?? 's'];
  }
  return Math.round(sum);
}

// An instant as instant() writes it, or as a date alone; UTC unless it says otherwise. Also milliseconds since 1970.
export function parseInstant(words: string): number {
  const trimmed = words.trim();
  if (/^\d{11,}$/.test(trimmed)) return Number(trimmed);
  const form = /^\d{4,6}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,3})?)?)?\s*(Z|[+-]\d\d:\d\d)?$/;
  if (!form.test(trimmed)) throw new Error('write an instant such as 2030-01-31 23:59:00Z');
  const zoned = /(Z|[+-]\d\d:\d\d)$/.test(trimmed) ? trimmed : `${trimmed}Z`;
  const ms = Date.parse(
    zoned
      .replace(/^([^ T]+)Z$/, '$1')
      .replace(' ', 'T')
      .replace(/\s/g, ''),
  );
  if (Number.isNaN(ms)) throw new Error('there is no such instant');
  return ms;
}

// A length ("15m") from now on, an instant, or nothing.
export function parseTime(words: string, now: number): number | null {
  const trimmed = words.trim();
  if (trimmed === '') return null;
  if (trimmed === 'now') return now;
  if (/^\d{4,6}-|^\d{11,}$/.test(trimmed)) return parseInstant(trimmed);
  return now + parseLength(trimmed.replace(/^\+|^in /, ''));
}
