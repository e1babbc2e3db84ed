// A page of keys with their types and deadlines, which are read in one request for the whole page.
import type { Bytes } from '../../api/bytes';
import { nameOf } from '../../api/bytes';
import { isError, number, text } from '../../api/reply';
import { replies } from '../../api/server';
import { Rows } from '../../parts/basics';
import { Raw } from '../../parts/basics';
import { Deadline } from '../../parts/instant';

export interface FoundKey {
  key: Bytes;
  type: string;
  deadline: number | null;
}

export const kKeysOfPage = 50;

// A key may die between the two questions; it is left out then.
export async function described(db: number, keys: Bytes[]): Promise<FoundKey[]> {
  const answers = await replies(
    db,
    keys.flatMap((key) => [
      ['TYPE', key],
      ['PEXPIRETIME', key],
    ]),
  );
  return keys.flatMap((key, at) => {
    const [type, deadline] = answers.slice(at * 2, at * 2 + 2);
    if (isError(type)) return [{ key, type: type.error, deadline: null }];
    if (text(type) === 'none') return [];
    return [{ key, type: text(type), deadline: number(deadline) < 0 ? null : number(deadline) }];
  });
}

export function KeyList({ label, keys, link }: { label: string; keys: FoundKey[]; link: (key: Bytes) => string }) {
  return (
    <Rows label={label} heads={['Key', 'Type', 'Dies']}>
      {keys.map(({ key, type, deadline }) => (
        <tr key={nameOf(key)}>
          <th scope="row">
            <a href={link(key)}>
              <Raw bytes={key} max={80} />
            </a>
          </th>
          <td>{type}</td>
          <td>
            <Deadline ms={deadline} brief />
          </td>
        </tr>
      ))}
    </Rows>
  );
}
