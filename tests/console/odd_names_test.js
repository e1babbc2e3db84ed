// Goal: whatever bytes a key or a value has, a person can see it, change it and remove it.
// Method: names that are no text, that mislead the eye, that mean something elsewhere, and long ones.
import assert from 'node:assert/strict';
import { answer, button, flow, logIn, openKey, openPlace, region, resp, until, useBrowser } from './browser.js';

useBrowser();

flow('keys of odd names are found, shown, changed and removed', async (page) => {
  const names = {
    'nothing but zeros': Buffer.alloc(5),
    'every byte': Buffer.from(Array.from({ length: 256 }, (_, at) => at)),
    'no UTF-8': Buffer.from([0xc0, 0x80, 0x3a, 0xff]),
    'right to left': Buffer.from('\u202eabc\u05d0\u05d1:\u2066x'),
    markup: Buffer.from('<b>:</b>&amp;<!--'),
    address: Buffer.from('a#b?c=d&e%20f+g/../h'),
    blanks: Buffer.from('  a  b\t\r\n '),
    emoji: Buffer.from('\u{1f98b}\u200d\u{1f525}'),
    surrogate: Buffer.from([0xed, 0xa0, 0x80]),
    'like an object': Buffer.from('__proto__'),
    'like a reply': Buffer.from('{"error":"no"}'),
    'a cursor': Buffer.from('0'),
    long: Buffer.alloc(60_000, 'long:'),
  };
  await logIn(page);
  for (const [what, name] of Object.entries(names)) {
    await resp.run('FLUSHALL');
    await resp.run('SET', name, what, 'EX', 1000);
    await openPlace(page, 'nowhere');
    await openPlace(page, 'browser?by=pattern');
    const found = page.getByRole('region', { name: 'Table: Keys found' });
    await found.getByRole('link').click();
    const panel = page.locator('.found .panel').filter({ hasText: 'Takes' });
    await panel.getByText(/^in 16 min/).waitFor();
    await region(page, 'String').getByRole('textbox', { name: 'Value' }).waitFor();
    await until(() => region(page, 'String').getByRole('textbox', { name: 'Value' }).inputValue(), what);
    await panel.getByLabel('New time to live').fill('1d');
    await button(panel, 'Set').click();
    await until(async () => (await resp.run('TTL', name)) > 80_000, true);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wide <= 0, `${what} makes the page ${wide} pixels too wide`);
    if (what !== 'long') {
      await button(panel, 'Rename').click();
      await page.getByLabel('New name (escaped)').fill('plain');
      await button(page.getByRole('form', { name: 'Rename' }), 'Rename').click();
      await until(() => resp.run('EXISTS', 'plain'), 1);
      await region(page, 'plain').getByText('plain', { exact: true }).first().waitFor();
    }
    await button(page.locator('.found .panel').filter({ hasText: 'Takes' }), 'Delete').click();
    await answer(page, 'Delete');
    await until(() => resp.run('DBSIZE'), 0);
  }
});

flow('addresses that were written by hand break nothing', async (page) => {
  await resp.run('SET', 'key', 'x', 'EX', 1000);
  await logIn(page);
  for (const place of [
    'browser?db=0&key=b!!!',
    'browser?db=0&key=bQQ',
    'browser?db=0&key=x',
    'browser?db=0&key=',
    'browser?db=abc&key=skey',
    'browser?db=99',
    'browser?db=-1&by=pattern',
    'browser?db=1.5&by=deadline',
    'browser?by=nothing',
    'browser?by=deadline&from=abc&to=1e400',
    'browser?by=deadline&from=99999999999999999999',
    'browser?by=pattern&match=%5B&type=nothing',
    'deadlines?db=99',
    'deadlines?keyspace=none',
    'deadlines?keyspace=%00',
    'tables?table=..%2F..&tab=nothing',
    'tables?table=&tab=stream',
    'operations?tab=nothing',
    'commands?db=99',
    '%F0%9F',
    '?',
  ]) {
    await openPlace(page, 'nowhere');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await openPlace(page, place);
    const view = place.split('?')[0];
    const title = {
      browser: 'Browser',
      deadlines: 'Deadlines',
      tables: 'Tables',
      operations: 'Operations',
      commands: 'Command line',
    }[view];
    await page.getByRole('heading', { level: 1, name: title ?? 'Overview' }).waitFor();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    assert.deepEqual(page.faults, [], place);
  }
  // And the page works on.
  await openKey(page, 'key');
  await region(page, 'key')
    .getByText(/^in 16 min/)
    .waitFor();
});

flow('a value of a megabyte is read in pieces', async (page) => {
  await resp.run('SET', 'large', `${'x'.repeat(1024 * 1024)}the end`);
  await logIn(page);
  await openKey(page, 'large');
  const panel = region(page, 'String of 1.0 MiB');
  await panel.getByText('bytes 0 to 16,384').waitFor();
  for (let piece = 0; piece < 64; piece += 1) await button(panel, 'Next').click();
  await region(page, 'Bytes').getByText('the end').waitFor();
  assert.ok(await button(panel, 'Next').isDisabled());
});

flow('a value of a quarter of a megabyte is edited, and kept as it is', async (page) => {
  const value = 'x'.repeat(256 * 1024 - 1) + 'y';
  await resp.run('SET', 'large', value);
  await logIn(page);
  await openKey(page, 'large');
  const area = region(page, 'String').getByRole('textbox', { name: 'Value' });
  await until(async () => (await area.inputValue()).length, value.length);
  await button(region(page, 'String'), 'Save').click();
  await page.getByRole('status').getByText('Value saved').waitFor();
  assert.equal(await resp.run('GET', 'large'), value);
});
