// A change of many keys, step by step: each key by its own command, so that ACL, policies and limits decide about each.
// Found keys are counted first (a preview), then changed; both can be stopped after every hundred. No names are kept: ten
// million keys cost what a page of them costs.
//
// A pattern's keys come in the order of SCAN, in which each is met once; the few that come again when the server has
// forgotten a cursor are changed to the same. The keys of a window come in the order of their deadlines. One that gets
// another deadline may be met again there: so what the changed keys have become is asked, and keys that die in that span
// are left as they are.
import type { Bytes } from '../../api/bytes';
import type { Reply } from '../../api/reply';
import { bytes, fields, isError, list, number, text } from '../../api/reply';
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

export interface Change {
  what: What;
  life: number;
}

const kPage = 2000;
const kStep = 100; // Keys changed in one request.
const kExamples = 5;
const kInstantMax = 2n ** 63n - 1n;

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

interface Found {
  key: Bytes;
  deadline: number; // Of a window's; otherwise 0.
}

const bounds = ({ from, to }: Keys): Command => [...(from ? ['FROM', from] : []), ...(to ? ['TO', to] : [])];

// With long names a page may be too large for a reply: then a smaller one.
async function page(keys: Keys, cursor: string, count = kPage): Promise<[string, Found[]]> {
  try {
    return await pageOf(keys, cursor, count);
  } catch (fault) {
    if (count < kStep || !(fault as Error).message.includes('ask for a part')) throw fault;
    return page(keys, cursor, Math.floor(count / 10));
  }
}

async function pageOf(keys: Keys, cursor: string, count: number): Promise<[string, Found[]]> {
  const { db, match } = keys;
  const command: Command =
    match !== undefined
      ? ['SCAN', cursor || '0', 'MATCH', match, 'COUNT', count]
      : ['TTL.SCAN', ...bounds(keys), 'COUNT', count, ...(cursor ? ['CURSOR', cursor] : [])];
  const [next, rows] = list(await call(db, ...command));
  const found = list(rows).map((row): Found => {
    if (match !== undefined) return { key: bytes(row), deadline: 0 };
    const [key, deadline] = list(row);
    return { key: bytes(key), deadline: number(deadline) };
  });
  return [text(next), found];
}

// How many keys of the database have a deadline at all: a window has no more.
async function mortals(db: number): Promise<number> {
  const stats = fields(await call(db, 'TTL.STATS'));
  const own = list(stats.keyspaces)
    .map(fields)
    .find((one) => text(one.name) === `db${db}`);
  return number(own?.['mortal-rows'] ?? 0);
}

// The keys of a window, counted by the forecast, which reads its index alone and sends no names.
async function countWindow(keys: Keys, seen: (work: Work) => void, stopped: () => boolean): Promise<void> {
  let work = nothing(await mortals(keys.db));
  const [, examples] = await page(keys, '', kExamples);
  work = { ...work, examples: examples.map(({ key }) => key) };
  seen(work);
  const from = BigInt(keys.from || '0');
  const span = (keys.to ? BigInt(keys.to) : kInstantMax) - from;
  let cursor = '';
  do {
    const place: Command = cursor ? ['CURSOR', cursor] : ['FROM', from.toString()];
    const [next, spans] = list(
      await call(keys.db, 'TTL.FORECAST', 'BUCKET', span.toString(), 'BUCKETS', 1, 'NOBYTES', ...place),
    );
    cursor = text(next);
    const more = list(spans).reduce<number>((sum, one) => sum + number(fields(one).keys), 0);
    work = { ...work, looked: work.looked + more, found: work.found + more };
    seen(work);
  } while (cursor !== '0' && !stopped());
  seen({ ...work, state: cursor === '0' ? 'done' : 'stopped' });
}

// The deadlines that changed keys have got, from the first to the last.
class Produced {
  #first = Infinity;
  #last = -Infinity;

  has(deadline: number): boolean {
    return this.#first <= deadline && deadline <= this.#last;
  }

  add(deadline: number): void {
    if (deadline < 0) return; // It is gone, or has none.
    this.#first = Math.min(this.#first, deadline);
    this.#last = Math.max(this.#last, deadline);
  }
}

const commandFor = ({ what, life }: Change, key: Bytes): Command => {
  if (what === 'DELETE') return ['UNLINK', key];
  return what === 'EXPIRE' ? ['PEXPIRE', key, life] : ['PERSIST', key];
};

// The replies to the changes of a few keys. With `produced`, what they have become is added.
async function changeThem(db: number, change: Change, keys: Bytes[], produced: Produced | null): Promise<Reply[]> {
  const commands = keys.map((key) => commandFor(change, key));
  if (!produced) return replies(db, commands);
  const answers: Reply[] = [];
  for (let at = 0; at < keys.length; at += kStep / 2) {
    const part = keys.slice(at, at + kStep / 2);
    const both = await replies(db, [
      ...commands.slice(at, at + part.length),
      ...part.map((key): Command => ['PEXPIRETIME', key]),
    ]);
    answers.push(...both.slice(0, part.length));
    for (const deadline of both.slice(part.length)) if (!isError(deadline)) produced.add(number(deadline));
  }
  return answers;
}

// A new state after each step, until `stopped` says so. With `change`, the keys are changed.
export async function goThrough(
  keys: Keys,
  change: Change | null,
  expected: number,
  seen: (work: Work) => void,
  stopped: () => boolean,
): Promise<void> {
  if (!change && keys.match === undefined) return countWindow(keys, seen, stopped);
  let work = nothing(expected || number(await call(keys.db, 'DBSIZE')));
  seen(work);
  const produced = keys.match === undefined && change?.what === 'EXPIRE' ? new Produced() : null;
  let cursor = '';
  do {
    const [next, rows] = await page(keys, cursor);
    cursor = next;
    for (let at = 0; at < rows.length && !stopped(); at += kStep) {
      const fresh = rows
        .slice(at, at + kStep)
        .filter(({ deadline }) => !produced?.has(deadline))
        .map(({ key }) => key);
      if (change) work = addAnswers(work, await changeThem(keys.db, change, fresh, produced));
      work = {
        ...work,
        found: work.found + fresh.length,
        examples: [...work.examples, ...fresh].slice(0, kExamples),
      };
      seen(work);
    }
    work = { ...work, looked: work.looked + kPage };
    seen(work);
  } while (cursor !== '0' && !stopped());
  seen({ ...work, state: cursor === '0' && !stopped() ? 'done' : 'stopped' });
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
