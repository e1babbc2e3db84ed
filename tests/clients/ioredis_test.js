// Goal: what is written for ioredis works unchanged, and so do redlock and rate-limiter-flexible.
// Method: a server on MAYFLY_PORT, real time.
import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';

import Redis from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import Redlock, { ExecutionError } from 'redlock';

import { eventually, uses } from './uses.js';

const client = new Redis({ port: Number(process.env.MAYFLY_PORT), maxRetriesPerRequest: 1 });
after(() => client.quit());
beforeEach(() => client.flushall());

describe('ioredis', () => {
  for (const [name, use] of Object.entries(uses)) {
    it(name, () => use((command, ...args) => client.call(command, ...args)));
  }

  it('pipelines answer in order', async () => {
    const pipeline = client.pipeline();
    for (let i = 0; i < 500; i += 1) pipeline.set(`k${i}`, `v${i}`, 'EX', 100).get(`k${i}`);
    const replies = await pipeline.exec();
    replies.forEach(([error, reply], i) => {
      assert.equal(error, null);
      assert.equal(reply, i % 2 === 0 ? 'OK' : `v${(i - 1) / 2}`);
    });
  });

  it('functions are loaded and called', async () => {
    await client.function('LOAD', 'REPLACE', "#!lua name=lib\nredis.register_function('twice', " +
      "function(keys, args) return redis.call('INCRBY', keys[1], 2 * args[1]) end)");
    assert.equal(await client.fcall('twice', 1, 'n', '21'), 42);
    await assert.rejects(client.fcall_ro('twice', 1, 'n', '21'), /write flag/);
    await client.function('DELETE', 'lib');
    await assert.rejects(client.fcall('twice', 1, 'n', '1'), /Function not found/);
  });

  it('a transaction that lost its watch does nothing', async () => {
    await client.set('balance', '10');
    await client.watch('balance');
    const other = client.duplicate();
    await other.set('balance', '20');
    assert.equal(await client.multi().set('balance', '30').exec(), null);
    assert.equal(await client.get('balance'), '20');
    await other.quit();
  });

  it('a custom script command is loaded once and called by its hash', async () => {
    client.defineCommand('setmax', {
      numberOfKeys: 1,
      lua: `local old = tonumber(redis.call('GET', KEYS[1]) or '-inf')
            if tonumber(ARGV[1]) > old then redis.call('SET', KEYS[1], ARGV[1]) return 1 end
            return 0`,
    });
    assert.equal(await client.setmax('max', 5), 1);
    assert.equal(await client.setmax('max', 3), 0);
    assert.equal(await client.get('max'), '5');
  });

  it('a blocked pop is served by a push', async () => {
    const waiting = client.duplicate();
    const popped = waiting.blpop('queue', 10);
    await eventually(async () => /cmd=blpop/.test(await client.client('LIST')));
    await client.rpush('queue', 'job');
    assert.deepEqual(await popped, ['queue', 'job']);
    await waiting.quit();
  });

  it('messages and expired events reach subscribers', async () => {
    await client.config('SET', 'notify-keyspace-events', 'Ex');
    const listener = client.duplicate();
    const heard = [];
    listener.on('message', (channel, message) => heard.push(`${channel} ${message}`));
    listener.on('pmessage', (pattern, channel, message) => heard.push(`${channel} ${message}`));
    await listener.subscribe('news');
    await listener.psubscribe('__keyevent@*__:expired');
    assert.equal(await client.publish('news', 'hello'), 1);
    await client.set('brief', 'x', 'PX', 50);
    await eventually(() => heard.length === 2);
    assert.deepEqual(heard, ['news hello', '__keyevent@0__:expired brief']);
    await listener.quit();
    await client.config('SET', 'notify-keyspace-events', '');
  });

  it('a scan shows every key once', async () => {
    const pipeline = client.pipeline();
    for (let i = 0; i < 1000; i += 1) pipeline.set(`scan:${i}`, '');
    await pipeline.exec();
    const seen = [];
    for await (const keys of client.scanStream({ match: 'scan:*', count: 37 })) seen.push(...keys);
    assert.equal(new Set(seen).size, 1000);
    assert.equal(seen.length, 1000);
  });
});

describe('redlock', () => {
  it('admits one at a time, and the next when the lock dies', async () => {
    const redlock = new Redlock([client], { retryCount: 0 });
    const lock = await redlock.acquire(['lock:a'], 300);
    await assert.rejects(redlock.acquire(['lock:a'], 300), ExecutionError);
    const extended = await lock.extend(400);
    await eventually(async () => (await client.exists('lock:a')) === 0);
    const next = await redlock.acquire(['lock:a'], 60_000);
    await assert.rejects(extended.release(), ExecutionError);
    await next.release();
    assert.equal(await client.exists('lock:a'), 0);
  });
});

describe('rate-limiter-flexible', () => {
  it('counts points and opens again when the window is over', async () => {
    const limiter = new RateLimiterRedis({ storeClient: client, points: 2, duration: 1 });
    await limiter.consume('ip');
    assert.equal((await limiter.consume('ip')).remainingPoints, 0);
    const refusal = await limiter.consume('ip').catch((reason) => reason);
    assert.ok(refusal.msBeforeNext > 0 && refusal.msBeforeNext <= 1000);
    await eventually(() => limiter.consume('ip').then(() => true, () => false));
  });
});
