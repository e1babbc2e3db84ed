// Goal: whatever becomes of a login, of the server and of other tabs, a page says it, does nothing as another user, and
// goes on.
// Method: users, tabs and the server change under an open page; what was done is asked by the Redis protocol.
import assert from 'node:assert/strict';
import { beforeEach } from 'node:test';
import {
  answer,
  button,
  flow,
  kOrigin,
  logIn,
  openKey,
  openPlace,
  region,
  resp,
  restartServer,
  until,
  useBrowser,
} from './browser.js';

useBrowser();

beforeEach(async () => {
  for (const user of await resp.run('ACL', 'USERS')) {
    if (user !== 'default') await resp.run('ACL', 'DELUSER', user);
  }
});

const person = (name) => resp.run('ACL', 'SETUSER', name, 'on', '>right', 'allkeys', 'allcommands');

const fillLogin = async (page, user, password) => {
  await page.getByLabel('User').fill(user);
  await page.getByLabel('Password').fill(password);
  await button(page, 'Log in').click();
  await button(page, 'Log out').waitFor();
};

flow('a page that lost the server says so, and goes on by itself', async (page) => {
  await logIn(page);
  await page.getByText('Reaper lag').waitFor();
  await page.context().setOffline(true);
  await page.getByText('connection lost; trying again').waitFor();
  await page.context().setOffline(false);
  await page.getByText('connection lost; trying again').waitFor({ state: 'detached' });
  await button(page, 'Log out').waitFor();
});

flow('a login begins with the right password, and ends by itself and with its user', async (page) => {
  await resp.run('ACL', 'SETUSER', 'ann', 'on', '>right', 'allkeys', 'allcommands');
  await page.goto('about:blank');
  const wrong = logIn(page, 'ann', 'wrong');
  await page.getByText('WRONGPASS invalid username-password pair').waitFor();
  await page.getByLabel('Password').fill('right');
  await button(page, 'Log in').click();
  await wrong;
  await page.reload();
  await button(page, 'Log out').click();
  await button(page, 'Log in').waitFor();
  await page.reload();
  await button(page, 'Log in').waitFor();
  await logIn(page, 'ann', 'right');
  await resp.run('ACL', 'DELUSER', 'ann');
  await page.getByText('The session has ended: log in again.').waitFor();
});

flow('a server that was killed and started again is met by a login, in the place where one was', async (page) => {
  await resp.run('SET', 'kept', 'hello', 'EX', 1000);
  await logIn(page);
  await openKey(page, 'kept');
  const panel = region(page, 'kept');
  await panel.getByText(/^in 16 min/).waitFor();
  await restartServer();
  await page.getByText('The session has ended: log in again.').waitFor();
  await fillLogin(page, 'default', '');
  await panel.getByText(/^in 1[56] min/).waitFor();
  await panel.getByLabel('New time to live').fill('1h');
  await button(panel, 'Set').click();
  await until(async () => (await resp.run('TTL', 'kept')) > 3000, true);
});

flow('a login that ends in the middle of long work ends the work', async (page) => {
  await person('ann');
  for (let i = 0; i < 1000; i += 1) await resp.run('SET', `cart:${i}`, 'x');
  await logIn(page, 'ann', 'right');
  await openPlace(page, 'browser?db=0&by=pattern&match=cart%3A*');
  const bulk = region(page, 'Change all of them');
  await bulk.getByLabel('What to do').selectOption('DELETE');
  await button(bulk, 'Preview').click();
  await bulk.getByText('1,000 keys would change').waitFor();
  // She is removed when the third request with deletions is on its way.
  let sent = 0;
  await page.route('**/api/command', async (route) => {
    if (route.request().postData().includes('UNLINK') && ++sent === 3) await resp.run('ACL', 'DELUSER', 'ann');
    await route.continue();
  });
  await button(bulk, 'Delete them').click();
  await answer(page, 'Delete them');
  await page.getByText('The session has ended: log in again.').waitFor();
  assert.equal(await resp.run('DBSIZE'), 800, 'what was asked before is done, and nothing after');
});

flow('long work that loses the server says how far it came, and can be begun again', async (page) => {
  for (let i = 0; i < 1000; i += 1) await resp.run('SET', `cart:${i}`, 'x');
  await logIn(page);
  await openPlace(page, 'browser?db=0&by=pattern&match=cart%3A*');
  const bulk = region(page, 'Change all of them');
  await bulk.getByLabel('What to do').selectOption('DELETE');
  await button(bulk, 'Preview').click();
  await bulk.getByText('1,000 keys would change').waitFor();
  let sent = 0;
  await page.route('**/api/command', (route) =>
    route.request().postData().includes('UNLINK') && ++sent === 3 ? route.abort() : route.continue(),
  );
  await button(bulk, 'Delete them').click();
  await answer(page, 'Delete them');
  await bulk.getByRole('alert').getByText('the server does not answer').waitFor();
  await bulk.getByText('Stopped: 200 keys changed.').waitFor();
  assert.equal(await bulk.getByRole('progressbar').count(), 0);
  assert.equal(await resp.run('DBSIZE'), 800);
  await button(bulk, 'Preview').click();
  await bulk.getByText('800 keys would change').waitFor();
  await button(bulk, 'Delete them').click();
  await answer(page, 'Delete them');
  await bulk.getByText('800 keys changed.').waitFor();
});

// Another tab logs in, and the browser has its cookie.
const logInBeside = (tab, user) =>
  tab.evaluate(async (name) => {
    const answer = await fetch('/console/api/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ user: name, password: 'right' }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }, user);

flow('two tabs share a login, and none acts as the user of another', async (page) => {
  await person('ann');
  await person('ben');
  await resp.run('SET', 'key', 'x', 'EX', 1000);
  await logIn(page, 'ann', 'right');
  await openKey(page, 'key');
  const panel = region(page, 'key');
  await panel.getByText(/^in 16 min/).waitFor();
  const other = await page.context().newPage();
  await other.goto(`${kOrigin}/console`);
  await button(other, 'Log out').waitFor();

  // Logged in again as the same user: the first tab goes on, its figures too.
  await logInBeside(other, 'ann');
  await panel.getByLabel('New time to live').fill('1h');
  await button(panel, 'Set').click();
  await until(async () => (await resp.run('TTL', 'key')) > 3000, true);
  await openPlace(page, 'events');
  await resp.run('TTL.POLICY', 'SET', 'events', 'key');
  await resp.run('SET', 'late', 'x', 'PXAT', 1);
  await page.getByRole('link', { name: 'late' }).waitFor();
  await page.getByText('connection lost; trying again').waitFor({ state: 'detached' });
  await openKey(page, 'key');
  await panel.getByText(/^in (1 h|59 min)/).waitFor();

  // As another user: what the first tab asks is not done. Its figures may meet that before its person can ask.
  await logInBeside(other, 'ben');
  await panel
    .getByLabel('New time to live')
    .fill('2d', { timeout: 2000 })
    .then(() => button(panel, 'Set').click({ timeout: 2000 }))
    .catch(() => {});
  await page.getByText('Another user has logged in, in another tab of this browser: log in again.').waitFor();
  assert.ok((await resp.run('TTL', 'key')) < 7200, 'it is as ann left it');
  await page.reload();
  await page.locator('header').getByText('ben').waitFor();

  // A log out in one tab is one in both.
  await other.reload();
  await button(other, 'Log out').click();
  await button(other, 'Log in').waitFor();
  await page.getByText('The session has ended: log in again.').waitFor();
  await other.close();
});
