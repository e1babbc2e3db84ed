// Goal: what is written for the AWS SDK for JavaScript works unchanged, over every operation.
// Method: a server on MAYFLY_HTTP_PORT that checks signatures, real time.
import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';

import {
  BatchGetItemCommand, ConditionalCheckFailedException, CreateTableCommand, DeleteTableCommand,
  DescribeContinuousBackupsCommand, DescribeEndpointsCommand, DescribeLimitsCommand,
  DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient, ListTablesCommand,
  ListTagsOfResourceCommand, ResourceInUseException, ResourceNotFoundException,
  TagResourceCommand, TransactionCanceledException, UntagResourceCommand, UpdateTableCommand,
  UpdateTimeToLiveCommand, paginateListTables, waitUntilTableExists, waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand, DynamoDBStreamsClient, GetRecordsCommand, GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams';
import {
  BatchExecuteStatementCommand, BatchGetCommand, BatchWriteCommand, DeleteCommand,
  DynamoDBDocumentClient, ExecuteStatementCommand, ExecuteTransactionCommand, GetCommand,
  NumberValue, PutCommand, QueryCommand, ScanCommand, TransactGetCommand, TransactWriteCommand,
  UpdateCommand, paginateQuery, paginateScan,
} from '@aws-sdk/lib-dynamodb';

import { eventually } from './uses.js';

const settings = {
  endpoint: `http://127.0.0.1:${process.env.MAYFLY_HTTP_PORT}`,
  region: 'eu-central-1',
  credentials: { accessKeyId: 'me', secretAccessKey: 'secret' },
  maxAttempts: 1,
};
const client = new DynamoDBClient(settings);
const streams = new DynamoDBStreamsClient(settings);
// Clients share the options of the one they are made from.
const exact = DynamoDBDocumentClient.from(new DynamoDBClient(settings), {
  unmarshallOptions: { wrapNumbers: (text) => NumberValue.from(text) },
});
const plain = DynamoDBDocumentClient.from(client);
after(() => [client, streams, exact].forEach((one) => one.destroy()));

const TableName = 'items';

async function make(more = {}, definitions = []) {
  await client.send(new CreateTableCommand({
    TableName,
    AttributeDefinitions: [{ AttributeName: 'p', AttributeType: 'S' },
      { AttributeName: 's', AttributeType: 'N' }, ...definitions],
    KeySchema: [{ AttributeName: 'p', KeyType: 'HASH' }, { AttributeName: 's', KeyType: 'RANGE' }],
    BillingMode: 'PAY_PER_REQUEST',
    ...more,
  }));
  await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 1 }, { TableName });
}

async function setTtl(AttributeName) {
  await client.send(new UpdateTimeToLiveCommand({
    TableName, TimeToLiveSpecification: { Enabled: true, AttributeName },
  }));
  await eventually(async () => {
    const told = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    return told.TimeToLiveDescription.TimeToLiveStatus === 'ENABLED';
  });
}

beforeEach(async () => {
  const { TableNames } = await client.send(new ListTablesCommand({}));
  for (const name of TableNames) await client.send(new DeleteTableCommand({ TableName: name }));
});

