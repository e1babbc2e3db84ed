// Goal: every view can be read by everybody: in light and dark, on a desk and on a phone, with a screen reader.
// Method: axe looks at each view in both colors and at both widths; screenshots of all four are kept in screens/, to be
// looked at. A page that is wider than the screen fails.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after } from 'node:test';
import { flow, kOrigin, kScreens, logIn, openPlace, resp, useBrowser } from './browser.js';

useBrowser();

const kWidths = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const kColors = ['light', 'dark'];
const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

const table = (operation, body) => resp.run('TTL.TABLE', 'WRITE', operation, JSON.stringify(body));

async function fill() {
  for (let i = 0; i < 60; i += 1) await resp.run('SET', `session:user-${i % 7}:${i}`, 'x'.repeat(i), 'EX', 30 + i * 57);
  await resp.run('SET', 'a-key-with-a-name-that-is-so-long-that-no-phone-could-show-it-on-one-line:'.repeat(3), 'x');
  await resp.run('SET', 'config', '{"theme": "dark", "limits": [1, 2, 3]}');
  await resp.run('HSET', 'user:1', 'name', 'Ann', 'mail', 'ann@example.org', 'code', '1234');
  await resp.run('HPEXPIRE', 'user:1', 60_000, 'FIELDS', 1, 'code');
  await resp.run('RPUSH', 'jobs', 'first', 'second');
  await resp.run('SADD', 'tags', 'red', 'green');
  await resp.run('ZADD', 'board', '1.5', 'ann', '20', 'ben');
  await resp.run('XADD', 'log', '1-1', 'what', 'started', 'who', 'ann');
  await resp.run('XGROUP', 'CREATE', 'log', 'readers', '0');
  await resp.run('TTL.POLICY', 'SET', 'events', 'value');
  for (let i = 0; i < 5; i += 1) await resp.run('SET', `gone:${i}`, 'an old value', 'PX', 1);
  await resp.run('DEBUG', 'CLOCK', 'ADVANCE', 1);
  await resp.run('CONFIG', 'SET', 'slowlog-log-slower-than', '0');
  await resp.run('MGET', 'slow:1', 'slow:2');
  await resp.run('CONFIG', 'SET', 'slowlog-log-slower-than', '10000');
  await table('CreateTable', {
    TableName: 'orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'customer', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'customer', KeyType: 'HASH' }],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  await table('UpdateTimeToLive', {
    TableName: 'orders',
    TimeToLiveSpecification: { Enabled: true, AttributeName: 'dies' },
  });
  await resp.run('TTL.POLICY', 'SET', 'purge-within', 3_600_000);
  await resp.run('TTL.BACKUP', 'monday');
  const stats = JSON.stringify(await resp.run('TTL.STATS'));
  kPlaces.items[0] = kPlaces.items[0].replace('TABLE', encodeURIComponent(/table\.orders\.items#[^"]+/.exec(stats)[0]));
  const [seconds] = await resp.run('TIME');
  const dies = { N: String(Number(seconds) + 1800) };
  for (const customer of ['ann', 'ben'])
    await table('PutItem', { TableName: 'orders', Item: { customer: { S: customer }, total: { N: '12.5' }, dies } });
}

after(() => table('DeleteTable', { TableName: 'orders' }).catch(() => {}));

const key = (name) => `browser?db=0&key=s${name}`;

// A place, what has to be there before it is looked at, and what a person does there first.
const kPlaces = {
  overview: ['overview', 'Purged through'],
  deadlines: ['deadlines', 'a bar.'],
  never: ['deadlines', 'a bar.', ['tab', 'Without a deadline'], ['button', 'Count'], ['text', 'all of them']],
  policy: ['deadlines', 'a bar.', ['tab', 'Policy'], ['text', 'Try” changes nothing']],
  browser: ['browser', 'session:', ['tree', 'session:'], ['text', 'user-1:']],
  pattern: ['browser?by=pattern&match=session*', 'session:user-0:0'],
  deadline: ['browser?by=deadline', 'session:user-0:0'],
  new: ['browser?make=1', 'Value (escaped)'],
  string: [key('config'), 'Shown as'],
  hash: [key('user:1'), 'ann@example.org'],
  edit: [key('user:1'), 'ann@example.org', ['button', 'Deadline code'], ['text', 'Deadline of field code']],
  list: [key('jobs'), 'second'],
  set: [key('tags'), 'green'],
  board: [key('board'), 'From score'],
  stream: [key('log'), 'readers'],
  none: [key('nothing'), 'There is no such key.'],
  rename: [key('config'), 'Shown as', ['button', 'Rename'], ['text', 'New name (escaped)']],
  delete: [key('config'), 'Shown as', ['button', 'Delete'], ['text', 'Delete this key?']],
  bulk: [
    'browser?by=deadline',
    'Change all of them',
    ['fill', 'Time to live', '1h'],
    ['button', 'Preview'],
    ['text', 'would change'],
  ],
  dying: [
    'deadlines',
    'a bar.',
    ['text', 'Spans as a table'],
    ['open', 'Spans as a table'],
    ['first', /^Keys from/],
    ['text', 'Change all of them'],
  ],
  items: ['deadlines?keyspace=TABLE', '2 items with'],
  events: ['events', 'an old value'],
  proof: ['proof', 'Prove', ['button', 'Run a proof'], ['text', 'Taken at']],
  tables: ['tables?table=orders', 'Write an item'],
  query: ['tables?table=orders&tab=query', 'Filter: attribute'],
  schema: ['tables?table=orders&tab=schema', 'Indexes'],
  records: ['tables?table=orders&tab=stream', 'insert'],
  slow: ['operations', 'slow:1'],
  clients: ['operations?tab=clients', 'Last command'],
  users: ['operations?tab=users', 'none is needed'],
  settings: ['operations?tab=settings', 'appendfsync'],
  jobs: ['operations?tab=jobs', 'New folder', ['button', 'Check'], ['text', '"clean"']],
  commands: ['commands', 'Tab completes', ['line', 'GET config'], ['text', 'limits']],
};

async function go(page, [place, words, ...acts]) {
  await openPlace(page, place);
  const shown = (text) => page.locator('main').getByText(text).or(page.locator('main').getByLabel(text)).first();
  await shown(words).waitFor();
  for (const [what, name, input] of acts) {
    if (what === 'tab') await page.getByRole('tab', { name }).click();
    if (what === 'button') await page.locator('main').getByRole('button', { name, exact: true }).click();
    if (what === 'tree') await page.locator('[role=treeitem] code').getByText(name, { exact: true }).click();
    if (what === 'text') await shown(name).waitFor();
    if (what === 'fill') await page.locator('main').getByLabel(name, { exact: true }).fill(input);
    if (what === 'open') await page.locator('summary').getByText(name).click();
    if (what === 'first') await page.getByRole('button', { name }).first().click();
    if (what === 'line') {
      await page.getByRole('combobox', { name: /Command/ }).fill(name);
      await page.keyboard.press('Enter');
    }
  }
}

// What axe calls serious or critical, and where.
async function barriers(page) {
  const found = await page.evaluate(`if (!window.axe) { ${axe} } axe.run(document, { resultTypes: ['violations'] })`);
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.slice(0, 3).map(({ target, failureSummary }) => `${target} ${failureSummary}`)}`,
    );
}

// Charts are drawn anew when the colors or the width change.
const drawn = (page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1)
      await new Promise((then) => requestAnimationFrame(() => setTimeout(then)));
  });

async function look(page, name, found) {
  for (const colorScheme of kColors) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const [width, size] of Object.entries(kWidths)) {
      await page.setViewportSize(size);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (wide > 0) found.push(`${name} on a ${width} is ${wide} pixels too wide`);
      await page.evaluate(() => window.scrollTo(0, 0));
      await drawn(page);
      await page.screenshot({ path: path.join(kScreens, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      found.push(...(await barriers(page)).map((one) => `${name} on a ${width} in ${colorScheme}: ${one}`));
    }
  }
  await page.setViewportSize(kWidths.desk);
}

flow('every view is without barriers and fits', async (page) => {
  await fill();
  const found = [];
  await page.goto(`${kOrigin}/console`);
  await page.getByLabel('Password').waitFor();
  await look(page, 'login', found);
  await logIn(page);
  for (const [name, place] of Object.entries(kPlaces)) {
    // A view that is opened anew begins with its first tab; the one before must have gone.
    await openPlace(page, 'nowhere');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await go(page, place);
    await look(page, name, found);
  }
  assert.deepEqual(found, []);

  await page.evaluate(() => {
    const wrong = document.createElement('button');
    wrong.style.cssText = 'color: #777; background: #888';
    document.querySelector('main').append(wrong, 'grey');
    wrong.after(wrong.cloneNode());
    wrong.textContent = 'grey on grey';
  });
  for (const colorScheme of kColors)
    for (const size of Object.values(kWidths)) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize(size);
      assert.match((await barriers(page)).join(), /color-contrast/, 'a barrier would be found');
    }
});
