// A string: all of it up to a bound, beyond that its pieces to be read.
import { useState } from 'preact/hooks';
import { nameOf } from '../../../api/bytes';
import { bytes, number } from '../../../api/reply';
import { call } from '../../../api/server';
import { useAsk, useDo } from '../../../app/ask';
import { count, size } from '../../../app/figures';
import { Fault, Nothing, Panel, RawWhole } from '../../../parts/basics';
import { ValueEditor } from '../../../parts/value_editor';
import type { Contents } from '../key_panel';

const kEditBytesMax = 256 * 1024;
const kPieceBytes = 16 * 1024;

export function StringView({ db, name, changed }: Contents) {
  const [at, setAt] = useState(0);
  const doing = useDo();
  const asked = useAsk(async () => {
    const all = number(await call(db, 'STRLEN', name));
    const value =
      all <= kEditBytesMax ? await call(db, 'GET', name) : await call(db, 'GETRANGE', name, at, at + kPieceBytes - 1);
    return { all, value: bytes(value) };
  }, [db, nameOf(name), at]);
  if (asked.fault) return <Fault words={asked.fault} />;
  if (!asked.value) return <Nothing>…</Nothing>;
  const { all, value } = asked.value;
  const save = async (next: ReturnType<typeof bytes>) => {
    // XX and KEEPTTL: neither a key that died meanwhile nor its deadline comes back by an edit.
    if ((await call(db, 'SET', name, next, 'XX', 'KEEPTTL')) === null)
      throw new Error('the key was gone before it was saved');
    asked.again();
    changed();
  };
  if (all <= kEditBytesMax) {
    return (
      <Panel title="String">
        <ValueEditor label="Value" value={value} save={save} doing={doing} />
      </Panel>
    );
  }
  return (
    <Panel title={`String of ${size(all)}`}>
      <p class="hint">
        Too long to be edited here; bytes {count(at)} to {count(Math.min(all, at + kPieceBytes))}:
      </p>
      <div class="block" tabIndex={0} role="region" aria-label="Bytes">
        <RawWhole bytes={value} />
      </div>
      <nav class="pager" aria-label="Pieces">
        <button type="button" disabled={at === 0} onClick={() => setAt(Math.max(0, at - kPieceBytes))}>
          Back
        </button>
        <button type="button" disabled={at + kPieceBytes >= all} onClick={() => setAt(at + kPieceBytes)}>
          Next
        </button>
      </nav>
    </Panel>
  );
}
