// A line of words as redis-cli reads it: blanks divide; "..." with \n \r \t \\ \" \xHH; '...' as it stands.
import type { Bytes } from '../../api/bytes';
import { fromArray, parseEscaped, toArray } from '../../api/bytes';

export function splitLine(line: string): Bytes[] {
  const words: Bytes[] = [];
  const pattern = /\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"']+))(?=\s|$)|\s*(\S)/gy;
  for (const [, double, single, bare, stray] of line.trimEnd().matchAll(pattern)) {
    if (stray !== undefined) throw new Error('a quotation mark is not closed, or something follows it without a blank');
    if (double !== undefined) words.push(unquoted(double));
    else words.push(single !== undefined ? single.replaceAll("\\'", "'") : bare);
  }
  return words;
}

function unquoted(text: string): Bytes {
  const parts = text.split('\\"').map((part) => toArray(parseEscaped(part)));
  const all: number[] = [];
  parts.forEach((part, at) => {
    if (at > 0) all.push(0x22);
    all.push(...part);
  });
  return fromArray(Uint8Array.from(all));
}
