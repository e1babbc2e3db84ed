// Goal: a user who may only read changes nothing, whatever he presses.
// Method: every button of every view is pressed, with all inputs filled, and what is stored is compared.
import assert from 'node:assert/strict';
import { flow, logIn, openPlace, resp, useBrowser } from './browser.js';

useBrowser();

// Whatever of the server a person could have changed.
async function stateOf() {
  const keys = (await resp.run('KEYS', '*')).sort();
  const values = [];
  for (const key of keys) values.push(await resp.run('DUMP', key), await resp.run('PEXPIRETIME', key));
  const settings = await resp.run('CONFIG', 'GET', '*');
  return {
    keys,
    values,
    users: (await resp.run('ACL', 'LIST')).sort(),
    policy: await resp.run('TTL.POLICY'),
    tables: await resp.run('TTL.TABLE', 'READ', 'ListTables', '{}'),
    jobs: await resp.run('TTL.JOB', 'LIST'),
    settings,
  };
}

const kEveryPlace = [
  'overview',
  'deadlines',
  'browser?by=prefix',
  'browser?by=pattern',
  'browser?by=deadline',
  'browser?make=1',
  'browser?db=0&key=stext',
  'browser?db=0&key=shash',
  'browser?db=0&key=slist',
  'browser?db=0&key=sset',
  'browser?db=0&key=sboard',
  'browser?db=0&key=slog',
  'events',
  'proof',
  'tables',
  'operations',
  'operations?tab=clients',
  'operations?tab=users',
  'operations?tab=settings',
  'operations?tab=jobs',
  'commands',
];

// Fills what is empty, so that forms are sent.
const fillAll = (page) =>
  page.evaluate(() => {
    for (const input of document.querySelectorAll('main input:not([type=checkbox]), main textarea')) {
      if (input.value !== '' || input.readOnly) continue;
      const label = input.labels?.[0]?.textContent ?? '';
      const life = /live|Deadline/.test(label);
      const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value').set;
      set.call(input, life ? '1h' : /Score/.test(label) ? '7' : /Fields of a new/.test(label) ? 'a b' : 'typed');
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }
  });

// A function that waits until the page has asked all that it asks and shown the answers.
function quietly(page) {
  const open = new Set();
  page.on('request', (request) => request.url().endsWith('/api/command') && open.add(request));
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => open.delete(request));
  const frames = () => page.evaluate(() => new Promise((then) => setTimeout(() => requestAnimationFrame(then))));
  return async () => {
    for (let quiet = 0; quiet < 3; quiet = open.size === 0 ? quiet + 1 : 0) await frames();
  };
}

flow('a user who may only read presses every button, and nothing changes', async (page) => {
  await resp.run('SET', 'text', 'hello', 'EX', 5000);
  await resp.run('HSET', 'hash', 'field', 'value');
  await resp.run('RPUSH', 'list', 'a', 'b');
  await resp.run('SADD', 'set', 'a');
  await resp.run('ZADD', 'board', 1, 'a');
  await resp.run('XADD', 'log', '1-1', 'a', 'b');
  await resp.run('ACL', 'SETUSER', 'viewer', 'on', '>right', '+@read', '+info', '+acl|whoami', '~*');
  await logIn(page, 'viewer', 'right');
  const before = await stateOf();
  const quiet = quietly(page);
  const pressed = new Set();
  for (const place of kEveryPlace) {
    for (let at = 0; ; at += 1) {
      // Each button on a fresh page: the one before may have changed what is shown.
      await openPlace(page, 'nowhere');
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await openPlace(page, place);
      await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Waiting for'));
      await quiet();
      await fillAll(page);
      const buttons = page.locator('main button:not([role=tab]):not([disabled]):visible');
      if (at >= (await buttons.count())) break;
      const one = buttons.nth(at);
      pressed.add(`${place} ${(await one.textContent()).trim()}`);
      await one.click();
      await quiet();
      const dialog = page.getByRole('dialog');
      if (await dialog.count()) {
        await fillAll(page);
        const answers = dialog.locator('button.danger, button.primary');
        for (let yes = 0; yes < (await answers.count()); yes += 1) {
          if (await answers.nth(yes).isEnabled()) await answers.nth(yes).click();
          await quiet();
        }
      }
    }
  }
  await quiet();
  assert.deepEqual(await stateOf(), before);
  for (const wanted of ['Delete', 'Save', 'Rename', 'Make', 'Set', 'Add', 'Run a proof', 'Back up', 'Run'])
    assert.ok(
      [...pressed].some((one) => one.endsWith(` ${wanted}`)),
      `${wanted} was not pressed: ${[...pressed].join(', ')}`,
    );
  assert.ok(pressed.size > 40, `${pressed.size}`);
});
