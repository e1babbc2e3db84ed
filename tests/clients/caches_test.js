// Goal: stores of sessions and caches of npm work unchanged: connect-redis under express-session,
// keyv with its adapter, cache-manager over it; also while `maxmemory` makes room under them.
// Method: a server on MAYFLY_PORT, real time, waits with bounds.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';

import KeyvRedis from '@keyv/redis';
import { createCache } from 'cache-manager';
import { RedisStore } from 'connect-redis';
import session from 'express-session';
import Keyv from 'keyv';
import { createClient } from 'redis';

import { eventually } from './uses.js';

const url = `redis://127.0.0.1:${process.env.MAYFLY_PORT}`;
const client = createClient({ url });
before(() => client.connect());
after(() => client.quit());
beforeEach(() => client.flushAll());

// A site that counts a visitor's visits in the session, and forgets them at /logout.
async function site(store, use) {
  const sessions = session({ store, secret: 'x', resave: false, saveUninitialized: false });
  const server = createServer((request, response) => {
    sessions(request, response, () => {
      if (request.url === '/logout') return request.session.destroy(() => response.end('bye'));
      request.session.visits = (request.session.visits ?? 0) + 1;
      return response.end(String(request.session.visits));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let cookie = '';
  const visit = async (path = '/') => {
    const headers = cookie ? { cookie } : {};
    const reply = await fetch(`http://127.0.0.1:${server.address().port}${path}`, { headers });
    cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return reply.text();
  };
  try {
    await use(visit);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('connect-redis', () => {
  it('keeps a session until it dies or is destroyed', async () => {
    const store = new RedisStore({ client, prefix: 'sess:', ttl: 60 });
    await site(store, async (visit) => {
      assert.deepEqual([await visit(), await visit(), await visit()], ['1', '2', '3']);
      const [key] = await client.keys('sess:*');
      const left = await client.pTTL(key);
      assert.ok(left > 0 && left <= 60_000, `${left}`);
      assert.equal((await new Promise((done) => store.all((_, all) => done(all)))).length, 1);
      assert.equal(await visit('/logout'), 'bye');
      assert.equal(await client.exists(key), 0);
      assert.equal(await visit(), '1');
      await client.pExpire((await client.keys('sess:*'))[0], 50);
      await eventually(async () => (await client.dbSize()) === 0);
      assert.equal(await visit(), '1', 'an expired session begins anew');
    });
  });
});

describe('keyv', () => {
  const keyv = new Keyv(new KeyvRedis(url), { namespace: 'cache' });
  after(() => keyv.disconnect());

  it('keeps values of any shape for their ttl', async () => {
    await keyv.set('user', { name: 'ann', tags: ['a', 'b'] }, 60_000);
    await keyv.set('short', 1, 60);
    assert.deepEqual(await keyv.get('user'), { name: 'ann', tags: ['a', 'b'] });
    await eventually(async () => (await keyv.get('short')) === undefined);
    assert.equal(await keyv.has('user'), true);
    assert.deepEqual(await keyv.get(['user', 'none']), [{ name: 'ann', tags: ['a', 'b'] }, undefined]);
    assert.equal(await keyv.delete('user'), true);
    assert.equal(await keyv.has('user'), false);
  });

  it('walks and clears its own keys alone', async () => {
    await client.set('other', 'x');
    for (let i = 0; i < 50; i += 1) await keyv.set(`k${i}`, i, 60_000);
    const seen = [];
    for await (const [key] of keyv.iterator()) seen.push(key);
    assert.equal(new Set(seen).size, 50);
    await keyv.clear();
    assert.equal(await keyv.get('k1'), undefined);
    assert.equal(await client.get('other'), 'x');
  });
});

describe('cache-manager', () => {
  const store = new Keyv(new KeyvRedis(url), { namespace: 'pages' });
  const cache = createCache({ stores: [store], ttl: 60_000 });
  after(() => store.disconnect());

  it('computes a missing value once and renews it in time', async () => {
    let computed = 0;
    const page = () => cache.wrap('page', async () => { computed += 1; return `v${computed}`; }, 200);
    assert.deepEqual([await page(), await page()], ['v1', 'v1']);
    await eventually(async () => (await page()) === 'v2');
    await cache.mset([{ key: 'a', value: 1 }, { key: 'b', value: 2 }]);
    assert.deepEqual(await cache.mget(['a', 'b', 'c']), [1, 2, null]);
    await cache.del('a');
    assert.ok(!(await cache.get('a')));
  });

  it('is a cache still when it may store only so much', async () => {
    const limit = 300_000;
    await client.configSet('maxmemory-policy', 'allkeys-lru');
    await client.configSet('maxmemory', String(limit));
    try {
      const page = 'x'.repeat(2000);
      for (let i = 0; i < 400; i += 1) {
        await cache.set(`p${i}`, page);
        if (i % 10 === 0) assert.ok(await cache.get('p0') === page, `the page read often left at ${i}`);
      }
      const info = await client.info();
      assert.ok(Number(/used_memory:(\d+)/.exec(info)[1]) < limit + 10_000);
      assert.ok(Number(/evicted_keys:(\d+)/.exec(info)[1]) > 200);
    } finally {
      await client.configSet('maxmemory', '0');
      await client.configSet('maxmemory-policy', 'noeviction');
    }
  });
});
