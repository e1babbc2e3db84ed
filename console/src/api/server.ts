// The only file that speaks HTTP with the server, apart from live.ts. Every request is same-origin and carries the
// session's CSRF token; the token lives in memory alone.
import type { Bytes } from './bytes';
import type { Reply } from './reply';
import { isError, text } from './reply';

export interface Session {
  user: string;
  csrf: string;
  version: string;
  databases: number;
  tls: boolean;
}

export type Arg = Bytes | number;
export type Command = Arg[];

// The server's words, to be shown where the fault happened.
export class Refused extends Error {
  constructor(
    message: string,
    readonly status = 0,
  ) {
    super(message);
  }
}

let csrf = '';
let ended: () => void = () => {};

export const sessionEnded = () => ended();

export const onSessionEnd = (call: () => void) => {
  ended = call;
};

async function request(path: string, body?: unknown): Promise<any> {
  let response: Response;
  try {
    response = await fetch(`/console/api/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      credentials: 'same-origin',
      cache: 'no-store',
      headers: body === undefined ? {} : { 'Content-Type': 'application/json', 'X-CSRF-Token': csrf },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Refused('the server does not answer');
  }
  const json = await response.json().catch(() => ({}));
  if (response.ok) return json;
  if (response.status === 401 && path !== 'login' && path !== 'session') ended();
  throw new Refused(json.error ?? json.message ?? json.Message ?? `HTTP ${response.status}`, response.status);
}

export async function openSession(): Promise<Session | null> {
  try {
    const session: Session = await request('session');
    csrf = session.csrf;
    return session;
  } catch (fault) {
    if (fault instanceof Refused && fault.status === 401) return null;
    throw fault;
  }
}

export async function logIn(user: string, password: string): Promise<Session> {
  await request('login', { user, password });
  const session = await openSession();
  if (!session) throw new Refused('the browser did not keep the session cookie');
  return session;
}

export async function logOut(): Promise<void> {
  await request('logout', {});
  csrf = '';
}

const kCommandsMax = 100; // The server takes no more in one request.

// One reply for each command; an error is a reply.
export async function replies(db: number, commands: Command[]): Promise<Reply[]> {
  const all: Reply[] = [];
  for (let at = 0; at < commands.length; at += kCommandsMax) {
    const part = commands
      .slice(at, at + kCommandsMax)
      .map((one) => one.map((arg) => (typeof arg === 'number' ? String(arg) : arg)));
    const json = await request('command', { db, commands: part });
    all.push(...json.replies);
  }
  return all;
}

// The reply of one command; an error is thrown in the server's words.
export async function call(db: number, ...command: Command): Promise<Reply> {
  const [reply] = await replies(db, [command]);
  if (isError(reply)) throw new Refused(reply.error);
  return reply;
}

const kReading = /^(Get|List|Describe|Query|Scan|BatchGet)/;

// An operation of the tables, in DynamoDB's JSON.
export async function table(operation: string, body: unknown): Promise<any> {
  const access = kReading.test(operation) ? 'READ' : 'WRITE';
  return JSON.parse(text(await call(0, 'TTL.TABLE', access, operation, JSON.stringify(body))));
}
