// Goal: the client-side cache of node-redis 6 never serves what was changed or has died, and its
// functions work unchanged. Method: a server on MAYFLY_PORT, real time.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { BasicClientSideCache, createClient } from 'redis-with-cache';

import { eventually } from './uses.js';

const cache = new BasicClientSideCache({ ttl: 0, maxEntries: 0, evictPolicy: 'LRU' });
const socket = { port: Number(process.env.MAYFLY_PORT) };
const client = createClient({ socket, RESP: 3, clientSideCache: cache });
const other = createClient({ socket, RESP: 3 });
before(() => Promise.all([client.connect(), other.connect()]));
after(() => Promise.all([client.close(), other.close()]));
beforeEach(() => other.flushAll());

describe('node-redis with a cache', () => {
  it('answers from it until another client changes the key', async () => {
    await other.set('k', '1');
    assert.equal(await client.get('k'), '1');
    const hits = cache.stats().hitCount;
    assert.equal(await client.get('k'), '1');
    assert.equal(cache.stats().hitCount, hits + 1);
    await other.set('k', '2');
    await eventually(async () => (await client.get('k')) === '2');
    await other.flushAll();
    await eventually(async () => (await client.get('k')) === null);
  });

  it('drops a key and a field of a hash that die', async () => {
    await other.set('k', 'v', { PX: 200 });
    await other.hSet('h', { f: '1', g: '2' });
    await other.hpExpire('h', 'f', 200);
    assert.equal(await client.get('k'), 'v');
    assert.equal(Object.keys(await client.hGetAll('h')).length, 2);
    await eventually(async () => (await client.get('k')) === null);
    await eventually(async () => Object.keys(await client.hGetAll('h')).length === 1);
  });

  it('loads, calls, lists and removes functions', async () => {
    const library = `#!lua name=math_of_clients
      redis.register_function { function_name = 'add_to', callback = function(keys, args)
        return redis.call('INCRBY', keys[1], args[1])
      end }`;
    await client.functionLoad(library, { REPLACE: true });
    assert.equal(await client.fCall('add_to', { keys: ['n'], arguments: ['5'] }), 5);
    const listed = await client.functionList();
    assert.equal(listed[0].library_name, 'math_of_clients');
    const dump = await client.functionDump();
    await client.functionFlush();
    assert.deepEqual(await client.functionList(), []);
    assert.ok(dump.length > library.length);
    await client.functionLoad(library);
    await client.functionDelete('math_of_clients');
  });
});
