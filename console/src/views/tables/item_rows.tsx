// Items as a table: keys first, then when they die, then what else they have; each can be edited and removed.
import { useState } from 'preact/hooks';
import { table as operation } from '../../api/server';
import { useDo } from '../../app/ask';
import { prettyJson } from '../../app/json';
import { length, parseTime, serverNow } from '../../app/time';
import { Fault, Panel, Raw, Rows } from '../../parts/basics';
import { RemoveDialog } from '../../parts/edit_dialog';
import { Dialog } from '../../parts/dialog';
import { Area, Form, Text } from '../../parts/inputs';
import { Deadline } from '../../parts/instant';
import type { Description, Item } from './attributes';
import { keyOfItem, keysOf, shownValue } from './attributes';

const kColumnsMax = 6;

function deadlineOf(item: Item, ttl: string): number | null {
  const seconds = Number(item[ttl]?.N);
  return item[ttl]?.N !== undefined && Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null;
}

export function ItemRows({
  table,
  ttl,
  items,
  changed,
}: {
  table: Description;
  ttl: string;
  items: Item[];
  changed: () => void;
}) {
  const [chosen, setChosen] = useState<{ what: 'edit' | 'remove'; item: Item } | null>(null);
  const keys = keysOf(table);
  const keyNames = keys.map(({ name }) => name);
  const others = [...new Set(items.flatMap((item) => Object.keys(item)))].filter(
    (name) => !keyNames.includes(name) && name !== ttl,
  );
  const columns = others.slice(0, kColumnsMax);
  const nameOfItem = (item: Item) => keyNames.map((name) => shownValue(item[name])).join(' / ');
  const remove = async (item: Item) => {
    await operation('DeleteItem', { TableName: table.TableName, Key: keyOfItem(item, keys) });
    changed();
  };
  return (
    <>
      <Rows
        label="Items"
        heads={[
          ...keyNames.map((name) => <Raw bytes={name} max={40} />),
          ...(ttl ? ['Dies'] : []),
          ...columns.map((name) => <Raw bytes={name} max={40} />),
          <span class="unseen">Actions</span>,
        ]}
      >
        {items.map((item) => (
          <tr key={JSON.stringify(keyOfItem(item, keys))}>
            {keyNames.map((name, at) =>
              at === 0 ? (
                <th scope="row" key={name}>
                  <Raw bytes={shownValue(item[name])} max={60} />
                </th>
              ) : (
                <td key={name}>
                  <Raw bytes={shownValue(item[name])} max={60} />
                </td>
              ),
            )}
            {ttl && (
              <td>
                <Deadline ms={deadlineOf(item, ttl)} />
              </td>
            )}
            {columns.map((name) => (
              <td key={name}>{item[name] !== undefined && <Raw bytes={shownValue(item[name])} max={60} />}</td>
            ))}
            <td class="buttons">
              <button type="button" onClick={() => setChosen({ what: 'edit', item })}>
                Open<span class="unseen"> {nameOfItem(item)}</span>
              </button>
              <button type="button" class="danger" onClick={() => setChosen({ what: 'remove', item })}>
                Remove<span class="unseen"> {nameOfItem(item)}</span>
              </button>
            </td>
          </tr>
        ))}
      </Rows>
      {others.length > kColumnsMax && (
        <p class="hint">{others.length - kColumnsMax} more attributes are shown when an item is opened.</p>
      )}
      {chosen?.what === 'edit' && (
        <ItemDialog table={table} ttl={ttl} item={chosen.item} close={() => setChosen(null)} changed={changed} />
      )}
      {chosen?.what === 'remove' && (
        <RemoveDialog
          what={nameOfItem(chosen.item)}
          from={`table ${table.TableName}`}
          close={() => setChosen(null)}
          remove={() => remove(chosen.item)}
        />
      )}
    </>
  );
}

function ItemDialog({
  table,
  ttl,
  item,
  close,
  changed,
}: {
  table: Description;
  ttl: string;
  item: Item;
  close: () => void;
  changed: () => void;
}) {
  const [draft, setDraft] = useState(prettyJson(JSON.stringify(item)));
  const [life, setLife] = useState('');
  const doing = useDo();
  const key = keyOfItem(item, keysOf(table));
  const save = () =>
    doing.run(async () => {
      await operation('PutItem', { TableName: table.TableName, Item: JSON.parse(draft) });
      changed();
      close();
      return 'item saved';
    });
  const expire = () =>
    doing.run(async () => {
      const at = parseTime(life, serverNow());
      if (at === null) throw new Error('write a time to live first');
      await operation('SetTTL', { TableName: table.TableName, Key: key, TtlSeconds: (at - serverNow()) / 1000 });
      changed();
      close();
      return `the item dies in ${length(at - serverNow())}`;
    });
  const persist = () =>
    doing.run(async () => {
      await operation('RemoveTTL', { TableName: table.TableName, Key: key });
      changed();
      close();
      return 'the item has no deadline any more';
    });
  return (
    <Dialog title="Item" close={close}>
      <form
        class="value"
        aria-label="Item"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Area label="In DynamoDB’s JSON" value={draft} set={setDraft} rows={12} />
        <div class="actions">
          <button type="submit" class="primary" disabled={doing.busy}>
            Save
          </button>
        </div>
      </form>
      {ttl && (
        <Form label="Deadline of the item" button="Set" submit={expire} busy={doing.busy} small>
          <Text label="New time to live" value={life} set={setLife} hint="15m, 7d" />
          <button type="button" disabled={doing.busy || deadlineOf(item, ttl) === null} onClick={persist}>
            Remove deadline
          </button>
        </Form>
      )}
      <Fault words={doing.fault} />
      <div class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

export function NewItem({ table, changed }: { table: Description; changed: () => void }) {
  const example = Object.fromEntries(
    keysOf(table).map(({ name, type }) => [name, { [type]: type === 'N' ? '1' : '' }]),
  );
  const [draft, setDraft] = useState(prettyJson(JSON.stringify(example)));
  const doing = useDo();
  const put = () =>
    doing.run(async () => {
      await operation('PutItem', { TableName: table.TableName, Item: JSON.parse(draft) });
      changed();
      return 'item written';
    });
  return (
    <Panel title="Write an item">
      <Form label="Write an item" button="Write" submit={put} busy={doing.busy}>
        <Area label="In DynamoDB’s JSON" value={draft} set={setDraft} rows={6} />
      </Form>
      <Fault words={doing.fault} />
    </Panel>
  );
}
