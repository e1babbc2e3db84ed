// The children of prefixes, as TTL.TREE tells them, kept for those that are open.
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Bytes } from '../../api/bytes';
import { nameOf } from '../../api/bytes';
import { bytes, fields, list, number, text } from '../../api/reply';
import { call } from '../../api/server';

export interface Branch {
  name: Bytes; // Whole: a key, or a prefix with its delimiter.
  prefix: boolean;
  keys: number;
  exact: boolean; // Whether all keys below were counted.
}

interface Children {
  rows: Branch[];
  next: string | null;
  waiting: boolean;
  fault: string;
}

const kPage = 100;

async function read(db: number, prefix: Bytes, delimiter: string, cursor: string | null) {
  const [next, rows] = list(
    await call(db, 'TTL.TREE', prefix, 'DELIMITER', delimiter, 'COUNT', kPage, ...(cursor ? ['CURSOR', cursor] : [])),
  );
  return {
    rows: list(rows).map((row): Branch => {
      const of = fields(row);
      return {
        name: bytes(of.name),
        prefix: number(of.prefix) === 1,
        keys: number(of.keys),
        exact: number(of.exact) === 1,
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
