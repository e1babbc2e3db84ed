// Goal: a person finds keys, sees what they hold and when they die, and changes both.
// Method: what he would click and type; what it did is asked by the Redis protocol.
import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';
import { closeBrowser, flow, logIn, openBrowser, show } from './browser.js';
import { Resp } from './resp.js';

let resp;

before(async () => {
  await openBrowser();
  resp = await Resp.open();
});
after(async () => {
  resp.close();
  await closeBrowser();
});
beforeEach(() => resp.run('FLUSHALL'));

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
  const panel = page.getByRole('region', { name: 'session:ann:1' });
  await panel.getByText(/^in (1 h|59 min)/).waitFor();
  await panel.getByLabel('New time to live').fill('5m');
  await panel.getByRole('button', { name: 'Set', exact: true }).click();
  await panel.getByText(/^in (5 min|4 min)/).waitFor();
  assert.ok((await resp.run('TTL', 'session:ann:1')) <= 302);
});
