// Goal: nothing that is stored makes the console run a script.
// Method: markup in every name and value that a view, a dialog, a message or a file shows; and a hole made by hand, which
// these tests have to see.
import assert from 'node:assert/strict';
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
  show,
  until,
  useBrowser,
} from './browser.js';
import { Resp } from './resp.js';

useBrowser();

// Each says which it was, if it ever runs.
const markup = (where) => `<img src=x onerror="window.ran='${where}'"><script>window.ran='${where}'</script>`;
// For names of files and users, which have no slash and no blank.
const tag = (where) => `<img/src=x/onerror=window.ran='${where}'>`;
const nameless = (where) => `<img src=x onerror="window.ran='${where}'">`;
const table = (operation, body) => resp.run('TTL.TABLE', 'WRITE', operation, JSON.stringify(body));

// What a view made of markup: nothing may have become an element or run.
async function assertHarmless(page, place) {
  assert.equal(await page.locator('img, iframe, object, main script, [onerror]').count(), 0, place);
  assert.equal(await page.evaluate(() => window.ran), undefined, place);
}

async function fill() {
  const [key, value] = [markup('key'), markup('value')];
  await resp.run('TTL.POLICY', 'SET', 'events', 'value');
  await resp.run('SET', `dead:${key}`, value, 'PX', 1);
  await resp.run('DEBUG', 'CLOCK', 'ADVANCE', 1);
  await resp.run('SET', `${markup('prefix')}:${key}`, value);
  await resp.run('SET', key, value, 'EX', 3000);
  await resp.run('HSET', 'hash', markup('field'), value);
  await resp.run('RPUSH', 'list', value);
  await resp.run('SADD', 'set', markup('member'));
  await resp.run('ZADD', 'board', 1, markup('member'));
  await resp.run('XADD', 'log', '1-1', markup('field'), value);
  await resp.run('XGROUP', 'CREATE', 'log', markup('group'), '0');
  await resp.run('TTL.BACKUP', nameless('backup')).then(finished);
  await resp.run('ACL', 'SETUSER', `<img/src=x/onerror=window.ran='user'>`, `~${markup('keys').replaceAll(' ', '/')}`);
  await resp.run('CONFIG', 'SET', 'console-hosts', markup('setting'));
  await resp.run('CONFIG', 'SET', 'slowlog-log-slower-than', '0');
  await resp.run('GET', markup('slow'));
  await resp.run('CONFIG', 'SET', 'slowlog-log-slower-than', '10000');
  await table('CreateTable', {
    TableName: 'attacked',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: markup('attribute'), AttributeType: 'S' }],
    KeySchema: [{ AttributeName: markup('attribute'), KeyType: 'HASH' }],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  await table('PutItem', {
    TableName: 'attacked',
    Item: { [markup('attribute')]: { S: value }, [markup('other')]: { M: { [markup('inner')]: { S: value } } } },
  });
}

// A job that has ended, with its words.
async function finished(id) {
  const fields = async () => {
    const flat = await resp.run('TTL.JOB', 'GET', id);
    return Object.fromEntries(flat.flatMap((one, at) => (at % 2 === 0 ? [[one, flat[at + 1]]] : [])));
  };
  await until(async () => ['done', 'failed'].includes((await fields()).state), true);
  return fields();
}

// A place, and a text of the markup that it shows, so that it is known to be there.
const key = (name) => `browser?db=0&key=${encodeURIComponent(`s${name}`)}`;
const kPlaces = [
  ['overview', 'Reaper lag'],
  ['browser', "window.ran='prefix'"],
  ['browser?by=pattern', "window.ran='key'"],
  [`browser?by=pattern&match=${encodeURIComponent(markup('pattern'))}`, "window.ran='pattern'"],
  ['browser?by=deadline', "window.ran='key'"],
  [key(markup('key')), "window.ran='value'"],
  [key(markup('absent')), "window.ran='absent'"],
  [key('hash'), "window.ran='field'"],
  [key('list'), "window.ran='value'"],
  [key('set'), "window.ran='member'"],
  [key('board'), "window.ran='member'"],
  [key('log'), "window.ran='group'"],
  ['events', "window.ran='value'"],
  ['tables?table=attacked', "window.ran='a"],
  ['tables?table=attacked&tab=query', "window.ran='a"],
  ['tables?table=attacked&tab=schema', "window.ran='a"],
  ['tables?table=attacked&tab=stream', "window.ran='a"],
  [`tables?table=${encodeURIComponent(markup('table'))}`, 'alert'],
  ['operations', "window.ran='slow'"],
  ['operations?tab=clients', "onerror=window.ran='client'"],
  ['operations?tab=users', "onerror=window.ran='user'"],
  ['operations?tab=settings', "window.ran='setting'"],
  ['operations?tab=jobs', 'New folder'],
];

