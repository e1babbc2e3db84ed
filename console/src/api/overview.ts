// Figures as the server sends them, TTL.OVERVIEW as JSON, and what follows from two of them: what is a sum since the
// start becomes a rate by their difference; so do latencies, which come as buckets.
export interface KeyspaceFigures {
  name: string;
  rows: number;
  mortal_rows: number;
  due_rows: number;
  lag_ms: number;
  purged_through: number;
  purge_within?: number; // With a promise.
  promise_overdue_ms?: number;
}

export interface FamilyFigures {
  name: string;
  calls: number;
  rejected: number;
  failed: number;
  p50_us: number; // Since the start.
  p99_us: number;
}

export interface Sent {
  now: number;
  clock_state: string;
  deletion_stopped_by_clock: number | boolean;
  purged_rows: number;
  purged_members: number;
  events_first: number;
  events_last: number;
  disk_bytes: number;
  memory_bytes: number;
  disk_full: number | boolean;
  damage_seen: number | boolean;
  keyspaces: KeyspaceFigures[];
  uptime_ms: number;
  clients: number;
  commands: number;
  commands_per_second: number;
  bytes_in_per_second: number;
  bytes_out_per_second: number;
  data_bytes: number;
  data_max_bytes: number;
  families: FamilyFigures[];
  latencies: [number, number][];
}

export interface Overview extends Sent {
  latency: { p50_us: number; p99_us: number } | null; // Of the time since the figures before; null: nothing ran.
  purged_per_second: number;
  due_rows: number;
  lag_ms: number;
}

type Buckets = Map<number, number>; // By a bucket's largest microsecond: how many commands.

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

// A reader of one stream of figures: it remembers those before.
export function overviews(): (sent: Sent) => Overview {
  let before: { at: number; purged: number; buckets: Buckets } | null = null;
  return (sent) => {
    const at = performance.now();
    const buckets: Buckets = new Map(sent.latencies);
    const seconds = before ? (at - before.at) / 1000 : 0;
    const overview: Overview = {
      ...sent,
      latency: latencyBetween(before?.buckets ?? new Map(), buckets),
      purged_per_second: before && seconds > 0 ? Math.max(0, (sent.purged_rows - before.purged) / seconds) : 0,
      due_rows: sent.keyspaces.reduce((sum, one) => sum + one.due_rows, 0),
      lag_ms: Math.max(0, ...sent.keyspaces.map((one) => one.lag_ms)),
    };
    before = { at, purged: sent.purged_rows, buckets };
    return overview;
  };
}