describe('tables', () => {
  it('are made, described, changed and dropped', async () => {
    await make({ Tags: [{ Key: 'team', Value: 'a' }] });
    await assert.rejects(make(), ResourceInUseException);
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    assert.equal(Table.TableStatus, 'ACTIVE');
    assert.ok(Table.CreationDateTime instanceof Date);
    assert.ok(Math.abs(Table.CreationDateTime - Date.now()) < 60_000);
    await client.send(new UpdateTableCommand({
      TableName,
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
    }));
    const changed = await client.send(new DescribeTableCommand({ TableName }));
    assert.equal(changed.Table.ProvisionedThroughput.WriteCapacityUnits, 6);
    const ResourceArn = Table.TableArn;
    await client.send(new TagResourceCommand({ ResourceArn, Tags: [{ Key: 'b', Value: '' }] }));
    await client.send(new UntagResourceCommand({ ResourceArn, TagKeys: ['team'] }));
    const { Tags } = await client.send(new ListTagsOfResourceCommand({ ResourceArn }));
    assert.deepEqual(Tags, [{ Key: 'b', Value: '' }]);
    await client.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists({ client, maxWaitTime: 20, minDelay: 1 }, { TableName });
    await assert.rejects(client.send(new DescribeTableCommand({ TableName })),
      ResourceNotFoundException);
  });

  it('are listed by pages, and the service tells about itself', async () => {
    await make();
    const names = [];
    for await (const page of paginateListTables({ client, pageSize: 1 }, {})) {
      names.push(...page.TableNames);
    }
    assert.deepEqual(names, [TableName]);
    assert.ok((await client.send(new DescribeEndpointsCommand({}))).Endpoints[0].Address);
    assert.ok((await client.send(new DescribeLimitsCommand({}))).AccountMaxReadCapacityUnits > 0);
    const backups = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
    assert.equal(backups.ContinuousBackupsDescription.ContinuousBackupsStatus, 'DISABLED');
  });
});

describe('statements', () => {
  const run = (Statement, Parameters, more) => plain.send(
    new ExecuteStatementCommand({ Statement, ...(Parameters ? { Parameters } : {}), ...more }));

  it('take and return plain values', async () => {
    await make();
    for (let s = 0; s < 5; s += 1) {
      await run('INSERT INTO items VALUE ?', [{ p: 'a', s, tags: new Set(['x']), deep: { list: [1, null] } }]);
    }
    const { Items } = await run('SELECT s, deep.list FROM items WHERE p = ? AND s > ? ORDER BY s DESC', ['a', 2]);
    assert.deepEqual(Items, [{ s: 4, list: [1, null] }, { s: 3, list: [1, null] }]);
    const updated = await run(
      'UPDATE items SET deep.n = ? WHERE p = ? AND s = ? RETURNING ALL NEW *', [7.5, 'a', 1]);
    assert.equal(updated.Items[0].deep.n, 7.5);
    assert.deepEqual(updated.Items[0].tags, new Set(['x']));
    let rows = 0;
    let NextToken;
    do {
      const page = await run('SELECT * FROM items', undefined, { Limit: 2, NextToken });
      rows += page.Items.length;
      NextToken = page.NextToken;
    } while (NextToken);
    assert.equal(rows, 5);
    await assert.rejects(run("INSERT INTO items VALUE {'p': 'a', 's': 1}"), { name: 'DuplicateItemException' });
    await assert.rejects(run("UPDATE items SET x = 1 WHERE p = 'a' AND s = 99"), ConditionalCheckFailedException);
  });

  it('run in batches and transactions', async () => {
    await make();
    await plain.send(new PutCommand({ TableName, Item: { p: 'a', s: 1, n: 1 } }));
    const { Responses } = await plain.send(new BatchExecuteStatementCommand({
      Statements: [
        { Statement: "UPDATE items SET n = n + ? WHERE p = 'a' AND s = 1 RETURNING ALL NEW *", Parameters: [2] },
        { Statement: "INSERT INTO items VALUE {'p': 'a', 's': 1}" }],
    }));
    assert.equal(Responses[0].Item.n, 3);
    assert.equal(Responses[1].Error.Code, 'DuplicateItem');
    const statements = (last) => new ExecuteTransactionCommand({
      TransactStatements: [
        { Statement: "EXISTS(SELECT * FROM items WHERE p = 'a' AND s = 1 AND n = ?)", Parameters: [3] },
        { Statement: 'INSERT INTO items VALUE ?', Parameters: [{ p: 'a', s: last }] }],
    });
    await plain.send(statements(2));
    await assert.rejects(plain.send(statements(2)), (error) => {
      assert.ok(error instanceof TransactionCanceledException);
      assert.deepEqual(error.CancellationReasons.map((reason) => reason.Code), ['None', 'DuplicateItem']);
      return true;
    });
    const read = await plain.send(new ExecuteTransactionCommand({
      TransactStatements: [{ Statement: "SELECT n FROM items WHERE p = 'a' AND s = 1" }],
    }));
    assert.deepEqual(read.Responses, [{ Item: { n: 3 } }]);
  });
});

