// The figures of the server, from the replies of TTL.STATS, INFO and LATENCY HISTOGRAM, and what follows from two of
// them: what is a sum since the start becomes a rate by their difference; so do latencies, which come as buckets.
import type { Reply } from './reply';
import { fields, isError, list, number, pairs, text } from './reply';

export interface KeyspaceFigures {
  name: string;
  rows: number;
  mortal_rows: number;
  due_rows: number;
  lag_ms: number;
  purged_through: number;
  purge_within: number; // 0: no promise.
  promise_overdue_ms: number;
}

export interface CommandFigures {
  name: string;
  calls: number;
  rejected: number;
  failed: number;
  p50_us: number; // Since the start.
  p99_us: number;
}

interface Sent {
  now: number;
  clock_state: string;
  deletion_stopped_by_clock: boolean;
  purged_rows: number;
  events_first: number;
  events_last: number;
  disk_bytes: number;
  memory_bytes: number;
  keyspaces: KeyspaceFigures[];
  uptime_ms: number;
  clients: number;
  commands: number;
  commands_per_second: number;
  bytes_in_per_second: number;
  bytes_out_per_second: number;
  data_bytes: number;
  data_max_bytes: number; // 0: no bound.
  by_command: CommandFigures[];
  buckets: Buckets;
  told: boolean; // Whether INFO was allowed.
}

export interface Overview extends Sent {
  latency: { p50_us: number; p99_us: number } | null; // Of the time since the figures before; null: nothing ran.
  purged_per_second: number;
  due_rows: number;
  lag_ms: number;
}

type Buckets = Map<number, number>; // By a bucket's largest microsecond: how many commands.

const keyspaceOf = (reply: Reply): KeyspaceFigures => {
  const of = fields(reply);
  return {
    name: text(of.name),
    rows: number(of.rows),
    mortal_rows: number(of['mortal-rows']),
    due_rows: number(of['due-rows']),
    lag_ms: number(of['lag-ms']),
    purged_through: number(of['purged-through']),
    purge_within: number(of['purge-within'] ?? 0),
    promise_overdue_ms: number(of['promise-overdue-ms'] ?? 0),
  };
};

const infoOf = (reply: Reply): Record<string, string> =>
  Object.fromEntries(
    text(reply)
      .split('\r\n')
      .filter((line) => line.includes(':'))
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );

// "calls=3,usec=12": as numbers.
const partsOf = (line = ''): Record<string, number> =>
  Object.fromEntries(
    line
      .split(',')
      .map((part) => part.split('='))
      .map(([name, value]) => [name, Number(value)]),
  );

function commandsOf(info: Record<string, string>): CommandFigures[] {
  const prefix = 'cmdstat_';
  return Object.keys(info)
    .filter((name) => name.startsWith(prefix))
    .map((line) => {
      const name = line.slice(prefix.length);
      const counts = partsOf(info[line]);
      const times = partsOf(info[`latency_percentiles_usec_${name}`]);
      return {
        name: name.replace('|', ' ').toUpperCase(),
        calls: counts.calls,
        rejected: counts.rejected_calls,
        failed: counts.failed_calls,
        p50_us: times.p50 ?? 0,
        p99_us: times.p99 ?? 0,
      };
    })
    .sort((a, b) => b.calls - a.calls);
}

// Each command's counts come as sums up to a bucket; of all commands together they are counts of each.
function bucketsOf(reply: Reply): Buckets {
  const all: Buckets = new Map();
  for (const [, of] of pairs(reply)) {
    let before = 0;
    for (const [bucket, sum] of pairs(fields(of).histogram_usec)) {
      all.set(number(bucket), (all.get(number(bucket)) ?? 0) + number(sum) - before);
      before = number(sum);
    }
  }
  return all;
}

function sentOf([stats, answer, histogram]: Reply[]): Sent {
  const of = fields(stats);
  const info = isError(answer) ? {} : infoOf(answer);
  const figure = (name: string) => Number(info[name] ?? 0);
  return {
    now: number(of.now),
    clock_state: text(of['clock-state']),
    deletion_stopped_by_clock: number(of['deletion-stopped-by-clock']) === 1,
    purged_rows: number(of['purged-rows']),
    events_first: number(of['events-first']),
    events_last: number(of['events-last']),
    disk_bytes: number(of['disk-bytes']),
    memory_bytes: number(of['memory-bytes']),
    keyspaces: list(of.keyspaces).map(keyspaceOf),
    uptime_ms: figure('uptime_in_seconds') * 1000,
    clients: figure('connected_clients'),
    commands: figure('total_commands_processed'),
    commands_per_second: figure('instantaneous_ops_per_sec'),
    bytes_in_per_second: figure('instantaneous_input_kbps') * 1024,
    bytes_out_per_second: figure('instantaneous_output_kbps') * 1024,
    data_bytes: figure('used_memory'),
    data_max_bytes: figure('maxmemory'),
    by_command: commandsOf(info),
    buckets: isError(histogram) ? new Map() : bucketsOf(histogram),
    told: !isError(answer),
  };
}

function percentile(buckets: Buckets, share: number): number {
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  const all = sorted.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [micros, count] of sorted) {
    seen += count;
    if (seen >= all * share) return micros;
  }
  return 0;
}

function latencyBetween(before: Buckets, after: Buckets): Overview['latency'] {
  const since: Buckets = new Map();
  for (const [micros, count] of after) {
    const more = count - (before.get(micros) ?? 0);
    if (more > 0) since.set(micros, more);
  }
  return since.size === 0 ? null : { p50_us: percentile(since, 0.5), p99_us: percentile(since, 0.99) };
}

// A reader of one stream of figures: it remembers those before. A refusal is thrown in the server's words.
export function overviews(): (replies: Reply[]) => Overview {
  let before: { at: number; purged: number; buckets: Buckets } | null = null;
  return (replies) => {
    if (isError(replies[0])) throw new Error(replies[0].error);
    const sent = sentOf(replies);
    const at = performance.now();
    const seconds = before ? (at - before.at) / 1000 : 0;
    const overview: Overview = {
      ...sent,
      latency: before ? latencyBetween(before.buckets, sent.buckets) : null,
      purged_per_second: before && seconds > 0 ? Math.max(0, (sent.purged_rows - before.purged) / seconds) : 0,
      due_rows: sent.keyspaces.reduce((sum, one) => sum + one.due_rows, 0),
      lag_ms: Math.max(0, ...sent.keyspaces.map((one) => one.lag_ms)),
    };
    before = { at, purged: sent.purged_rows, buckets: sent.buckets };
    return overview;
  };
}