flow('markup in names and values stays text in every view', async (page) => {
  const requests = [];
  page.on('request', (request) => requests.push(new URL(request.url()).origin));
  await fill();
  const client = await Resp.open();
  await client.run('CLIENT', 'SETNAME', "<img/src=x/onerror=window.ran='client'>");
  await logIn(page);
  for (const [place, words] of kPlaces) {
    await openPlace(page, 'nowhere');
    await openPlace(page, place);
    const shown = words === 'alert' ? page.getByRole('alert') : page.locator('main').getByText(words);
    const value = page.locator('main').getByLabel('Value', { exact: true });
    await shown.or(value).first().waitFor();
    await assertHarmless(page, place);
  }

  await show(page, 'Deadlines');
  await page.getByText('Spans as a table').click();
  await page
    .getByRole('button', { name: /^Keys from/ })
    .first()
    .click();
  await page.getByRole('link', { name: /window.ran='key'/ }).waitFor();
  await page.getByRole('tab', { name: 'Without a deadline' }).click();
  await button(page, 'Count').click();
  await page
    .getByText(/window.ran='prefix'/)
    .first()
    .waitFor();
  await page.getByRole('tab', { name: 'Policy' }).click();
  await page.getByLabel('Longest time to live').fill('1s');
  await button(page, 'Try').click();
  await page
    .getByText(/window.ran='key'/)
    .first()
    .waitFor();
  await assertHarmless(page, 'deadlines');

  await show(page, 'Proof');
  await page.getByLabel('Search for a text').fill("window.ran='value'");
  await button(page, 'Run a proof').click();
  await page.getByText('the bytes were FOUND, see').waitFor();
  await assertHarmless(page, 'proof');

  await show(page, 'Command line');
  const say = async (line, reply) => {
    await page.getByRole('combobox', { name: /Command/ }).fill(line);
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText(reply).waitFor();
  };
  await resp.run('SET', 'output', markup('output'));
  await say('GET output', "window.ran='output'");
  await say(`GET '${markup('line').replaceAll("'", "\\'")}'`, '(nil)');
  await say(`"${markup('command').replaceAll('"', '\\"')}"`, "ERR unknown command '<img");
  await assertHarmless(page, 'command line');
  client.close();
  await table('DeleteTable', { TableName: 'attacked' });
  await resp.run('CONFIG', 'SET', 'console-hosts', '');
  assert.deepEqual([...new Set(requests)], [kOrigin], 'nothing from outside is loaded');
});

