// A set: its members, a page at a time.
import { useState } from 'preact/hooks';
import type { Bytes } from '../../../api/bytes';
import { nameOf, parseEscaped } from '../../../api/bytes';
import { bytes, list, number, text } from '../../../api/reply';
import { call } from '../../../api/server';
import { useDo } from '../../../app/ask';
import { usePages } from '../../../app/pages';
import { Fault, Of, Pager, Panel, Raw, Rows } from '../../../parts/basics';
import { RemoveDialog } from '../../../parts/edit_dialog';
import { Form, Text } from '../../../parts/inputs';
import type { Contents } from '../key_panel';

const kPage = 100;

async function page(db: number, key: Bytes, match: string, cursor: string | null) {
  const [next, part] = list(await call(db, 'SSCAN', key, cursor ?? '0', 'MATCH', match || '*', 'COUNT', kPage));
  return { rows: list(part).map(bytes), next: text(next) === '0' ? null : text(next) };
}

export function SetView({ db, name, changed }: Contents) {
  const [match, setMatch] = useState('');
  const [filter, setFilter] = useState('');
  const [member, setMember] = useState('');
  const [removing, setRemoving] = useState<Bytes | null>(null);
  const doing = useDo();
  const pages = usePages((cursor: string | null) => page(db, name, match, cursor), [db, nameOf(name), match]);
  const after = () => {
    pages.again();
    changed();
  };
  const add = () =>
    doing.run(async () => {
      const added = number(await call(db, 'SADD', name, parseEscaped(member)));
      setMember('');
      after();
      return added ? 'member added' : 'it was a member already';
    });
  return (
    <Panel title="Members">
      <Form
        label="Filter members"
        button="Filter"
        small
        submit={() => (filter === match ? pages.again() : setMatch(filter))}
      >
        <Text label="Members like" value={filter} set={setFilter} hint="*" mono />
      </Form>
      <Fault words={pages.fault} />
      <Rows label="Members" heads={['Member', <span class="unseen">Actions</span>]}>
        {pages.rows.map((one) => (
          <tr key={nameOf(one)}>
            <th scope="row">
              <Raw bytes={one} />
            </th>
            <td class="buttons">
              <button type="button" class="danger" onClick={() => setRemoving(one)}>
                Remove
                <Of bytes={one} />
              </button>
            </td>
          </tr>
        ))}
      </Rows>
      <Pager pages={pages} what="members" />
      <Form label="Add a member" button="Add" submit={add} busy={doing.busy}>
        <Text label="Member (escaped)" value={member} set={setMember} mono />
      </Form>
      <Fault words={doing.fault} />
      {removing !== null && (
        <RemoveDialog
          what={removing}
          from="the set"
          close={() => setRemoving(null)}
          remove={async () => {
            await call(db, 'SREM', name, removing);
            after();
          }}
        />
      )}
    </Panel>
  );
}
