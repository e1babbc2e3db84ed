// Goal: a person sees when keys will die, watches them die, and gets it proven that they are gone.
// Method: the server's clock is moved by the test; the page is watched as it follows.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { button, flow, logIn, openKey, openPlace, region, resp, show, until, useBrowser } from './browser.js';

useBrowser();

const advance = (seconds) => resp.run('DEBUG', 'CLOCK', 'ADVANCE', seconds * 1000);

// Which part of the chart's width has bars in it: of the columns of pixels just above the axis.
const widthOfBars = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector('.chart canvas');
    const over = document.querySelector('.u-over').getBoundingClientRect();
    const box = canvas.getBoundingClientRect();
    const scale = canvas.width / box.width;
    const style = getComputedStyle(document.querySelector('.chart'));
    const probe = document.createElement('canvas').getContext('2d');
    probe.fillStyle = style.getPropertyValue('--accent').trim();
    probe.fillRect(0, 0, 1, 1);
    const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
    const width = Math.floor(over.width * scale);
    const row = canvas
      .getContext('2d')
      .getImageData((over.left - box.left) * scale, (over.bottom - box.top - 4) * scale, width, 1).data;
    let colored = 0;
    for (let at = 0; at < width; at += 1)
      if (row[at * 4] === red && row[at * 4 + 1] === green && row[at * 4 + 2] === blue) colored += 1;
    return colored / width;
  });

