// A change of many keys, step by step: each key by its own command, so that ACL, policies and limits decide about each.
// Found keys are counted first (a preview), then changed; both can be stopped between two steps.
import type { Bytes } from '../../api/bytes';
import { nameOf } from '../../api/bytes';
import type { Reply } from '../../api/reply';
import { bytes, isError, list, number, text } from '../../api/reply';
import type { Command } from '../../api/server';
import { call, replies } from '../../api/server';

export type What = 'DELETE' | 'EXPIRE' | 'PERSIST';

export interface Keys {
  db: number;
  match?: Bytes; // Keys like this; otherwise those that die in the window.
  from?: string;
  to?: string;
}

export interface Work {
  looked: number; // Keys looked at, roughly.
  all: number; // Of these; 0: not known.
  found: number;
  changed: number;
  refused: number;
  firstError: string;
  examples: Bytes[];
  state: 'running' | 'done' | 'stopped';
}

const kPage = 2000;
const kExamples = 5;

const nothing = (all: number): Work => ({
  looked: 0,
  all,
  found: 0,
  changed: 0,
  refused: 0,
  firstError: '',
  examples: [],
  state: 'running',
});

async function page({ db, match, from, to }: Keys, cursor: string): Promise<[string, Bytes[]]> {
  const window = [...(from ? ['FROM', from] : []), ...(to ? ['TO', to] : [])];
  const command: Command =
    match !== undefined
      ? ['SCAN', cursor || '0', 'MATCH', match, 'COUNT', kPage]
      : ['TTL.SCAN', ...window, 'COUNT', kPage, ...(cursor ? ['CURSOR', cursor] : [])];
  const [next, rows] = list(await call(db, ...command));
  return [text(next), list(rows).map((row) => bytes(match !== undefined ? row : list(row)[0]))];
}

const commandFor = (what: What, key: Bytes, life: number): Command => {
  if (what === 'DELETE') return ['UNLINK', key];
  return what === 'EXPIRE' ? ['PEXPIRE', key, life] : ['PERSIST', key];
};

// A new state after each page, until `stopped` says so. With `what`, the keys are changed.
export async function goThrough(
  keys: Keys,
  change: { what: What; life: number } | null,
  expected: number,
  seen: (work: Work) => void,
  stopped: () => boolean,
): Promise<void> {
  const all = expected || (keys.match !== undefined ? number(await call(keys.db, 'DBSIZE')) : 0);
  let work = nothing(all);
  seen(work);
  // A key whose deadline moved ahead within the window is met again; SCAN may show a key twice.
  const met = new Set<string>();
  let cursor = '';
  do {
    const [next, rows] = await page(keys, cursor);
    cursor = next;
    const fresh = rows.filter((key) => !met.has(nameOf(key)));
    fresh.forEach((key) => met.add(nameOf(key)));
    work = { ...work, looked: work.looked + (keys.match !== undefined ? kPage : fresh.length) };
    if (change) {
      const answers = await replies(
        keys.db,
        fresh.map((key) => commandFor(change.what, key, change.life)),
      );
      work = addAnswers(work, answers);
    }
    work = {
      ...work,
      found: work.found + fresh.length,
      examples: [...work.examples, ...fresh].slice(0, kExamples),
    };
    seen(work);
  } while (cursor !== '0' && !stopped());
  seen({ ...work, state: cursor === '0' ? 'done' : 'stopped' });
}

function addAnswers(work: Work, answers: Reply[]): Work {
  const refused = answers.filter(isError);
  const changed = answers.filter((one) => !isError(one) && number(one) > 0).length;
  return {
    ...work,
    changed: work.changed + changed,
    refused: work.refused + refused.length,
    firstError: work.firstError || (refused[0]?.error ?? ''),
  };
}
