// Goal: no other page makes the console act or tell anything.
// Method: a server on another port of this machine, to which the browser sends the console's cookies, since cookies know
// no ports. tests/console_api sends what no browser would, markup_test.js stores what would be a script.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before } from 'node:test';
import { flow, kOrigin, logIn, resp, useBrowser } from './browser.js';

useBrowser();

let evil;
let evilOrigin;

before(async () => {
  evil = http.createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>another page</title>');
  });
  await new Promise((then) => evil.listen(0, '127.0.0.1', then));
  evilOrigin = `http://127.0.0.1:${evil.address().port}`;
});
after(() => evil.close());

// What a page of another port may try, with the cookies of this machine.
async function tries(page) {
  return page.evaluate(async (origin) => {
    const outcome = async (work) => {
      try {
        return await work();
      } catch {
        return 'stopped';
      }
    };
    const api = `${origin}/console/api`;
    const post = (path, type, body) =>
      fetch(`${api}/${path}`, {
        method: 'POST',
        credentials: 'include',
        mode: 'no-cors',
        body,
        headers: { 'Content-Type': type },
      });
    const write = JSON.stringify({ db: 0, commands: [['SET', 'attacked', 'yes']] });
    return {
      read: await outcome(async () => (await fetch(`${api}/session`, { credentials: 'include' })).text()),
      write: await outcome(() => post('command', 'text/plain', write).then(() => 'sent')),
      json: await outcome(async () =>
        (
          await fetch(`${api}/command`, {
            method: 'POST',
            credentials: 'include',
            headers: { 'Content-Type': 'application/json' },
            body: write,
          })
        ).text(),
      ),
      listen: await new Promise((then) => {
        const source = new EventSource(`${api}/live`, { withCredentials: true });
        source.onerror = () => then('stopped');
        source.addEventListener('figures', () => then('heard'));
      }),
      frame: await new Promise((then) => {
        const frame = document.createElement('iframe');
        frame.onload = () => {
          try {
            then(frame.contentDocument ? 'read' : 'stopped');
          } catch {
            then('stopped');
          }
        };
        frame.src = `${origin}/console`;
        document.body.append(frame);
      }),
      frames: window.length,
      script: await new Promise((then) => {
        const script = document.createElement('script');
        script.onerror = () => then('stopped');
        script.onload = () => then('loaded');
        script.src = `${api}/session`;
        document.body.append(script);
      }),
    };
  }, kOrigin);
}

flow('a page of another port reads nothing and changes nothing', async (page) => {
  await logIn(page);
  const other = await page.context().newPage();
  await other.goto(evilOrigin);
  const outcome = await tries(other);
  assert.deepEqual(
    { read: outcome.read, json: outcome.json, listen: outcome.listen, frame: outcome.frame, script: outcome.script },
    { read: 'stopped', json: 'stopped', listen: 'stopped', frame: 'stopped', script: 'stopped' },
  );
  await other.evaluate((origin) => {
    document.body.innerHTML = `<form method="post" enctype="text/plain" action="${origin}/console/api/command">
      <input name='{"db":0,"commands":[["SET","attacked","yes"]],"x":"' value='"}'></form>`;
    document.forms[0].submit();
  }, kOrigin);
  await other.waitForURL(`${kOrigin}/**`);
  assert.match(await other.locator('body').textContent(), /may not use the console/);
  await other.close();
  assert.equal(await resp.run('EXISTS', 'attacked'), 0);
});

flow('a login that another page has chosen is not taken', async (page) => {
  await resp.run('ACL', 'SETUSER', 'mallory', 'on', '>m', 'allkeys', 'allcommands');
  const answer = await fetch(`${kOrigin}/console/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user: 'mallory', password: 'm' }),
  });
  const chosen = /mayfly_console=(\w+)/.exec(answer.headers.get('set-cookie'))[1];
  await logIn(page);
  const cookies = async () =>
    (await page.context().cookies(`${kOrigin}/console`)).filter(({ name }) => name === 'mayfly_console');
  const [own] = await cookies();
  assert.ok(own.httpOnly && own.sameSite === 'Strict');
  const other = await page.context().newPage();
  await other.goto(`${evilOrigin}/console/api/x`);
  await other.evaluate((id) => {
    document.cookie = `mayfly_console=${id}; path=/console`;
    document.cookie = `mayfly_console=${id}; path=/console/api`;
  }, chosen);
  await other.close();
  await page.reload();
  await page.getByLabel('Password').waitFor();
  assert.equal(await page.getByText('mallory').count(), 0);
  // An id that was there before a login is not the one after it.
  await logIn(page);
  const [fresh] = await cookies();
  assert.ok(fresh.value !== chosen && fresh.value !== own.value);
  await resp.run('ACL', 'DELUSER', 'mallory');
});
