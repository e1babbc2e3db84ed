// Goal: a person finds keys, sees what they hold and when they die, and changes both.
// Method: what he would click and type; what it did is asked by the Redis protocol.
import assert from 'node:assert/strict';
import { answer, button, flow, logIn, openKey, openPlace, region, resp, show, until, useBrowser } from './browser.js';

useBrowser();

// A line of the tree by the name that it shows.
const branch = (page, name) =>
  page.getByRole('tree', { name: 'Keys by prefix' }).locator('code').getByText(name, { exact: true });

flow('a key is found by the tree, and its time to live changed', async (page) => {
  await resp.run('SET', 'session:ann:1', 'hello', 'EX', 3600);
  await resp.run('SET', 'session:ben:2', 'hello');
  await logIn(page);
  await show(page, 'Browser');
  await branch(page, 'session:').click();
  await branch(page, 'ann:').click();
  await branch(page, '1').click();
  const panel = region(page, 'session:ann:1');
  await panel.getByText(/^in (1 h|59 min)/).waitFor();
  await panel.getByLabel('New time to live').fill('5m');
  await button(panel, 'Set').click();
  await panel.getByText(/^in (5 min|4 min)/).waitFor();
  assert.ok((await resp.run('TTL', 'session:ann:1')) <= 302);
  await button(panel, '+1 h').click();
  await panel.getByText(/^in 1 h/).waitFor();
  assert.ok((await resp.run('TTL', 'session:ann:1')) > 3600);
  await button(panel, 'Remove deadline').click();
  await panel.getByText('no deadline', { exact: true }).waitFor();
  assert.equal(await resp.run('TTL', 'session:ann:1'), -1);
  await panel.getByLabel('New time to live').fill('soon');
  await panel.getByText('write a length such as').waitFor();
});

flow('a string is edited as text, as JSON and escaped, and keeps its bytes and its deadline', async (page) => {
  await resp.run('SET', 'text', '{"id":9007199254740993,"n":1}', 'EX', 100);
  await resp.run('SET', 'bytes', Buffer.from([0, 255, 65, 10]));
  await logIn(page);
  await openKey(page, 'text');
  const value = region(page, 'String');
  await value.getByLabel('Shown as').selectOption('json');
  const area = value.getByRole('textbox', { name: 'Value' });
  await until(() => area.inputValue(), '{\n  "id": 9007199254740993,\n  "n": 1\n}');
  await area.fill('{\n  "id": 9007199254740993\n}');
  await button(value, 'Save').click();
  await page.getByRole('status').getByText('Value saved').waitFor();
  assert.equal(await resp.run('GET', 'text'), '{\n  "id": 9007199254740993\n}');
  assert.ok((await resp.run('TTL', 'text')) > 0);
  await area.fill('{');
  await button(value, 'Save').click();
  await value.getByRole('alert').waitFor();
  await openKey(page, 'bytes');
  await region(page, 'bytes').waitFor();
  await until(() => area.inputValue(), '\\x00\\xffA\\n');
  await area.fill('\\x00\\xfeA');
  await button(value, 'Save').click();
  await until(() => resp.run('STRLEN', 'bytes'), 3);
  assert.equal(await resp.run('GETRANGE', 'bytes', 2, 2), 'A');
});

flow('names that are no text are shown, opened and changed as the bytes they are', async (page) => {
  const name = Buffer.from([0xff, 0x3a, 0x00, 0x0a]);
  await resp.run('SET', name, 'x');
  await resp.run('SET', 'r\u00e9sum\u00e9:\u202etxt', 'x');
  await logIn(page);
  await show(page, 'Browser');
  await branch(page, '\\xff:').click();
  await branch(page, '\\x00\\n').click();
  const panel = region(page, '\\xff:\\x00\\n');
  await panel.getByLabel('New time to live').fill('1h');
  await button(panel, 'Set').click();
  await panel.getByText(/^in (1 h|59 min)/).waitFor();
  assert.ok((await resp.run('TTL', name)) > 0);
  await branch(page, 'r\u00e9sum\u00e9:').click();
  await branch(page, '\\xe2\\x80\\xaetxt').click();
  await button(region(page, 'r\u00e9sum\u00e9:\\xe2\\x80\\xaetxt'), 'Delete').click();
  await answer(page, 'Delete');
  await until(() => resp.run('DBSIZE'), 1);
});

