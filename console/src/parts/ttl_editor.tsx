// Sets, extends or removes a deadline: of a key, or of a field. It is given in words ("15m", "2030-01-31 12:00"), and
// what they come to is shown before it is done.
import { useState } from 'preact/hooks';
import type { Doing } from '../app/ask';
import { instant, length, parseTime, serverNow } from '../app/time';
import { Fault } from './basics';
import { Text } from './inputs';

const kMore: [string, number][] = [
  ['+1 min', 60_000],
  ['+1 h', 3_600_000],
  ['+1 d', 86_400_000],
];

function meaning(words: string): string {
  if (words.trim() === '') return '';
  try {
    const at = parseTime(words, serverNow())!;
    return `${length(at - serverNow())}, at ${instant(at)}`;
  } catch (fault) {
    return (fault as Error).message;
  }
}

export function TtlEditor({
  what,
  deadline,
  doing,
  set,
  remove,
}: {
  what: string;
  deadline: number | null;
  doing: Doing;
  set: (deadlineMs: number) => Promise<unknown>;
  remove: () => Promise<unknown>;
}) {
  const [words, setWords] = useState('');
  const change = (at: number) =>
    doing.run(async () => {
      await set(at);
      setWords('');
      return `${what} dies in ${length(at - serverNow())}`;
    });
  const submit = (event: Event) => {
    event.preventDefault();
    try {
      const at = parseTime(words, serverNow());
      if (at !== null) change(at);
    } catch (fault) {
      doing.run(() => Promise.reject(fault));
    }
  };
  return (
    <form class="ttl" aria-label={`Deadline of ${what}`} onSubmit={submit}>
      <Text label="New time to live" value={words} set={setWords} hint="15m, 1h 30m, 2030-01-31 12:00" />
      <button type="submit" class="primary" disabled={doing.busy || words.trim() === ''}>
        Set
      </button>
      {kMore.map(([title, more]) => (
        <button
          type="button"
          key={title}
          disabled={doing.busy}
          onClick={() => change((deadline ?? serverNow()) + more)}
        >
          {title}
        </button>
      ))}
      <button
        type="button"
        disabled={doing.busy || deadline === null}
        onClick={() =>
          doing.run(async () => {
            await remove();
            return `${what} has no deadline any more`;
          })
        }
      >
        Remove deadline
      </button>
      <p class="meaning" aria-live="polite">
        {meaning(words)}
      </p>
      <Fault words={doing.fault} />
    </form>
  );
}
