// What has changed in a table, from its stream, oldest first; deaths are marked.
import { table as operation } from '../../api/server';
import { useAsk } from '../../app/ask';
import { usePages } from '../../app/pages';
import { instant } from '../../app/time';
import { Fault, Nothing, Pager, Panel, Raw, Rows } from '../../parts/basics';
import type { Description, Item } from './attributes';
import { shownValue } from './attributes';

const kPage = 50;

interface Change {
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

const shown = (item?: Item) => (item ? <Raw bytes={shownValue({ M: item })} max={160} /> : null);

export function Stream({ table }: { table: Description }) {
  const arn = table.LatestStreamArn;
  const shard = useAsk(async () => {
    if (!arn) return null;
    const { StreamDescription } = await operation('DescribeStream', { StreamArn: arn });
    return (StreamDescription.Shards[0]?.ShardId as string | undefined) ?? null;
  }, [arn]);
  const pages = usePages<Change>(
    async (cursor) => {
      if (!arn || !shard.value) return { rows: [], next: null };
      const place = cursor
        ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: cursor }
        : { ShardIteratorType: 'TRIM_HORIZON' };
      const { ShardIterator } = await operation('GetShardIterator', { StreamArn: arn, ShardId: shard.value, ...place });
      const { Records } = await operation('GetRecords', { ShardIterator, Limit: kPage });
      return { rows: Records, next: Records.length === kPage ? Records.at(-1).dynamodb.SequenceNumber : null };
    },
    [arn, shard.value],
  );
  if (!arn) return <Nothing>This table has no stream. UpdateTable gives it one.</Nothing>;
  return (
    <Panel
      title={`Stream of ${table.TableName}`}
      actions={
        <button type="button" onClick={pages.again}>
          Reload
        </button>
      }
    >
      <Fault words={shard.fault || pages.fault} />
      {pages.rows.length === 0 ? (
        !pages.waiting && <Nothing>No record.</Nothing>
      ) : (
        <Rows label="Records" heads={['When', 'What', 'Key', 'New', 'Old']}>
          {pages.rows.map((one) => (
            <tr key={one.dynamodb.SequenceNumber}>
              <td>
                <time>{instant(Math.round(one.dynamodb.ApproximateCreationDateTime * 1000))}</time>
              </td>
              <td>{one.userIdentity ? 'died' : one.eventName.toLowerCase()}</td>
              <th scope="row">{shown(one.dynamodb.Keys)}</th>
              <td>{shown(one.dynamodb.NewImage)}</td>
              <td>{shown(one.dynamodb.OldImage)}</td>
            </tr>
          ))}
        </Rows>
      )}
      <Pager pages={pages} what="records" />
    </Panel>
  );
}
