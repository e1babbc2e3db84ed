// Makes a database of a backup, in a new folder beside it. The server that runs keeps its own database: the restored
// one is served by another.
import { useState } from 'preact/hooks';
import { escaped } from '../../api/bytes';
import type { Bytes } from '../../api/bytes';
import { bytes, fields, list, number } from '../../api/reply';
import type { Command } from '../../api/server';
import { call } from '../../api/server';
import { useAsk } from '../../app/ask';
import { size } from '../../app/figures';
import { instant } from '../../app/time';
import { Fault, Nothing } from '../../parts/basics';
import { Choice, Form, Text } from '../../parts/inputs';

interface Backup {
  name: Bytes;
  bytes: number;
  written: number;
}

const kModes: [string, string][] = [
  ['HONOUR', 'keys that have died since are left out'],
  ['FREEZE', 'each key has the time left that it had'],
  ['STRIP', 'no key has a deadline'],
];

async function read(): Promise<Backup[]> {
  return list(await call(0, 'TTL.BACKUPS'))
    .map(fields)
    .map((of) => ({ name: bytes(of.name), bytes: number(of.bytes), written: number(of['written-at']) }));
}

// `round` changes when there may be another backup.
export function Restore({
  round,
  busy,
  start,
}: {
  round: unknown;
  busy: boolean;
  start: (title: string, ...command: Command) => Promise<boolean>;
}) {
  const asked = useAsk(read, [round]);
  const [chosen, setChosen] = useState('');
  const [folder, setFolder] = useState('');
  const [mode, setMode] = useState('HONOUR');
  if (asked.fault) return <Fault words={asked.fault} />;
  const backups = asked.value ?? [];
  if (backups.length === 0) return asked.waiting ? null : <Nothing>There is no backup to restore yet.</Nothing>;
  const backup = backups.find((one) => escaped(one.name) === chosen) ?? backups[0];
  const submit = () => start('the restore', 'TTL.RESTORE', backup.name, folder.trim(), 'DEADLINES', mode);
  return (
    <>
      <Form label="Restore" button="Restore" submit={submit} busy={busy}>
        <Choice
          label="Backup"
          value={escaped(backup.name)}
          set={setChosen}
          options={backups.map((one) => [
            escaped(one.name),
            `${escaped(one.name)}, ${size(one.bytes)}, ${instant(one.written)}`,
          ])}
        />
        <Text label="New folder" value={folder} set={setFolder} hint="restored" required mono />
        <Choice label="Deadlines" value={mode} set={setMode} options={kModes} />
      </Form>
      <p class="hint">
        The folder is made beside the backups and never over another. A running database is not replaced: serve the
        restored one by <code class="raw">mayfly serve --dir FOLDER</code>, on other ports or once this server has
        stopped.
      </p>
    </>
  );
}
