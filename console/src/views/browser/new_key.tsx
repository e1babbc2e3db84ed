// Makes a key of any type with its first content and, at best, its deadline.
import { useState } from 'preact/hooks';
import { parseEscaped, shortened } from '../../api/bytes';
import type { Bytes } from '../../api/bytes';
import { isError, number } from '../../api/reply';
import type { Command } from '../../api/server';
import { call, replies } from '../../api/server';
import { go, keyHash } from '../../app/address';
import { useDo } from '../../app/ask';
import { parseTime, serverNow } from '../../app/time';
import { Fault, Panel } from '../../parts/basics';
import { Choice, Form, Text } from '../../parts/inputs';

interface Kind {
  title: string;
  first: string;
  second?: string;
  make: (key: Bytes, first: Bytes, second: Bytes) => Command;
}

const kKinds: Record<string, Kind> = {
  string: { title: 'string', first: 'Value', make: (key, value) => ['SET', key, value, 'NX'] },
  hash: { title: 'hash', first: 'Field', second: 'Value', make: (key, field, value) => ['HSET', key, field, value] },
  list: { title: 'list', first: 'First element', make: (key, value) => ['RPUSH', key, value] },
  set: { title: 'set', first: 'First member', make: (key, member) => ['SADD', key, member] },
  zset: {
    title: 'sorted set',
    first: 'First member',
    second: 'Score',
    make: (key, member, score) => ['ZADD', key, score, member],
  },
  stream: {
    title: 'stream',
    first: 'Field',
    second: 'Value',
    make: (key, field, value) => ['XADD', key, '*', field, value],
  },
};

export function NewKey({ db }: { db: number }) {
  const [type, setType] = useState('string');
  const [name, setName] = useState('');
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const [life, setLife] = useState('');
  const doing = useDo();
  const kind = kKinds[type];
  const make = () =>
    doing.run(async () => {
      const key = parseEscaped(name);
      const deadline = parseTime(life, serverNow());
      if (number(await call(db, 'EXISTS', key))) throw new Error('there is a key of that name');
      const commands: Command[] = [kind.make(key, parseEscaped(first), parseEscaped(second))];
      if (deadline !== null) commands.push(['PEXPIREAT', key, deadline]);
      const answers = await replies(db, commands);
      const refused = answers.find(isError);
      if (refused) throw new Error(refused.error);
      go(keyHash(db, key));
      return `${shortened(key, 40)} made`;
    });
  return (
    <Panel title="New key">
      <Form label="New key" button="Make" submit={make} busy={doing.busy}>
        <Choice
          label="Type"
          value={type}
          set={setType}
          options={Object.entries(kKinds).map(([one, { title }]) => [one, title])}
        />
        <Text label="Name (escaped)" value={name} set={setName} mono required />
        <Text label={`${kind.first} (escaped)`} value={first} set={setFirst} mono />
        {kind.second && <Text label={kind.second} value={second} set={setSecond} mono />}
        <Text label="Time to live" value={life} set={setLife} hint="none; 15m, 7d" />
      </Form>
      <Fault words={doing.fault} />
    </Panel>
  );
}
