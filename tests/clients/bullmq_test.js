// Goal: the job queue BullMQ, which keeps its events in streams, runs its flows unchanged.
// Method: a server on MAYFLY_PORT, real time; each test has a queue of its own.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { FlowProducer, Queue, QueueEvents, Worker } from 'bullmq';
import Redis from 'ioredis';

import { eventually } from './uses.js';

const connection = {
  port: Number(process.env.MAYFLY_PORT), maxRetriesPerRequest: null, skipVersionCheck: true,
};
const client = new Redis({ ...connection });
const open = [];

// Everything that is opened is closed after its test.
function opened(thing) {
  open.push(thing);
  return thing;
}
const queueOf = (name, options = {}) => opened(new Queue(name, { connection, ...options }));
const workerOf = (name, run, options = {}) => opened(new Worker(name, run, { connection, ...options }));
async function eventsOf(name) {
  // From the beginning: it begins to read some time after it is ready.
  const events = opened(new QueueEvents(name, { connection, lastEventId: '0-0' }));
  await events.waitUntilReady();
  return events;
}

before(() => client.flushall());
after(() => client.quit());

// A test with its queue's name, which closes what it opened.
function flow(title, use) {
  it(title, { timeout: 60_000 }, async () => {
    try {
      await use(title.replaceAll(/[^a-z]/g, '-'));
    } finally {
      for (const thing of open.splice(0).reverse()) await thing.close();
    }
  });
}

