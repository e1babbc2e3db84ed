// Figures and expiry events as the server sends them. One connection at a time feeds any number of views; the browser
// reconnects by itself, and says from which event on.
import type { Overview } from './overview';
import { overviews } from './overview';
import type { Reply } from './reply';
import { fields, number, text } from './reply';

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

// One entry of TTL.EVENTS.
export function eventOf(reply: Reply): ExpiryEvent {
  const of = fields(reply);
  return {
    sequence: number(of.sequence),
    keyspace: text(of.keyspace),
    key: of.key,
    field: of.field,
    entry: of.entry === undefined ? undefined : text(of.entry),
    deadline_ms: number(of.deadline),
    purged_ms: number(of['purged-at']),
    cause: text(of.cause),
    value: of.value,
  };
}

export interface Filter {
  match: string;
  db: string;
}

type Handlers = {
  overview: (figures: Overview) => void;
  expiry: (event: ExpiryEvent) => void;
  skipped: (from: number, to: number) => void; // Sequences that came too fast, or lie too far behind.
  refused: (words: string) => void;
  state: (connected: boolean) => void;
  end: () => void; // The login has ended.
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
  const overviewOf = overviews();
  const listen = (name: string, take: (data: any) => void) =>
    source.addEventListener(name, (event) => take(JSON.parse((event as MessageEvent).data)));
  listen('overview', (data) => handlers.overview?.(overviewOf(data)));
  listen('expiry', (data) => handlers.expiry?.(data));
  listen('skipped', ({ from, to }) => handlers.skipped?.(from, to));
  listen('refused', ({ error }) => handlers.refused?.(error));
  listen('end', () => {
    source.close();
    handlers.end?.();
  });
  return () => source.close();
}
