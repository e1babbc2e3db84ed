// The database's policy for lifetimes, and what another one would mean for the keys that live now: asked before it is
// set.
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { nameOf } from '../../api/bytes';
import type { Fields } from '../../api/reply';
import { bytes, fields, list, number, text } from '../../api/reply';
import { call } from '../../api/server';
import { useAsk, useDo } from '../../app/ask';
import { count, plural } from '../../app/figures';
import { exactLength, length, parseLength } from '../../app/time';
import { Fault, Nothing, Panel, Raw, Rows } from '../../parts/basics';
import { Choice, Form, Text } from '../../parts/inputs';
import { Deadline } from '../../parts/instant';

interface Rule {
  name: string;
  label: string;
  values?: [string, string][]; // Otherwise a length of time, or none; jitter is a number.
}

const kRules: Rule[] = [
  { name: 'default-ttl', label: 'Default time to live, of a write that names none' },
  { name: 'min-ttl', label: 'Shortest time to live that a write may ask for' },
  {
    name: 'max-ttl',
    label: 'Longest time to live that a write may ask for; a key without a deadline exceeds it',
  },
  {
    name: 'require',
    label: 'Deadline required: keys without one are not allowed',
    values: [
      ['no', 'no'],
      ['yes', 'yes'],
    ],
  },
  {
    name: 'breach',
    label: 'What is not allowed is refused, or gets the nearest lifetime that is',
    values: [
      ['refuse', 'is refused'],
      ['clamp', 'is clamped'],
    ],
  },
  { name: 'jitter', label: 'Jitter: thousandths taken off, so that keys do not die together' },
  {
    name: 'events',
    label: 'Events: what expired keys leave',
    values: [
      ['off', 'none'],
      ['key', 'one with the key'],
      ['value', 'one with the key and the old value'],
    ],
  },
  { name: 'purge-within', label: 'Promise: so long after its death, no byte of a key is in any file' },
];

const isLength = (rule: Rule) => !rule.values && rule.name !== 'jitter';

function shownValue(rule: Rule, value: string): string {
  return isLength(rule) && /^\d+$/.test(value) ? exactLength(Number(value)) : value;
}

function sentValue(rule: Rule, words: string): string {
  const trimmed = words.trim();
  if (!isLength(rule)) return trimmed;
  return trimmed === '' || trimmed === 'none' ? 'none' : String(parseLength(trimmed));
}

const kEffects: Record<string, string> = {
  unchanged: 'keep their lives',
  given: 'would get a deadline',
  shortened: 'would die sooner',
  lengthened: 'would live longer',
  refused: 'would be refused',
};

interface Trial {
  rows: number;
  complete: boolean;
  counts: Record<string, number>;
  examples: Fields[];
}

const kTrialRowsMax = 200_000;

// Looks at the rows that live now, page by page, up to a bound; each as if it were written again.
async function tryPolicy(db: number, changes: string[], seen: (trial: Trial) => void): Promise<Trial> {
  const trial: Trial = { rows: 0, complete: false, counts: {}, examples: [] };
  let cursor = '';
  while (cursor !== '0' && trial.rows < kTrialRowsMax) {
    const more = cursor ? ['CURSOR', cursor] : [];
    const [next, part] = list(await call(db, 'TTL.POLICY', 'TRY', ...changes, 'COUNT', 10_000, ...more));
    cursor = text(next);
    const of = fields(part);
    trial.rows += number(of.rows);
    for (const effect of Object.keys(kEffects)) {
      trial.counts[effect] = (trial.counts[effect] ?? 0) + number(of[effect] ?? 0);
    }
    if (trial.examples.length === 0) trial.examples = list(of.examples).map(fields);
    trial.complete = cursor === '0';
    seen({ ...trial });
  }
  return trial;
}

