// Goal: a person looks after tables, clients, users and settings, runs commands, and can do no more than his user may.
// Method: what he would click and type; what it did is asked by the Redis protocol.
import assert from 'node:assert/strict';
import { beforeEach } from 'node:test';
import { answer, button, flow, logIn, openKey, openPlace, region, resp, show, until, useBrowser } from './browser.js';
import { Resp } from './resp.js';

useBrowser();

const table = async (access, operation, body) =>
  JSON.parse(await resp.run('TTL.TABLE', access, operation, JSON.stringify(body)));

beforeEach(async () => {
  for (const user of await resp.run('ACL', 'USERS')) {
    if (user !== 'default') await resp.run('ACL', 'DELUSER', user);
  }
});

async function makeTable() {
  await table('WRITE', 'CreateTable', {
    TableName: 'orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['customer', 'at', 'state'].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'customer', KeyType: 'HASH' },
      { AttributeName: 'at', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-state',
        KeySchema: [{ AttributeName: 'state', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  await table('WRITE', 'UpdateTimeToLive', {
    TableName: 'orders',
    TimeToLiveSpecification: { Enabled: true, AttributeName: 'dies' },
  });
  for (const [customer, at, state] of [
    ['ann', '2026-01', 'open'],
    ['ann', '2026-02', 'paid'],
    ['ben', '2026-03', 'open'],
  ]) {
    const Item = { customer: { S: customer }, at: { S: at }, state: { S: state }, total: { N: '12.5' } };
    await table('WRITE', 'PutItem', { TableName: 'orders', Item });
  }
}

flow('a table is queried by form and by index, its items edited, its stream read', async (page) => {
  await makeTable();
  await logIn(page);
  await show(page, 'Tables');
  await page.getByRole('link', { name: 'orders' }).click();
  const items = page.getByRole('region', { name: 'Table: Items' });
  await items.getByRole('row', { name: /^ben 2026-03/ }).waitFor();
  await items.getByRole('button', { name: 'Open ben / 2026-03' }).click();
  const dialog = page.getByRole('dialog');
  const area = dialog.getByLabel('In DynamoDB’s JSON');
  await area.fill((await area.inputValue()).replace('12.5', '99'));
  await button(dialog, 'Save').click();
  await items.getByRole('row', { name: /^ben .* 99/ }).waitFor();
  await items.getByRole('button', { name: 'Open ben / 2026-03' }).click();
  await dialog.getByLabel('New time to live').fill('1h');
  await answer(page, 'Set');
  await items
    .getByRole('row', { name: /^ben/ })
    .getByText(/^in (1 h|59 min)/)
    .waitFor();

  await page.getByRole('tab', { name: 'Query' }).click();
  const form = page.getByRole('form', { name: 'Query' });
  await form.getByLabel('customer is (S)').fill('ann');
  await form.getByLabel('at (S)').selectOption('>=');
  await form.getByLabel('value', { exact: true }).fill('2026-02');
  await button(form, 'Query').click();
  await items.getByRole('row', { name: /^ann 2026-02/ }).waitFor();
  assert.equal(await items.getByRole('rowheader').count(), 1);
  await form.getByLabel('Of').selectOption('by-state');
  await form.getByLabel('state is (S)').fill('open');
  await form.getByLabel('Filter: attribute').fill('total');
  await form.getByLabel('Filter: condition').selectOption('>');
  await form.getByLabel('Filter: type').selectOption('N');
  await form.getByLabel('Filter: value').fill('50');
  await button(form, 'Query').click();
  await items.getByRole('row', { name: /^ben 2026-03/ }).waitFor();
  await items.getByRole('row', { name: /^ann 2026-02/ }).waitFor({ state: 'detached' });

  await page.getByRole('tab', { name: 'Schema' }).click();
  await page.getByRole('row', { name: /^by-state global state \(S\)/ }).waitFor();
  await page.getByRole('tab', { name: 'Stream' }).click();
  await page.getByRole('row', { name: /insert .*customer: ben/ }).waitFor();
  await page.getByRole('row').nth(1).getByText('modify').waitFor();
  await page
    .getByRole('row', { name: /modify .*99/ })
    .first()
    .waitFor();
  await page.getByRole('tab', { name: 'Items' }).click();
  await items.getByRole('button', { name: 'Remove ben / 2026-03' }).click();
  await answer(page, 'Remove');
  await items.getByRole('row', { name: /^ben/ }).waitFor({ state: 'detached' });
  await table('WRITE', 'DeleteTable', { TableName: 'orders' });
});

flow('a stream of a table is read from either end, in pages, and so is one that has ended', async (page) => {
  await makeTable();
  for (let at = 0; at < 117; at += 1)
    await table('WRITE', 'PutItem', {
      TableName: 'orders',
      Item: { customer: { S: `c${at}` }, at: { S: 'x' }, state: { S: 'open' } },
    });
  await logIn(page);
  await openPlace(page, 'tables?table=orders&tab=stream');
  const records = page.getByRole('region', { name: 'Table: Records' });
  const first = records.getByRole('rowheader').first();
  await first.getByText('customer: c116}').waitFor();
  const pager = page.getByRole('navigation', { name: 'Pages of records' });
  await button(pager, 'Next').click();
  await first.getByText('customer: c66}').waitFor();
  // What comes meanwhile does not move the pages.
  await table('WRITE', 'PutItem', {
    TableName: 'orders',
    Item: { customer: { S: 'late' }, at: { S: 'x' }, state: { S: 'open' } },
  });
  await button(pager, 'Next').click();
  await first.getByText('customer: c16}').waitFor();
  assert.equal(await records.getByRole('rowheader').count(), 20);
  assert.ok(await button(pager, 'Next').isDisabled());
  await button(page, 'Reload').click();
  await first.getByText('customer: late}').waitFor();
  await page.getByLabel('Order', { exact: true }).selectOption('oldest first');
  await first.getByText('at: 2026-01, customer: ann').waitFor();

  for (const StreamSpecification of [{ StreamEnabled: false }, { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' }])
    await table('WRITE', 'UpdateTable', { TableName: 'orders', StreamSpecification });
  await page.reload();
  await page.getByText('No record.').waitFor();
  const streams = page.getByLabel('Stream', { exact: true });
  const labels = await streams.locator('option').allTextContents();
  assert.equal(labels.length, 2);
  await streams.selectOption(labels[1]);
  await first.getByText('customer: late}').waitFor();
  await table('WRITE', 'DeleteTable', { TableName: 'orders' });
});

flow('tables, groups of a stream and what a proof names come in pages', async (page) => {
  const names = Array.from({ length: 23 }, (_, at) => `t${String(at).padStart(2, '0')}`);
  for (const TableName of names) {
    await table('WRITE', 'CreateTable', {
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    });
    await table('WRITE', 'PutItem', { TableName, Item: { id: { S: 'x' } } });
  }
  await logIn(page);
  const listed = page.getByRole('region', { name: 'Table: Tables' });
  await listed.getByRole('row', { name: /^t00: items 1 \d+ B/ }).waitFor();
  assert.equal(await listed.getByRole('rowheader').count(), 20);
  await button(page.getByRole('navigation', { name: 'Pages of Tables' }), 'Next').click();
  await listed.getByRole('row', { name: /^t22: items 1 \d+ B/ }).waitFor();
  assert.equal(await listed.getByRole('rowheader').count(), 3);
  for (const TableName of names) await table('WRITE', 'DeleteTable', { TableName });

  await resp.run('XADD', 'log', '1-1', 'a', 'b');
  for (let at = 0; at < 12; at += 1) await resp.run('XGROUP', 'CREATE', 'log', `group-${at}`, '0');
  await openKey(page, 'log');
  const groups = page.getByRole('region', { name: 'Table: Groups' });
  await groups.getByRole('rowheader').first().waitFor();
  assert.equal(await groups.getByRole('rowheader').count(), 10);
  await button(page.getByRole('navigation', { name: 'Pages of groups' }), 'Next').click();
  await until(() => groups.getByRole('rowheader').count(), 2);

  // Each backup is named by a proof.
  for (let at = 0; at < 21; at += 1) {
    await resp.run('TTL.BACKUP', `backup-${String(at).padStart(2, '0')}`);
    await until(async () => {
      const [latest] = await resp.run('TTL.JOB', 'LIST');
      return latest[latest.indexOf('state') + 1];
    }, 'done');
  }
  await show(page, 'Proof');
  await button(page, 'Run a proof').click();
  const report = region(page, 'The proof');
  await report.getByText('backups/backup-00 ').waitFor();
  assert.equal(await report.getByRole('listitem').count(), 20);
  await button(report.getByRole('navigation', { name: 'Pages of What still holds something' }), 'Next').click();
  await report.getByText('backups/backup-20 ').waitFor();
});

flow('slow commands, clients, users and settings are seen and changed', async (page) => {
  await resp.run('CONFIG', 'SET', 'slowlog-log-slower-than', '0');
  await resp.run('GET', 'slow-one');
  await resp.run('CONFIG', 'SET', 'slowlog-log-slower-than', '10000');
  const other = await Resp.open();
  await other.run('CLIENT', 'SETNAME', 'worker');
  await logIn(page);
  await show(page, 'Operations');
  await page.getByRole('row', { name: /GET slow-one/ }).waitFor();
  await button(page, 'Forget them').click();
  await page.getByText('None was slower than').waitFor();

  await page.getByRole('tab', { name: 'Clients' }).click();
  await page
    .getByRole('row', { name: /worker/ })
    .getByRole('button')
    .click();
  await answer(page, 'Close it');
  await page.getByRole('row', { name: /worker/ }).waitFor({ state: 'detached' });

  await page.getByRole('tab', { name: 'Users' }).click();
  await page.getByRole('textbox', { name: 'User', exact: true }).fill('carl');
  await page.getByLabel('Rules, as ACL SETUSER takes them').fill('on >pw ~app:* +@read');
  await button(page, 'Save user').click();
  await page.getByRole('row', { name: /^carl on 1 password .*\+@read ~app:\*/ }).waitFor();
  await button(page, 'Remove carl').click();
  await answer(page, 'Remove');
  await until(() => resp.run('ACL', 'USERS'), ['default']);

  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByLabel('Find a setting').fill('maxmemory-policy');
  await page.getByText('Which rows leave above maxmemory').waitFor();
  await button(page, 'Change maxmemory-policy').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Value', { exact: true }).selectOption('volatile-ttl');
  await answer(page, 'Set');
  await page.getByRole('row', { name: /^maxmemory-policy volatile-ttl/ }).waitFor();
  assert.deepEqual(await resp.run('CONFIG', 'GET', 'maxmemory-policy'), ['maxmemory-policy', 'volatile-ttl']);
  await resp.run('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
});

flow('backups, settings and tables are worked on by the keyboard alone', async (page) => {
  await makeTable();
  await logIn(page, 'default', '', (keys) => keys.press('Enter'));
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const tabTo = async (wanted, key = 'Tab') => {
    await wanted.waitFor();
    for (let stop = 0; !(await wanted.and(page.locator(':focus')).count()); stop += 1) {
      assert.ok(stop < 200, 'no stop of Tab is there');
      await press(key);
    }
  };
  await tabTo(page.getByRole('link', { name: 'Operations' }));
  await press('Enter');
  await tabTo(page.getByRole('tab', { name: 'Slow log' }));
  await press('ArrowLeft');
  await page.getByRole('tab', { name: 'Backup, restore, check', selected: true }).and(page.locator(':focus')).waitFor();
  await tabTo(page.getByLabel('Name', { exact: true }));
  await page.keyboard.type('by-keys');
  await press('Enter');
  await page.getByText(/^Job \d+: done/).waitFor();
  const form = page.getByRole('form', { name: 'Restore' });
  await tabTo(form.getByLabel('Backup'));
  await page.keyboard.type('by-keys');
  await tabTo(form.getByLabel('New folder'));
  await page.keyboard.type('by-keys-restored');
  await press('Enter');
  await region(page, 'Result').getByText('by-keys-restored').waitFor();

  await tabTo(page.getByRole('tab', { name: 'Backup, restore, check' }), 'Shift+Tab');
  await press('ArrowLeft');
  await tabTo(page.getByLabel('Find a setting'));
  await page.keyboard.type('slowlog-max-len');
  const change = button(page, 'Change slowlog-max-len');
  await tabTo(change);
  await press('Enter');
  const dialog = page.getByRole('dialog');
  await tabTo(dialog.getByLabel('Value', { exact: true }));
  await press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await change.and(page.locator(':focus')).waitFor();
  await press('Enter');
  await tabTo(dialog.getByLabel('Value', { exact: true }));
  await press('Control+a');
  await page.keyboard.type('77');
  await press('Enter');
  await until(() => resp.run('CONFIG', 'GET', 'slowlog-max-len'), ['slowlog-max-len', '77']);
  await resp.run('CONFIG', 'SET', 'slowlog-max-len', 128);

  await tabTo(page.getByRole('link', { name: 'Tables', exact: true }), 'Shift+Tab');
  await press('Enter');
  await tabTo(page.getByRole('link', { name: 'orders' }));
  await press('Enter');
  const open = page.getByRole('button', { name: 'Open ben / 2026-03' });
  await tabTo(open);
  await press('Enter');
  await tabTo(dialog.getByLabel('In DynamoDB’s JSON'));
  await press('Control+a');
  await page.keyboard.insertText('{"customer": {"S": "ben"}, "at": {"S": "2026-03"}, "total": {"N": "7"}}');
  await tabTo(button(dialog, 'Save'));
  await press('Enter');
  await page.getByRole('row', { name: /^ben .* 7 / }).waitFor();
  await table('WRITE', 'DeleteTable', { TableName: 'orders' });
});

flow('a command line completes, runs and recalls', async (page) => {
  await logIn(page);
  await show(page, 'Command line');
  const line = page.getByRole('combobox', { name: /Command/ });
  const log = page.getByRole('log', { name: 'Replies' });
  await line.pressSequentially('ttl.sc');
  await page.getByRole('option', { name: 'TTL.SCAN' }).waitFor();
  await line.press('Tab');
  assert.equal(await line.inputValue(), 'TTL.SCAN ');
  await page.getByText('List keys by deadline, or those without one.').waitFor();
  await line.fill('SET "a b" \'it is\' EX 100');
  await line.press('Enter');
  await log.getByText('"OK"').waitFor();
  assert.equal(await resp.run('GET', 'a b'), 'it is');
  await line.fill('NONSENSE');
  await line.press('Enter');
  await log.getByText("(error) ERR unknown command 'NONSENSE'").waitFor();
  await line.fill('BLPOP list 0');
  await line.press('Enter');
  await log.getByText('needs a connection that lasts').waitFor();
  await line.press('ArrowUp');
  assert.equal(await line.inputValue(), 'BLPOP list 0');
  await line.press('ArrowUp');
  assert.equal(await line.inputValue(), 'NONSENSE');
});

flow('who may only read is shown what he may, and refused in ACL’s words', async (page) => {
  await resp.run('ACL', 'SETUSER', 'viewer', 'on', '>look-only', '+@read', '+info', '+acl|whoami', '~app:*');
  await resp.run('SET', 'app:1', 'seen', 'EX', 1000);
  await resp.run('SET', 'other', 'hidden');
  await logIn(page, 'viewer', 'look-only');
  await page.getByText('Reaper lag').waitFor();
  await openKey(page, 'app:1');
  const panel = region(page, 'app:1');
  await panel.getByText(/^in 16 min/).waitFor();
  await panel.getByLabel('New time to live').fill('1d');
  await button(panel, 'Set').click();
  await panel.getByText("NOPERM this user has no permissions to run the 'pexpireat' command").waitFor();
  assert.ok((await resp.run('TTL', 'app:1')) <= 1000);
  const value = region(page, 'String');
  await value.getByRole('textbox', { name: 'Value' }).fill('changed');
  await button(value, 'Save').click();
  await value.getByText("NOPERM this user has no permissions to run the 'set' command").waitFor();
  await openKey(page, 'other');
  await page.getByText('NOPERM this user has no permissions to access one of the keys').waitFor();
  for (const [view, words] of [
    ['Events', 'ttl.events'],
    ['Tables', 'ttl.table|read'],
    ['Operations', 'slowlog|get'],
  ]) {
    await show(page, view);
    await page.getByRole('alert').filter({ hasText: `NOPERM` }).filter({ hasText: words }).first().waitFor();
  }
  await show(page, 'Proof');
  await button(page, 'Run a proof').click();
  await page.getByText("NOPERM this user has no permissions to run the 'ttl.prove' command").waitFor();
  assert.equal(await resp.run('GET', 'app:1'), 'seen');
});
