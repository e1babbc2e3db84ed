// What a table is: keys, indexes, its attribute of deadlines, tags.
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { table as operation } from '../../api/server';
import { useAsk, useDo } from '../../app/ask';
import { count, size } from '../../app/figures';
import { instant } from '../../app/time';
import { Fault, Nothing, Panel, Raw, Rows } from '../../parts/basics';
import { Form, Text } from '../../parts/inputs';
import type { Description, Index } from './attributes';
import { keysOf } from './attributes';

const keyWords = (table: Description, index = '') =>
  keysOf(table, index)
    .map(({ name, type }) => `${name} (${type})`)
    .join(', ');

function IndexRow({ table, index, kind }: { table: Description; index: Index; kind: string }) {
  return (
    <tr>
      <th scope="row">
        <Raw bytes={index.IndexName} max={60} />
      </th>
      <td>
        {kind}
        {index.IndexStatus && index.IndexStatus !== 'ACTIVE' ? `, ${index.IndexStatus}` : ''}
      </td>
      <td>
        <Raw bytes={keyWords(table, index.IndexName)} />
      </td>
      <td>
        {index.Projection.ProjectionType}
        {index.Projection.NonKeyAttributes && (
          <>
            {' '}
            <Raw bytes={index.Projection.NonKeyAttributes.join(', ')} />
          </>
        )}
      </td>
      <td class="number">{count(index.ItemCount ?? 0)}</td>
    </tr>
  );
}

export function Schema({
  table,
  ttl,
  ttlStatus,
  changed,
}: {
  table: Description;
  ttl: string;
  ttlStatus: string;
  changed: () => void;
}) {
  const [attribute, setAttribute] = useState(ttl);
  const doing = useDo();
  const arn = `arn:aws:dynamodb:mayfly:000000000000:table/${table.TableName}`;
  const tags = useAsk(
    async () => (await operation('ListTagsOfResource', { ResourceArn: arn })).Tags as { Key: string; Value: string }[],
    [arn],
  );
  const setTtl = () =>
    doing.run(async () => {
      const name = attribute.trim() || ttl;
      await operation('UpdateTimeToLive', {
        TableName: table.TableName,
        TimeToLiveSpecification: { Enabled: attribute.trim() !== '', AttributeName: name },
      });
      changed();
      return 'the attribute of deadlines is set';
    });
  const global = table.GlobalSecondaryIndexes ?? [];
  const local = table.LocalSecondaryIndexes ?? [];
  return (
    <>
      <Panel title={table.TableName}>
        <dl class="facts">
          <dt>State</dt>
          <dd>{table.TableStatus}</dd>
          <dt>Items</dt>
          <dd>
            {count(table.ItemCount)}, {size(table.TableSizeBytes)}
          </dd>
          <dt>Key</dt>
          <dd>
            <Raw bytes={keyWords(table)} />
          </dd>
          <dt>Made</dt>
          <dd>{instant(Math.round(table.CreationDateTime * 1000))}</dd>
          <dt>Deadlines</dt>
          <dd>
            {ttl ? (
              <>
                <Raw bytes={ttl} /> ({ttlStatus.toLowerCase()})
              </>
            ) : (
              'no attribute: items live until they are deleted'
            )}
          </dd>
          <dt>Stream</dt>
          <dd>{table.StreamSpecification?.StreamEnabled ? table.StreamSpecification.StreamViewType : 'none'}</dd>
          {tags.value?.map((tag) => (
            <Fragment key={tag.Key}>
              <dt>
                <Raw bytes={tag.Key} max={60} />
              </dt>
              <dd>
                <Raw bytes={tag.Value} />
              </dd>
            </Fragment>
          ))}
        </dl>
        <Fault words={tags.fault} />
        <Form label="Attribute of deadlines" button="Set" submit={setTtl} busy={doing.busy} small>
          <Text label="Attribute that says when an item dies" value={attribute} set={setAttribute} hint="none" mono />
        </Form>
        <Fault words={doing.fault} />
      </Panel>
      <Panel title="Indexes">
        {global.length + local.length === 0 ? (
          <Nothing>None.</Nothing>
        ) : (
          <Rows label="Indexes" heads={['Name', 'Kind', 'Key', 'Holds', 'Items']}>
            {global.map((index) => (
              <IndexRow table={table} index={index} kind="global" key={index.IndexName} />
            ))}
            {local.map((index) => (
              <IndexRow table={table} index={index} kind="local" key={index.IndexName} />
            ))}
          </Rows>
        )}
      </Panel>
    </>
  );
}
