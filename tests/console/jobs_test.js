// Goal: a person makes backups, restores them and checks the database, sees how far the work is, and stops it.
// Method: what he would click and type; the bars are watched, with as many rows as it takes to see them move.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { button, flow, logIn, openPlace, region, resp, until, useBrowser } from './browser.js';

useBrowser();

const kRowsFirst = 50_000;
const kRowsMax = 2_000_000;

const folderOfBackups = async () => path.join((await resp.run('CONFIG', 'GET', 'dir'))[1], 'backups');

const jobs = async () =>
  (await resp.run('TTL.JOB', 'LIST')).map((flat) =>
    Object.fromEntries(flat.flatMap((one, at) => (at % 2 === 0 ? [[one, flat[at + 1]]] : []))),
  );

// From now on the page notes what its bars show: shares of all; null while that is not known.
const watchBars = (page) =>
  page.evaluate(() => {
    window.shares = [];
    window.watcher?.disconnect();
    window.watcher = new MutationObserver(() => {
      for (const bar of document.querySelectorAll('.job progress'))
        window.shares.push(bar.hasAttribute('value') ? bar.value / bar.max : null);
    });
    window.watcher.observe(document.body, { childList: true, subtree: true, attributes: true });
  });

const lastId = async () => (await jobs())[0]?.id ?? 0;

// The id of the job that has begun behind the one of this id.
async function begun(kind, last) {
  let found;
  await until(async () => {
    [found] = await jobs();
    return found !== undefined && found.id > last && found.kind === kind;
  }, true);
  return found.id;
}

// Waits until the page shows that the job has ended, and returns how.
async function ended(page, kind, id) {
  const words = region(page, `Job ${id}: ${kind}`).getByText(new RegExp(`^Job ${id}: (done|failed|cancelled)`));
  return (await words.textContent()).split(' ')[2];
}

// Does the work again with more rows until its bar was seen on its way.
async function seeProgress(page, kind, start) {
  for (let rows = kRowsFirst; ; rows *= 2) {
    await resp.run('DEBUG', 'POPULATE', rows, 'many', 100);
    await watchBars(page);
    const last = await lastId();
    await start(rows);
    await ended(page, kind, await begun(kind, last));
    const shares = await page.evaluate(() => window.shares);
    if (shares.some((share) => share > 0 && share < 1)) return;
    assert.ok(rows < kRowsMax, `no bar was seen to move: ${shares}`);
  }
}

flow('a backup, a check and a restore show how far they are', async (page) => {
  await logIn(page);
  await openPlace(page, 'operations?tab=jobs');
  let name;
  await seeProgress(page, 'backup', async (rows) => {
    name = `by-hand-${rows}`;
    await page.getByLabel('Name', { exact: true }).fill(name);
    await button(page, 'Back up').click();
  });
  assert.ok(existsSync(path.join(await folderOfBackups(), name)));

  await seeProgress(page, 'check', () => button(page, 'Check').click());
  await region(page, 'Result').getByText('"clean" => (true)').waitFor();

  const form = page.getByRole('form', { name: 'Restore' });
  await seeProgress(page, 'restore', async (rows) => {
    name = `restored-${rows}`;
    await resp.run('TTL.BACKUP', `for-${name}`);
    await until(async () => (await jobs())[0].state, 'done');
    await button(page, 'Reload').click();
    await form.getByLabel('Backup').selectOption(`for-${name}`);
    await form.getByLabel('New folder').fill(name);
    await button(form, 'Restore').click();
  });
  const rows = await resp.run('DBSIZE');
  await region(page, 'Result').getByText(`"rows" => (integer) ${rows}`).waitFor();
  assert.ok(existsSync(path.join(await folderOfBackups(), name)));
  await page
    .getByRole('region', { name: 'Table: Jobs' })
    .getByRole('row', { name: /restore done/ })
    .first()
    .waitFor();
});

flow('a restore that is stopped, or may not be, leaves nothing', async (page) => {
  await resp.run('SET', 'key', 'x');
  await resp.run('TTL.BACKUP', 'one');
  await until(async () => (await jobs())[0].state, 'done');
  await logIn(page);
  await openPlace(page, 'operations?tab=jobs');
  const form = page.getByRole('form', { name: 'Restore' });
  // There is work ahead of it, more and more, until the person is quick enough.
  for (let rows = kRowsFirst; ; rows *= 2) {
    await resp.run('DEBUG', 'POPULATE', rows, 'many', 100);
    const folder = `stopped-${rows}`;
    await form.getByLabel('Backup').selectOption('one');
    await form.getByLabel('New folder').fill(folder);
    for (let i = 0; i < 3; i += 1) await resp.run('TTL.CHECK');
    const last = await lastId();
    await button(form, 'Restore').click();
    const id = await begun('restore', last);
    const stop = button(region(page, `Job ${id}: restore`), 'Stop');
    await stop.click({ timeout: 5000 }).catch(() => {});
    if ((await ended(page, 'restore', id)) === 'cancelled') {
      assert.ok(!existsSync(path.join(await folderOfBackups(), folder)));
      break;
    }
    assert.ok(rows < kRowsMax, 'no restore could be stopped');
  }
  await until(async () => (await jobs()).some(({ state }) => state === 'running' || state === 'waiting'), false);

  for (const folder of ['../out', '.hidden', 'a/b', 'one']) {
    await form.getByLabel('New folder').fill(folder);
    await button(form, 'Restore').click();
    await page
      .getByRole('alert')
      .getByText(folder === 'one' ? 'exists already' : 'have no slash')
      .waitFor();
  }
  assert.deepEqual(
    readdirSync(await folderOfBackups()).filter((file) => /out|hidden|partial/.test(file)),
    [],
  );
});

flow('jobs are listed in pages', async (page) => {
  for (let i = 0; i < 12; i += 1) {
    await resp.run('TTL.CHECK');
    await until(async () => (await jobs())[0].state, 'done');
  }
  await logIn(page);
  await openPlace(page, 'operations?tab=jobs');
  const listed = page.getByRole('region', { name: 'Table: Jobs' });
  await listed.waitFor();
  assert.equal(await listed.getByRole('rowheader').count(), 10);
  const pager = page.getByRole('navigation', { name: 'Pages of jobs' });
  await button(pager, 'Next').click();
  await pager.getByText(/^11 to/).waitFor();
  await listed
    .getByRole('row', { name: /check done/ })
    .first()
    .waitFor();
});
