// Keys that die within a window of time, in the order of their deaths; or those that never do.
import { useState } from 'preact/hooks';
import { nameOf } from '../../api/bytes';
import { bytes, list, number, text } from '../../api/reply';
import type { Command } from '../../api/server';
import { call, replies } from '../../api/server';
import type { Place } from '../../app/address';
import { go } from '../../app/address';
import { usePages } from '../../app/pages';
import { instant, parseTime, serverNow } from '../../app/time';
import { Fault, Nothing, Pager } from '../../parts/basics';
import { Choice, Form, Text } from '../../parts/inputs';
import { Bulk } from './bulk';
import type { FoundKey } from './key_list';
import { KeyList } from './key_list';

const kPage = 100;

async function dying(db: number, from: string, to: string, cursor: string | null) {
  const command: Command = ['TTL.SCAN'];
  if (from || !to) command.push('FROM', from || '0');
  if (to) command.push('TO', to);
  command.push('COUNT', kPage);
  if (cursor) command.push('CURSOR', cursor);
  const [next, rows] = list(await call(db, ...command));
  const keys = list(rows)
    .map(list)
    .map(([key, deadline]) => ({ key: bytes(key), deadline: number(deadline) }));
  const types = await replies(
    db,
    keys.map(({ key }) => ['TYPE', key]),
  );
  const found: FoundKey[] = keys.map((one, at) => ({ ...one, type: text(types[at]) }));
  return { rows: found, next: text(next) === '0' ? null : text(next) };
}

async function staying(db: number, cursor: string | null) {
  const command: Command = ['TTL.SCAN', 'NOTTL', 'COUNT', kPage];
  if (cursor) command.push('CURSOR', cursor);
  const [next, rows] = list(await call(db, ...command));
  const keys = list(rows).map(bytes);
  const types = await replies(
    db,
    keys.map((key) => ['TYPE', key]),
  );
  const found: FoundKey[] = keys.map((key, at) => ({ key, deadline: null, type: text(types[at]) }));
  return { rows: found, next: text(next) === '0' ? null : text(next) };
}

export function ByDeadline({
  db,
  place,
  at,
}: {
  db: number;
  place: Place;
  at: (more: Record<string, string | undefined>) => string;
}) {
  const { from = '', to = '', which = 'dying' } = place.parts;
  const [first, setFirst] = useState(from && instant(Number(from)));
  const [last, setLast] = useState(to && instant(Number(to)));
  const [fault, setFault] = useState('');
  const pages = usePages(
    (cursor: string | null) => (which === 'dying' ? dying(db, from, to, cursor) : staying(db, cursor)),
    [db, from, to, which],
  );
  const submit = () => {
    try {
      const text = (words: string) => parseTime(words, serverNow())?.toString();
      setFault('');
      const hash = at({ from: text(first), to: text(last) });
      if (hash === window.location.hash) pages.again();
      else go(hash);
    } catch (caught) {
      setFault((caught as Error).message);
    }
  };
  return (
    <>
      <Choice
        label="Which"
        value={which}
        set={(next) => go(at({ which: next }))}
        options={[
          ['dying', 'keys that die'],
          ['staying', 'keys without a deadline'],
        ]}
      />
      {which === 'dying' && (
        <Form label="Find by deadline" button="Find" submit={submit} small>
          <Text label="From" value={first} set={setFirst} hint="now" />
          <Text label="To" value={last} set={setLast} hint="1h, 2030-01-31" />
        </Form>
      )}
      <Fault words={fault || pages.fault} />
      {pages.rows.length > 0 ? (
        <KeyList label="Keys found" keys={pages.rows} link={(key) => at({ key: nameOf(key), make: undefined })} />
      ) : (
        !pages.waiting &&
        !pages.fault && (
          <Nothing>
            {pages.forward ? 'None among the keys looked at so far; the next page goes on.' : 'No such key.'}
          </Nothing>
        )
      )}
      <Pager pages={pages} what="keys" />
      {which === 'dying' && (
        <Bulk db={db} from={from || '0'} to={to} changed={pages.again} key={`${db} ${from} ${to}`} />
      )}
    </>
  );
}
