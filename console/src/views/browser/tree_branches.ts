// The children of prefixes, as TTL.TREE tells them, kept for those that are open.
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Bytes } from '../../api/bytes';
import { fromArray, isText, nameOf, toArray } from '../../api/bytes';
import { bytes, fields, list, number, text } from '../../api/reply';
import { call } from '../../api/server';

export interface Branch {
  name: Bytes; // Whole: a key, or a prefix with its delimiter.
  prefix: boolean;
  keys: number;
  exact: boolean; // Whether all keys below were counted.
  deadline: number | null; // Of a key.
}

interface Children {
  rows: Branch[];
  next: string | null;
  waiting: boolean;
  fault: string;
}

const kPage = 100;
const kKeysCounted = 100; // Below each prefix; more are said to be more.

// TTL.TREE names children by what follows the prefix.
function wholeName(prefix: Bytes, name: Bytes): Bytes {
  if (isText(prefix) && isText(name)) return prefix + name;
  const [first, second] = [toArray(prefix), toArray(name)];
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return fromArray(all);
}

async function read(db: number, prefix: Bytes, delimiter: string, cursor: string | null) {
  const more = cursor ? ['CURSOR', cursor] : [];
  const [next, rows] = list(
    await call(db, 'TTL.TREE', prefix, 'DELIMITER', delimiter, 'COUNT', kPage, 'KEYS', kKeysCounted, ...more),
  );
  return {
    rows: list(rows).map((row): Branch => {
      const of = fields(row);
      return {
        name: wholeName(prefix, bytes(of.name)),
        prefix: text(of.kind) === 'folder',
        keys: number(of.keys ?? 0),
        exact: number(of.more ?? 0) === 0,
        deadline: of.deadline === undefined ? null : number(of.deadline),
      };
    }),
    next: text(next) === '0' ? null : text(next),
  };
}

export function useBranches(db: number, delimiter: string) {
  const [branches, setBranches] = useState<Record<string, Children>>({});
  const [opened, setOpened] = useState<Set<string>>(new Set());
  const [round, setRound] = useState(0);

  const load = useCallback(
    async (prefix: Bytes, cursor: string | null) => {
      const name = nameOf(prefix);
      const change = (to: (old: Children) => Children) =>
        setBranches((all) => ({
          ...all,
          [name]: to(all[name] ?? { rows: [], next: null, waiting: false, fault: '' }),
        }));
      change((old) => ({ ...old, waiting: true, fault: '' }));
      try {
        const part = await read(db, prefix, delimiter, cursor);
        change((old) => ({
          rows: cursor ? [...old.rows, ...part.rows] : part.rows,
          next: part.next,
          waiting: false,
          fault: '',
        }));
      } catch (fault) {
        change((old) => ({ ...old, waiting: false, fault: (fault as Error).message }));
      }
    },
    [db, delimiter],
  );

  useEffect(() => {
    setBranches({});
    setOpened(new Set());
    if (delimiter !== '') load('', null);
  }, [load, round]);

  const toggle = (prefix: Bytes) => {
    const name = nameOf(prefix);
    const next = new Set(opened);
    if (next.has(name)) next.delete(name);
    else {
      next.add(name);
      load(prefix, null);
    }
    setOpened(next);
  };
  return {
    branches,
    opened,
    toggle,
    more: (prefix: Bytes) => void load(prefix, branches[nameOf(prefix)]?.next ?? null),
    reload: () => setRound((count) => count + 1),
  };
}
