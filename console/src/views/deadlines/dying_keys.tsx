// The keys behind a bar, in the order in which they will die.
import { useEffect } from 'preact/hooks';
import { nameOf } from '../../api/bytes';
import { bytes, list, number, text } from '../../api/reply';
import { call } from '../../api/server';
import { hashOf, keyHash } from '../../app/address';
import { usePages } from '../../app/pages';
import { instant, length, useNow } from '../../app/time';
import { Fault, Nothing, Pager, Panel, Raw, Rows } from '../../parts/basics';
import { Deadline } from '../../parts/instant';
import type { Span } from './spans';

const kPage = 100;

export function DyingKeys({ db, span, close }: { db: number; span: Span; close: () => void }) {
  const pages = usePages(
    async (cursor: string | null) => {
      const [next, rows] = list(
        await call(
          db,
          'TTL.SCAN',
          'FROM',
          span.begin,
          'TO',
          span.end,
          'COUNT',
          kPage,
          ...(cursor ? ['CURSOR', cursor] : []),
        ),
      );
      return {
        rows: list(rows)
          .map(list)
          .map(([key, deadline]) => ({ key: bytes(key), deadline: number(deadline) })),
        next: text(next) === '0' ? null : text(next),
      };
    },
    [db, span.begin, span.end],
  );
  // Those that died meanwhile leave the list.
  const now = useNow();
  const due = pages.rows.length > 0 && pages.rows[0].deadline <= now;
  useEffect(() => {
    if (due) pages.again();
  }, [due, now]);
  return (
    <Panel
      title={`Keys that die within ${length(span.end - span.begin)} of ${instant(span.begin)}`}
      wide
      actions={
        <>
          <a href={hashOf('browser', { db, by: 'deadline', from: span.begin, to: span.end })}>Change all of them</a>
          <button type="button" onClick={close}>
            Close
          </button>
        </>
      }
    >
      <Fault words={pages.fault} />
      {pages.rows.length === 0 ? (
        <Nothing>{pages.waiting ? '…' : 'None is left: they died, or live longer now.'}</Nothing>
      ) : (
        <Rows label="Keys that die then" heads={['Key', 'Dies']}>
          {pages.rows.map(({ key, deadline }) => (
            <tr key={nameOf(key)}>
              <th scope="row">
                <a href={keyHash(db, key)}>
                  <Raw bytes={key} />
                </a>
              </th>
              <td>
                <Deadline ms={deadline} />
              </td>
            </tr>
          ))}
        </Rows>
      )}
      <Pager pages={pages} what="keys" />
    </Panel>
  );
}
