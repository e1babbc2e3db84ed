// Replies of commands as the server sends them in JSON, and how views read them.
import type { Bytes } from './bytes';
import { escaped, isText } from './bytes';

export type Reply =
  | string
  | number
  | boolean
  | null
  | { base64: string }
  | { integer: string }
  | { double: string }
  | { map: [Reply, Reply][] }
  | { error: string }
  | Reply[];

export type Fields = Record<string, Reply>;

export const isError = (reply: Reply): reply is { error: string } =>
  reply !== null && typeof reply === 'object' && 'error' in reply;

export function bytes(reply: Reply): Bytes {
  if (typeof reply === 'string') return reply;
  if (reply !== null && typeof reply === 'object') {
    if ('base64' in reply) return reply;
    if ('integer' in reply) return reply.integer;
    if ('double' in reply) return reply.double;
  }
  return reply === null ? '' : String(reply);
}

export const text = (reply: Reply | undefined): string => {
  if (reply === undefined || reply === null) return '';
  const raw = bytes(reply);
  return isText(raw) ? raw : escaped(raw);
};

// A number for figures; exact up to 2^53, which instants and counts stay below.
export const number = (reply: Reply | undefined): number => {
  if (typeof reply === 'number') return reply;
  if (typeof reply === 'boolean') return reply ? 1 : 0;
  return Number(text(reply));
};

export const list = (reply: Reply | undefined): Reply[] => (Array.isArray(reply) ? reply : []);

// A map, or an array of names and values in turn.
export function pairs(reply: Reply | undefined): [Reply, Reply][] {
  if (Array.isArray(reply)) {
    if (reply.every((one) => Array.isArray(one) && one.length === 2)) return reply as [Reply, Reply][];
    const out: [Reply, Reply][] = [];
    for (let at = 0; at + 1 < reply.length; at += 2) out.push([reply[at], reply[at + 1]]);
    return out;
  }
  if (reply && typeof reply === 'object' && 'map' in reply) return reply.map;
  return [];
}

export const fields = (reply: Reply | undefined): Fields =>
  Object.fromEntries(pairs(reply).map(([name, value]) => [text(name), value]));

// A whole reply as lines, as a command line shows it.
export function lines(reply: Reply, indent = ''): string[] {
  if (reply === null) return [`${indent}(nil)`];
  if (typeof reply === 'number') return [`${indent}(integer) ${reply}`];
  if (typeof reply === 'boolean') return [`${indent}(${reply})`];
  if (typeof reply === 'string' || 'base64' in reply) return [`${indent}"${escaped(bytes(reply))}"`];
  if ('integer' in reply) return [`${indent}(integer) ${reply.integer}`];
  if ('double' in reply) return [`${indent}(double) ${reply.double}`];
  if ('error' in reply) return [`${indent}(error) ${reply.error}`];
  if (Array.isArray(reply)) {
    if (reply.length === 0) return [`${indent}(empty array)`];
    return numbered(
      reply.map((one) => lines(one)),
      indent,
    );
  }
  if (reply.map.length === 0) return [`${indent}(empty map)`];
  return numbered(
    reply.map.map(([name, value]) => {
      const of = lines(value);
      const head = `${lines(name).join(' ')} =>`;
      return of.length === 1 ? [`${head} ${of[0]}`] : [head, ...of.map((line) => `   ${line}`)];
    }),
    indent,
  );
}

function numbered(parts: string[][], indent: string): string[] {
  const width = String(parts.length).length;
  return parts.flatMap((part, at) =>
    part.map(
      (line, row) => indent + (row === 0 ? `${String(at + 1).padStart(width)}) ` : ' '.repeat(width + 2)) + line,
    ),
  );
}
