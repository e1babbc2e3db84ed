// Settings with their meaning; those that can change while the server runs are changed here. Secrets are never shown.
import meanings from 'docs:settings';
import { useState } from 'preact/hooks';
import { pairs, text } from '../../api/reply';
import { call } from '../../api/server';
import { useAsk, useDo } from '../../app/ask';
import { Fault, Nothing, Panel, Raw, Rows } from '../../parts/basics';
import { Dialog } from '../../parts/dialog';
import { Choice, Form, Text } from '../../parts/inputs';
import { Slices, useSlices } from '../../parts/slices';

interface Setting {
  name: string;
  value: string;
  values: string;
  initial: string;
  meaning: string;
  changes: boolean;
  secret: boolean;
}

const kSecrets = ['requirepass', 'masterauth', 'tls-key-file-pass', 'http-keys'];

async function read(): Promise<Setting[]> {
  return pairs(await call(0, 'CONFIG', 'GET', '*'))
    .map(([key, value]) => {
      const name = text(key);
      const about = meanings[name] ?? { initial: '', values: '', when: '', meaning: '' };
      return {
        name,
        value: text(value),
        values: about.values,
        initial: about.initial,
        meaning: about.meaning,
        changes: about.when === 'any time',
        secret: kSecrets.includes(name),
      };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function Value({ of }: { of: Setting }) {
  if (of.secret) return <em>{of.value === '' ? 'not set' : 'set; not shown'}</em>;
  return of.value === '' ? <em>empty</em> : <Raw bytes={of.value} max={80} />;
}

export function Settings() {
  const asked = useAsk(read, []);
  const [words, setWords] = useState('');
  const [which, setWhich] = useState('effect');
  const [chosen, setChosen] = useState<Setting | null>(null);
  const doing = useDo();
  const found = (asked.value ?? []).filter(
    (one) =>
      (which !== 'changed' || (!one.secret && one.value !== one.initial)) &&
      (which !== 'effect' || !one.meaning.startsWith('No effect')) &&
      `${one.name} ${one.meaning}`.toLowerCase().includes(words.toLowerCase()),
  );
  const slices = useSlices(found);
  const rewrite = () =>
    doing.run(async () => {
      await call(0, 'CONFIG', 'REWRITE');
      return 'the settings are written to their file';
    });
  return (
    <Panel
      title="Settings"
      wide
      actions={
        <button type="button" disabled={doing.busy} onClick={rewrite}>
          Write to the file
        </button>
      }
    >
      <div class="form small">
        <Text label="Find a setting" value={words} set={setWords} hint="memory" />
        <Choice
          label="Which"
          value={which}
          set={setWhich}
          options={[
            ['effect', 'all with an effect'],
            ['changed', 'other than the default'],
            ['all', 'all'],
          ]}
        />
      </div>
      <Fault words={asked.fault || doing.fault} />
      {found.length === 0 ? (
        !asked.waiting && !asked.fault && <Nothing>No such setting.</Nothing>
      ) : (
        <Rows label="Settings" heads={['Setting', 'Value', 'Meaning', <span class="unseen">Actions</span>]}>
          {slices.rows.map((one) => (
            <tr key={one.name}>
              <th scope="row">
                <code>{one.name}</code>
              </th>
              <td>
                <Value of={one} />
              </td>
              <td class="prose">
                {one.meaning}
                {one.initial !== '' && <small> Default: {one.initial}.</small>}
              </td>
              <td class="buttons">
                {one.changes ? (
                  <button type="button" onClick={() => setChosen(one)}>
                    Change<span class="unseen"> {one.name}</span>
                  </button>
                ) : (
                  <small>at the start</small>
                )}
              </td>
            </tr>
          ))}
        </Rows>
      )}
      <Slices of={slices} what="settings" />
      {chosen && <ChangeSetting setting={chosen} close={() => setChosen(null)} changed={asked.again} />}
    </Panel>
  );
}

function ChangeSetting({ setting, close, changed }: { setting: Setting; close: () => void; changed: () => void }) {
  const [value, setValue] = useState(setting.secret ? '' : setting.value);
  const doing = useDo();
  const options = /^\w[\w-]*(, [\w-]+)+$/.test(setting.values) ? setting.values.split(', ') : null;
  const save = () =>
    doing.run(async () => {
      await call(0, 'CONFIG', 'SET', setting.name, value);
      changed();
      close();
      return `${setting.name} is set`;
    });
  return (
    <Dialog title={setting.name} close={close}>
      <p>{setting.meaning}</p>
      <p class="hint">
        Values: {setting.values}
        {setting.initial !== '' && `; default ${setting.initial}`}.
      </p>
      <Form label={`Change ${setting.name}`} button="Set" submit={save} busy={doing.busy}>
        {options ? (
          <Choice label="Value" value={value} set={setValue} options={options.map((one) => [one, one])} />
        ) : (
          <Text
            label="Value"
            value={value}
            set={setValue}
            type={setting.secret ? 'password' : 'text'}
            autocomplete={setting.secret ? 'new-password' : 'off'}
            mono
          />
        )}
        <button type="button" onClick={close}>
          Cancel
        </button>
      </Form>
      <Fault words={doing.fault} />
    </Dialog>
  );
}