async function downloaded(page, click) {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

flow('a key gets another time to live, and is seen to die in the chart and in the events', async (page) => {
  await resp.run('TTL.POLICY', 'SET', 'events', 'value');
  await resp.run('SET', 'session:1', 'secret', 'EX', 86_400);
  await logIn(page);
  const chart = await page.context().newPage();
  const events = await page.context().newPage();
  await openPlace(events, 'events');
  await openPlace(chart, 'deadlines');
  await button(chart, '1 min').click();
  await chart.getByText('0 keys with 0 B').waitFor();
  await openKey(page, 'session:1');
  const panel = region(page, 'session:1');
  await panel.getByLabel('New time to live').fill('40s');
  await button(panel, 'Set').click();
  await chart.getByText('1 key with').waitFor();

  // The bar stands where the key dies: a click on it shows the key. The chart moves on by a bar now and then.
  const dies = await resp.run('PEXPIRETIME', 'session:1');
  const link = chart.getByRole('link', { name: 'session:1' });
  // A bar that stands alone is as wide as its span.
  await until(async () => {
    const wide = await widthOfBars(chart);
    return wide > 0 && wide < 0.05;
  }, true);
  await until(async () => {
    const words = await chart.getByText('1 key with').textContent();
    const from = Date.parse(/from (\S+ \S+Z)/.exec(words)[1].replace(' ', 'T'));
    const { width, height } = await chart.locator('.u-over').boundingBox();
    await chart.locator('.u-over').click({ position: { x: ((dies - from) / 60_000) * width, y: height / 2 } });
    await chart.getByRole('region', { name: /^Keys that die/ }).waitFor();
    await chart.waitForFunction(() => document.querySelector('.panel + .panel table, .panel + .panel .nothing'));
    return link.count();
  }, 1);

  await advance(39);
  await panel.getByText(/^in \d+ (s|ms)/).waitFor();
  await advance(3);
  await panel.getByText('This key died:').waitFor();
  await chart.getByText('0 keys with 0 B').waitFor();
  await chart.getByText('None is left: they died, or live longer now.').waitFor();
  const event = events.getByRole('row').filter({ hasText: 'session:1' });
  await event.getByText('secret').waitFor();
  await event.getByText(/removed by the reaper|met by a read/).waitFor();
  await chart.close();
  await events.close();
});

flow('the chart is zoomed by dragging and by its table, from seconds to years', async (page) => {
  for (const [key, life] of [
    ['a', 60],
    ['b', 1800],
    ['c', 86_400 * 400],
  ])
    await resp.run('SET', key, 'x', 'EX', life);
  await logIn(page);
  await show(page, 'Deadlines');
  await page.getByText('2 keys with').waitFor();
  await button(page, '10 years').click();
  await page.getByText('3 keys with').waitFor();
  await button(page, '1 h').click();
  await page.getByText('2 keys with').waitFor();
  const bars = page.locator('.u-over');
  const { x, y, width, height } = await bars.boundingBox();
  await page.mouse.move(x + width * 0.4, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.6, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await page.getByText('1 key with').waitFor();
  await button(page, 'Zoom out').click();
  await page.getByText('2 keys with').waitFor();
  await page.getByText('Spans as a table').click();
  const spans = page.getByRole('region', { name: 'Table: Spans' });
  await spans.getByRole('button', { name: /^Zoom/ }).first().click();
  await page.getByText('1 key with').waitFor();
  await page.getByLabel('Shown').selectOption('bytes');
  await spans.getByRole('button', { name: /^Keys/ }).first().click();
  await page.getByRole('link', { name: 'a', exact: true }).waitFor();
});

flow('keys without a deadline are counted by prefix', async (page) => {
  for (const key of ['user:1', 'user:2', 'order:1', 'lonely']) await resp.run('SET', key, 'x');
  await resp.run('SET', 'user:3', 'x', 'EX', 60);
  await logIn(page);
  await show(page, 'Deadlines');
  await page.getByRole('tab', { name: 'Without a deadline' }).click();
  await button(page, 'Count').click();
  await page.getByText('4 keys, all of them').waitFor();
  await page.getByRole('row', { name: 'user: 2 user:1' }).waitFor();
  await page.getByRole('row', { name: 'no prefix 1 lonely' }).waitFor();
});

flow('a policy is tried before it is set', async (page) => {
  await resp.run('SET', 'short', 'x', 'EX', 60);
  await resp.run('SET', 'long', 'x', 'EX', 86_400);
  await resp.run('SET', 'for-ever', 'x');
  await logIn(page);
  await show(page, 'Deadlines');
  await page.getByRole('tab', { name: 'Policy' }).click();
  const form = page.getByRole('form', { name: 'Policy' });
  await form.getByLabel('Longest time to live').fill('1h');
  await form.getByLabel('What is not allowed').selectOption('clamp');
  await button(form, 'Try').click();
  const meaning = page.getByRole('status').filter({ hasText: 'What it would mean' });
  await meaning.getByText('Of 3 keys (all of them)').waitFor();
  await meaning.getByRole('row', { name: /^for-ever would get a deadline/ }).waitFor();
  await meaning.getByRole('row', { name: /^long would die sooner/ }).waitFor();
  const policy = async () => (await resp.run('TTL.POLICY')).slice(4, 6);
  assert.deepEqual(await policy(), ['max-ttl', 'none'], 'a trial sets nothing');
  await button(form, 'Set').click();
  await until(policy, ['max-ttl', '3600000']);
  assert.equal(await resp.run('TTL', 'for-ever'), -1, 'and a policy binds writes alone');
});

flow('events are filtered, paused and exported', async (page) => {
  await resp.run('TTL.POLICY', 'SET', 'events', 'key');
  await logIn(page);
  await show(page, 'Events');
  const table = page.getByRole('region', { name: 'Table: Events' });
  const die = async (...keys) => {
    for (const key of keys) await resp.run('SET', key, 'x', 'EX', 1);
    await advance(1);
  };
  await die('cart:1', 'login:1');
  await table.getByRole('link', { name: 'cart:1' }).waitFor();
  await page.getByLabel('Keys like').fill('login:*');
  await button(page, 'Filter').click();
  await die('cart:2', 'login:2');
  await table.getByRole('link', { name: 'login:2' }).waitFor();
  assert.equal(await table.getByRole('link', { name: /^cart/ }).count(), 0);
  await button(page, 'Pause').click();
  await die('login:3');
  await page.getByText('Paused; 1 event came meanwhile.').waitFor();
  assert.equal(await table.getByRole('link', { name: 'login:3' }).count(), 0);
  await button(page, 'Go on').click();
  await table.getByRole('link', { name: 'login:3' }).waitFor();
  const file = await downloaded(page, () => button(page, 'Export as JSON lines').click());
  assert.equal(file.name, 'expiry-events.jsonl');
  const keys = file.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).key);
  assert.deepEqual(keys, ['login:1', 'login:2', 'login:3']);

  await resp.run('SET', 'login:late', 'x', 'PXAT', 1);
  await page.getByLabel('Cause').selectOption('written too late');
  await table.getByRole('link', { name: 'login:late' }).waitFor();
  await table.getByRole('link', { name: 'login:1' }).waitFor({ state: 'detached' });
  await page.getByLabel('Of', { exact: true }).selectOption('db1');
  await page.getByText('None yet.').waitFor();
});

