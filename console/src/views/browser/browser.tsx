// Keys: found on the left (by prefix, by pattern, by when they die), shown and changed on the right.
import { useEffect, useRef } from 'preact/hooks';
import type { Place } from '../../app/address';
import { go, hashOf, keyOf, oneOf } from '../../app/address';
import { Nothing } from '../../parts/basics';
import { DbChoice, dbOf } from '../../parts/db_choice';
import { Tabs } from '../../parts/basics';
import { nameOf } from '../../api/bytes';
import { ByDeadline } from './by_deadline';
import { ByPattern } from './by_pattern';
import { KeyPanel } from './key_panel';
import { NewKey } from './new_key';
import { Tree } from './tree';

export function Browser({ place }: { place: Place }) {
  const db = dbOf(place);
  const key = keyOf(place);
  const by = oneOf(place, 'by', ['prefix', 'pattern', 'deadline']);
  // On a narrow screen what is found lies below, out of sight.
  const found = useRef<HTMLDivElement>(null);
  const shown = key === null ? (place.parts.make ?? '') : nameOf(key);
  const first = useRef(true);
  useEffect(() => {
    if (shown !== '' && !first.current && window.matchMedia('(max-width: 1100px)').matches)
      found.current?.scrollIntoView({ block: 'start' });
    first.current = false;
  }, [shown]);
  const at = (more: Record<string, string | undefined>) => hashOf('browser', { ...place.parts, db, ...more });
  return (
    <div class="browser">
      <div class="find">
        <div class="form small">
          <DbChoice place={place} />
          <button type="button" onClick={() => go(at({ key: undefined, make: '1' }))}>
            New key
          </button>
        </div>
        <Tabs
          label="Find keys"
          chosen={by}
          choose={(next) => go(at({ by: next }))}
          names={[
            ['prefix', 'By prefix'],
            ['pattern', 'By pattern'],
            ['deadline', 'By deadline'],
          ]}
        />
        {by === 'prefix' && <Tree db={db} chosen={key} open={(one) => go(at({ key: nameOf(one), make: undefined }))} />}
        {by === 'pattern' && <ByPattern db={db} place={place} at={at} />}
        {by === 'deadline' && <ByDeadline db={db} place={place} at={at} />}
      </div>
      <div class="found" ref={found}>
        {key !== null ? (
          <KeyPanel db={db} name={key} key={nameOf(key)} />
        ) : place.parts.make ? (
          <NewKey db={db} />
        ) : (
          <Nothing>Choose a key to see what it holds and when it dies.</Nothing>
        )}
      </div>
    </div>
  );
}
