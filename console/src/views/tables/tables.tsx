// Tables of DynamoDB's API: what they are, what is in them, queries by form, and what has changed.
import type { Place } from '../../app/address';
import { go, hashOf, oneOf } from '../../app/address';
import { table as operation } from '../../api/server';
import { useAsk } from '../../app/ask';
import { keyspaceName } from '../../app/keyspace_name';
import { usePages } from '../../app/pages';
import { useShared } from '../../app/state';
import { Fault, Nothing, Pager, Panel, Tabs } from '../../parts/basics';
import type { Description } from './attributes';
import { Items } from './items';
import { Query } from './query';
import { Schema } from './schema';
import { Stream } from './stream';

async function describe(name: string) {
  const [{ Table }, { TimeToLiveDescription: ttl }] = await Promise.all([
    operation('DescribeTable', { TableName: name }),
    operation('DescribeTimeToLive', { TableName: name }),
  ]);
  return {
    table: Table as Description,
    ttl: (ttl?.AttributeName ?? '') as string,
    ttlStatus: (ttl?.TimeToLiveStatus ?? '') as string,
  };
}

export function Tables({ place }: { place: Place }) {
  const { table: name = '' } = place.parts;
  const tab = oneOf(place, 'tab', ['items', 'query', 'schema', 'stream']);
  const names = usePages<string>(async (cursor) => {
    const page = await operation('ListTables', { Limit: 50, ...(cursor ? { ExclusiveStartTableName: cursor } : {}) });
    return { rows: page.TableNames, next: page.LastEvaluatedTableName ?? null };
  }, []);
  return (
    <div class="browser tables">
      <div class="find">
        <Panel title="Tables">
          <Fault words={names.fault} />
          {names.rows.length === 0 && !names.waiting && !names.fault && <Nothing>There is no table yet.</Nothing>}
          <ul class="choices">
            {names.rows.map((one) => (
              <li key={one}>
                <a href={hashOf('tables', { table: one })} aria-current={one === name ? 'true' : undefined}>
                  {one}
                </a>
              </li>
            ))}
          </ul>
          <Pager pages={names} what="tables" />
        </Panel>
      </div>
      <div class="found">
        {name === '' ? (
          <Nothing>Choose a table.</Nothing>
        ) : (
          <OneTable
            name={name}
            key={name}
            tab={tab}
            choose={(next) => go(hashOf('tables', { table: name, tab: next }))}
          />
        )}
      </div>
    </div>
  );
}

function OneTable({ name, tab, choose }: { name: string; tab: string; choose: (tab: string) => void }) {
  const { figures } = useShared();
  const asked = useAsk(() => describe(name), [name]);
  if (asked.fault) return <Fault words={asked.fault} />;
  if (!asked.value) return <Nothing>…</Nothing>;
  const { table, ttl, ttlStatus } = asked.value;
  const items = figures?.keyspaces.find((one) => keyspaceName(one.name).items && keyspaceName(one.name).table === name);
  return (
    <>
      <Tabs
        label={`Table ${name}`}
        chosen={tab}
        choose={choose}
        names={[
          ['items', 'Items'],
          ['query', 'Query'],
          ['schema', 'Schema'],
          ['stream', 'Stream'],
        ]}
      />
      {ttl && items && (
        <p class="hint">
          <a href={hashOf('deadlines', { keyspace: items.name })}>When its items die</a>
        </p>
      )}
      {tab === 'items' && <Items table={table} ttl={ttl} />}
      {tab === 'query' && <Query table={table} ttl={ttl} />}
      {tab === 'schema' && <Schema table={table} ttl={ttl} ttlStatus={ttlStatus} changed={asked.again} />}
      {tab === 'stream' && <Stream table={table} />}
    </>
  );
}
