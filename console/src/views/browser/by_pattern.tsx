// Keys by a pattern of Redis, a page at a time, and what can be done with all of them.
import { useState } from 'preact/hooks';
import { nameOf } from '../../api/bytes';
import { bytes, list, text } from '../../api/reply';
import type { Command } from '../../api/server';
import { call } from '../../api/server';
import type { Place } from '../../app/address';
import { go } from '../../app/address';
import { usePages } from '../../app/pages';
import { Fault, Nothing, Pager } from '../../parts/basics';
import { Choice, Form, Text } from '../../parts/inputs';
import { Bulk } from './bulk';
import { described, KeyList, kKeysOfPage } from './key_list';

const kTypes: [string, string][] = [
  ['', 'any type'],
  ['string', 'string'],
  ['hash', 'hash'],
  ['list', 'list'],
  ['set', 'set'],
  ['zset', 'sorted set'],
  ['stream', 'stream'],
];

export function ByPattern({
  db,
  place,
  at,
}: {
  db: number;
  place: Place;
  at: (more: Record<string, string | undefined>) => string;
}) {
  const pattern = place.parts.match ?? '*';
  const type = place.parts.type ?? '';
  const [words, setWords] = useState(pattern);
  const pages = usePages(
    async (cursor) => {
      const command: Command = ['SCAN', cursor ?? '0', 'MATCH', pattern, 'COUNT', kKeysOfPage];
      if (type) command.push('TYPE', type);
      const [next, keys] = list(await call(db, ...command));
      return { rows: await described(db, list(keys).map(bytes)), next: text(next) === '0' ? null : text(next) };
    },
    [db, pattern, type],
  );
  return (
    <>
      <Form
        label="Find by pattern"
        button="Find"
        small
        submit={() => (words === pattern ? pages.again() : go(at({ match: words })))}
      >
        <Text label="Pattern" value={words} set={setWords} hint="user:*" mono />
        <Choice label="Type" value={type} set={(next) => go(at({ type: next }))} options={kTypes} />
      </Form>
      <Fault words={pages.fault} />
      {pages.rows.length > 0 ? (
        <KeyList label="Keys found" keys={pages.rows} link={(key) => at({ key: nameOf(key), make: undefined })} />
      ) : (
        !pages.waiting &&
        !pages.fault && (
          <Nothing>
            {pages.forward ? 'None among the keys looked at so far; the next page goes on.' : 'No key matches.'}
          </Nothing>
        )
      )}
      <Pager pages={pages} what="keys" />
      <Bulk db={db} match={pattern} changed={pages.again} key={`${db} ${pattern}`} />
    </>
  );
}
