// Pages of a list whose server gives cursors. The page keeps the cursors it came by, and never the rows of other pages:
// a list of ten million keys costs what one page costs.
import { useEffect, useState } from 'preact/hooks';
import type { Asked } from './ask';
import { useAsk } from './ask';

export interface Part<T, C = string> {
  rows: T[];
  next: C | null; // null: the end
}

export interface Pages<T> extends Asked<Part<T, unknown>> {
  rows: T[];
  page: number;
  forward: (() => void) | null;
  back: (() => void) | null;
}

const kEmptyStepsMax = 8;

// `ask` gets null for the first page. Inputs that change begin anew.
export function usePages<T, C = string>(ask: (cursor: C | null) => Promise<Part<T, C>>, inputs: unknown[]): Pages<T> {
  const [trail, setTrail] = useState<(C | null)[]>([null]);
  const mark = JSON.stringify(inputs);
  useEffect(() => setTrail([null]), [mark]);
  const cursor = trail[trail.length - 1];
  const asked = useAsk(async () => {
    let part = await ask(cursor);
    // A server that looks at a bounded number of keys may find none of them; go on a little before saying so.
    for (let step = 0; part.rows.length === 0 && part.next !== null && step < kEmptyStepsMax; step += 1) {
      part = await ask(part.next);
    }
    return part;
  }, [mark, cursor]);
  const next = asked.value?.next ?? null;
  return {
    ...asked,
    rows: asked.value?.rows ?? [],
    page: trail.length,
    forward: next === null ? null : () => setTrail([...trail, next]),
    back: trail.length > 1 ? () => setTrail(trail.slice(0, -1)) : null,
  };
}