function Outcome({ trial }: { trial: Trial }) {
  return (
    <>
      <p>
        Of {plural(trial.rows, 'key')} {trial.complete ? '(all of them)' : '(the first ones)'}, written again now:
      </p>
      <dl class="facts">
        {Object.entries(kEffects).map(([effect, words]) => (
          <Fragment key={effect}>
            <dt>{words}</dt>
            <dd>{count(trial.counts[effect] ?? 0)}</dd>
          </Fragment>
        ))}
      </dl>
      {trial.examples.length > 0 && (
        <Rows label="Examples" heads={['Key', 'What', 'Dies', 'Would die']}>
          {trial.examples.map((one) => (
            <tr key={nameOf(bytes(one.key))}>
              <th scope="row">
                <Raw bytes={bytes(one.key)} max={60} />
              </th>
              <td>{kEffects[text(one.effect)] ?? text(one.effect)}</td>
              <td>
                <Deadline ms={one.deadline === undefined ? null : number(one.deadline)} />
              </td>
              <td>{one['would-be'] === undefined ? '–' : <Deadline ms={number(one['would-be'])} />}</td>
            </tr>
          ))}
        </Rows>
      )}
    </>
  );
}

export function Policy({ db }: { db: number }) {
  const asked = useAsk(async () => fields(await call(db, 'TTL.POLICY')), [db]);
  const [edits, setEdits] = useState<Record<string, string>>({}); // What a person changed; the rest is as it was told.
  const [outcome, setOutcome] = useState<Trial | null>(null);
  const doing = useDo();
  if (asked.fault) return <Fault words={asked.fault} />;
  if (!asked.value) return <Nothing>…</Nothing>;

  const wordsOf = (rule: Rule) => edits[rule.name] ?? shownValue(rule, text(asked.value![rule.name]));
  const edit = (rule: Rule) => (words: string) => setEdits((all) => ({ ...all, [rule.name]: words }));
  const changes = (): string[] =>
    kRules.flatMap((rule) => {
      const value = sentValue(rule, wordsOf(rule));
      return value === text(asked.value![rule.name]) ? [] : [rule.name, value];
    });
  const run = (verb: 'TRY' | 'SET') =>
    doing.run(async () => {
      const changed = changes();
      if (changed.length === 0) throw new Error('change something first');
      setOutcome(null);
      if (verb === 'TRY') await tryPolicy(db, changed, setOutcome);
      else {
        await call(db, 'TTL.POLICY', 'SET', ...changed);
        setEdits({});
        asked.again();
      }
      return verb === 'TRY' ? 'tried' : 'the policy is set';
    });
  return (
    <Panel title={`Policy of db${db}`} wide>
      <p class="hint">
        A policy binds writes; existing keys keep their deadlines. “Try” changes nothing: it tells what the policy would
        mean for the keys that live now.
      </p>
      <Form
        label="Policy"
        button="Set"
        submit={() => run('SET')}
        busy={doing.busy}
        grid
        beside={
          <button type="button" disabled={doing.busy} onClick={() => run('TRY')}>
            Try
          </button>
        }
      >
        {kRules.map((rule) =>
          rule.values ? (
            <Choice
              key={rule.name}
              label={rule.label}
              value={wordsOf(rule)}
              options={rule.values}
              set={edit(rule)}
            />
          ) : (
            <Text
              key={rule.name}
              label={rule.label}
              value={wordsOf(rule)}
              hint="none; 15m, 7d"
              set={edit(rule)}
            />
          ),
        )}
      </Form>
      <p class="hint">
        {['default-ttl', 'max-ttl'].map((name) => {
          const value = Number(text(asked.value![name]));
          return Number.isFinite(value) ? `${name} is ${length(value)} now. ` : '';
        })}
      </p>
      <Fault words={doing.fault} />
      {outcome !== null && (
        <div role="status">
          <h3>What it would mean</h3>
          <Outcome trial={outcome} />
        </div>
      )}
    </Panel>
  );
}
