// Figures and expiry events as the server sends them. One connection at a time feeds any number of views; the browser
// reconnects by itself, and says from which event on.
import type { Reply } from './reply';

export interface KeyspaceFigures {
  name: string;
  kind: string;
  rows: number;
  mortal_rows: number;
  due_rows: number;
  lag_ms: number;
  bytes: number | null;
  purge_within_ms: number;
  promise_overdue_ms: number;
  purged_through_ms: number;
}

export interface Overview {
  now_ms: number;
  uptime_ms: number;
  clock: { state: string; ahead_ms: number; deletion_stopped: boolean; last_jump_ms: number; advice: string };
  commands_total: number;
  commands_per_second: number;
  clients: number;
  latency_us: { p50: number; p99: number } | null;
  memory_bytes: number;
  disk_bytes: number;
  disk_free_bytes: number | null;
  purged_rows: number;
  purged_by_reads: number;
  purged_per_second: number;
  due_rows: number;
  lag_ms: number;
  events_first: number;
  events_last: number;
  keyspaces: KeyspaceFigures[];
  refused?: string;
}

export interface ExpiryEvent {
  sequence: number;
  keyspace: string;
  key: Reply;
  field?: Reply;
  entry?: string;
  deadline_ms: number;
  purged_ms: number;
  cause: string;
  value?: Reply;
}

export interface Filter {
  match: string;
  db: string;
}

type Handlers = {
  overview: (figures: Overview) => void;
  expiry: (event: ExpiryEvent) => void;
  state: (connected: boolean) => void;
  fault: (words: string) => void;
};

export function follow(filter: Filter | null, handlers: Partial<Handlers>): () => void {
  const query = new URLSearchParams();
  if (filter) {
    query.set('expiry', '1');
    if (filter.match) query.set('match', filter.match);
    if (filter.db) query.set('db', filter.db);
  }
  const source = new EventSource(`/console/api/live?${query}`);
  source.onopen = () => handlers.state?.(true);
  source.onerror = () => handlers.state?.(false);
  source.addEventListener('overview', (event) => handlers.overview?.(JSON.parse(event.data)));
  source.addEventListener('expiry', (event) => handlers.expiry?.(JSON.parse(event.data)));
  source.addEventListener('refused', (event) => handlers.fault?.(JSON.parse(event.data).error));
  return () => source.close();
}
