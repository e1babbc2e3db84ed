// A hash: its fields a page at a time, each with its value and a deadline of its own.
import { useState } from 'preact/hooks';
import type { Bytes } from '../../../api/bytes';
import { nameOf, parseEscaped, shortened } from '../../../api/bytes';
import { bytes, list, number, text } from '../../../api/reply';
import { call } from '../../../api/server';
import { useDo } from '../../../app/ask';
import { count } from '../../../app/figures';
import { usePages } from '../../../app/pages';
import { Fault, Of, Pager, Panel, Raw, Rows } from '../../../parts/basics';
import { DeadlineDialog, EditDialog, RemoveDialog } from '../../../parts/edit_dialog';
import { Form, Text } from '../../../parts/inputs';
import { Deadline } from '../../../parts/instant';
import type { Contents } from '../key_panel';

interface Field {
  name: Bytes;
  value: Bytes;
  deadline: number | null;
}

const kPage = 100;

async function page(db: number, key: Bytes, match: string, cursor: string | null) {
  const [next, flat] = list(await call(db, 'HSCAN', key, cursor ?? '0', 'MATCH', match || '*', 'COUNT', kPage));
  const found = list(flat);
  const names = found.filter((_, at) => at % 2 === 0).map(bytes);
  let deadlines: number[] = [];
  if (names.length > 0) {
    deadlines = list(await call(db, 'HPEXPIRETIME', key, 'FIELDS', names.length, ...names)).map(number);
  }
  const rows = names.map((name, at): Field => ({
    name,
    value: bytes(found[at * 2 + 1]),
    deadline: deadlines[at] > 0 ? deadlines[at] : null,
  }));
  return { rows, next: text(next) === '0' ? null : text(next) };
}

export function HashView({ db, name, changed }: Contents) {
  const [match, setMatch] = useState('');
  const [filter, setFilter] = useState('');
  const [field, setField] = useState('');
  const [value, setValue] = useState('');
  const [chosen, setChosen] = useState<{ what: 'value' | 'deadline' | 'remove'; field: Field } | null>(null);
  const doing = useDo();
  const pages = usePages((cursor: string | null) => page(db, name, match, cursor), [db, nameOf(name), match]);
  const after = () => {
    pages.again();
    changed();
  };
  const add = () =>
    doing.run(async () => {
      await call(db, 'HSET', name, parseEscaped(field), parseEscaped(value));
      setField('');
      setValue('');
      after();
      return 'field saved';
    });
  const close = () => setChosen(null);
  const save = async (one: Field, to: Bytes) => {
    // HSET would remove the field's deadline, and bring back a field that died meanwhile.
    const done = await call(db, 'HSETEX', name, 'FXX', 'KEEPTTL', 'FIELDS', 1, one.name, to);
    if (!number(done)) throw new Error('the field was gone before it was saved');
    after();
  };
  return (
    <Panel title="Fields">
      <Form
        label="Filter fields"
        button="Filter"
        small
        submit={() => (filter === match ? pages.again() : setMatch(filter))}
      >
        <Text label="Fields like" value={filter} set={setFilter} hint="*" mono />
      </Form>
      <Fault words={pages.fault} />
      <Rows label="Fields" heads={['Field', 'Value', 'Dies', <span class="unseen">Actions</span>]}>
        {pages.rows.map((one) => (
          <tr key={nameOf(one.name)}>
            <th scope="row">
              <Raw bytes={one.name} max={60} />
            </th>
            <td>
              <Raw bytes={one.value} />
            </td>
            <td>
              <Deadline ms={one.deadline} />
            </td>
            <td class="buttons">
              <button type="button" onClick={() => setChosen({ what: 'value', field: one })}>
                Edit
                <Of bytes={one.name} />
              </button>
              <button type="button" onClick={() => setChosen({ what: 'deadline', field: one })}>
                Deadline
                <Of bytes={one.name} />
              </button>
              <button type="button" class="danger" onClick={() => setChosen({ what: 'remove', field: one })}>
                Remove
                <Of bytes={one.name} />
              </button>
            </td>
          </tr>
        ))}
      </Rows>
      <Pager pages={pages} what="fields" />
      <Form label="Add or change a field" button="Save field" submit={add} busy={doing.busy}>
        <Text label="Field (escaped)" value={field} set={setField} mono required />
        <Text label="Value (escaped)" value={value} set={setValue} mono />
      </Form>
      <Fault words={doing.fault} />
      {chosen?.what === 'value' && (
        <EditDialog
          title={`Field ${shortened(chosen.field.name, 40)}`}
          value={chosen.field.value}
          close={close}
          save={(to) => save(chosen.field, to)}
        />
      )}
      {chosen?.what === 'deadline' && (
        <DeadlineDialog
          what={`field ${shortened(chosen.field.name, 40)}`}
          deadline={chosen.field.deadline}
          close={close}
          set={async (at) => {
            const [done] = list(await call(db, 'HPEXPIREAT', name, at, 'FIELDS', 1, chosen.field.name));
            if (number(done) < 1) throw new Error('there is no such field any more');
            close();
            after();
          }}
          remove={async () => {
            await call(db, 'HPERSIST', name, 'FIELDS', 1, chosen.field.name);
            close();
            after();
          }}
        />
      )}
      {chosen?.what === 'remove' && (
        <RemoveDialog
          what={chosen.field.name}
          from="the hash"
          close={close}
          remove={async () => {
            await call(db, 'HDEL', name, chosen.field.name);
            after();
          }}
        />
      )}
      <p class="hint">{count(pages.rows.length)} on this page.</p>
    </Panel>
  );
}
