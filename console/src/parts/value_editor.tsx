// Shows and edits bytes as text, as JSON, or escaped. What is saved is what the editor shows, byte for byte.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Bytes } from '../api/bytes';
import { escaped, isPlain, nameOf, parseEscaped, sizeOf } from '../api/bytes';
import type { Doing } from '../app/ask';
import { size } from '../app/figures';
import { isJson, prettyJson } from '../app/json';
import { Fault } from './basics';
import { Area, Choice } from './inputs';

type Mode = 'text' | 'json' | 'escaped';

const modesOf = (value: Bytes): [string, string][] => [
  ...(isPlain(value) ? [['text', 'Text'] as [string, string]] : []),
  ...(isPlain(value) && isJson(value) ? [['json', 'JSON, on several lines'] as [string, string]] : []),
  ['escaped', 'Escaped (\\n, \\xHH)'],
];

function draftOf(value: Bytes, mode: Mode): string {
  if (mode === 'json') return prettyJson(value as string);
  return mode === 'text' ? (value as string) : escaped(value);
}

function bytesOf(draft: string, mode: Mode): Bytes {
  if (mode === 'escaped') return parseEscaped(draft);
  if (mode === 'json') JSON.parse(draft); // Its error says where.
  return draft;
}

export function ValueEditor({
  label,
  value,
  save,
  doing,
  button = 'Save',
}: {
  label: string;
  value: Bytes;
  save: (value: Bytes) => Promise<unknown>;
  doing: Doing;
  button?: string;
}) {
  const [mode, setMode] = useState(() => modesOf(value)[0][0] as Mode);
  const [draft, setDraft] = useState(() => draftOf(value, mode));
  const chosen = useRef<Mode>('text'); // It stays when another value comes, if that can be shown so.
  const clean = useRef(draft); // The draft as it was shown or saved: what was typed since stays when another value comes.
  // At once, not after the next frame: what is typed in between would be lost.
  useLayoutEffect(() => {
    if (draft !== clean.current) return;
    const modes = modesOf(value).map(([name]) => name as Mode);
    const next = modes.includes(chosen.current) ? chosen.current : modes[0];
    setMode(next);
    clean.current = draftOf(value, next);
    setDraft(clean.current);
  }, [nameOf(value)]);

  const change = (next: string) =>
    doing.run(async () => {
      const bytes = bytesOf(draft, mode);
      if (!modesOf(bytes).some(([name]) => name === next)) throw new Error('these bytes cannot be shown that way');
      const changed = draftOf(bytes, next as Mode);
      if (draft === clean.current) clean.current = changed;
      setDraft(changed);
      setMode(next as Mode);
      chosen.current = next as Mode;
    });
  const submit = (event: Event) => {
    event.preventDefault();
    doing.run(async () => {
      await save(bytesOf(draft, mode));
      clean.current = draft;
      return `${label} saved`;
    });
  };
  return (
    <form class="value" aria-label={label} onSubmit={submit}>
      <Area label={label} value={draft} set={setDraft} rows={Math.min(18, Math.max(3, draft.split('\n').length + 1))} />
      <div class="form small">
        <Choice label="Shown as" value={mode} set={change} options={modesOf(value)} />
        <button type="submit" class="primary" disabled={doing.busy}>
          {button}
        </button>
        <span class="hint">{size(sizeOf(value))} stored</span>
      </div>
      <Fault words={doing.fault} />
    </form>
  );
}
