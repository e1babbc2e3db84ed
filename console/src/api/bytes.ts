// Keys and values are bytes. Those that are UTF-8 travel as a string, others as {base64}; both go back to the server
// exactly as they came. What is shown is always escaped: no control, format or direction character reaches the page.

export type Bytes = string | { base64: string };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

export function toArray(bytes: Bytes): Uint8Array {
  if (typeof bytes === 'string') return encoder.encode(bytes);
  return Uint8Array.from(atob(bytes.base64), (char) => char.charCodeAt(0));
}

export function fromArray(array: Uint8Array): Bytes {
  try {
    return decoder.decode(array);
  } catch {
    let binary = '';
    for (const byte of array) binary += String.fromCharCode(byte);
    return { base64: btoa(binary) };
  }
}

export const isText = (bytes: Bytes): bytes is string => typeof bytes === 'string';

export const sizeOf = (bytes: Bytes): number => (isText(bytes) ? encoder.encode(bytes).length : toArray(bytes).length);

// One string per value of bytes: for comparing, for keys of lists, for addresses.
export const nameOf = (bytes: Bytes): string => (isText(bytes) ? `s${bytes}` : `b${bytes.base64}`);

// null: no value has this name. An address may have been written by hand.
export function fromName(name: string): Bytes | null {
  if (name.startsWith('s')) return name.slice(1);
  if (!name.startsWith('b')) return null;
  try {
    return fromArray(toArray({ base64: name.slice(1) }));
  } catch {
    return null;
  }
}

export const same = (a: Bytes, b: Bytes): boolean => nameOf(a) === nameOf(b);

const hex2 = (value: number) => value.toString(16).padStart(2, '0');

// Controls, separators, marks of direction and other invisible characters (and the backslash itself).
const unseen = /[\\\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

// Whether an editor of plain text shows all of it, and gives back the same bytes. (A textarea turns \r\n into \n.)
export const isPlain = (bytes: Bytes): bytes is string => isText(bytes) && !unseen.test(bytes.replace(/[\n\t\\]/g, ''));

function escapeChar(char: string): string {
  switch (char) {
    case '\\':
      return '\\\\';
    case '\n':
      return '\\n';
    case '\r':
      return '\\r';
    case '\t':
      return '\\t';
  }
  return Array.from(encoder.encode(char), (byte) => `\\x${hex2(byte)}`).join('');
}

// The bytes as one line of visible characters; parseEscaped() reads it back.
export function escaped(bytes: Bytes): string {
  if (isText(bytes)) {
    if (!unseen.test(bytes)) return bytes;
    return Array.from(bytes, (char) => (unseen.test(char) ? escapeChar(char) : char)).join('');
  }
  return Array.from(toArray(bytes), (byte) => {
    if (byte < 0x20 || byte > 0x7e || byte === 0x5c) return escapeChar7(byte);
    return String.fromCharCode(byte);
  }).join('');
}

const escapeChar7 = (byte: number) => (byte < 0x80 ? escapeChar(String.fromCharCode(byte)) : `\\x${hex2(byte)}`);

// At most `max` characters of it, for lists.
export function shortened(bytes: Bytes, max = 120): string {
  const part = isText(bytes) ? bytes.slice(0, max + 1) : fromArray(toArray(bytes).slice(0, max + 1));
  const text = escaped(part);
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

// Reads \n \r \t \\ \xHH; another backslash is an error, not a guess.
export function parseEscaped(text: string): Bytes {
  const parts: number[] = [];
  const pattern = /\\x([0-9a-fA-F]{2})|\\([nrt\\])|(\\)|([^\\]+)/gu;
  for (const [, hex, letter, alone, plain] of text.matchAll(pattern)) {
    if (alone) throw new Error('a backslash is written \\\\; \\n, \\r, \\t and \\xHH stand for bytes');
    if (hex) parts.push(parseInt(hex, 16));
    else if (letter) parts.push({ n: 10, r: 13, t: 9, '\\': 92 }[letter]!);
    else for (const byte of encoder.encode(plain)) parts.push(byte);
  }
  return fromArray(Uint8Array.from(parts));
}

// A pattern of Redis that matches this prefix and what follows.
export function patternOf(prefix: Bytes): Bytes {
  const out: number[] = [];
  for (const byte of toArray(prefix)) {
    if ('\\*?[]^'.includes(String.fromCharCode(byte))) out.push(0x5c);
    out.push(byte);
  }
  out.push(0x2a);
  return fromArray(Uint8Array.from(out));
}
