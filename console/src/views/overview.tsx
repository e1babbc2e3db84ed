// What is stored, how fast it goes, and whether dying goes as it should; every second, as the server sends it.
import { useEffect, useState } from 'preact/hooks';
import type { KeyspaceFigures, Overview as Figures } from '../api/live';
import { hashOf } from '../app/address';
import { count, micros, plural, roughly, size } from '../app/figures';
import { useShared } from '../app/state';
import { instant, length } from '../app/time';
import { Fault, Nothing, Panel, Rows } from '../parts/basics';
import { Instant } from '../parts/instant';
import { Spark } from '../parts/spark';

const kHistoryMax = 120;
const kKeyspacesShown = 50;

function useHistory(figures: Figures | null): Figures[] {
  const [history, setHistory] = useState<Figures[]>([]);
  useEffect(() => {
    if (figures && !figures.refused) setHistory((old) => [...old.slice(1 - kHistoryMax), figures]);
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

function ClockPanel({ figures }: { figures: Figures }) {
  const { clock } = figures;
  const words =
    {
      ok: 'agrees with the machine’s clock',
      ahead: 'is ahead of the machine’s clock',
      jumped: 'has jumped ahead, and waits for a decision',
    }[clock.state] ?? clock.state;
  return (
    <Panel title="Clock">
      <p class={clock.state === 'ok' ? 'state good' : 'state bad'}>The time by which keys die {words}.</p>
      <dl class="facts">
        <dt>Now</dt>
        <dd>
          <time>{instant(figures.now_ms)}</time>
        </dd>
        {clock.ahead_ms > 0 && (
          <>
            <dt>Ahead by</dt>
            <dd>{length(clock.ahead_ms)}</dd>
          </>
        )}
        {clock.last_jump_ms > 0 && (
          <>
            <dt>Last jump</dt>
            <dd>{length(clock.last_jump_ms)}</dd>
          </>
        )}
        <dt>Deletion</dt>
        <dd>{clock.deletion_stopped ? 'stopped by the clock' : 'goes on'}</dd>
      </dl>
      {clock.state !== 'ok' && clock.advice && <p>{clock.advice}</p>}
    </Panel>
  );
}

function promiseWords(one: KeyspaceFigures): string {
  if (!one.purge_within_ms) return 'none';
  return one.promise_overdue_ms > 0
    ? `overdue by ${length(one.promise_overdue_ms)}`
    : `kept, within ${length(one.purge_within_ms)}`;
}

// "table.NAME.items#ID", "table.NAME.index.INDEX#ID", "table.NAME.stream.INSTANT#ID": as `mayfly prove` names them.
function partOf(name: string): { table: string; words: string } {
  const [, table, part] = /^table\.(.+?)\.(items|index\..+|stream\..+)$/.exec(name.replace(/#[^#]*$/, '')) ?? [];
  if (table === undefined) return { table: '', words: name };
  return { table, words: `${table}: ${part.replace('index.', 'index ').replace('stream.', 'stream of ')}` };
}

function Keyspaces({ title, rows, view }: { title: string; rows: KeyspaceFigures[]; view: 'browser' | 'tables' }) {
  const [from, setFrom] = useState(0);
  const link = (name: string) =>
    view === 'browser'
      ? hashOf('browser', { db: name.replace(/^db/, '') })
      : hashOf('tables', { table: partOf(name).table });
  return (
    <Panel title={title} wide>
      {rows.length === 0 ? (
        <Nothing>None yet.</Nothing>
      ) : (
        <Rows label={title} heads={['Name', 'Rows', 'With a deadline', 'Bytes', 'Due', 'Lag', 'Promise']}>
          {rows.slice(from, from + kKeyspacesShown).map((one) => (
            <tr key={one.name}>
              <th scope="row">
                <a href={link(one.name)}>{partOf(one.name).words}</a>
              </th>
              <td class="number">{count(one.rows)}</td>
              <td class="number">{count(one.mortal_rows)}</td>
              <td class="number">{size(one.bytes)}</td>
              <td class="number">{count(one.due_rows)}</td>
              <td class="number">{one.lag_ms > 0 ? length(one.lag_ms) : '–'}</td>
              <td class={one.promise_overdue_ms > 0 ? 'bad' : undefined}>{promiseWords(one)}</td>
            </tr>
          ))}
        </Rows>
      )}
      {rows.length > kKeyspacesShown && (
        <nav class="pager" aria-label={`Pages of ${title}`}>
          <button type="button" disabled={from === 0} onClick={() => setFrom(from - kKeyspacesShown)}>
            Back
          </button>
          <span>
            {from + 1} to {Math.min(rows.length, from + kKeyspacesShown)} of {rows.length}
          </span>
          <button
            type="button"
            disabled={from + kKeyspacesShown >= rows.length}
            onClick={() => setFrom(from + kKeyspacesShown)}
          >
            Next
          </button>
        </nav>
      )}
    </Panel>
  );
}

export function Overview() {
  const { figures } = useShared();
  const history = useHistory(figures);
  if (!figures) return <Nothing>Waiting for the server’s figures …</Nothing>;
  if (figures.refused) return <Fault words={figures.refused} />;
  const due = figures.keyspaces.filter((one) => one.purge_within_ms > 0);
  const overdue = due.filter((one) => one.promise_overdue_ms > 0).length;
  return (
    <>
      <dl class="figures">
        <Figure
          name="Operations"
          value={`${roughly(figures.commands_per_second)}/s`}
          note={`${roughly(figures.commands_total)} since the start`}
          values={history.map((one) => one.commands_per_second)}
        />
        <Figure
          name="Latency"
          value={figures.latency_us ? micros(figures.latency_us.p99) : '–'}
          note={figures.latency_us ? `p99; half below ${micros(figures.latency_us.p50)}` : 'latency-tracking is off'}
          values={history.map((one) => one.latency_us?.p99 ?? 0)}
        />
        <Figure
          name="Purged"
          value={`${roughly(figures.purged_per_second)}/s`}
          note={`${roughly(figures.purged_rows)} rows, ${roughly(figures.purged_by_reads)} of them by reads`}
          values={history.map((one) => one.purged_per_second)}
        />
        <Figure
          name="Reaper lag"
          value={figures.lag_ms > 0 ? length(figures.lag_ms) : 'none'}
          note={`${plural(figures.due_rows, 'row')} due`}
          values={history.map((one) => one.lag_ms)}
        />
        <Figure name="Memory" value={size(figures.memory_bytes)} values={history.map((one) => one.memory_bytes)} />
        <Figure
          name="Disk"
          value={size(figures.disk_bytes)}
          note={figures.disk_free_bytes === null ? undefined : `${size(figures.disk_free_bytes)} free`}
        />
        <Figure name="Clients" value={count(figures.clients)} note={`up for ${length(figures.uptime_ms)}`} />
        <Figure
          name="Promises"
          value={due.length === 0 ? 'none' : overdue > 0 ? `${overdue} overdue` : `${due.length} kept`}
          note={due.length === 0 ? 'no database has purge-within' : undefined}
        />
      </dl>
      <div class="panels">
        <Keyspaces title="Databases" view="browser" rows={figures.keyspaces.filter((one) => one.kind === 'database')} />
        <Keyspaces
          title="Tables"
          view="tables"
          rows={figures.keyspaces.filter((one) => one.kind === 'table' && partOf(one.name).table !== '')}
        />
        <ClockPanel figures={figures} />
        <Panel title="Events">
          <dl class="facts">
            <dt>Kept</dt>
            <dd>
              {figures.events_last > 0
                ? `${count(figures.events_first)} to ${count(figures.events_last)}`
                : 'none; a database’s policy can ask for them (events key)'}
            </dd>
            {due.map((one) => (
              <>
                <dt>{one.name} purged through</dt>
                <dd>
                  <Instant ms={one.purged_through_ms} />
                </dd>
              </>
            ))}
          </dl>
          <p>
            <a href={hashOf('events')}>Watch them come</a>
          </p>
        </Panel>
      </div>
    </>
  );
}