describe('signatures', () => {
  it('are checked', async () => {
    const asked = (credentials) => {
      const other = new DynamoDBClient({ ...settings, credentials });
      return other.send(new ListTablesCommand({})).finally(() => other.destroy());
    };
    await asked({ accessKeyId: 'me', secretAccessKey: 'secret' });
    await assert.rejects(asked({ accessKeyId: 'me', secretAccessKey: 'guess' }),
      { name: 'InvalidSignatureException' });
    await assert.rejects(asked({ accessKeyId: 'you', secretAccessKey: 'secret' }),
      { name: 'UnrecognizedClientException' });
  });
});

describe('items', () => {
  it('come back as they were', async () => {
    await make();
    const Item = {
      p: 'a', s: NumberValue.from('12345678901234567890.5'), bytes: new Uint8Array([0, 255]),
      set: new Set(['x', 'y']), list: [true, null, 'ü😀', { deep: ['x'] }], empty: '',
    };
    await exact.send(new PutCommand({ TableName, Item }));
    const found = await exact.send(new GetCommand({
      TableName, Key: { p: 'a', s: Item.s }, ConsistentRead: true,
    }));
    assert.equal(found.Item.s.toString(), '12345678901234567890.5');
    assert.deepEqual({ ...found.Item, s: 0 }, { ...Item, s: 0 });
  });

  it('are updated under conditions', async () => {
    await make();
    const Key = { p: 'a', s: 1 };
    const updated = await plain.send(new UpdateCommand({
      TableName, Key, UpdateExpression: 'SET #n = if_not_exists(#n, :z) + :one',
      ExpressionAttributeNames: { '#n': 'count' },
      ExpressionAttributeValues: { ':z': 0, ':one': 1 }, ReturnValues: 'ALL_NEW',
    }));
    assert.deepEqual(updated.Attributes, { ...Key, count: 1 });
    const error = await plain.send(new PutCommand({
      TableName, Item: Key, ConditionExpression: 'attribute_not_exists(p)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })).catch((reason) => reason);
    assert.ok(error instanceof ConditionalCheckFailedException, `${error}`);
    assert.deepEqual(error.Item.count, { N: '1' });
    const gone = await plain.send(new DeleteCommand({ TableName, Key, ReturnValues: 'ALL_OLD' }));
    assert.equal(gone.Attributes.count, 1);
  });

  it('are written and read in batches and pages', async () => {
    await make();
    for (let from = 0; from < 100; from += 25) {
      const writes = Array.from({ length: 25 }, (_, i) => (
        { PutRequest: { Item: { p: 'a', s: from + i, even: (from + i) % 2 === 0 } } }));
      const { UnprocessedItems } = await plain.send(
        new BatchWriteCommand({ RequestItems: { [TableName]: writes } }));
      assert.deepEqual(UnprocessedItems, {});
    }
    const got = await plain.send(new BatchGetCommand({
      RequestItems: { [TableName]: { Keys: [{ p: 'a', s: 1 }, { p: 'a', s: 1000 }] } },
    }));
    assert.deepEqual(got.Responses[TableName].map((item) => item.s), [1]);
    const raw = await client.send(new BatchGetItemCommand({
      RequestItems: { [TableName]: { Keys: [{ p: { S: 'a' }, s: { N: '2' } }] } },
      ReturnConsumedCapacity: 'TOTAL',
    }));
    assert.equal(raw.ConsumedCapacity[0].CapacityUnits, 0.5);
    const numbers = [];
    const query = {
      TableName, KeyConditionExpression: 'p = :p AND s BETWEEN :a AND :b',
      FilterExpression: 'even = :even', ScanIndexForward: false,
      ExpressionAttributeValues: { ':p': 'a', ':a': 10, ':b': 59, ':even': true },
    };
    for await (const page of paginateQuery({ client: plain, pageSize: 7 }, query)) {
      numbers.push(...page.Items.map((item) => item.s));
    }
    assert.equal(numbers.length, 25);
    assert.deepEqual(numbers, [...numbers].sort((a, b) => b - a));
    let scanned = 0;
    for await (const page of paginateScan({ client: plain, pageSize: 13 }, { TableName })) {
      scanned += page.Count;
    }
    assert.equal(scanned, 100);
    assert.equal((await plain.send(new ScanCommand({ TableName, Select: 'COUNT' }))).Count, 100);
    // The paginator has left its last place in the query.
    const first = { ...query, ExclusiveStartKey: undefined, Limit: 5 };
    assert.equal((await plain.send(new QueryCommand(first))).ScannedCount, 5);
  });

  it('change together or not at all', async () => {
    await make();
    const Key = { p: 'a', s: 1 };
    await plain.send(new TransactWriteCommand({
      TransactItems: [{ Put: { TableName, Item: { ...Key, n: 1 } } },
        { Update: { TableName, Key: { p: 'a', s: 2 }, UpdateExpression: 'ADD n :n',
          ExpressionAttributeValues: { ':n': 5 } } }],
    }));
    const error = await plain.send(new TransactWriteCommand({
      TransactItems: [{ Delete: { TableName, Key } },
        { ConditionCheck: { TableName, Key: { p: 'a', s: 2 }, ConditionExpression: 'n = :n',
          ExpressionAttributeValues: { ':n': 6 } } }],
    })).catch((reason) => reason);
    assert.ok(error instanceof TransactionCanceledException, `${error}`);
    assert.deepEqual(error.CancellationReasons.map((reason) => reason.Code),
      ['None', 'ConditionalCheckFailed']);
    const { Responses } = await plain.send(new TransactGetCommand({
      TransactItems: [{ Get: { TableName, Key } }, { Get: { TableName, Key: { p: 'x', s: 0 } } }],
    }));
    assert.equal(Responses[0].Item.n, 1);
    assert.equal(Responses[1].Item, undefined);
  });

  it('wrong requests have their names', async () => {
    await make();
    const error = await plain.send(new GetCommand({ TableName, Key: { p: 'a' } }))
      .catch((reason) => reason);
    assert.equal(error.name, 'ValidationException');
    assert.equal(error.message, 'The provided key element does not match the schema');
    assert.equal(error.$metadata.httpStatusCode, 400);
    assert.ok(error.$metadata.requestId);
  });
});

describe('time', () => {
  it('takes items at their instant, and streams tell who did it', async () => {
    await make({ StreamSpecification: { StreamEnabled: true, StreamViewType: 'OLD_IMAGE' } });
    await setTtl('at');
    const Key = { p: 'session', s: 1 };
    const at = Math.floor(Date.now() / 1000) + 2;
    await plain.send(new PutCommand({ TableName, Item: { ...Key, at, user: 'alice' } }));
    assert.ok((await plain.send(new GetCommand({ TableName, Key }))).Item);
    await eventually(async () => !(await plain.send(new GetCommand({ TableName, Key }))).Item);
    assert.ok(Date.now() >= at * 1000, 'it was gone before its instant');
    const { Streams } = await streams.send(new ListStreamsCommand({ TableName }));
    const StreamArn = Streams[0].StreamArn;
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
    const place = await streams.send(new GetShardIteratorCommand({
      StreamArn, ShardId: StreamDescription.Shards[0].ShardId, ShardIteratorType: 'TRIM_HORIZON',
    }));
    let records;
    await eventually(async () => {
      const page = await streams.send(new GetRecordsCommand(
        { ShardIterator: place.ShardIterator }));
      records = page.Records;
      return records.length === 2;
    });
    assert.deepEqual(records.map((record) => record.eventName), ['INSERT', 'REMOVE']);
    assert.deepEqual(records[1].userIdentity,
      { Type: 'Service', PrincipalId: 'dynamodb.amazonaws.com' });
    assert.deepEqual(records[1].dynamodb.OldImage.user, { S: 'alice' });
  });
});