flow('a hash shows each field with its own deadline', async (page) => {
  await resp.run('HSET', 'user', 'name', 'Ann', 'code', '1234');
  await resp.run('HPEXPIRE', 'user', 60_000, 'FIELDS', 1, 'code');
  await logIn(page);
  await openKey(page, 'user');
  const fields = region(page, 'Fields');
  const row = (name) => fields.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
  await row('code')
    .getByText(/^in (1 min|59 s|58 s)/)
    .waitFor();
  await row('name').getByText('no deadline').waitFor();
  await button(row('code'), 'Edit code').click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Value' }).fill('5678');
  await button(page.getByRole('dialog'), 'Save').click();
  await row('code').getByText('5678').waitFor();
  assert.ok((await resp.run('HTTL', 'user', 'FIELDS', 1, 'code'))[0] > 0, 'it keeps its deadline');
  await button(row('name'), 'Deadline name').click();
  await page.getByLabel('New time to live').last().fill('2h');
  await button(page.getByRole('dialog'), 'Set').click();
  await row('name')
    .getByText(/^in (2 h|1 h 59 min)/)
    .waitFor();
  await fields.getByLabel('Field (escaped)').fill('mail');
  await fields.getByLabel('Value (escaped)').fill('ann@example.org');
  await button(fields, 'Save field').click();
  await row('mail').waitFor();
  await button(row('code'), 'Remove code').click();
  await answer(page, 'Remove');
  await row('code').waitFor({ state: 'detached' });
  assert.deepEqual((await resp.run('HKEYS', 'user')).sort(), ['mail', 'name']);
});

flow('a list, a set and a sorted set are changed in their own ways', async (page) => {
  await resp.run('RPUSH', 'list', 'b', 'c');
  await resp.run('SADD', 'set', 'x');
  await resp.run('ZADD', 'board', '1.5', 'ann', '20', 'ben');
  await logIn(page);
  await openKey(page, 'list');
  const list = region(page, 'Elements');
  await list.getByLabel('Value (escaped)').fill('a');
  await button(list, 'Add at the front').click();
  await until(() => resp.run('LRANGE', 'list', 0, -1), ['a', 'b', 'c']);
  await list.getByRole('rowheader', { name: '2' }).waitFor();
  await button(list, 'Edit element 1').click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Value' }).fill('B');
  await button(page.getByRole('dialog'), 'Save').click();
  await until(() => resp.run('LRANGE', 'list', 0, -1), ['a', 'B', 'c']);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await button(list, 'Remove element 0').click();
  await answer(page, 'Remove');
  await until(() => resp.run('LRANGE', 'list', 0, -1), ['B', 'c']);

  await openKey(page, 'set');
  const set = region(page, 'Members');
  await set.getByLabel('Member (escaped)').fill('y');
  await button(set, 'Add').click();
  await set.getByRole('rowheader', { name: 'y' }).waitFor();
  await button(set, 'Remove x').click();
  await answer(page, 'Remove');
  await until(() => resp.run('SMEMBERS', 'set'), ['y']);

  await openKey(page, 'board');
  const board = region(page, 'Members by score');
  await button(board, 'Change score ann').click();
  await board.getByRole('textbox', { name: 'Score', exact: true }).fill('30');
  await button(board, 'Save member').click();
  await board.getByRole('row', { name: '30 ann' }).waitFor();
  await board.getByLabel('From score').fill('25');
  await button(board, 'Show').click();
  await board.getByRole('row', { name: '20 ben' }).waitFor({ state: 'detached' });
  await button(board, 'Remove ann').click();
  await answer(page, 'Remove');
  await until(() => resp.run('ZRANGE', 'board', 0, -1), ['ben']);
});

flow('a stream takes entries, loses them, and says how long they live', async (page) => {
  await resp.run('XADD', 'log', '1-1', 'what', 'started');
  await logIn(page);
  await openKey(page, 'log');
  const entries = region(page, 'Entries');
  await entries.getByRole('rowheader', { name: '1-1' }).waitFor();
  await entries.getByLabel('Fields of a new entry').fill('what stopped\nwhy asked to');
  await button(entries, 'Add entry').click();
  await entries.getByText('asked to').waitFor();
  await button(entries, 'Remove entry 1-1').click();
  await answer(page, 'Remove');
  await until(() => resp.run('XLEN', 'log'), 1);
  await entries.getByLabel('Entries live for').fill('1h');
  await button(entries, 'Set max age').click();
  await until(() => resp.run('XMAXAGE', 'log'), 3_600_000);
});

