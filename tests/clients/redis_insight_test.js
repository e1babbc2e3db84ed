// Goal: RedisInsight finds in a server what it shows: an overview, keys with their types, sizes and ttls, the slow log,
// the profiler, clients, and no modules and no cluster.
// Method: the commands that its back end sends, over ioredis as it does, and the fields that it reads of the replies.
// The application itself does not run here.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import Redis from 'ioredis';

import { eventually } from './uses.js';

const MODULES = { search: ['ft.info'], json: ['json.get'], timeseries: ['ts.mrange', 'ts.info'], bloom: ['bf.info'] };
const KEYS = {
  text: ['string', 'STRLEN', 5], map: ['hash', 'HLEN', 2], row: ['list', 'LLEN', 3], bag: ['set', 'SCARD', 2],
  ranks: ['zset', 'ZCARD', 2], events: ['stream', 'XLEN', 1],
};

const client = new Redis({
  port: Number(process.env.MAYFLY_PORT), connectionName: 'redisinsight-common-1', maxRetriesPerRequest: 1,
});
after(() => client.quit());

// INFO as sections of names and values.
async function info(...sections) {
  const found = {};
  let section;
  for (const line of (await client.info(...sections)).split(/\r?\n/)) {
    if (line.startsWith('# ')) section = found[line.slice(2).toLowerCase()] = {};
    else if (line.includes(':')) section[line.slice(0, line.indexOf(':'))] = line.slice(line.indexOf(':') + 1);
  }
  return found;
}

// Replies to commands that are sent together; none is an error.
async function pipeline(commands) {
  const replies = await client.pipeline(commands.map(([name, ...args]) => ['call', name, ...args])).exec();
  return replies.map(([error, reply]) => {
    assert.equal(error, null);
    return reply;
  });
}

before(async () => {
  await client.flushall();
  await client.select(3);
  await client.set('elsewhere', '1');
  await client.select(0);
  await pipeline([
    ['SET', 'text', 'hello', 'EX', '1000'], ['HSET', 'map', 'a', '1', 'b', '2'], ['RPUSH', 'row', 'a', 'b', 'c'],
    ['SADD', 'bag', 'a', 'b'], ['ZADD', 'ranks', '1', 'a', '2', 'b'], ['XADD', 'events', '*', 'a', 'b'],
    ['EVAL', 'return 1', '0'], ['GET', 'text'],
  ]);
});

