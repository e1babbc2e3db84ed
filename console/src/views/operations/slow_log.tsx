import { Fragment } from 'preact';
import { bytes, list, number, text } from '../../api/reply';
import { call } from '../../api/server';
import { useAsk, useDo } from '../../app/ask';
import { micros } from '../../app/figures';
import { Fault, Nothing, Panel, Raw, Rows } from '../../parts/basics';
import { Instant } from '../../parts/instant';
import { Slices, useSlices } from '../../parts/slices';

export function SlowLog() {
  const asked = useAsk(
    async () =>
      list(await call(0, 'SLOWLOG', 'GET', 1024)).map((row) => {
        const [id, at, took, words, address, name] = list(row);
        return {
          id: text(id),
          at: number(at) * 1000,
          took: number(took),
          words: list(words).map(bytes),
          address: text(address),
          name: bytes(name ?? ''),
        };
      }),
    [],
  );
  const doing = useDo();
  const slices = useSlices(asked.value ?? []);
  const reset = () =>
    doing.run(async () => {
      await call(0, 'SLOWLOG', 'RESET');
      asked.again();
      return 'the slow log is empty';
    });
  return (
    <Panel
      title="Slow commands"
      wide
      actions={
        <>
          <button type="button" onClick={asked.again}>
            Reload
          </button>
          <button type="button" class="danger" disabled={doing.busy} onClick={reset}>
            Forget them
          </button>
        </>
      }
    >
      <Fault words={asked.fault || doing.fault} />
      {slices.all === 0 ? (
        !asked.fault && (
          <Nothing>
            None was slower than <code>slowlog-log-slower-than</code>.
          </Nothing>
        )
      ) : (
        <Rows label="Slow commands" heads={['When', 'Took', 'Command', 'Client']}>
          {slices.rows.map((one) => (
            <tr key={one.id}>
              <td>
                <Instant ms={one.at} />
              </td>
              <td class="number">{micros(one.took)}</td>
              <th scope="row">
                {one.words.map((word, at) => (
                  <Fragment key={at}>
                    {at > 0 && ' '}
                    <Raw bytes={word} max={80} />
                  </Fragment>
                ))}
              </th>
              <td>
                {one.address} <Raw bytes={one.name} max={40} />
              </td>
            </tr>
          ))}
        </Rows>
      )}
      <Slices of={slices} what="slow commands" />
    </Panel>
  );
}