flow('a key is made, renamed and deleted', async (page) => {
  await logIn(page);
  await show(page, 'Browser');
  await button(page, 'New key').click();
  const form = page.getByRole('form', { name: 'New key' });
  await form.getByLabel('Type').selectOption('hash');
  await form.getByLabel('Name (escaped)').fill('user\\n1');
  await form.getByLabel('Field (escaped)').fill('name');
  await form.getByLabel('Value').fill('Ann');
  await form.getByLabel('Time to live').fill('1d');
  await button(form, 'Make').click();
  const panel = region(page, 'user\\n1');
  await panel.getByText(/^in (1 d|23 h)/).waitFor();
  assert.equal(await resp.run('HGET', 'user\n1', 'name'), 'Ann');
  await button(panel, 'Rename').click();
  await panel.getByLabel('New name (escaped)').fill('user:1');
  await button(panel.getByRole('form', { name: 'Rename' }), 'Rename').click();
  await region(page, 'user:1').waitFor();
  assert.deepEqual(await resp.run('KEYS', '*'), ['user:1']);
  await button(region(page, 'user:1'), 'Delete').click();
  await answer(page, 'Delete');
  await page.getByText('There is no such key.').waitFor();
  assert.equal(await resp.run('DBSIZE'), 0);
});

flow('many keys are changed after a preview, and a change can be stopped', async (page) => {
  for (let i = 0; i < 300; i += 1) await resp.run('SET', `cart:${i}`, 'x');
  await resp.run('SET', 'config', 'x');
  await logIn(page);
  await openPlace(page, 'browser?db=0&by=pattern&match=cart%3A*');
  const bulk = region(page, 'Change all of them');
  await bulk.getByLabel('Time to live').fill('10m');
  await button(bulk, 'Preview').click();
  await bulk.getByText('300 keys would change, such as cart:').waitFor();
  assert.equal(await resp.run('TTL', 'cart:7'), -1, 'a preview changes nothing');
  await button(bulk, 'Set their time to live').click();
  await answer(page, 'Set their time to live');
  await bulk.getByText('300 keys changed.').waitFor();
  assert.equal(await resp.run('TTL', 'cart:7'), 600);
  assert.equal(await resp.run('TTL', 'config'), -1);

  for (let i = 300; i < 3000; i += 1) await resp.run('SET', `cart:${i}`, 'x');
  await bulk.getByLabel('What to do').selectOption('DELETE');
  await button(bulk, 'Preview').click();
  await bulk.getByText('3,000 keys would change').waitFor();
  // The server answers the first deletions when the person has stopped the work.
  let stop;
  const isStopped = new Promise((then) => (stop = then));
  await page.route('**/api/command', async (route) => {
    if (route.request().postData().includes('UNLINK')) await isStopped;
    await route.continue();
  });
  await button(bulk, 'Delete them').click();
  await button(page.getByRole('dialog'), 'Delete them').click();
  await bulk.getByRole('progressbar', { name: 'Keys changed' }).waitFor();
  await button(bulk, 'Stop').click();
  stop();
  await bulk.getByText(/^Stopped: [\d,]+ keys changed\.$/).waitFor();
  assert.ok((await resp.run('DBSIZE')) > 1, 'some are left');
});

flow('keys of a window of time are found and changed together', async (page) => {
  await resp.run('SET', 'soon', 'x', 'EX', 60);
  await resp.run('SET', 'later', 'x', 'EX', 7200);
  await resp.run('SET', 'never', 'x');
  await logIn(page);
  await openPlace(page, 'browser?db=0&by=deadline');
  const found = page.getByRole('region', { name: 'Table: Keys found' });
  await found.getByRole('link', { name: 'later' }).waitFor();
  await page.getByLabel('To', { exact: true }).fill('1h');
  await button(page, 'Find').click();
  await found.getByRole('link', { name: 'later' }).waitFor({ state: 'detached' });
  const bulk = region(page, 'Change all of them');
  await bulk.getByLabel('What to do').selectOption('PERSIST');
  await button(bulk, 'Preview').click();
  await bulk.getByText('1 key would change, such as soon').waitFor();
  await button(bulk, 'Remove their deadlines').click();
  await answer(page, 'Remove their deadlines');
  await bulk.getByText('1 key changed.').waitFor();
  assert.equal(await resp.run('TTL', 'soon'), -1);
  await page.getByLabel('Which').selectOption('staying');
  await found.getByRole('link', { name: 'never' }).waitFor();
});

