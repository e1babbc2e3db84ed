// Names of commands and what they want, from the server's own table (COMMAND LIST, COMMAND DOCS).
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Reply } from '../../api/reply';
import { fields, list, pairs, text } from '../../api/reply';
import { call } from '../../api/server';

export interface Manual {
  name: string;
  summary: string;
  form: string;
}

function argument(reply: Reply): string {
  const of = fields(reply);
  const flags = list(of.flags).map(text);
  const inner = list(of.arguments).map(argument);
  const type = text(of.type);
  let words =
    type === 'oneof' ? inner.join(' | ') : type === 'block' ? inner.join(' ') : text(of.display_text) || text(of.name);
  if (type === 'pure-token') words = text(of.token);
  else if (text(of.token)) words = `${text(of.token)} ${words}`.trim();
  if (flags.includes('multiple')) words = `${words} [${words} ...]`;
  if (flags.includes('optional')) return `[${words}]`;
  return type === 'oneof' && inner.length > 1 ? `(${words})` : words;
}

function manualsOf(name: string, reply: Reply): Manual[] {
  const of = fields(reply);
  const words = name.replace('|', ' ').toUpperCase();
  const own = { name: words, summary: text(of.summary), form: list(of.arguments).map(argument).join(' ') };
  const under = pairs(of.subcommands).flatMap(([sub, more]) => manualsOf(text(sub), more));
  return under.length > 0 ? [own, ...under] : [own];
}

// Manuals are asked for by the name that is typed, once each.
export function useCommands(typed: string): { names: string[]; manuals: Manual[]; fault: string } {
  const [names, setNames] = useState<string[]>([]);
  const [manuals, setManuals] = useState<Record<string, Manual[]>>({});
  const [fault, setFault] = useState('');
  const asked = useRef(new Set<string>());
  useEffect(() => {
    call(0, 'COMMAND', 'LIST').then(
      (reply) =>
        setNames(
          list(reply)
            .map((name) => text(name).replace('|', ' ').toUpperCase())
            .sort(),
        ),
      (refused: Error) => setFault(refused.message),
    );
  }, []);
  const first = typed.trimStart().split(/\s/)[0].toUpperCase();
  const known = first !== '' && names.includes(first);
  useEffect(() => {
    if (!known || asked.current.has(first)) return;
    asked.current.add(first);
    call(0, 'COMMAND', 'DOCS', first).then(
      (reply) => {
        const [found] = pairs(reply);
        if (found) setManuals((all) => ({ ...all, [first]: manualsOf(text(found[0]), found[1]) }));
      },
      (refused: Error) => setFault(refused.message),
    );
  }, [known, first]);
  return { names, manuals: manuals[first] ?? [], fault };
}

// What the typed words may become: names of commands, then those of a command's subcommands.
export function completions(typed: string, names: string[], manuals: Manual[]): string[] {
  const words = typed.trimStart().toUpperCase();
  if (words === '') return [];
  const under = manuals.map((manual) => manual.name);
  const all = [...new Set([...names, ...under])].filter((name) => name.startsWith(words) && name !== words.trimEnd());
  return all.slice(0, 12);
}

export function manualOf(typed: string, manuals: Manual[]): Manual | null {
  const words = typed.trim().toUpperCase().split(/\s+/);
  return (
    manuals.find((one) => one.name === words.slice(0, 2).join(' ')) ??
    manuals.find((one) => one.name === words[0]) ??
    null
  );
}
