// Changes all keys that match: counted first, then changed, with its progress and a stop.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Bytes } from '../../api/bytes';
import { useDo } from '../../app/ask';
import { count, plural } from '../../app/figures';
import { parseLength } from '../../app/time';
import { Fault, Panel, Progress, Raw } from '../../parts/basics';
import { Confirm } from '../../parts/dialog';
import { Choice, Text } from '../../parts/inputs';
import type { Change, What, Work } from './bulk_work';
import { goThrough } from './bulk_work';

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
  const [preview, setPreview] = useState<Work | null>(null);
  const [work, setWork] = useState<Work | null>(null);
  const [asking, setAsking] = useState(false);
  const doing = useDo();
  const stopped = useRef(false);
  useEffect(
    () => () => {
      stopped.current = true; // The view is left.
    },
    [],
  );
  const running = preview?.state === 'running' || work?.state === 'running';
  const ready = preview !== null && preview.state !== 'running' && work === null;
  const forget = () => {
    setPreview(null);
    setWork(null);
  };

  // What a fault cut off is stopped: what was done until then is said.
  const through = async (change: Change | null, expected: number, seen: (work: Work) => void) => {
    let latest: Work | null = null;
    stopped.current = false;
    try {
      await goThrough(
        { db, match, from, to },
        change,
        expected,
        (next) => seen((latest = next)),
        () => stopped.current,
      );
    } catch (fault) {
      if (latest) seen({ ...(latest as Work), state: 'stopped' });
      throw fault;
    }
  };
  const look = () =>
    doing.run(async () => {
      if (what === 'EXPIRE') parseLength(life);
      forget();
      await through(null, 0, setPreview);
      return 'counted';
    });
  const start = () =>
    doing.run(async () => {
      setAsking(false);
      await through({ what, life: what === 'EXPIRE' ? parseLength(life) : 0 }, preview?.found ?? 0, setWork);
      changed();
      return 'done';
    });
  const keys = (
    <>
      keys of db{db}
      {match !== undefined && (
        <>
          {' '}
          that match <Raw bytes={match} max={60} />
        </>
      )}
      {(from || to) && ' that die in the window above'}
    </>
  );
  return (
    <Panel title="Change all of them">
      <p class="hint">All {keys}.</p>
      <form
        class="form small"
        aria-label="Change all of them"
        onSubmit={(event) => {
          event.preventDefault();
          look();
        }}
      >
        <Choice
          label="What to do"
          value={what}
          set={(next) => {
            setWhat(next as What);
            forget();
          }}
          options={Object.entries(kTitles)}
        />
        {what === 'EXPIRE' && (
          <Text
            label="Time to live"
            value={life}
            set={(next) => {
              setLife(next);
              forget();
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
          disabled={doing.busy || !ready || preview.found === 0}
          onClick={() => setAsking(true)}
        >
          {kTitles[what]}
        </button>
      </form>
      <Fault words={doing.fault} />
      {running && (
        <div class="job">
          {work ? (
            <Progress done={work.found} all={work.all} label="Keys changed" />
          ) : (
            <Progress done={preview!.looked} all={preview!.all} label="Keys looked at" />
          )}
          <button
            type="button"
            onClick={() => {
              stopped.current = true;
            }}
          >
            Stop
          </button>
        </div>
      )}
      {preview && !work && <Preview of={preview} />}
      {work && work.state !== 'running' && (
        <p role="status">
          {work.state === 'stopped' && 'Stopped: '}
          {plural(work.changed, 'key')} changed
          {work.refused > 0 && `, ${plural(work.refused, 'key')} refused`}.
        </p>
      )}
      <Fault words={work?.firstError ?? ''} />
      {asking && (
        <Confirm title={`${kTitles[what]}?`} button={kTitles[what]} yes={start} no={() => setAsking(false)}>
          <p>
            {count(preview!.found)} {keys}
            {what === 'DELETE' ? ' are gone at once.' : what === 'EXPIRE' ? ` die in ${life}.` : ' live for ever.'}
          </p>
        </Confirm>
      )}
    </Panel>
  );
}

function Preview({ of }: { of: Work }) {
  if (of.state !== 'running' && of.found === 0) return <p role="status">No key matches.</p>;
  return (
    <p role="status">
      {of.state === 'stopped' && 'Stopped: at least '}
      {plural(of.found, 'key')} would change
      {of.examples.length > 0 && ', such as '}
      {of.examples.map((one, at) => (
        <span key={at}>
          {at > 0 && ', '}
          <Raw bytes={one} max={40} />
        </span>
      ))}
      .
    </p>
  );
}
