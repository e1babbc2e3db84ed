// Pages of a table's stream records, from either end. DynamoDB's API reads forward alone; since the records of a shard
// are numbered one after the other, a page of the newest begins that many numbers before the end.
import { table as operation } from '../../api/server';
import type { Part } from '../../app/pages';
import type { Item } from './attributes';

export interface Change {
  eventID: string;
  eventName: string;
  userIdentity?: { PrincipalId: string };
  dynamodb: {
    ApproximateCreationDateTime: number;
    Keys: Item;
    NewImage?: Item;
    OldImage?: Item;
    SequenceNumber: string;
  };
}

// A shard of a stream; one that has ended can be read until its records have died.
export interface Place {
  name: string;
  arn: string;
  shard: string;
  first: string; // Its oldest record's number.
}

const kPage = 50;

// The latest stream first.
export async function placesOf(table: string): Promise<Place[]> {
  const { Streams } = await operation('ListStreams', { TableName: table });
  const places: Place[] = [];
  for (const { StreamArn: arn, StreamLabel: label } of [...Streams].sort((a, b) =>
    a.StreamLabel < b.StreamLabel ? 1 : -1,
  )) {
    const { StreamDescription } = await operation('DescribeStream', { StreamArn: arn });
    for (const { ShardId: shard, SequenceNumberRange: range } of StreamDescription.Shards) {
      const name = StreamDescription.Shards.length > 1 ? `${label}, ${shard}` : label;
      places.push({ name, arn, shard, first: range.StartingSequenceNumber });
    }
  }
  return places;
}

const iterator = async ({ arn, shard }: Place, how: object): Promise<string> =>
  (await operation('GetShardIterator', { StreamArn: arn, ShardId: shard, ...how })).ShardIterator;

const recordsFrom = async (place: Place, how: object): Promise<Change[]> =>
  (await operation('GetRecords', { ShardIterator: await iterator(place, how), Limit: kPage })).Records;

// The number behind the newest record: this server's iterators end with the number that they read next.
export const endOf = async (place: Place): Promise<string> =>
  (await iterator(place, { ShardIteratorType: 'LATEST' })).split('|').at(-1)!;

// The newest of those before number `end`. What was trimmed meanwhile is left out.
export async function newestPage(place: Place, end: string): Promise<Part<Change>> {
  const { arn } = place;
  const { StreamDescription } = await operation('DescribeStream', { StreamArn: arn });
  const shard = StreamDescription.Shards.find((one: { ShardId: string }) => one.ShardId === place.shard);
  const first = BigInt(shard?.SequenceNumberRange.StartingSequenceNumber ?? place.first);
  const last = BigInt(end);
  const begin = last - first > kPage ? last - BigInt(kPage) : first;
  if (begin >= last) return { rows: [], next: null };
  const found = await recordsFrom(place, {
    ShardIteratorType: 'AT_SEQUENCE_NUMBER',
    SequenceNumber: begin.toString(),
  });
  const rows = found.filter((one) => BigInt(one.dynamodb.SequenceNumber) < last).reverse();
  return { rows, next: begin > first ? begin.toString() : null };
}

export async function oldestPage(place: Place, cursor: string | null): Promise<Part<Change>> {
  const rows = await recordsFrom(
    place,
    cursor
      ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: cursor }
      : { ShardIteratorType: 'TRIM_HORIZON' },
  );
  return { rows, next: rows.length === kPage ? rows.at(-1)!.dynamodb.SequenceNumber : null };
}