flow('the items of a table have a forecast, and events of their own', async (page) => {
  const table = (operation, body) => resp.run('TTL.TABLE', 'WRITE', operation, JSON.stringify(body));
  await table('CreateTable', {
    TableName: 'carts',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
  });
  await table('UpdateTimeToLive', {
    TableName: 'carts',
    TimeToLiveSpecification: { Enabled: true, AttributeName: 'dies' },
  });
  const [seconds] = await resp.run('TIME');
  for (const [id, life] of [
    ['a', 600],
    ['b', 1200],
    ['c', 86_400 * 400],
  ])
    await table('PutItem', {
      TableName: 'carts',
      Item: { id: { S: id }, dies: { N: String(Number(seconds) + life) } },
    });
  await logIn(page);
  await openPlace(page, 'tables?table=carts');
  await page.getByRole('link', { name: 'When its items die' }).click();
  await page.getByText('2 items with').waitFor();
  await button(page, '10 years').click();
  await page.getByText('3 items with').waitFor();
  await button(page, '1 h').click();
  await page.getByText('2 items with').waitFor();
  await advance(700);
  await page.getByText('1 item with').waitFor();
  await page.getByLabel('Of', { exact: true }).selectOption('db0');
  await page.getByText('0 keys with').waitFor();
  await show(page, 'Events');
  await page.getByLabel('Of', { exact: true }).selectOption('table carts');
  await page
    .getByRole('region', { name: 'Table: Events' })
    .getByRole('row', { name: /carts: items/ })
    .waitFor();
  await page.getByLabel('Of', { exact: true }).selectOption('db0');
  await page.getByText('None yet.').waitFor();
  await table('DeleteTable', { TableName: 'carts' });
});

flow('the overview says when promises are due, and that they are kept', async (page) => {
  await resp.run('TTL.POLICY', 'SET', 'purge-within', 7_200_000);
  await logIn(page);
  const promises = page.getByRole('region', { name: 'Table: Promises' });
  await promises.getByRole('row', { name: /^db0 2 h .* in (2 h|1 h \d+ min) .* kept$/ }).waitFor();
  await resp.run('TTL.POLICY', 'SET', 'purge-within', 'none');
  await page.getByText('Nothing has purge-within:').waitFor();
});

flow('a proof is run, read in words, asked for a text, and taken home', async (page) => {
  await resp.run('SET', 'user:1', 'alice@example.org');
  await logIn(page);
  await show(page, 'Proof');
  const search = page.getByLabel('Search for a text');
  await search.fill('alice@example.org');
  await button(page, 'Run a proof').click();
  const report = region(page, 'The proof');
  await report.getByText('the bytes were FOUND, see traces').waitFor();
  await report.getByRole('heading', { name: 'Where the bytes were found' }).waitFor();
  await search.fill('nobody@example.org');
  await button(page, 'Run a proof').click();
  await report.getByText('the bytes are in no file and no log of the database').waitFor();
  const file = await downloaded(page, () => button(page, 'Download the report').click());
  assert.match(file.name, /^mayfly-proof-\d+\.json$/);
  assert.deepEqual(JSON.parse(file.text).traces, []);
  await page.reload();
  await report.getByText('the bytes are in no file').waitFor();
});
