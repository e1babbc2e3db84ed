// Users and what they may do. Hashes of passwords are not shown.
import { useState } from 'preact/hooks';
import type { Bytes } from '../../api/bytes';
import { nameOf, parseEscaped, shortened } from '../../api/bytes';
import { bytes, fields, isError, list, text } from '../../api/reply';
import { call, replies } from '../../api/server';
import { useAsk, useDo } from '../../app/ask';
import { plural } from '../../app/figures';
import { Fault, Of, Panel, Raw, Rows } from '../../parts/basics';
import { Confirm } from '../../parts/dialog';
import { Form, Text } from '../../parts/inputs';
import { Slices, useSlices } from '../../parts/slices';

interface User {
  name: Bytes;
  flags: string[];
  passwords: number;
  commands: string;
  keys: string;
  channels: string;
}

async function read(): Promise<User[]> {
  const names = list(await call(0, 'ACL', 'USERS')).map(bytes);
  const answers = await replies(
    0,
    names.map((name) => ['ACL', 'GETUSER', name]),
  );
  return answers.map((answer, at) => {
    if (isError(answer)) throw new Error(answer.error);
    const of = fields(answer);
    return {
      name: names[at],
      flags: list(of.flags).map(text),
      passwords: list(of.passwords).length,
      commands: text(of.commands),
      keys: text(of.keys),
      channels: text(of.channels),
    };
  });
}

export function Users() {
  const asked = useAsk(read, []);
  const slices = useSlices(asked.value ?? []);
  const doing = useDo();
  const [name, setName] = useState('');
  const [rules, setRules] = useState('');
  const [leaving, setLeaving] = useState<Bytes | null>(null);
  const save = () =>
    doing.run(async () => {
      await call(0, 'ACL', 'SETUSER', parseEscaped(name), ...rules.split(/\s+/).filter((rule) => rule !== ''));
      setRules('');
      asked.again();
      return 'the user is saved';
    });
  const remove = () =>
    doing.run(async () => {
      await call(0, 'ACL', 'DELUSER', leaving!);
      setLeaving(null);
      asked.again();
      return 'the user is removed';
    });
  return (
    <Panel
      title="Users"
      wide
      actions={
        <button type="button" onClick={asked.again}>
          Reload
        </button>
      }
    >
      <Fault words={asked.fault} />
      <Rows
        label="Users"
        heads={['Name', 'State', 'Passwords', 'Commands', 'Keys', 'Channels', <span class="unseen">Actions</span>]}
      >
        {slices.rows.map((one) => (
          <tr key={nameOf(one.name)}>
            <th scope="row">
              <Raw bytes={one.name} max={60} />
            </th>
            <td>{one.flags.includes('on') ? 'on' : 'off'}</td>
            <td>{one.flags.includes('nopass') ? 'none is needed' : plural(one.passwords, 'password')}</td>
            <td>
              <Raw bytes={one.commands} max={120} />
            </td>
            <td>
              <Raw bytes={one.keys} max={80} />
            </td>
            <td>
              <Raw bytes={one.channels} max={80} />
            </td>
            <td class="buttons">
              <button type="button" onClick={() => setName(shortened(one.name, 500))}>
                Change
                <Of bytes={one.name} />
              </button>
              <button type="button" class="danger" onClick={() => setLeaving(one.name)}>
                Remove
                <Of bytes={one.name} />
              </button>
            </td>
          </tr>
        ))}
      </Rows>
      <Slices of={slices} what="users" />
      <Form label="Make or change a user" button="Save user" submit={save} busy={doing.busy}>
        <Text label="User" value={name} set={setName} mono required />
        <Text
          label="Rules, as ACL SETUSER takes them"
          value={rules}
          set={setRules}
          hint="on >password ~app:* +@read"
          mono
        />
      </Form>
      <p class="hint">
        Users stay after a restart when the server has an <code>aclfile</code> and they are saved (ACL SAVE), or with
        CONFIG REWRITE.
      </p>
      <Fault words={leaving === null ? doing.fault : ''} />
      {leaving !== null && (
        <Confirm title="Remove this user?" button="Remove" yes={remove} no={() => setLeaving(null)} busy={doing.busy}>
          <p>
            <Raw bytes={leaving} /> and all their connections go at once.
          </p>
          <Fault words={doing.fault} />
        </Confirm>
      )}
    </Panel>
  );
}