describe('what RedisInsight sends', () => {
  it('a connection is to one server, without modules', async () => {
    await assert.rejects(client.call('CLUSTER', 'INFO'), /ERR/);
    await assert.rejects(client.call('SENTINEL', 'MASTERS'), /ERR/);
    assert.deepEqual(await client.call('MODULE', 'LIST'), []);
    for (const commands of Object.values(MODULES)) {
      assert.deepEqual(await client.call('COMMAND', 'INFO', ...commands), commands.map(() => null));
    }
    await assert.rejects(client.call('FT._LIST'), /unknown command/);
    const [, databases] = await client.config('GET', 'databases');
    assert.equal(databases, '16');
  });

  it('the overview has its figures', async () => {
    const { server, clients, memory, stats, cpu, replication, keyspace } = await info();
    assert.match(server.redis_version, /^\d+\.\d+\.\d+$/);
    assert.ok(Number(server.redis_version.split('.')[0]) >= 6);
    assert.equal(replication.role, 'master');
    for (const [section, names] of [
      [server, ['uptime_in_seconds', 'uptime_in_days']],
      [memory, ['used_memory', 'number_of_cached_scripts']],
      [clients, ['connected_clients']],
      [stats, ['keyspace_hits', 'keyspace_misses', 'instantaneous_ops_per_sec', 'instantaneous_input_kbps',
        'instantaneous_output_kbps', 'total_commands_processed']],
      [cpu, ['used_cpu_sys', 'used_cpu_user']],
    ]) {
      for (const name of names) assert.match(section[name] ?? '(none)', /^\d+(\.\d+)?$/, name);
    }
    assert.ok(Number(memory.used_memory) > 0);
    assert.ok(Number(memory.number_of_cached_scripts) >= 1);
    assert.ok(Number(clients.connected_clients) >= 1);
    assert.ok(Number(stats.keyspace_hits) >= 1);
    // Without them, or with 0, there is no percentage of CPU.
    assert.ok(Number(cpu.used_cpu_sys) + Number(cpu.used_cpu_user) > 0);
    assert.match(keyspace.db0, /^keys=6,expires=1,/);
    assert.match(keyspace.db3, /^keys=1,expires=0,/);
    assert.deepEqual(Object.keys(await info('keyspace')), ['keyspace']);
    assert.equal(await client.dbsize(), 6);
  });

  it('the browser lists keys with type, size and ttl', async () => {
    const [cursor, names] = await client.call('SCAN', '0', 'MATCH', '*', 'COUNT', '500');
    assert.equal(cursor, '0');
    assert.deepEqual([...names].sort(), Object.keys(KEYS).sort());
    const sizes = await pipeline(names.map((name) => ['MEMORY', 'USAGE', name, 'SAMPLES', '0']));
    const types = await pipeline(names.map((name) => ['TYPE', name]));
    const ttls = await pipeline(names.map((name) => ['TTL', name]));
    names.forEach((name, i) => {
      assert.ok(sizes[i] > 0, name);
      assert.equal(types[i], KEYS[name][0]);
      assert.ok(name === 'text' ? ttls[i] > 0 && ttls[i] <= 1000 : ttls[i] === -1, name);
    });
    for (const [name, [type, count, length]] of Object.entries(KEYS)) {
      assert.deepEqual(await client.call('SCAN', '0', 'MATCH', '*', 'COUNT', '500', 'TYPE', type), ['0', [name]]);
      const [ttl, found, size] = await pipeline([['TTL', name], [count, name], ['MEMORY', 'USAGE', name, 'SAMPLES', '0']]);
      assert.ok(ttl >= -1 && size > 0, name);
      assert.equal(found, length);
    }
    // One that is not there any more.
    assert.deepEqual(await pipeline([['MEMORY', 'USAGE', 'gone', 'SAMPLES', '0'], ['TYPE', 'gone'], ['TTL', 'gone']]),
      [null, 'none', -2]);
  });

  it('values are opened page by page', async () => {
    const [end, fields] = await client.call('HSCAN', 'map', '0', 'MATCH', '*', 'COUNT', '500');
    assert.equal(end, '0');
    assert.deepEqual([...fields].sort(), ['1', '2', 'a', 'b']);
    assert.deepEqual(await client.call('LRANGE', 'row', '0', '499'), ['a', 'b', 'c']);
    assert.deepEqual((await client.call('SSCAN', 'bag', '0', 'MATCH', '*', 'COUNT', '500'))[1].sort(), ['a', 'b']);
    assert.deepEqual(await client.call('ZRANGE', 'ranks', '0', '499', 'WITHSCORES'), ['a', '1', 'b', '2']);
    assert.equal((await client.call('XREVRANGE', 'events', '+', '-', 'COUNT', '500')).length, 1);
    const stream = await client.call('XINFO', 'STREAM', 'events');
    for (const field of ['length', 'last-generated-id', 'first-entry', 'last-entry']) assert.ok(stream.includes(field), field);
    assert.deepEqual(await client.call('XINFO', 'GROUPS', 'events'), []);
    for (const name of Object.keys(KEYS)) assert.equal(typeof await client.call('OBJECT', 'ENCODING', name), 'string');
  });

  it('the slow log and its settings', async () => {
    const settings = await client.config('GET', 'slowlog*');
    assert.equal(settings[settings.indexOf('slowlog-max-len') + 1], '128');
    assert.equal(settings[settings.indexOf('slowlog-log-slower-than') + 1], '10000');
    await client.config('SET', 'slowlog-log-slower-than', '0');
    await client.get('text');
    await client.config('SET', 'slowlog-log-slower-than', '10000');
    const entries = await client.slowlog('GET', '50');
    const [id, time, micros, args, source, name] = entries.find((entry) => entry[3][0] === 'get');
    assert.ok(Number.isInteger(id) && Math.abs(time - Date.now() / 1000) < 3600 && micros >= 0);
    assert.deepEqual(args, ['get', 'text']);
    assert.match(source, /^127\.0\.0\.1:\d+$/);
    assert.equal(name, 'redisinsight-common-1');
    assert.ok(await client.slowlog('LEN') >= 1);
    assert.equal(await client.slowlog('RESET'), 'OK');
  });

  it('the profiler shows commands with time, client and database', async () => {
    const profiler = await client.monitor();
    const seen = [];
    profiler.on('monitor', (time, args, source, database) => seen.push({ time, args, source, database }));
    after(() => profiler.disconnect());
    await client.set('text', 'a "b" c', 'KEEPTTL');
    await eventually(async () => seen.some(({ args }) => args[0].toLowerCase() === 'set'));
    const { time, args, source, database } = seen.find((one) => one.args[0].toLowerCase() === 'set');
    assert.ok(Math.abs(Number(time) - Date.now() / 1000) < 3600);
    assert.deepEqual(args.slice(1), ['text', 'a "b" c', 'KEEPTTL']);
    assert.match(source, /^127\.0\.0\.1:\d+$/);
    assert.equal(database, '0');
  });

  it('clients, commands and memory', async () => {
    const lines = (await client.client('LIST')).split(/\r?\n/).filter(Boolean);
    const clients = lines.map((line) => Object.fromEntries(line.split(' ').map((pair) => pair.split('='))));
    const mine = clients.find(({ name }) => name === 'redisinsight-common-1');
    for (const field of ['id', 'addr', 'age', 'idle', 'flags', 'db', 'cmd', 'user', 'tot-mem']) {
      assert.ok(mine[field] !== undefined, field);
    }
    const commands = await client.command();
    assert.ok(commands.length > 200);
    const get = commands.find(([name]) => name === 'get');
    assert.deepEqual(get.slice(1, 6), [2, ['readonly', 'fast'], 1, 1, 1]);
    const memory = await client.memory('STATS');
    for (const field of ['peak.allocated', 'total.allocated', 'dataset.bytes', 'keys.count']) {
      assert.ok(memory.includes(field), field);
    }
    assert.equal(memory[memory.indexOf('keys.count') + 1], 7);
  });

  it('keys are deleted in bulk', async () => {
    const [, names] = await client.call('SCAN', '0', 'MATCH', 'r*', 'COUNT', '10000');
    assert.deepEqual(await pipeline(names.map((name) => ['DEL', name])), [1, 1]);
    assert.equal(await client.dbsize(), 4);
  });
});
