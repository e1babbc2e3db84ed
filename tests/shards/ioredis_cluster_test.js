// Goal: ioredis' Cluster works while shards move between servers, without an error and without a
// lost write. Method: a cluster on MAYFLY_PORTS whose shards move all the time; real time.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import Redis from 'ioredis';

const ports = process.env.MAYFLY_PORTS.split(',').map(Number);
const cluster = new Redis.Cluster([{ host: '127.0.0.1', port: ports[0] }]);
after(() => cluster.quit());
before(() => Promise.all(cluster.nodes('master').map((node) => node.flushall())));

// One pass takes a while, so that shards move within it.
const kRounds = 40;
const kKeys = 50;

describe('ioredis Cluster', () => {
  it('knows both servers', async () => {
    await cluster.set('a', '1');
    const slots = await cluster.cluster('SLOTS');
    const seen = new Set(slots.map(([, , [, port]]) => port));
    assert.ok([...seen].every((port) => ports.includes(port)));
    assert.match(await cluster.cluster('INFO'), /cluster_state:ok/);
  });

  it('counts exactly', async () => {
    for (let round = 1; round <= kRounds; round += 1) {
      const keys = Array.from({ length: kKeys }, (_, i) => `count:${i}`);
      const counts = await Promise.all(keys.map((key) => cluster.incr(key)));
      assert.deepEqual(counts, keys.map(() => round));
    }
  });

  it('pipelines keys of one slot', async () => {
    for (let round = 0; round < kRounds; round += 1) {
      const pipeline = cluster.pipeline();
      for (let i = 0; i < kKeys; i += 1) pipeline.set(`{tag}${i}`, `${round}`).get(`{tag}${i}`);
      const replies = await pipeline.exec();
      replies.forEach(([error, reply], i) => {
        assert.equal(error, null);
        assert.equal(reply, i % 2 === 0 ? 'OK' : `${round}`);
      });
    }
  });

  it('runs scripts where their keys are', async () => {
    cluster.defineCommand('twice', {
      numberOfKeys: 1,
      lua: "redis.call('INCR', KEYS[1]) return redis.call('INCR', KEYS[1])",
    });
    for (let round = 1; round <= kRounds; round += 1) {
      const keys = Array.from({ length: 8 }, (_, i) => `script:${i}`);
      assert.deepEqual(await Promise.all(keys.map((key) => cluster.twice(key))),
        keys.map(() => 2 * round));
    }
  });

  it('keys die on time', async () => {
    await cluster.set('mortal', '1', 'PX', '200');
    const end = Date.now() + 10_000;
    while ((await cluster.exists('mortal')) === 1) assert.ok(Date.now() < end);
    assert.equal(await cluster.ttl('mortal'), -2);
  });
});
