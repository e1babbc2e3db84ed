// What has changed in a table, from its streams, the newest first; deaths are marked.
import { useState } from 'preact/hooks';
import { useAsk } from '../../app/ask';
import { usePages } from '../../app/pages';
import { instant } from '../../app/time';
import { Fault, Nothing, Pager, Panel, Raw, Rows } from '../../parts/basics';
import { Choice } from '../../parts/inputs';
import type { Description, Item } from './attributes';
import { shownValue } from './attributes';
import type { Change, Place } from './stream_pages';
import { endOf, newestPage, oldestPage, placesOf } from './stream_pages';

const shown = (item?: Item) => (item ? <Raw bytes={shownValue({ M: item })} max={160} /> : null);

function wordsOf(change: Change): string {
  return change.userIdentity ? 'died' : change.eventName.toLowerCase();
}

export function Stream({ table }: { table: Description }) {
  const places = useAsk(() => placesOf(table.TableName), [table.TableName]);
  const [chosen, setChosen] = useState('');
  if (places.fault) return <Fault words={places.fault} />;
  if (!places.value) return <Nothing>…</Nothing>;
  if (places.value.length === 0) return <Nothing>This table has no stream. UpdateTable gives it one.</Nothing>;
  const place = places.value.find((one) => one.name === chosen) ?? places.value[0];
  return (
    <>
      {places.value.length > 1 && (
        <div class="form small above">
          <Choice
            label="Stream"
            value={place.name}
            set={setChosen}
            options={places.value.map(({ name }) => [name, name])}
          />
        </div>
      )}
      <Records table={table} place={place} key={place.name} />
    </>
  );
}

function Records({ table, place }: { table: Description; place: Place }) {
  const [order, setOrder] = useState('newest');
  const [round, setRound] = useState(0); // The newest are asked for anew, so that pages of one round fit together.
  const pages = usePages<Change>(
    async (cursor) =>
      order === 'newest' ? newestPage(place, cursor ?? (await endOf(place))) : oldestPage(place, cursor),
    [place.name, order, round],
  );
  return (
    <Panel
      title={`Stream of ${table.TableName}`}
      actions={
        <button type="button" onClick={() => setRound(round + 1)}>
          Reload
        </button>
      }
    >
      <div class="form small">
        <Choice
          label="Order"
          value={order}
          set={setOrder}
          options={[
            ['newest', 'newest first'],
            ['oldest', 'oldest first'],
          ]}
        />
      </div>
      <Fault words={pages.fault} />
      {pages.rows.length === 0 ? (
        !pages.waiting && !pages.fault && <Nothing>No record.</Nothing>
      ) : (
        <Rows label="Records" heads={['When', 'What', 'Key', 'New', 'Old']}>
          {pages.rows.map((one) => (
            <tr key={one.dynamodb.SequenceNumber}>
              <td>
                <time>{instant(Math.round(one.dynamodb.ApproximateCreationDateTime * 1000))}</time>
              </td>
              <td>{wordsOf(one)}</td>
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
