// A sorted set: members by score, from the lowest or the highest, within bounds.
import { useState } from 'preact/hooks';
import type { Bytes } from '../../../api/bytes';
import { escaped, nameOf, parseEscaped } from '../../../api/bytes';
import { bytes, list, pairs, text } from '../../../api/reply';
import { call } from '../../../api/server';
import { useDo } from '../../../app/ask';
import { usePages } from '../../../app/pages';
import { Fault, Of, Pager, Panel, Raw, Rows } from '../../../parts/basics';
import { RemoveDialog } from '../../../parts/edit_dialog';
import { Choice, Form, Text } from '../../../parts/inputs';
import type { Contents } from '../key_panel';

interface Member {
  name: Bytes;
  score: string; // As the server writes it: a double is not rounded on its way through the page.
}

interface Bounds {
  min: string;
  max: string;
  down: boolean;
}

const kPage = 100;

async function page(db: number, key: Bytes, { min, max, down }: Bounds, from: number) {
  const [first, last] = down ? [max || '+inf', min || '-inf'] : [min || '-inf', max || '+inf'];
  const reply = await call(
    db,
    'ZRANGE',
    key,
    first,
    last,
    'BYSCORE',
    ...(down ? ['REV'] : []),
    'LIMIT',
    from,
    kPage + 1,
    'WITHSCORES',
  );
  const found = pairs(list(reply)).map(([name, score]): Member => ({ name: bytes(name), score: text(score) }));
  return { rows: found.slice(0, kPage), next: found.length > kPage ? from + kPage : null };
}

export function SortedSetView({ db, name, changed }: Contents) {
  const [bounds, setBounds] = useState<Bounds>({ min: '', max: '', down: false });
  const [min, setMin] = useState('');
  const [max, setMax] = useState('');
  const [member, setMember] = useState('');
  const [score, setScore] = useState('');
  const [removing, setRemoving] = useState<Bytes | null>(null);
  const doing = useDo();
  const pages = usePages<Member, number>((from) => page(db, name, bounds, from ?? 0), [db, nameOf(name), bounds]);
  const after = () => {
    pages.again();
    changed();
  };
  const save = () =>
    doing.run(async () => {
      await call(db, 'ZADD', name, score.trim(), parseEscaped(member));
      setMember('');
      setScore('');
      after();
      return 'member saved';
    });
  const edit = (one: Member) => {
    setMember(escaped(one.name));
    setScore(one.score);
  };
  return (
    <Panel title="Members by score">
      <Form
        label="Bounds"
        button="Show"
        small
        submit={() => setBounds({ ...bounds, min: min.trim(), max: max.trim() })}
      >
        <Text label="From score" value={min} set={setMin} hint="-inf" mono />
        <Text label="To score" value={max} set={setMax} hint="+inf" mono />
        <Choice
          label="Order"
          value={bounds.down ? 'down' : 'up'}
          options={[
            ['up', 'lowest first'],
            ['down', 'highest first'],
          ]}
          set={(order) => setBounds({ ...bounds, down: order === 'down' })}
        />
      </Form>
      <Fault words={pages.fault} />
      <Rows label="Members" heads={['Score', 'Member', <span class="unseen">Actions</span>]}>
        {pages.rows.map((one) => (
          <tr key={nameOf(one.name)}>
            <td class="number">{one.score}</td>
            <th scope="row">
              <Raw bytes={one.name} />
            </th>
            <td class="buttons">
              <button type="button" onClick={() => edit(one)}>
                Change score
                <Of bytes={one.name} />
              </button>
              <button type="button" class="danger" onClick={() => setRemoving(one.name)}>
                Remove
                <Of bytes={one.name} />
              </button>
            </td>
          </tr>
        ))}
      </Rows>
      <Pager pages={pages} what="members" />
      <Form label="Add a member or change its score" button="Save member" submit={save} busy={doing.busy}>
        <Text label="Score" value={score} set={setScore} mono required />
        <Text label="Member (escaped)" value={member} set={setMember} mono />
      </Form>
      <Fault words={doing.fault} />
      {removing !== null && (
        <RemoveDialog
          what={removing}
          from="the sorted set"
          close={() => setRemoving(null)}
          remove={async () => {
            await call(db, 'ZREM', name, removing);
            after();
          }}
        />
      )}
    </Panel>
  );
}