flow('keys of a window are changed once each, whatever a policy makes of their lives', async (page) => {
  const kKeys = 2200;
  const deadlines = () =>
    resp.run(
      'EVAL',
      'local all = {} for i = 1, #KEYS do all[i] = redis.call("PEXPIRETIME", KEYS[i]) end return all',
      kKeys,
      ...names,
    );
  const names = Array.from({ length: kKeys }, (_, at) => `cart:${at}`);
  const now = async () => {
    const [seconds, micros] = (await resp.run('TIME')).map(Number);
    return seconds * 1000 + Math.floor(micros / 1000);
  };
  await logIn(page);
  // The last ends among the deadlines that there are: the work meets what it has changed.
  for (const [policy, life, from, to] of [
    [[], '10d', 864_000_000, 864_000_000],
    [['max-ttl', 3_600_000, 'breach', 'clamp'], '10d', 3_600_000, 3_600_000],
    [['jitter', 500], '2000s', 1_000_000, 2_000_000],
    [[], '1000s', 1_000_000, 1_000_000],
  ]) {
    await resp.run('TTL.POLICY', 'SET', 'max-ttl', 'none', 'breach', 'refuse', 'jitter', 0);
    for (let at = 0; at < kKeys; at += 1) await resp.run('SET', names[at], 'x', 'EX', 100 + at);
    if (policy.length > 0) await resp.run('TTL.POLICY', 'SET', ...policy);
    await openPlace(page, 'nowhere');
    await openPlace(page, 'browser?db=0&by=deadline');
    const bulk = region(page, 'Change all of them');
    await bulk.getByLabel('Time to live').fill(life);
    await button(bulk, 'Preview').click();
    await bulk.getByText('2,200 keys would change, such as cart:').waitFor();
    await button(bulk, 'Set their time to live').click();
    await answer(page, 'Set their time to live');
    await bulk.getByText(/^[\d,]+ keys changed\.$/).waitFor();
    const begun = await now();
    for (const deadline of await deadlines())
      assert.ok(deadline >= begun + from && deadline <= begun + to, `${policy} ${life}: ${deadline - begun}`);
  }
  await resp.run('TTL.POLICY', 'SET', 'jitter', 0);
});

flow('a line of the tree that waits leaves the focus to what it waited for', async (page) => {
  await resp.run('SET', 'app:one', 'hello');
  await logIn(page);
  let release;
  const released = new Promise((resolve) => (release = resolve));
  const held = (request) => (request.postData() ?? '').includes('TTL.TREE');
  await page.route('**/*', async (route) => {
    if (held(route.request())) await released;
    await route.continue();
  });
  await show(page, 'Browser');
  const focused = (name) => page.getByRole('treeitem', { name }).and(page.locator(':focus'));
  await page.getByRole('treeitem', { name: '…' }).focus();
  await focused('…').waitFor();
  release();
  await focused('app:').waitFor();
  await page.keyboard.press('ArrowRight');
  await branch(page, 'one').waitFor();
  await focused('app:').waitFor();
});

flow('the keyboard is enough', async (page) => {
  await resp.run('SET', 'app:one', 'hello');
  await resp.run('SET', 'app:two', 'hello');
  await logIn(page, 'default', '', (keys) => keys.press('Enter'));
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  // The first stop of Tab is the link to the content, then come the links of the views.
  await page.reload();
  await button(page, 'Log out').waitFor();
  await press('Tab');
  await page.getByRole('link', { name: 'Skip to the content' }).and(page.locator(':focus')).waitFor();
  while (!(await page.getByRole('link', { name: 'Browser', exact: true }).and(page.locator(':focus')).count()))
    await press('Tab');
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Browser' }).and(page.locator(':focus')).waitFor();
  while (!(await page.locator('[role=treeitem]:focus').count())) await press('Tab');
  await press('ArrowRight');
  await branch(page, 'one').waitFor();
  await press('ArrowDown', 'ArrowDown', 'Enter');
  const ttl = page.getByLabel('New time to live');
  await region(page, 'app:two').waitFor();
  while (!(await ttl.and(page.locator(':focus')).count())) await press('Tab');
  await page.keyboard.type('15m');
  await press('Enter');
  await until(async () => (await resp.run('TTL', 'app:two')) > 0, true);
  while (!(await button(page, 'Delete').and(page.locator(':focus')).count())) await press('Shift+Tab');
  await press('Enter');
  await page.getByRole('dialog').waitFor();
  await press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await button(page, 'Delete').and(page.locator(':focus')).waitFor();
  assert.equal(await resp.run('DBSIZE'), 2);
});
