// The only file that speaks HTTP with the server, apart from live.ts. Every request is same-origin and carries the
// session's CSRF token; the token lives in memory alone.
import type { Bytes } from './bytes';
import { sizeOf } from './bytes';
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
let user = '';
let ended: (why: string) => void = () => {};

export const sessionEnded = () => ended('The session has ended: log in again.');

export const onSessionEnd = (call: (why: string) => void) => {
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
  if (response.status === 401 && path !== 'login' && path !== 'session') sessionEnded();
  throw new Refused(json.error ?? json.message ?? json.Message ?? `HTTP ${response.status}`, response.status);
}

export async function openSession(): Promise<Session | null> {
  try {
    const session: Session = await request('session');
    csrf = session.csrf;
    user = session.user;
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
  await request('logout', {}).catch(async () => {
    if (await openSession()) await request('logout', {}); // Of another tab's login.
  });
  csrf = '';
  user = '';
}

// Another tab of this browser may have logged in since, and has the cookie. The same user goes on with the new token;
// what one user asked for is never done as another. Returns whether the page is still of the user it was opened by.
export async function checkSession(): Promise<boolean> {
  const was = user;
  const now = await openSession();
  if (now?.user === was) return true;
  csrf = '';
  if (now === null) sessionEnded();
  else ended('Another user has logged in, in another tab of this browser: log in again.');
  return false;
}

async function send(body: unknown): Promise<{ replies: Reply[] }> {
  const before = csrf;
  try {
    return await request('command', body);
  } catch (fault) {
    if (!(fault instanceof Refused) || fault.status !== 403) throw fault;
    if ((await checkSession()) && csrf !== before) return request('command', body);
    throw fault;
  }
}

// The server takes no more in one request: 8 MiB of JSON, which may need six bytes for one.
const kCommandsMax = 100;
const kBytesMax = 1024 * 1024;

type Words = Bytes[];

function requestsOf(commands: Command[]): Words[][] {
  const requests: Words[][] = [];
  let size = 0;
  for (const command of commands) {
    const words = command.map((arg) => (typeof arg === 'number' ? String(arg) : arg));
    const more = words.reduce((sum, word) => sum + sizeOf(word), 0);
    const last = requests.at(-1);
    if (last && last.length < kCommandsMax && size + more <= kBytesMax) {
      last.push(words);
      size += more;
    } else {
      requests.push([words]);
      size = more;
    }
  }
  return requests;
}

// One reply for each command; an error is a reply.
export async function replies(db: number, commands: Command[]): Promise<Reply[]> {
  const all: Reply[] = [];
  for (const part of requestsOf(commands)) all.push(...(await send({ db, commands: part })).replies);
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
