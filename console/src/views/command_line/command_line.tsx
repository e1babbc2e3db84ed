// A command line: any command of this user, completed from the server's table, with its replies below one another.
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { lines } from '../../api/reply';
import { replies } from '../../api/server';
import type { Place } from '../../app/address';
import { DbChoice, dbOf } from '../../parts/db_choice';
import { Fault, Panel } from '../../parts/basics';
import { completions, manualOf, useCommands } from './completion';
import { splitLine } from './split';

interface Turn {
  id: number;
  db: number;
  line: string;
  reply: string[];
}

const kTurnsMax = 100;
const kLinesMax = 1000;

export function CommandLine({ place }: { place: Place }) {
  const db = dbOf(place);
  const [typed, setTyped] = useState('');
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const [turns, setTurns] = useState<Turn[]>([]);
  const [back, setBack] = useState(-1);
  const [busy, setBusy] = useState(false);
  const { names, manuals, fault } = useCommands(typed);
  const found = open ? completions(typed, names, manuals) : [];
  const manual = manualOf(typed, manuals);
  const id = useId();
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [turns]);

  const type = (words: string) => {
    setTyped(words);
    setOpen(true);
    setChosen(-1);
  };
  const accept = (at: number) => {
    setTyped(`${found[at]} `);
    setChosen(-1);
    setOpen(true);
  };
  const recall = (step: number) => {
    const at = Math.max(-1, Math.min(turns.length - 1, back + step));
    setBack(at);
    setTyped(at < 0 ? '' : turns[turns.length - 1 - at].line);
    setOpen(false);
  };
  const run = async () => {
    if (typed.trim() === '' || busy) return;
    setBusy(true);
    let reply: string[];
    try {
      const [answer] = await replies(db, [splitLine(typed)]);
      reply = lines(answer);
    } catch (refused) {
      reply = [`(error) ${(refused as Error).message}`];
    }
    if (reply.length > kLinesMax) reply = [...reply.slice(0, kLinesMax), `… ${reply.length - kLinesMax} more lines`];
    setTurns((old) => [...old.slice(1 - kTurnsMax), { id: (old.at(-1)?.id ?? 0) + 1, db, line: typed, reply }]);
    setTyped('');
    setBack(-1);
    setOpen(false);
    setBusy(false);
  };
  const press = (event: KeyboardEvent) => {
    const listing = found.length > 0;
    const keys: Record<string, (() => void) | undefined> = {
      ArrowDown: () => (listing ? setChosen((chosen + 1) % found.length) : recall(-1)),
      ArrowUp: () => (listing && chosen >= 0 ? setChosen((chosen - 1 + found.length) % found.length) : recall(1)),
      Enter: () => (listing && chosen >= 0 ? accept(chosen) : run()),
      Tab: listing && typed.trim() !== '' && !event.shiftKey ? () => accept(Math.max(0, chosen)) : undefined,
      Escape: listing ? () => setOpen(false) : undefined,
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <Panel
      title="Command line"
      wide
      actions={
        <button type="button" onClick={() => setTurns([])}>
          Clear
        </button>
      }
    >
      <div class="form small">
        <DbChoice place={place} />
      </div>
      <div class="turns" role="log" aria-label="Replies" tabIndex={0}>
        {turns.map((turn) => (
          <div class="turn" key={turn.id}>
            <pre class="asked">
              db{turn.db}&gt; {turn.line}
            </pre>
            <pre class={turn.reply[0]?.startsWith('(error)') ? 'bad' : undefined}>{turn.reply.join('\n')}</pre>
          </div>
        ))}
        <div ref={end} />
      </div>
      <div class="prompt">
        <label for={id}>
          db{db}&gt;<span class="unseen"> Command</span>
        </label>
        <input
          id={id}
          class="mono"
          value={typed}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          placeholder="TTL.STATS"
          aria-activedescendant={chosen >= 0 && found.length > 0 ? `${id}-${chosen}` : undefined}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={press}
          onBlur={() => setOpen(false)}
        />
        <ul class="completions" role="listbox" id={`${id}-list`} aria-label="Commands" hidden={found.length === 0}>
          {found.map((name, at) => (
            <li
              key={name}
              id={`${id}-${at}`}
              role="option"
              aria-selected={at === chosen}
              onMouseDown={(event) => {
                event.preventDefault();
                accept(at);
              }}
            >
              {name}
            </li>
          ))}
        </ul>
        <button type="button" class="primary" disabled={busy} onClick={run}>
          Run
        </button>
      </div>
      <p class="manual" aria-live="polite">
        {manual ? (
          <>
            <code>
              {manual.name} {manual.form}
            </code>{' '}
            {manual.summary}
          </>
        ) : (
          'Tab completes, the arrows choose and recall, Escape closes the list.'
        )}
      </p>
      <Fault words={fault} />
    </Panel>
  );
}