describe('bullmq', () => {
  flow('jobs are done in their order, and their results are told', async (name) => {
    const queue = queueOf(name);
    const events = await eventsOf(name);
    const jobs = await queue.addBulk(
      Array.from({ length: 20 }, (_, i) => ({ name: 'double', data: { i } })),
    );
    const done = [];
    workerOf(name, async (job) => {
      done.push(job.data.i);
      return job.data.i * 2;
    });
    const results = await Promise.all(jobs.map((job) => job.waitUntilFinished(events, 30_000)));
    assert.deepEqual(results, jobs.map((_, i) => i * 2));
    assert.deepEqual(done, jobs.map((_, i) => i));
    assert.equal(await queue.getCompletedCount(), 20);
  });

  flow('two workers share the jobs, each done once', async (name) => {
    const queue = queueOf(name);
    const events = await eventsOf(name);
    const done = [];
    for (let i = 0; i < 2; i += 1) {
      workerOf(name, async (job) => done.push(job.id), { concurrency: 5 });
    }
    const jobs = await queue.addBulk(Array.from({ length: 100 }, () => ({ name: 'n', data: {} })));
    await Promise.all(jobs.map((job) => job.waitUntilFinished(events, 30_000)));
    assert.equal(new Set(done).size, 100);
    assert.equal(done.length, 100);
  });

  flow('a delayed job is not done before its time', async (name) => {
    const queue = queueOf(name);
    const events = await eventsOf(name);
    workerOf(name, async () => Date.now());
    const begin = Date.now();
    const job = await queue.add('later', {}, { delay: 400 });
    assert.equal(await job.getState(), 'delayed');
    const at = await job.waitUntilFinished(events, 30_000);
    assert.ok(at - begin >= 395, `after ${at - begin} ms`);
  });

  flow('a job that fails is tried again, with backoff, and kept when it fails for good', async (name) => {
    const queue = queueOf(name);
    const events = await eventsOf(name);
    workerOf(name, async (job) => {
      if (job.data.failures > job.attemptsMade) throw new Error(`attempt ${job.attemptsMade}`);
      return job.attemptsMade;
    });
    const options = { attempts: 3, backoff: { type: 'fixed', delay: 50 } };
    const saved = await queue.add('saved', { failures: 2 }, options);
    const lost = await queue.add('lost', { failures: 9 }, options);
    assert.equal(await saved.waitUntilFinished(events, 30_000), 2);
    await assert.rejects(lost.waitUntilFinished(events, 30_000), /attempt 2/);
    const [failed] = await queue.getFailed();
    assert.equal(failed.id, lost.id);
    await failed.retry();
    await eventually(async () => (await queue.getFailedCount()) === 1);
  });

  flow('a repeated job comes again until it is removed', async (name) => {
    const queue = queueOf(name);
    let runs = 0;
    workerOf(name, async () => { runs += 1; });
    await queue.upsertJobScheduler('tick', { every: 100 }, { name: 'tick' });
    await eventually(() => runs >= 3, 30_000);
    assert.equal((await queue.getJobSchedulers()).length, 1);
    assert.ok(await queue.removeJobScheduler('tick'));
    assert.equal((await queue.getJobSchedulers()).length, 0);
  });

  flow('a rate limit spreads the jobs', async (name) => {
    const queue = queueOf(name);
    const events = await eventsOf(name);
    const times = [];
    workerOf(name, async () => times.push(Date.now()), { limiter: { max: 2, duration: 300 } });
    const jobs = await queue.addBulk(Array.from({ length: 6 }, () => ({ name: 'n', data: {} })));
    await Promise.all(jobs.map((job) => job.waitUntilFinished(events, 30_000)));
    assert.ok(times[5] - times[0] >= 590, `six in ${times[5] - times[0]} ms`);
  });

  flow('priorities go first, and a paused queue waits', async (name) => {
    const queue = queueOf(name);
    const events = await eventsOf(name);
    await queue.pause();
    const jobs = [];
    for (const priority of [5, 1, 3]) jobs.push(await queue.add('p', { priority }, { priority }));
    const order = [];
    workerOf(name, async (job) => order.push(job.data.priority));
    assert.ok(await queue.isPaused());
    assert.deepEqual(order, []);
    await queue.resume();
    await Promise.all(jobs.map((job) => job.waitUntilFinished(events, 30_000)));
    assert.deepEqual(order, [1, 3, 5]);
  });

  flow('a flow does the children first', async (name) => {
    queueOf(name);
    const events = await eventsOf(name);
    workerOf(name, async (job) => {
      if (job.name === 'child') return job.data.n;
      const values = Object.values(await job.getChildrenValues());
      return values.reduce((sum, n) => sum + n, 0);
    });
    const flows = opened(new FlowProducer({ connection }));
    const tree = await flows.add({
      name: 'parent', queueName: name,
      children: [1, 2, 3].map((n) => ({ name: 'child', data: { n }, queueName: name })),
    });
    assert.equal(await tree.job.waitUntilFinished(events, 30_000), 6);
  });

  flow('events are read from the stream, and the stream is trimmed', async (name) => {
    const queue = queueOf(name, { streams: { events: { maxLen: 5000 } } });
    const events = await eventsOf(name);
    const heard = new Set();
    for (const event of ['waiting', 'active', 'progress', 'completed']) {
      events.on(event, () => heard.add(event));
    }
    workerOf(name, async (job) => job.updateProgress(50));
    const jobs = await queue.addBulk(Array.from({ length: 100 }, () => ({ name: 'n', data: {} })));
    await Promise.all(jobs.map((job) => job.waitUntilFinished(events, 30_000)));
    await eventually(() => heard.size === 4);
    assert.equal(await client.type(`bull:${name}:events`), 'stream');
    const before = await client.xlen(`bull:${name}:events`);
    await queue.trimEvents(10);
    assert.ok((await client.xlen(`bull:${name}:events`)) < Math.min(before, 200));
  });

  flow('a job of a worker that is gone is done by another', async (name) => {
    const queue = queueOf(name);
    const events = await eventsOf(name);
    const stuck = workerOf(name, () => new Promise(() => {}), {
      lockDuration: 300, stalledInterval: 100, skipLockRenewal: true,
    });
    const job = await queue.add('n', {});
    await eventually(async () => (await job.getState()) === 'active');
    await stuck.close(true);
    workerOf(name, async () => 'done', { stalledInterval: 100 });
    assert.equal(await job.waitUntilFinished(events, 30_000), 'done');
  });

  flow('an obliterated queue leaves no key', async (name) => {
    const queue = queueOf(name);
    await queue.addBulk(Array.from({ length: 10 }, () => ({ name: 'n', data: {} })));
    await queue.obliterate({ force: true });
    assert.deepEqual(await client.keys(`bull:${name}:*`), []);
  });
});
