// What users do with a store whose rows die, written once for every client of it.
// Each use takes `call(...args)`, which sends a command and gives its reply, and real time: the
// shortest ttls that are still told apart on a busy machine.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

// Waits until `condition` holds, with a bound that only a broken server reaches.
export async function eventually(condition, milliseconds = 10_000) {
  const end = Date.now() + milliseconds;
  while (!(await condition())) {
    assert.ok(Date.now() < end, 'it did not happen in time');
    await pause(10);
  }
}

// A session slides as long as it is used, and is gone, with all its fields, when it is not.
export async function session(call) {
  await call('HSET', 'session:1', 'user', 'alice', 'cart', '[]');
  await call('PEXPIRE', 'session:1', '60000');
  assert.equal(await call('HGET', 'session:1', 'user'), 'alice');
  await call('PEXPIRE', 'session:1', '300');
  const left = Number(await call('PTTL', 'session:1'));
  assert.ok(left > 0 && left <= 300, `${left}`);
  await eventually(async () => Number(await call('EXISTS', 'session:1')) === 0);
  assert.equal(Number(await call('HLEN', 'session:1')), 0);
  assert.equal(Number(await call('TTL', 'session:1')), -2);
}

// A one-time code is given out once, however many ask.
export async function oneTimeCode(call) {
  await call('SET', 'code:alice', '123456', 'EX', '300');
  const answers = await Promise.all(Array.from({ length: 5 }, () => call('GETDEL', 'code:alice')));
  assert.deepEqual(answers.filter((answer) => answer !== null), ['123456']);
}

// An idempotency key lets the first one through until it dies.
export async function idempotency(call) {
  assert.equal(await call('SET', 'order:7', 'a', 'NX', 'PX', '200'), 'OK');
  assert.equal(await call('SET', 'order:7', 'b', 'NX', 'PX', '200'), null);
  await eventually(async () => (await call('SET', 'order:7', 'b', 'NX', 'PX', '60000')) === 'OK');
}

// A cache entry is read until its deadline, renewed by a read, and never after it.
export async function cache(call) {
  await call('SET', 'page:/', '<html>', 'PX', '60000');
  assert.equal(await call('GETEX', 'page:/', 'PX', '150'), '<html>');
  const deadline = Number(await call('PEXPIRETIME', 'page:/'));
  await eventually(async () => (await call('GET', 'page:/')) === null);
  const [seconds, micros] = (await call('TIME')).map(Number);
  assert.ok(seconds * 1000 + micros / 1000 >= deadline, 'it was gone before its deadline');
}

// A fixed window: the counter and its deadline are set by one script.
export async function rateLimit(call) {
  const script = `local n = redis.call('INCR', KEYS[1])
    if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
    return {n, redis.call('PTTL', KEYS[1])}`;
  for (let expected = 1; expected <= 3; expected += 1) {
    const [count, left] = await call('EVAL', script, '1', 'limit:ip', '60000');
    assert.equal(Number(count), expected);
    assert.ok(Number(left) > 0);
  }
}

export const uses = { session, oneTimeCode, idempotency, cache, rateLimit };
