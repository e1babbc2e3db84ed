// Pages of a list that is here already, whole and bounded.
import { useState } from 'preact/hooks';
import { count } from '../app/figures';

export function useSlices<T>(rows: T[], size = 50) {
  const [from, setFrom] = useState(0);
  const first = from >= rows.length ? 0 : from;
  return {
    rows: rows.slice(first, first + size),
    first,
    all: rows.length,
    size,
    move: (step: number) => setFrom(Math.max(0, first + step * size)),
  };
}

export function Slices({ of, what }: { of: ReturnType<typeof useSlices<any>>; what: string }) {
  if (of.all <= of.size) return null;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <button type="button" disabled={of.first === 0} onClick={() => of.move(-1)}>
        Back
      </button>
      <span aria-live="polite">
        {count(of.first + 1)} to {count(Math.min(of.all, of.first + of.size))} of {count(of.all)}
      </span>
      <button type="button" disabled={of.first + of.size >= of.all} onClick={() => of.move(1)}>
        Next
      </button>
    </nav>
  );
}
