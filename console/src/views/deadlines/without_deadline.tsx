// Keys that stay for ever, by prefix. They are counted as the scan reads them, page by page, until it is stopped.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Bytes } from '../../api/bytes';
import { fromArray, nameOf, toArray } from '../../api/bytes';
import { bytes, list, text } from '../../api/reply';
import { call } from '../../api/server';
import { keyHash } from '../../app/address';
import { count } from '../../app/figures';
import { Fault, Nothing, Panel, Raw, Rows } from '../../parts/basics';
import { Text } from '../../parts/inputs';

interface Group {
  prefix: Bytes | null; // null: keys without the delimiter.
  keys: number;
  sample: Bytes;
}

const kPage = 10_000;
const kGroupsMax = 1000;
const kGroupsShown = 50;

const kReached = { running: ' so far …', done: ', all of them', idle: ' until it was stopped' };

function prefixOf(key: Bytes, delimiter: Bytes): Bytes | null {
  if (typeof key === 'string' && typeof delimiter === 'string') {
    const at = key.indexOf(delimiter);
    return at < 0 ? null : key.slice(0, at + delimiter.length);
  }
  const bytesOfKey = toArray(key);
  const mark = toArray(delimiter);
  for (let at = 0; at + mark.length <= bytesOfKey.length; at += 1) {
    if (mark.every((byte, by) => bytesOfKey[at + by] === byte)) return fromArray(bytesOfKey.slice(0, at + mark.length));
  }
  return null;
}

function useGroups(db: number, delimiter: string) {
  const [groups, setGroups] = useState<Map<string, Group>>(new Map());
  const [seen, setSeen] = useState(0);
  const [state, setState] = useState<'idle' | 'running' | 'done'>('idle');
  const [fault, setFault] = useState('');
  const stopped = useRef(false);
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [],
  );
  const run = async () => {
    stopped.current = false;
    setState('running');
    setFault('');
    const all = new Map<string, Group>();
    let cursor = '';
    let total = 0;
    try {
      while (cursor !== '0' && !stopped.current) {
        const [next, keys] = list(
          await call(db, 'TTL.SCAN', 'NOTTL', 'COUNT', kPage, ...(cursor ? ['CURSOR', cursor] : [])),
        );
        cursor = text(next);
        for (const key of list(keys).map(bytes)) {
          const prefix = delimiter ? prefixOf(key, delimiter) : null;
          const name = prefix === null ? '' : nameOf(prefix);
          const group = all.get(name);
          if (group) group.keys += 1;
          else if (all.size < kGroupsMax) all.set(name, { prefix, keys: 1, sample: key });
          total += 1;
        }
        setGroups(new Map(all));
        setSeen(total);
      }
      setState(cursor === '0' ? 'done' : 'idle');
    } catch (caught) {
      setFault((caught as Error).message);
      setState('idle');
    }
  };
  return {
    groups: [...groups.values()].sort((a, b) => b.keys - a.keys),
    seen,
    state,
    fault,
    run,
    stop: () => {
      stopped.current = true;
    },
  };
}

export function WithoutDeadline({ db }: { db: number }) {
  const [delimiter, setDelimiter] = useState(':');
  const [shown, setShown] = useState(kGroupsShown);
  const { groups, seen, state, fault, run, stop } = useGroups(db, delimiter);
  return (
    <Panel title="Keys without a deadline, by prefix" wide>
      <form
        class="form small"
        aria-label="Count by prefix"
        onSubmit={(event) => {
          event.preventDefault();
          setShown(kGroupsShown);
          run();
        }}
      >
        <Text label="Delimiter" value={delimiter} set={setDelimiter} mono />
        <button type="submit" class="primary" disabled={state === 'running'}>
          Count
        </button>
        <button type="button" disabled={state !== 'running'} onClick={stop}>
          Stop
        </button>
        <p class="hint" role="status">
          {state === 'idle' && seen === 0 ? 'Reads the database in steps.' : `${count(seen)} keys${kReached[state]}`}
        </p>
      </form>
      <Fault words={fault} />
      {groups.length === 0 ? (
        state === 'done' && <Nothing>Every key has a deadline.</Nothing>
      ) : (
        <Rows label="Prefixes" heads={['Prefix', 'Keys', 'Such as']}>
          {groups.slice(0, shown).map((group) => (
            <tr key={group.prefix === null ? '' : nameOf(group.prefix)}>
              <th scope="row">{group.prefix === null ? <em>no prefix</em> : <Raw bytes={group.prefix} max={60} />}</th>
              <td class="number">{count(group.keys)}</td>
              <td>
                <a href={keyHash(db, group.sample)}>
                  <Raw bytes={group.sample} max={60} />
                </a>
              </td>
            </tr>
          ))}
        </Rows>
      )}
      {groups.length > shown && (
        <button type="button" onClick={() => setShown(shown + kGroupsShown)}>
          More prefixes
        </button>
      )}
      {groups.length >= kGroupsMax && (
        <p class="hint">The first {count(kGroupsMax)} prefixes are counted; keys of others are in the sum alone.</p>
      )}
    </Panel>
  );
}
