// One key: what it is, when it dies, what it holds; renamed and removed here, its contents changed by its type's view.
import type { FunctionComponent } from 'preact';
import { useState } from 'preact/hooks';
import type { Bytes } from '../../api/bytes';
import { escaped, nameOf, parseEscaped, shortened } from '../../api/bytes';
import { isError, number, text } from '../../api/reply';
import { call, replies } from '../../api/server';
import { go, keyHash } from '../../app/address';
import { useAsk, useDo } from '../../app/ask';
import { size } from '../../app/figures';
import { useNow } from '../../app/time';
import { Fault, Nothing, Panel, RawWhole } from '../../parts/basics';
import { Confirm } from '../../parts/dialog';
import { Deadline } from '../../parts/instant';
import { Form, Text } from '../../parts/inputs';
import { TtlEditor } from '../../parts/ttl_editor';
import { HashView } from './types/hash';
import { ListView } from './types/list';
import { SetView } from './types/set';
import { SortedSetView } from './types/sorted_set';
import { StreamView } from './types/stream';
import { StringView } from './types/string';

export interface Contents {
  db: number;
  name: Bytes;
  changed: () => void; // The key may be gone, or have another deadline.
}

const kViews: Record<string, FunctionComponent<Contents>> = {
  string: StringView,
  hash: HashView,
  list: ListView,
  set: SetView,
  zset: SortedSetView,
  stream: StreamView,
};

const kNames: Record<string, string> = { zset: 'sorted set' };

async function describe(db: number, name: Bytes) {
  const [type, deadline, memory, encoding] = await replies(db, [
    ['TYPE', name],
    ['PEXPIRETIME', name],
    ['MEMORY', 'USAGE', name],
    ['OBJECT', 'ENCODING', name],
  ]);
  if (isError(type)) throw new Error(type.error);
  return {
    type: text(type),
    deadline: isError(deadline) || number(deadline) < 0 ? null : number(deadline),
    memory: isError(memory) || memory === null ? null : number(memory),
    encoding: isError(encoding) ? '' : text(encoding),
  };
}

function Rename({ db, name, close }: { db: number; name: Bytes; close: () => void }) {
  const [next, setNext] = useState(escaped(name));
  const doing = useDo();
  const submit = () =>
    doing.run(async () => {
      const to = parseEscaped(next);
      if (!number(await call(db, 'RENAMENX', name, to))) throw new Error('there is a key of that name');
      go(keyHash(db, to));
      close();
      return `renamed to ${shortened(to, 40)}`;
    });
  return (
    <>
      <Form label="Rename" submit={submit} busy={doing.busy} button="Rename">
        <Text label="New name (escaped)" value={next} set={setNext} mono />
        <button type="button" onClick={close}>
          Cancel
        </button>
      </Form>
      <Fault words={doing.fault} />
    </>
  );
}

export function KeyPanel({ db, name }: { db: number; name: Bytes }) {
  const asked = useAsk(() => describe(db, name), [db, nameOf(name)]);
  const ttl = useDo();
  const removing = useDo();
  const [asking, setAsking] = useState<'remove' | 'rename' | null>(null);
  const now = useNow();
  const facts = asked.value;
  const title = shortened(name, 60) || '(the empty key)';
  if (asked.fault) return <Fault words={asked.fault} />;
  if (!facts) return <Nothing>…</Nothing>;
  const dead = facts.type === 'none' || (facts.deadline !== null && now > facts.deadline);
  if (dead) {
    return (
      <Panel title={title}>
        <p class="gone" role="status">
          {facts.deadline !== null ? (
            <>
              This key died: <Deadline ms={facts.deadline} />
            </>
          ) : (
            'There is no such key.'
          )}
        </p>
        <div class="actions">
          <button type="button" onClick={asked.again}>
            Look again
          </button>
        </div>
      </Panel>
    );
  }
  const View = kViews[facts.type];
  const set = async (at: number) => {
    if (!number(await call(db, 'PEXPIREAT', name, at))) throw new Error('the key was gone before its deadline was set');
    asked.again();
  };
  const remove = async () => {
    await call(db, 'PERSIST', name);
    asked.again();
  };
  const unlink = () =>
    removing.run(async () => {
      await call(db, 'UNLINK', name);
      setAsking(null);
      asked.again();
      return 'the key is deleted';
    });
  return (
    <>
      <Panel
        title={title}
        actions={
          <>
            <button type="button" onClick={asked.again}>
              Reload
            </button>
            <button type="button" onClick={() => setAsking('rename')}>
              Rename
            </button>
            <button type="button" class="danger" onClick={() => setAsking('remove')}>
              Delete
            </button>
          </>
        }
      >
        {asking === 'rename' && <Rename db={db} name={name} close={() => setAsking(null)} />}
        <dl class="facts">
          <dt>Key</dt>
          <dd>
            <RawWhole bytes={name} />
          </dd>
          <dt>Type</dt>
          <dd>
            {kNames[facts.type] ?? facts.type}
            {facts.encoding && <small> {facts.encoding}</small>}
          </dd>
          <dt>Dies</dt>
          <dd>
            <Deadline ms={facts.deadline} />
          </dd>
          {facts.memory !== null && (
            <>
              <dt>Takes</dt>
              <dd>{size(facts.memory)}</dd>
            </>
          )}
        </dl>
        <TtlEditor what="the key" deadline={facts.deadline} doing={ttl} set={set} remove={remove} />
      </Panel>
      {View ? (
        <View db={db} name={name} changed={asked.again} />
      ) : (
        <Nothing>Nothing here can show a {facts.type}.</Nothing>
      )}
      {asking === 'remove' && (
        <Confirm title="Delete this key?" button="Delete" yes={unlink} no={() => setAsking(null)} busy={removing.busy}>
          <p>
            <code class="raw">{shortened(name)}</code> and all it holds is gone at once.
          </p>
          <Fault words={removing.fault} />
        </Confirm>
      )}
    </>
  );
}
