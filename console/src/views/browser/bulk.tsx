// Changes all keys that match: counted first (a dry run), then changed by a job of the server, with its progress and
// a stop.
import { useState } from 'preact/hooks';
import type { Bytes } from '../../api/bytes';
import { shortened } from '../../api/bytes';
import { bytes, fields, list, number, text } from '../../api/reply';
import type { Command } from '../../api/server';
import { call } from '../../api/server';
import { useDo } from '../../app/ask';
import { count, plural } from '../../app/figures';
import { parseLength } from '../../app/time';
import { Fault, Panel, Raw } from '../../parts/basics';
import { Confirm } from '../../parts/dialog';
import { Choice, Text } from '../../parts/inputs';
import { finished, JobLine, useJob } from '../../parts/job';

type What = 'DELETE' | 'EXPIRE' | 'PERSIST';

const kTitles: Record<What, string> = {
  DELETE: 'Delete them',
  EXPIRE: 'Set their time to live',
  PERSIST: 'Remove their deadlines',
};

export function Bulk({
  db,
  match,
  from,
  to,
  changed,
}: {
  db: number;
  match?: Bytes;
  from?: string;
  to?: string;
  changed: () => void;
}) {
  const [what, setWhat] = useState<What>('EXPIRE');
  const [life, setLife] = useState('');
  const [job, setJob] = useState<number | null>(null);
  const [asking, setAsking] = useState(false);
  const doing = useDo();
  const state = useJob(job, changed);
  const preview = state && finished(state) && number(fields(state.result)['dry-run']) === 1;

  const command = (dry: boolean): Command => [
    'TTL.BULK',
    what,
    ...(what === 'EXPIRE' ? [parseLength(life)] : []),
    ...(match !== undefined ? ['MATCH', match] : []),
    ...(from ? ['FROM', from] : []),
    ...(to ? ['TO', to] : []),
    ...(dry ? ['DRYRUN'] : []),
  ];
  const start = (dry: boolean) =>
    doing.run(async () => {
      setAsking(false);
      setJob(number(await call(db, ...command(dry))));
      return dry ? 'counting' : 'started';
    });
  const result = state ? fields(state.result) : {};
  const found = number(result.matched ?? 0);
  const refusal = text(result['first-error']);
  return (
    <Panel title="Change all of them">
      <p class="hint">
        Keys of db{db}
        {match !== undefined && (
          <>
            {' '}
            that match <Raw bytes={match} max={60} />
          </>
        )}
        {(from || to) && <> that die in the window above</>}.
      </p>
      <form
        class="form small"
        aria-label="Change all of them"
        onSubmit={(event) => {
          event.preventDefault();
          start(true);
        }}
      >
        <Choice
          label="What to do"
          value={what}
          set={(next) => {
            setWhat(next as What);
            setJob(null);
          }}
          options={Object.entries(kTitles)}
        />
        {what === 'EXPIRE' && (
          <Text
            label="Time to live"
            value={life}
            set={(next) => {
              setLife(next);
              setJob(null);
            }}
            hint="15m"
            required
          />
        )}
        <button type="submit" disabled={doing.busy}>
          Preview
        </button>
        <button
          type="button"
          class="danger"
          disabled={doing.busy || !preview || found === 0}
          onClick={() => setAsking(true)}
        >
          {kTitles[what]}
        </button>
      </form>
      <Fault words={doing.fault} />
      {state && (
        <JobLine
          state={state}
          stop={() =>
            doing.run(async () => {
              await call(0, 'TTL.JOB', 'CANCEL', state.id);
            })
          }
        />
      )}
      {preview && (
        <p role="status">
          {found === 0 ? (
            'No key matches.'
          ) : (
            <>
              {plural(found, 'key')} would change, such as{' '}
              {list(result.examples)
                .slice(0, 5)
                .map((one, at) => (
                  <>
                    {at > 0 && ', '}
                    <Raw bytes={bytes(one)} max={40} />
                  </>
                ))}
              .
            </>
          )}
        </p>
      )}
      {state && finished(state) && !preview && state.state === 'done' && (
        <p role="status">
          {plural(number(result.changed), 'key')} changed
          {number(result.refused) > 0 && `, ${plural(number(result.refused), 'key')} refused`}.
        </p>
      )}
      <Fault words={refusal} />
      {asking && (
        <Confirm
          title={`${kTitles[what]}?`}
          button={kTitles[what]}
          yes={() => start(false)}
          no={() => setAsking(false)}
        >
          <p>
            {count(found)} keys of db{db}
            {match !== undefined && (
              <>
                {' '}
                that match <code class="raw">{shortened(match, 60)}</code>
              </>
            )}
            {what === 'DELETE' ? ' are gone at once.' : ' get another deadline.'}
          </p>
        </Confirm>
      )}
    </Panel>
  );
}
