// JSON on several lines, token by token: numbers and strings stay exactly as they are written, which a round through
// JSON.parse would not do (9007199254740993 would become another number).

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

export function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function prettyJson(text: string): string {
  const tokens = text.match(token) ?? [];
  let depth = 0;
  let out = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  tokens.forEach((one, at) => {
    if (one === '{' || one === '[') {
      depth += 1;
      out += one;
      if (tokens[at + 1] !== '}' && tokens[at + 1] !== ']') out += line();
    } else if (one === '}' || one === ']') {
      depth -= 1;
      if (tokens[at - 1] !== '{' && tokens[at - 1] !== '[') out += line();
      out += one;
    } else if (one === ',') out += `,${line()}`;
    else if (one === ':') out += ': ';
    else out += one;
  });
  return out;
}