flow('markup stays text in dialogs, in what is said, and in long work', async (page) => {
  await fill();
  await logIn(page);
  const name = markup('key');
  await openKey(page, name);
  const panel = () => page.locator('main .panel').filter({ hasText: 'Takes' });
  await button(panel(), 'Delete').click();
  await page.getByRole('dialog').getByText("window.ran='key'").waitFor();
  await assertHarmless(page, 'the question before a deletion');
  await answer(page, 'Cancel');
  await button(panel(), 'Rename').click();
  await page.getByLabel('New name (escaped)').fill(markup('renamed'));
  await button(page.getByRole('form', { name: 'Rename' }), 'Rename').click();
  await page
    .getByRole('status')
    .getByText(/^renamed to <img/)
    .waitFor();
  await assertHarmless(page, 'what is said of a rename');

  await openKey(page, 'hash');
  const fields = region(page, 'Fields');
  for (const [title, words] of [
    ['Edit', "window.ran='field'"],
    ['Deadline', "window.ran='field'"],
    ['Remove', "window.ran='field'"],
  ]) {
    await fields
      .getByRole('button', { name: new RegExp(`^${title} <img`) })
      .first()
      .click();
    await page.getByRole('dialog').getByText(words).first().waitFor();
    await assertHarmless(page, `the dialog ${title}`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }

  const pattern = '*window.ran=*';
  await openPlace(page, `browser?by=pattern&match=${encodeURIComponent(pattern)}`);
  const bulk = region(page, 'Change all of them');
  await bulk.getByLabel('Time to live').fill('10m');
  await button(bulk, 'Preview').click();
  await bulk
    .getByText(/window.ran='(key|prefix|renamed)'/)
    .first()
    .waitFor();
  await assertHarmless(page, 'a preview');
  await openPlace(page, `browser?by=pattern&match=${encodeURIComponent(`${markup('none')}*`)}`);
  await bulk.getByLabel('What to do').selectOption('DELETE');
  await resp.run('SET', `${markup('none')}-1`, 'x');
  await button(bulk, 'Preview').click();
  await bulk.getByText('1 key would change, such as').waitFor();
  await button(bulk, 'Delete them').click();
  await page.getByRole('dialog').getByText("window.ran='none'").waitFor();
  await assertHarmless(page, 'the question before a bulk change');
  await answer(page, 'Delete them');
  await bulk.getByText('1 key changed.').waitFor();
  await table('DeleteTable', { TableName: 'attacked' });
});

flow('markup in names of backups stays text in jobs, results, faults and proofs', async (page) => {
  const backup = nameless('saved');
  const made = await finished(await resp.run('TTL.BACKUP', backup));
  assert.equal(made.state, 'done', made.error);
  await logIn(page);
  await openPlace(page, 'operations?tab=jobs');
  await page
    .getByRole('row', { name: /backup done/ })
    .first()
    .getByRole('button')
    .click();
  await region(page, 'Result').getByText("window.ran='saved'").waitFor();
  await assertHarmless(page, 'the result of a backup');

  const form = page.getByRole('form', { name: 'Restore' });
  await form.getByLabel('Backup').selectOption(backup);
  await form.getByLabel('New folder').fill(backup);
  await button(form, 'Restore').click();
  await page
    .getByRole('alert')
    .getByText(/exists already/)
    .waitFor();
  await assertHarmless(page, 'a refusal');
  await form.getByLabel('New folder').fill(nameless('folder'));
  await button(form, 'Restore').click();
  await region(page, 'Result').getByText("window.ran='folder'").waitFor();
  await assertHarmless(page, 'the result of a restore');

  await page.getByLabel('Name', { exact: true }).fill(backup);
  await button(page, 'Back up').click();
  await page
    .getByRole('alert')
    .getByText(/window.ran='saved'/)
    .waitFor();
  await assertHarmless(page, 'the fault of a job');
  await show(page, 'Proof');
  await page.getByLabel('Search for a text').fill(markup('find'));
  await button(page, 'Run a proof').click();
  await region(page, 'The proof').getByText("window.ran='folder'").waitFor();
  await assertHarmless(page, 'a proof that names backups');
});

flow('a user with markup in the name is that name, wherever it is shown', async (page) => {
  const name = tag('me');
  await resp.run('ACL', 'SETUSER', name, 'on', '>pw', 'allkeys', 'allcommands');
  await logIn(page, name, 'pw');
  await page.locator('header').getByText(name).waitFor();
  await page.getByText('Reaper lag').waitFor();
  await assertHarmless(page, 'the header');
  await openPlace(page, 'operations?tab=users');
  await page
    .getByRole('button', { name: `Remove ${name}` })
    .first()
    .click();
  await page.getByRole('dialog').getByText(name).waitFor();
  await assertHarmless(page, 'the question before a user is removed');
  await answer(page, 'Cancel');
  await show(page, 'Command line');
  await page.getByRole('combobox', { name: /Command/ }).fill('ACL WHOAMI');
  await page.keyboard.press('Enter');
  await page.getByRole('log').getByText(name).waitFor();
  await assertHarmless(page, 'the command line');
  await resp.run('ACL', 'DELUSER', name);
  await page.getByText('The session has ended: log in again.').waitFor();
  await assertHarmless(page, 'the login');
});

flow('the policy stops what a hole would let in, and these tests would see it', async (page) => {
  await logIn(page);
  await page.evaluate((html) => {
    document.querySelector('main').innerHTML = html;
  }, markup('hole'));
  await page.waitForFunction(() => document.querySelector('main img'));
  await page.waitForTimeout(0);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  await assert.rejects(assertHarmless(page, 'a hole'));
  await page.evaluate(() => fetch('http://localhost:9/').catch(() => {}));
  assert.ok(
    page.faults.some((fault) => fault.startsWith('policy:')),
    page.faults,
  );
  page.faults = [];
});
