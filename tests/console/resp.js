// A client of the Redis protocol, for what a test sets up and looks at beside the page.
import net from 'node:net';

export class Resp {
  #socket;
  #bytes = Buffer.alloc(0);
  #waiting = [];

  static async open(port = Number(process.env.MAYFLY_PORT)) {
    const resp = new Resp();
    await new Promise((opened, failed) => {
      resp.#socket = net.connect(port, '127.0.0.1', opened).on('error', failed);
    });
    // A server that is gone answers nothing more.
    resp.#socket.on('close', () => {
      for (const answered of resp.#waiting.splice(0)) answered(new Error('the connection is closed'));
    });
    resp.#socket.unref(); // A test that failed does not wait for it.
    resp.#socket.on('data', (bytes) => {
      resp.#bytes = Buffer.concat([resp.#bytes, bytes]);
      resp.#read();
    });
    return resp;
  }

  // The reply; an error is thrown.
  async run(...words) {
    const parts = words.map((word) => (Buffer.isBuffer(word) ? word : Buffer.from(String(word))));
    const head = Buffer.from(`*${parts.length}\r\n`);
    const body = parts.flatMap((part) => [Buffer.from(`$${part.length}\r\n`), part, Buffer.from('\r\n')]);
    const reply = await new Promise((answered) => {
      if (this.#socket.destroyed) return answered(new Error('the connection is closed'));
      this.#waiting.push(answered);
      this.#socket.write(Buffer.concat([head, ...body]));
    });
    if (reply instanceof Error) throw new Error(`${words.join(' ')}: ${reply.message}`);
    return reply;
  }

  close() {
    this.#socket.end();
  }

  #read() {
    for (;;) {
      const found = parse(this.#bytes, 0);
      if (!found) return;
      this.#bytes = this.#bytes.subarray(found.end);
      this.#waiting.shift()(found.reply);
    }
  }
}

// Null: there is more to come.
function parse(bytes, at) {
  const line = bytes.indexOf('\r\n', at);
  if (line < 0) return null;
  const [kind, rest, next] = [String.fromCharCode(bytes[at]), bytes.toString('utf8', at + 1, line), line + 2];
  if (kind === ':') return { reply: Number(rest), end: next };
  if (kind === '+') return { reply: rest, end: next };
  if (kind === '-') return { reply: new Error(rest), end: next };
  const size = Number(rest);
  if (size < 0) return { reply: null, end: next };
  if (kind === '$') {
    if (bytes.length < next + size + 2) return null;
    return { reply: bytes.toString('utf8', next, next + size), end: next + size + 2 };
  }
  const reply = [];
  let end = next;
  for (let i = 0; i < size; i += 1) {
    const one = parse(bytes, end);
    if (!one) return null;
    reply.push(one.reply);
    end = one.end;
  }
  return { reply, end };
}
