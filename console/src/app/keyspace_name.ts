// Names of keyspaces in words: "db0", or a table's part: "table.NAME.items#ID", "table.NAME.index.INDEX#ID",
// "table.NAME.stream.INSTANT#ID".
export interface KeyspaceName {
  table: string; // Empty: it belongs to none.
  index: string;
  items: boolean; // It has the items of the table.
  words: string;
}

export function keyspaceName(name: string): KeyspaceName {
  const [, table, part] = /^table\.(.+?)\.(items|index\..+|stream\..+)$/.exec(name.replace(/#[^#]*$/, '')) ?? [];
  if (table === undefined) return { table: '', index: '', items: false, words: name };
  const index = part.startsWith('index.') ? part.slice('index.'.length) : '';
  const words = `${table}: ${part.replace('index.', 'index ').replace('stream.', 'stream of ')}`;
  return { table, index, items: part === 'items', words };
}

export const databaseOf = (name: string): number | null => {
  const found = /^db(\d+)$/.exec(name);
  return found ? Number(found[1]) : null;
};
