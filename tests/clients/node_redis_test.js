// Goal: what is written for node-redis works unchanged, in both protocol versions it speaks.
// Method: a server on MAYFLY_PORT, real time.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { createClient, WatchError } from 'redis';

import { eventually, uses } from './uses.js';

const client = createClient({ socket: { port: Number(process.env.MAYFLY_PORT) } });
before(() => client.connect());
after(() => client.quit());
beforeEach(() => client.flushAll());

describe('node-redis', () => {
  for (const [name, use] of Object.entries(uses)) {
    it(name, () => use((...args) => client.sendCommand(args)));
  }

  it('types come back as what they were', async () => {
    await client.hSet('hash', { a: '1', b: '2' });
    assert.deepEqual({ ...(await client.hGetAll('hash')) }, { a: '1', b: '2' });
    await client.rPush('list', ['a', 'b', 'c']);
    assert.deepEqual(await client.lRange('list', 0, -1), ['a', 'b', 'c']);
    await client.sAdd('set', ['x', 'y']);
    assert.equal(await client.sIsMember('set', 'x'), true);
    await client.zAdd('zset', [{ score: 1.5, value: 'a' }, { score: -1, value: 'b' }]);
    assert.deepEqual(await client.zRangeWithScores('zset', 0, -1), [
      { score: -1, value: 'b' }, { score: 1.5, value: 'a' }]);
  });

  it('a transaction is applied, or its watch says why not', async () => {
    await client.set('balance', '10');
    assert.deepEqual(await client.multi().incrBy('balance', 5).get('balance').exec(), [15, '15']);
    await client.executeIsolated(async (isolated) => {
      await isolated.watch('balance');
      await client.set('balance', '1');
      await assert.rejects(isolated.multi().set('balance', '2').exec(), WatchError);
    });
  });

  it('a set that dies is seen dying', async () => {
    await client.set('k', 'v', { PX: 80, NX: true });
    assert.ok((await client.pTTL('k')) > 0);
    await eventually(async () => (await client.get('k')) === null);
  });

  it('scans walk all there is', async () => {
    await Promise.all(Array.from({ length: 300 }, (_, i) => client.hSet('h', `f${i}`, `${i}`)));
    let fields = 0;
    for await (const { value } of client.hScanIterator('h', { COUNT: 20 })) fields += value ? 1 : 0;
    assert.equal(fields, 300);
  });

  it('subscribers hear what is published', async () => {
    const listener = client.duplicate();
    await listener.connect();
    const heard = [];
    await listener.subscribe('news', (message) => heard.push(message));
    await client.publish('news', 'hello');
    await eventually(() => heard.length === 1);
    await listener.quit();
  });
});
