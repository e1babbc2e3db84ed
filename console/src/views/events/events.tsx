// Deaths as they happen: the newest first, filtered by the server, paused and exported here.
import { useState } from 'preact/hooks';
import type { ExpiryEvent } from '../../api/live';
import { shortened } from '../../api/bytes';
import { bytes } from '../../api/reply';
import { hashOf, keyHash } from '../../app/address';
import { download } from '../../app/download';
import { count, plural } from '../../app/figures';
import { keyspaceName } from '../../app/keyspace_name';
import { useShared } from '../../app/state';
import { length } from '../../app/time';
import { Fault, Nothing, Panel, Raw, Rows } from '../../parts/basics';
import { Choice, Form, Text } from '../../parts/inputs';
import { Instant } from '../../parts/instant';
import { useEvents } from './event_source';

const kPage = 50;

const kCauses: Record<string, string> = {
  purged: 'removed by the reaper',
  read: 'met by a read',
  replaced: 'met by a write',
  'born-dead': 'written too late',
  evicted: 'evicted',
};

const lineOf = (event: ExpiryEvent) => JSON.stringify(event);

function Event({ event }: { event: ExpiryEvent }) {
  const db = /^db(\d+)$/.exec(event.keyspace)?.[1];
  const key = bytes(event.key);
  return (
    <tr>
      <td class="number">{count(event.sequence)}</td>
      <th scope="row">
        {db === undefined ? (
          <Raw bytes={key} max={80} />
        ) : (
          <a href={keyHash(Number(db), key)}>
            <Raw bytes={key} max={80} />
          </a>
        )}
        {event.field !== undefined && (
          <>
            {' '}
            field <Raw bytes={bytes(event.field)} max={60} />
          </>
        )}
        {event.entry !== undefined && (
          <>
            {' '}
            entry <Raw bytes={bytes(event.entry)} max={60} />
          </>
        )}
      </th>
      <td>
        <Instant ms={event.deadline_ms} />
      </td>
      <td>{keyspaceName(event.keyspace).words}</td>
      <td>
        {kCauses[event.cause] ?? event.cause}
        <small> {length(event.purged_ms - event.deadline_ms)} later</small>
      </td>
      <td>
        {event.value === undefined ? <span class="hint">not kept</span> : <Raw bytes={bytes(event.value)} max={100} />}
      </td>
    </tr>
  );
}

export function Events() {
  const { session, figures } = useShared();
  const [match, setMatch] = useState('');
  const [words, setWords] = useState('');
  const [keyspace, setKeyspace] = useState('');
  const [cause, setCause] = useState('');
  const [from, setFrom] = useState(0);
  const { events: shown, waiting, paused, pause, fault, missed } = useEvents({ match, keyspace, cause });
  const save = () =>
    download('expiry-events.jsonl', 'application/jsonl', shown.map(lineOf).reverse().join('\n') + '\n');
  const tables = (figures?.keyspaces ?? []).map((one) => one.name).filter((name) => keyspaceName(name).items);
  return (
    <Panel
      title="Expiry events"
      wide
      actions={
        <>
          <button
            type="button"
            aria-pressed={paused}
            onClick={() => {
              pause(!paused);
              setFrom(0);
            }}
          >
            {paused ? 'Go on' : 'Pause'}
          </button>
          <button type="button" disabled={shown.length === 0} onClick={save}>
            Export as JSON lines
          </button>
        </>
      }
    >
      <Form
        label="Filter"
        button="Filter"
        small
        submit={() => {
          setMatch(words);
          setFrom(0);
        }}
      >
        <Text label="Keys like" value={words} set={setWords} hint="*" mono />
        <Choice
          label="Of"
          value={keyspace}
          set={(next) => {
            setKeyspace(next);
            setFrom(0);
          }}
          options={[
            ['', 'all'],
            ...Array.from({ length: session.databases }, (_, at): [string, string] => [`db${at}`, `db${at}`]),
            ...tables.map((name): [string, string] => [name, `table ${keyspaceName(name).table}`]),
          ]}
        />
        <Choice
          label="Cause"
          value={cause}
          set={(next) => {
            setCause(next);
            setFrom(0);
          }}
          options={[['', 'any'], ...Object.entries(kCauses)]}
        />
      </Form>
      <p class="hint" role="status">
        {paused
          ? `Paused; ${plural(waiting, 'event')} came meanwhile.`
          : `${plural(shown.length, 'event')} shown, newest first.`}
        {missed > 0 &&
          ` ${plural(missed, 'older event')} left this page, or came too fast for it: TTL.EVENTS has them.`}
      </p>
      <Fault words={fault} />
      {shown.length === 0 ? (
        <Nothing>
          None yet. A database leaves events when its <a href={hashOf('deadlines')}>policy</a> says{' '}
          <code>events key</code>, or <code>events value</code> for old values.
        </Nothing>
      ) : (
        <Rows label="Events" heads={['Sequence', 'Key', 'Deadline', 'In', 'Cause', 'Old value']}>
          {shown.slice(from, from + kPage).map((event) => (
            <Event event={event} key={event.sequence} />
          ))}
        </Rows>
      )}
      {shown.length > kPage && (
        <nav class="pager" aria-label="Pages of events">
          <button type="button" disabled={from === 0} onClick={() => setFrom(Math.max(0, from - kPage))}>
            Newer
          </button>
          <span>
            {count(from + 1)} to {count(Math.min(shown.length, from + kPage))} of {count(shown.length)}
          </span>
          <button type="button" disabled={from + kPage >= shown.length} onClick={() => setFrom(from + kPage)}>
            Older
          </button>
        </nav>
      )}
      <p class="unseen" aria-live="polite">
        {!paused && shown[0] ? `Last: ${shortened(bytes(shown[0].key), 40)}` : ''}
      </p>
    </Panel>
  );
}
