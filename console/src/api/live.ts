// Figures and expiry events as the server sends them, by server-sent events. Each response has what is new and ends; the
// browser asks again after a second, by itself, and says from which event on.
import { toArray } from './bytes';
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
function eventOf(reply: Reply): ExpiryEvent {
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
  match: string; // A pattern of keys; empty: all.
  keyspace: string; // Its name; empty: of all.
  cause: string; // As the server names it; empty: any.
}

type Handlers = {
  overview: (figures: Overview) => void;
  expiry: (events: ExpiryEvent[]) => void;
  skipped: (events: number) => void; // They came too fast, or were trimmed.
  refused: (words: string) => void;
  state: (connected: boolean) => void;
  end: () => void; // The server answers, and not to this login.
};

const kSilenceMax = 5000; // A connection that says nothing for so long is lost,
const kErrorsMax = 2; // and one that ends so often without having said anything.
const kAgainAfter = 1000; // After a refusal.

const hex = (words: string) => Array.from(toArray(words), (byte) => byte.toString(16).padStart(2, '0')).join('');

export function follow(filter: Filter | null, handlers: Partial<Handlers>): () => void {
  const query = new URLSearchParams();
  if (filter) {
    query.set('expiry', '1');
    for (const [name, words] of Object.entries(filter)) if (words) query.set(name, hex(words));
  }
  let source: EventSource;
  let again: ReturnType<typeof setTimeout>;
  let silence: ReturnType<typeof setTimeout>;
  let errors = 0;
  const overviewOf = overviews();
  const heard = () => {
    errors = 0;
    handlers.state?.(true);
    clearTimeout(silence);
    silence = setTimeout(() => handlers.state?.(false), kSilenceMax);
  };
  const listen = (name: string, take: (data: any) => void) =>
    source.addEventListener(name, (event) => {
      heard();
      take(JSON.parse((event as MessageEvent).data));
    });
  const open = () => {
    source = new EventSource(`/console/api/live?${query}`);
    listen('figures', (replies: Reply[]) => {
      try {
        handlers.overview?.(overviewOf(replies));
      } catch (refused) {
        handlers.refused?.((refused as Error).message);
      }
    });
    listen('expiry', (entries: Reply[]) => handlers.expiry?.(entries.map(eventOf)));
    listen('skipped', ({ events }) => handlers.skipped?.(events));
    listen('refused', ({ error }) => handlers.refused?.(error));
    // The end of each response is an error, too, after which the browser asks again. After a refusal it does not: then
    // the page does, since the login may be one of another tab by now.
    source.onerror = () => {
      errors += 1;
      if (errors >= kErrorsMax) handlers.state?.(false);
      if (source.readyState !== EventSource.CLOSED) return;
      handlers.end?.();
      again = setTimeout(open, kAgainAfter);
    };
  };
  open();
  heard();
  return () => {
    clearTimeout(silence);
    clearTimeout(again);
    source.close();
  };
}
