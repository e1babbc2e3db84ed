// Counts and sizes in words.

const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const count = (value: number): string => (Number.isFinite(value) ? grouped.format(value) : '–');

export const roughly = (value: number): string => (value < 10_000 ? count(value) : short.format(value));

export function size(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let at = 0;
  let left = value;
  while (left >= 1024 && at + 1 < units.length) {
    left /= 1024;
    at += 1;
  }
  return `${at === 0 || left >= 100 ? Math.round(left) : left.toFixed(1)} ${units[at]}`;
}

export const micros = (value: number): string =>
  value < 1000 ? `${Math.round(value)} µs` : `${(value / 1000).toFixed(1)} ms`;

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;
