// How many bytes databases and tables take, roughly. A database is estimated by some of its keys; a table says it itself.
import { useEffect, useState } from 'preact/hooks';
import type { KeyspaceFigures } from '../api/overview';
import { bytes, isError, number } from '../api/reply';
import { replies, table as operation } from '../api/server';
import { databaseOf, keyspaceName } from '../app/keyspace_name';
import type { Description } from './tables/attributes';

const kSample = 10;
const kEveryMs = 60_000;

async function ofDatabase(db: number, rows: number): Promise<number | null> {
  const keys = await replies(db, Array(kSample).fill(['RANDOMKEY']));
  const living = keys.filter((key) => key !== null && !isError(key)).map(bytes);
  const sizes = await replies(
    db,
    living.map((key) => ['MEMORY', 'USAGE', key]),
  );
  const known = sizes.filter((size) => size !== null && !isError(size)).map(number);
  return known.length === 0 ? null : Math.round((known.reduce((sum, one) => sum + one, 0) / known.length) * rows);
}

async function ofTable(name: string): Promise<[string, number][]> {
  const { Table: of } = (await operation('DescribeTable', { TableName: name })) as { Table: Description };
  const indexes = [...(of.GlobalSecondaryIndexes ?? []), ...(of.LocalSecondaryIndexes ?? [])];
  return [
    [`${name} `, of.TableSizeBytes],
    ...indexes.map((one): [string, number] => [`${name} ${one.IndexName}`, one.IndexSizeBytes ?? 0]),
  ];
}

export const sizeName = (name: string): string => {
  const { table, index, items } = keyspaceName(name);
  return items || index !== '' ? `${table} ${index}` : name; // Of streams it is not known.
};

// Of the few keyspaces that a page shows, by sizeName(); a part that is not there could not be asked for.
export function useSizes(keyspaces: KeyspaceFigures[]): Record<string, number> {
  const [sizes, setSizes] = useState<Record<string, number>>({});
  const [round, setRound] = useState(0);
  const filled = keyspaces.filter((one) => one.rows > 0);
  const mark = filled.map((one) => one.name).join(' ');
  useEffect(() => {
    let current = true;
    const ask = async () => {
      for (const one of filled) {
        const db = databaseOf(one.name);
        const size = db === null ? null : await ofDatabase(db, one.rows);
        if (!current) return;
        if (size !== null) setSizes((old) => ({ ...old, [one.name]: size }));
      }
      const tables = [...new Set(filled.map((one) => keyspaceName(one.name).table))].filter((name) => name !== '');
      for (const name of tables) {
        const found = await ofTable(name);
        if (!current) return;
        setSizes((old) => ({ ...old, ...Object.fromEntries(found) }));
      }
    };
    if (!document.hidden) ask().catch(() => {}); // Who may not ask sees no sizes.
    const timer = setTimeout(() => setRound(round + 1), kEveryMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [mark, round]);
  return sizes;
}
