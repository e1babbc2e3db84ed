// A stream: its entries, the newest first or between two ids; its groups; how long its entries live.
import { useState } from 'preact/hooks';
import type { Bytes } from '../../../api/bytes';
import { nameOf, parseEscaped } from '../../../api/bytes';
import { bytes, fields, isError, list, number, pairs, text } from '../../../api/reply';
import type { Fields, Reply } from '../../../api/reply';
import { call, replies } from '../../../api/server';
import { useAsk, useDo } from '../../../app/ask';
import { count } from '../../../app/figures';
import { usePages } from '../../../app/pages';
import { length, parseLength } from '../../../app/time';
import { Fault, Pager, Panel, Raw, Rows } from '../../../parts/basics';
import { RemoveDialog } from '../../../parts/edit_dialog';
import { Area, Choice, Form, Text } from '../../../parts/inputs';
import { Instant } from '../../../parts/instant';
import { Slices, useSlices } from '../../../parts/slices';
import type { Contents } from '../key_panel';

interface Entry {
  id: string;
  fields: [Bytes, Bytes][];
}

const kPage = 50;
const kGroupsOfPage = 10;

const entryOf = (reply: Reply): Entry => {
  const [id, flat] = list(reply);
  return { id: text(id), fields: pairs(flat).map(([name, value]) => [bytes(name), bytes(value)]) };
};

async function page(db: number, key: Bytes, newest: boolean, from: string, to: string, after: string | null) {
  const first = newest ? (after ? `(${after}` : to || '+') : after ? `(${after}` : from || '-';
  const last = newest ? from || '-' : to || '+';
  const reply = await call(db, newest ? 'XREVRANGE' : 'XRANGE', key, first, last, 'COUNT', kPage + 1);
  const found = list(reply).map(entryOf);
  return { rows: found.slice(0, kPage), next: found.length > kPage ? found[kPage - 1].id : null };
}

async function describe(db: number, key: Bytes) {
  const [info, groups, age] = await replies(db, [
    ['XINFO', 'STREAM', key],
    ['XINFO', 'GROUPS', key],
    ['XMAXAGE', key],
  ]);
  if (isError(info)) throw new Error(info.error);
  return {
    info: fields(info),
    groups: isError(groups) ? [] : list(groups).map(fields),
    age: isError(age) ? null : number(age),
  };
}

// One field a line, "name value": what is behind the first blank is the value; both escaped.
function parseFields(words: string): Bytes[] {
  const found = words.split('\n').filter((line) => line.trim() !== '');
  if (found.length === 0) throw new Error('write at least one line: name value');
  return found.flatMap((line) => {
    const [, name, value] = /^(\S+)(?: (.*))?$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`not "name value": ${line}`);
    return [parseEscaped(name), parseEscaped(value ?? '')];
  });
}

function Groups({ groups }: { groups: Fields[] }) {
  const slices = useSlices(groups, kGroupsOfPage);
  return (
    <>
      <Rows label="Groups" heads={['Group', 'Consumers', 'Pending', 'Last delivered']}>
        {slices.rows.map((group) => (
          <tr key={nameOf(bytes(group.name))}>
            <th scope="row">
              <Raw bytes={bytes(group.name)} max={80} />
            </th>
            <td class="number">{count(number(group.consumers))}</td>
            <td class="number">{count(number(group.pending))}</td>
            <td>
              <code>{text(group['last-delivered-id'])}</code>
            </td>
          </tr>
        ))}
      </Rows>
      <Slices of={slices} what="groups" />
    </>
  );
}

export function StreamView({ db, name, changed }: Contents) {
  const [newest, setNewest] = useState('newest');
  const [bounds, setBounds] = useState({ from: '', to: '' });
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [entry, setEntry] = useState('');
  const [age, setAge] = useState('');
  const [removing, setRemoving] = useState<string | null>(null);
  const doing = useDo();
  const facts = useAsk(() => describe(db, name), [db, nameOf(name)]);
  const pages = usePages(
    (after: string | null) => page(db, name, newest === 'newest', bounds.from, bounds.to, after),
    [db, nameOf(name), newest, bounds],
  );
  const after = () => {
    pages.again();
    facts.again();
    changed();
  };
  const add = () =>
    doing.run(async () => {
      const id = text(await call(db, 'XADD', name, 'NOMKSTREAM', '*', ...parseFields(entry)));
      setEntry('');
      after();
      return `entry ${id} added`;
    });
  const limit = () =>
    doing.run(async () => {
      await call(db, 'XMAXAGE', name, age.trim() === '' ? 0 : parseLength(age));
      after();
      return 'max age set';
    });
  return (
    <Panel title="Entries">
      <Fault words={facts.fault} />
      {facts.value && (
        <dl class="facts">
          <dt>Entries</dt>
          <dd>{count(number(facts.value.info.length))}</dd>
          <dt>Max age</dt>
          <dd>{facts.value.age ? length(facts.value.age) : 'none'}</dd>
        </dl>
      )}
      {facts.value && facts.value.groups.length > 0 && <Groups groups={facts.value.groups} />}
      <Form label="Bounds" button="Show" small submit={() => setBounds({ from: from.trim(), to: to.trim() })}>
        <Text label="From id" value={from} set={setFrom} hint="-" mono />
        <Text label="To id" value={to} set={setTo} hint="+" mono />
        <Choice
          label="Order"
          value={newest}
          set={setNewest}
          options={[
            ['newest', 'newest first'],
            ['oldest', 'oldest first'],
          ]}
        />
      </Form>
      <Fault words={pages.fault} />
      <Rows label="Entries" heads={['Id', 'Added', 'Fields', <span class="unseen">Actions</span>]}>
        {pages.rows.map((one) => (
          <tr key={one.id}>
            <th scope="row">
              <code class="id">{one.id}</code>
            </th>
            <td>
              <Instant ms={Number(one.id.split('-')[0])} brief />
            </td>
            <td>
              {one.fields.map(([field, value], at) => (
                <div key={at}>
                  <Raw bytes={field} max={40} /> <span class="eq">=</span> <Raw bytes={value} />
                </div>
              ))}
            </td>
            <td class="buttons">
              <button type="button" class="danger" onClick={() => setRemoving(one.id)}>
                Remove<span class="unseen"> entry {one.id}</span>
              </button>
            </td>
          </tr>
        ))}
      </Rows>
      <Pager pages={pages} what="entries" />
      <Form label="Add an entry" button="Add entry" submit={add} busy={doing.busy}>
        <Area label="Fields of a new entry (one a line: name value, escaped)" value={entry} set={setEntry} rows={3} />
      </Form>
      <Form label="Max age" button="Set max age" submit={limit} busy={doing.busy} small>
        <Text label="Entries live for" value={age} set={setAge} hint="7d; empty: no bound" />
      </Form>
      <Fault words={doing.fault} />
      {removing !== null && (
        <RemoveDialog
          what={removing}
          from="the stream"
          close={() => setRemoving(null)}
          remove={async () => {
            await call(db, 'XDEL', name, removing);
            after();
          }}
        />
      )}
    </Panel>
  );
}
