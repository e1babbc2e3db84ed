// What is stored, how fast it goes, and whether dying goes as it should; every second, as the server sends it.
import { useEffect, useState } from 'preact/hooks';
import type { CommandFigures, KeyspaceFigures, Overview as Figures } from '../api/overview';
import { fields, number, text } from '../api/reply';
import { call } from '../api/server';
import { hashOf } from '../app/address';
import { useAsk } from '../app/ask';
import { databaseOf, keyspaceName } from '../app/keyspace_name';
import { count, micros, plural, roughly, size } from '../app/figures';
import { useShared } from '../app/state';
import { instant, length, until } from '../app/time';
import { Fault, Nothing, Panel, Rows } from '../parts/basics';
import { Instant } from '../parts/instant';
import { Slices, useSlices } from '../parts/slices';
import { Spark } from '../parts/spark';
import { sizeName, useSizes } from './sizes';

const kHistoryMax = 120;
const kKeyspacesOfPage = 20;

function useHistory(figures: Figures | null): Figures[] {
  const [history, setHistory] = useState<Figures[]>([]);
  useEffect(() => {
    if (figures) setHistory((old) => [...old.slice(1 - kHistoryMax), figures]);
  }, [figures]);
  return history;
}

function Figure({ name, value, note, values }: { name: string; value: string; note?: string; values?: number[] }) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        {note && <small>{note}</small>}
        {values && <Spark values={values} />}
      </dd>
    </div>
  );
}

const kClockWords: Record<string, string> = {
  ok: 'agrees with the machine’s clock',
  ahead: 'is ahead of the machine’s clock',
  jumped: 'has jumped ahead, and waits for a decision',
};

function ClockPanel({ figures }: { figures: Figures }) {
  const state = figures.clock_state;
  // What to do about it is in TTL.CLOCK's own advice, which is asked for only then.
  const clock = useAsk(async () => (state === 'ok' ? null : fields(await call(0, 'TTL.CLOCK'))), [state]);
  return (
    <Panel title="Clock">
      <p class={state === 'ok' ? 'state good' : 'state bad'}>
        The time by which keys die {kClockWords[state] ?? state}.
      </p>
      <dl class="facts">
        <dt>Now</dt>
        <dd>
          <time>{instant(figures.now)}</time>
        </dd>
        {clock.value && number(clock.value['ahead-ms']) > 0 && (
          <>
            <dt>Ahead by</dt>
            <dd>{length(number(clock.value['ahead-ms']))}</dd>
          </>
        )}
        {clock.value && number(clock.value['last-jump-ms']) > 0 && (
          <>
            <dt>Last jump</dt>
            <dd>{length(number(clock.value['last-jump-ms']))}</dd>
          </>
        )}
        {figures.uptime_ms > 0 && (
          <>
            <dt>Server up for</dt>
            <dd>{length(figures.uptime_ms)}</dd>
          </>
        )}
        <dt>Deletion</dt>
        <dd>{figures.deletion_stopped_by_clock ? 'stopped by the clock' : 'goes on'}</dd>
      </dl>
      {clock.value && <p>{text(clock.value.advice)}</p>}
      <Fault words={clock.fault} />
    </Panel>
  );
}

function Commands({ rows }: { rows: CommandFigures[] }) {
  const slices = useSlices(rows, 12);
  return (
    <Panel title="Commands, since the start">
      <Rows label="Commands" heads={['Command', 'Calls', 'Failed', 'Half below', 'p99']}>
        {slices.rows.map((one) => (
          <tr key={one.name}>
            <th scope="row">{one.name}</th>
            <td class="number">{roughly(one.calls)}</td>
            <td class="number">{roughly(one.failed + one.rejected)}</td>
            <td class="number">{micros(one.p50_us)}</td>
            <td class="number">{micros(one.p99_us)}</td>
          </tr>
        ))}
      </Rows>
      <Slices of={slices} what="commands" />
    </Panel>
  );
}

// When the oldest bytes that may still be in a file have to be gone.
const dueOf = (one: KeyspaceFigures): number => one.purged_through + one.purge_within;

function Promises({ rows }: { rows: KeyspaceFigures[] }) {
  const slices = useSlices(rows, kKeyspacesOfPage);
  return (
    <Panel title="Promises" wide>
      {rows.length === 0 ? (
        <Nothing>
          Nothing has <code>purge-within</code>: a <a href={hashOf('deadlines')}>policy</a> can promise it.
        </Nothing>
      ) : (
        <Rows label="Promises" heads={['Of', 'Within', 'Purged through', 'Next due', 'State']}>
          {slices.rows.map((one) => (
            <tr key={one.name}>
              <th scope="row">{keyspaceName(one.name).words}</th>
              <td>{length(one.purge_within)}</td>
              <td>
                <Instant ms={one.purged_through} />
              </td>
              <td>
                <Instant ms={dueOf(one)} />
              </td>
              <td class={one.promise_overdue_ms ? 'bad' : undefined}>
                {one.promise_overdue_ms ? `overdue by ${length(one.promise_overdue_ms)}` : 'kept'}
              </td>
            </tr>
          ))}
        </Rows>
      )}
      <Slices of={slices} what="promises" />
    </Panel>
  );
}

function promiseWords(one: KeyspaceFigures): string {
  if (!one.purge_within) return 'none';
  return one.promise_overdue_ms
    ? `overdue by ${length(one.promise_overdue_ms)}`
    : `kept, within ${length(one.purge_within)}`;
}

