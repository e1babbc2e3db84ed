// Goal: the console works over TLS as it does without.
// Method: a server whose HTTP port speaks TLS alone; a person logs in, changes a key, and sees it die.
import assert from 'node:assert/strict';
import { button, flow, kOrigin, logIn, openKey, openPlace, region, resp, useBrowser } from './browser.js';

useBrowser();

flow('a person logs in, changes a key, and sees it die, over TLS', async (page) => {
  assert.match(kOrigin, /^https:/);
  const requests = new Set();
  page.on('request', (request) => requests.add(new URL(request.url()).origin));
  await resp.run('TTL.POLICY', 'SET', 'events', 'key');
  await resp.run('SET', 'session:1', 'x', 'EX', 1000);
  await logIn(page);
  const [cookie] = await page.context().cookies(`${kOrigin}/console`);
  assert.ok(cookie.secure && cookie.httpOnly && cookie.sameSite === 'Strict', 'it goes over TLS alone');
  await page.getByText('Reaper lag').waitFor();
  await openKey(page, 'session:1');
  const panel = region(page, 'session:1');
  await panel.getByLabel('New time to live').fill('5s');
  await button(panel, 'Set').click();
  await panel.getByText(/^in [45] s/).waitFor();
  await resp.run('DEBUG', 'CLOCK', 'ADVANCE', 6000);
  await panel.getByText('This key died:').waitFor();
  await openPlace(page, 'events');
  await page.getByRole('region', { name: 'Table: Events' }).getByRole('link', { name: 'session:1' }).waitFor();
  await button(page, 'Log out').click();
  await button(page, 'Log in').waitFor();
  assert.deepEqual([...requests], [kOrigin], 'everything came over TLS');
});

flow('in the clear nothing is answered but what to do', async () => {
  const answer = await fetch(`${kOrigin.replace('https', 'http')}/console`);
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /TLS|https/i);
});
