// When keys die, and items of tables: a forecast one can zoom into, the keys behind each bar, the keys that never die, and
// what a policy would change.
import { useState } from 'preact/hooks';
import type { Place } from '../../app/address';
import { go, hashOf } from '../../app/address';
import { keyspaceName } from '../../app/keyspace_name';
import { useShared } from '../../app/state';
import { Tabs } from '../../parts/basics';
import { dbOf, useDbOptions } from '../../parts/db_choice';
import { Choice } from '../../parts/inputs';
import { Forecast } from './forecast';
import { Policy } from './policy';
import { WithoutDeadline } from './without_deadline';

const kTabs: [string, string][] = [
  ['forecast', 'Forecast'],
  ['never', 'Without a deadline'],
  ['policy', 'Policy'],
];

export function Deadlines({ place }: { place: Place }) {
  const { figures } = useShared();
  const options = useDbOptions();
  const db = dbOf(place);
  const { keyspace } = place.parts;
  const [tab, setTab] = useState('forecast');
  const tables = (figures?.keyspaces ?? []).map(({ name }) => name).filter((name) => keyspaceName(name).items);
  if (keyspace !== undefined && !tables.includes(keyspace)) tables.push(keyspace);
  return (
    <>
      <div class="form small above">
        <Choice
          label="Of"
          value={keyspace ?? String(db)}
          set={(next) => go(hashOf('deadlines', /^\d+$/.test(next) ? { db: next } : { keyspace: next }))}
          options={[...options, ...tables.map((name): [string, string] => [name, `table ${keyspaceName(name).table}`])]}
        />
        {keyspace !== undefined && (
          <a href={hashOf('tables', { table: keyspaceName(keyspace).table })}>The items of this table</a>
        )}
      </div>
      {keyspace !== undefined ? (
        <Forecast source={{ db: 0, keyspace }} key={keyspace} />
      ) : (
        <>
          <Tabs label="Deadlines" chosen={tab} choose={setTab} names={kTabs} />
          {tab === 'forecast' && <Forecast source={{ db }} key={db} />}
          {tab === 'never' && <WithoutDeadline db={db} key={db} />}
          {tab === 'policy' && <Policy db={db} key={db} />}
        </>
      )}
    </>
  );
}