function Keyspaces({
  title,
  rows,
  view,
  empty = 0,
}: {
  title: string;
  rows: KeyspaceFigures[];
  view: 'browser' | 'tables';
  empty?: number;
}) {
  const slices = useSlices(rows, kKeyspacesOfPage);
  const sizes = useSizes(slices.rows); // Of this page alone: each table is asked.
  const link = (name: string) =>
    view === 'browser'
      ? hashOf('browser', { db: name.replace(/^db/, '') })
      : hashOf('tables', { table: keyspaceName(name).table });
  return (
    <Panel title={title} wide>
      {rows.length === 0 ? (
        <Nothing>None yet.</Nothing>
      ) : (
        <Rows label={title} heads={['Name', 'Rows', 'Bytes, about', 'With a deadline', 'Due', 'Lag', 'Promise']}>
          {slices.rows.map((one) => (
            <tr key={one.name}>
              <th scope="row">
                <a href={link(one.name)}>{keyspaceName(one.name).words}</a>
              </th>
              <td class="number">{count(one.rows)}</td>
              <td class="number">{one.rows > 0 ? size(sizes[sizeName(one.name)]) : '–'}</td>
              <td class="number">{count(one.mortal_rows)}</td>
              <td class="number">{count(one.due_rows)}</td>
              <td class="number">{one.lag_ms > 0 ? length(one.lag_ms) : '–'}</td>
              <td class={one.promise_overdue_ms ? 'bad' : undefined}>{promiseWords(one)}</td>
            </tr>
          ))}
        </Rows>
      )}
      {empty > 0 && <p class="hint">{plural(empty, 'other database is', 'other databases are')} empty.</p>}
      <Slices of={slices} what={title} />
    </Panel>
  );
}

export function Overview() {
  const { figures, refused } = useShared();
  const history = useHistory(figures);
  if (refused !== '') return <Fault words={refused} />;
  if (!figures) return <Nothing>Waiting for the server’s figures …</Nothing>;
  const numbered = figures.keyspaces.filter((one) => databaseOf(one.name) !== null);
  const databases = numbered
    .filter((one) => one.rows > 0 || one.purge_within > 0 || one.name === 'db0')
    .sort((a, b) => databaseOf(a.name)! - databaseOf(b.name)!);
  const empty = numbered.length - databases.length;
  const tables = figures.keyspaces.filter((one) => keyspaceName(one.name).table !== '');
  return (
    <>
      <Tiles figures={figures} history={history} />
      <div class="panels">
        <Keyspaces title="Databases" view="browser" rows={databases} empty={empty} />
        <Keyspaces title="Tables" view="tables" rows={tables} />
        <Promises rows={figures.keyspaces.filter((one) => one.purge_within > 0)} />
        <Commands rows={figures.by_command} />
        <ClockPanel figures={figures} />
        <EventsPanel figures={figures} />
      </div>
    </>
  );
}

function Tiles({ figures, history }: { figures: Figures; history: Figures[] }) {
  const promises = figures.keyspaces.filter((one) => one.purge_within);
  const overdue = promises.filter((one) => one.promise_overdue_ms).length;
  const kept = promises.length === 0 ? 'none' : overdue > 0 ? `${overdue} overdue` : `${promises.length} kept`;
  const next = Math.min(...promises.map(dueOf));
  const latency = figures.latency;
  return (
    <dl class="figures">
      <Figure
        name="Operations"
        value={`${roughly(figures.commands_per_second)}/s`}
        note={`${roughly(figures.commands)} since the start`}
        values={history.map((one) => one.commands_per_second)}
      />
      <Figure
        name="Latency, p99"
        value={latency ? micros(latency.p99_us) : '–'}
        note={latency ? `half below ${micros(latency.p50_us)}` : 'nothing ran in the last second'}
        values={history.map((one) => one.latency?.p99_us ?? 0)}
      />
      <Figure
        name="Purged"
        value={`${roughly(figures.purged_per_second)}/s`}
        note={`${roughly(figures.purged_rows)} since the start`}
        values={history.map((one) => one.purged_per_second)}
      />
      <Figure
        name="Reaper lag"
        value={figures.lag_ms > 0 ? length(figures.lag_ms) : 'none'}
        note={`${plural(figures.due_rows, 'row')} due`}
        values={history.map((one) => one.lag_ms)}
      />
      <Figure
        name="Memory"
        value={size(figures.memory_bytes)}
        note={figures.data_max_bytes > 0 ? `${size(figures.data_bytes)} of ${size(figures.data_max_bytes)} stored` : ''}
        values={history.map((one) => one.memory_bytes)}
      />
      <Figure name="Disk" value={size(figures.disk_bytes)} values={history.map((one) => one.disk_bytes)} />
      <Figure
        name="Clients"
        value={count(figures.clients)}
        note={`${size(figures.bytes_in_per_second)}/s in, ${size(figures.bytes_out_per_second)}/s out`}
        values={history.map((one) => one.bytes_out_per_second)}
      />
      <Figure
        name="Promises"
        value={kept}
        note={promises.length === 0 ? 'nothing has purge-within' : `next due ${until(next, figures.now)}`}
      />
    </dl>
  );
}

function EventsPanel({ figures }: { figures: Figures }) {
  const kept =
    figures.events_last > 0
      ? `${count(figures.events_first)} to ${count(figures.events_last)}`
      : 'none; a database’s policy can ask for them (events key)';
  return (
    <Panel title="Events">
      <dl class="facts">
        <dt>Events kept</dt>
        <dd>{kept}</dd>
      </dl>
      <p>
        <a href={hashOf('events')}>Watch them come</a>
      </p>
    </Panel>
  );
}
