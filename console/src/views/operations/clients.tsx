import { useState } from 'preact/hooks';
import { text } from '../../api/reply';
import { call } from '../../api/server';
import { useAsk, useDo } from '../../app/ask';
import { length } from '../../app/time';
import { size } from '../../app/figures';
import { Fault, Nothing, Panel, Raw, Rows } from '../../parts/basics';
import { Confirm } from '../../parts/dialog';
import { Slices, useSlices } from '../../parts/slices';

type Client = Record<string, string>;

// "id=3 addr=127.0.0.1:1 name=x ...", one a line; the server lets no blank into a value.
const clientOf = (line: string): Client =>
  Object.fromEntries(
    line.split(' ').map((word) => {
      const at = word.indexOf('=');
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );

export function Clients() {
  const asked = useAsk(
    async () =>
      text(await call(0, 'CLIENT', 'LIST'))
        .split('\n')
        .filter((line) => line !== '')
        .map(clientOf),
    [],
  );
  const doing = useDo();
  const [ending, setEnding] = useState<Client | null>(null);
  const slices = useSlices(asked.value ?? []);
  const end = () =>
    doing.run(async () => {
      await call(0, 'CLIENT', 'KILL', 'ID', ending!.id);
      setEnding(null);
      asked.again();
      return 'the connection is closed';
    });
  return (
    <Panel
      title="Clients"
      wide
      actions={
        <button type="button" onClick={asked.again}>
          Reload
        </button>
      }
    >
      <Fault words={asked.fault} />
      {slices.all === 0 ? (
        !asked.fault && !asked.waiting && <Nothing>No client is connected.</Nothing>
      ) : (
        <Rows
          label="Clients"
          heads={[
            'Id',
            'Address',
            'Name',
            'User',
            'Database',
            'For',
            'Idle',
            'Last command',
            'Memory',
            <span class="unseen">Actions</span>,
          ]}
        >
          {slices.rows.map((one) => (
            <tr key={one.id}>
              <th scope="row">{one.id}</th>
              <td>{one.addr}</td>
              <td>
                <Raw bytes={one.name ?? ''} max={40} />
              </td>
              <td>
                <Raw bytes={one.user ?? ''} max={40} />
              </td>
              <td>db{one.db}</td>
              <td>{length(Number(one.age) * 1000)}</td>
              <td>{length(Number(one.idle) * 1000)}</td>
              <td>
                <Raw bytes={one.cmd ?? ''} max={40} />
              </td>
              <td class="number">{size(Number(one['tot-mem']))}</td>
              <td class="buttons">
                <button type="button" class="danger" onClick={() => setEnding(one)}>
                  Close<span class="unseen"> client {one.id}</span>
                </button>
              </td>
            </tr>
          ))}
        </Rows>
      )}
      <Slices of={slices} what="clients" />
      {ending && (
        <Confirm
          title={`Close the connection of client ${ending.id}?`}
          button="Close it"
          yes={end}
          no={() => setEnding(null)}
          busy={doing.busy}
        >
          <p>It is from {ending.addr}. A client that reconnects by itself will be back.</p>
          <Fault words={doing.fault} />
        </Confirm>
      )}
    </Panel>
  );
}
