// A list: elements by index, from either end.
import { useState } from 'preact/hooks';
import type { Bytes } from '../../../api/bytes';
import { nameOf, parseEscaped } from '../../../api/bytes';
import { bytes, list, number } from '../../../api/reply';
import { call, replies } from '../../../api/server';
import { isError } from '../../../api/reply';
import { useDo } from '../../../app/ask';
import { count } from '../../../app/figures';
import { usePages } from '../../../app/pages';
import { Fault, Pager, Panel, Raw, Rows } from '../../../parts/basics';
import { EditDialog, RemoveDialog } from '../../../parts/edit_dialog';
import { Form, Text } from '../../../parts/inputs';
import type { Contents } from '../key_panel';

interface Element {
  index: number;
  value: Bytes;
}

const kPage = 100;

async function page(db: number, key: Bytes, from: number) {
  const [all, part] = await replies(db, [
    ['LLEN', key],
    ['LRANGE', key, from, from + kPage - 1],
  ]);
  if (isError(part)) throw new Error(part.error);
  const rows = list(part).map((one, at): Element => ({ index: from + at, value: bytes(one) }));
  return { rows, next: from + kPage < number(all) ? from + kPage : null, all: number(all) };
}

export function ListView({ db, name, changed }: Contents) {
  const [value, setValue] = useState('');
  const [chosen, setChosen] = useState<{ what: 'edit' | 'remove'; element: Element } | null>(null);
  const doing = useDo();
  const pages = usePages<Element, number>((from) => page(db, name, from ?? 0), [db, nameOf(name)]);
  const after = () => {
    pages.again();
    changed();
  };
  const push = (command: 'LPUSHX' | 'RPUSHX') =>
    doing.run(async () => {
      if (!number(await call(db, command, name, parseEscaped(value)))) throw new Error('the list is gone');
      setValue('');
      after();
      return 'element added';
    });
  // Others may push meanwhile: only the element that was shown is changed or removed at its index.
  const still = async ({ index, value: was }: Element) => {
    const now = await call(db, 'LINDEX', name, index);
    if (now === null || nameOf(bytes(now)) !== nameOf(was)) throw new Error('the list has moved on: reload it first');
  };
  const remove = async (element: Element) => {
    await still(element);
    const gone = `\0removed ${crypto.randomUUID()}`;
    await replies(db, [
      ['LSET', name, element.index, gone],
      ['LREM', name, 1, gone],
    ]).then((both) => {
      const refused = both.find(isError);
      if (refused) throw new Error(refused.error);
    });
    after();
  };
  return (
    <Panel title="Elements">
      <Fault words={pages.fault} />
      <Rows label="Elements" heads={['Index', 'Value', <span class="unseen">Actions</span>]}>
        {pages.rows.map((one) => (
          <tr key={one.index}>
            <th scope="row">{count(one.index)}</th>
            <td>
              <Raw bytes={one.value} />
            </td>
            <td class="buttons">
              <button type="button" onClick={() => setChosen({ what: 'edit', element: one })}>
                Edit<span class="unseen"> element {one.index}</span>
              </button>
              <button type="button" class="danger" onClick={() => setChosen({ what: 'remove', element: one })}>
                Remove<span class="unseen"> element {one.index}</span>
              </button>
            </td>
          </tr>
        ))}
      </Rows>
      <Pager pages={pages} what="elements" />
      <Form label="Add an element" button="Add at the end" submit={() => push('RPUSHX')} busy={doing.busy}>
        <Text label="Value (escaped)" value={value} set={setValue} mono />
        <button type="button" disabled={doing.busy} onClick={() => push('LPUSHX')}>
          Add at the front
        </button>
      </Form>
      <Fault words={doing.fault} />
      {chosen?.what === 'edit' && (
        <EditDialog
          title={`Element ${chosen.element.index}`}
          value={chosen.element.value}
          close={() => setChosen(null)}
          save={async (to) => {
            await still(chosen.element);
            await call(db, 'LSET', name, chosen.element.index, to);
            after();
          }}
        />
      )}
      {chosen?.what === 'remove' && (
        <RemoveDialog
          what={chosen.element.value}
          from="the list"
          close={() => setChosen(null)}
          remove={() => remove(chosen.element)}
        />
      )}
    </Panel>
  );
}
