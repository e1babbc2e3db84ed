// Runs a proof that the dead are gone, and says in words what it found.
import { useEffect, useState } from 'preact/hooks';
import { parseEscaped } from '../../api/bytes';
import type { Fields, Reply } from '../../api/reply';
import { bytes, fields, list, number, text } from '../../api/reply';
import { call } from '../../api/server';
import { useDo } from '../../app/ask';
import { download } from '../../app/download';
import { keyspaceName } from '../../app/keyspace_name';
import { count, plural, size } from '../../app/figures';
import { instant, length } from '../../app/time';
import { Fault, Panel, Raw, Rows } from '../../parts/basics';
import { Form, Text } from '../../parts/inputs';
import { Instant } from '../../parts/instant';
import { finished, JobLine, jobOf, useJob } from '../../parts/job';
import type { Job } from '../../parts/job';
import { Slices, useSlices } from '../../parts/slices';

const kFindingsOfPage = 20;

// The proof as plain JSON: maps become objects, bytes that are no text stay {base64}.
function plain(reply: Reply): unknown {
  if (Array.isArray(reply)) return reply.map(plain);
  if (reply !== null && typeof reply === 'object' && 'map' in reply) {
    return Object.fromEntries(reply.map.map(([name, value]) => [text(name), plain(value)]));
  }
  return reply;
}

function Keyspace({ of }: { of: Fields }) {
  const state = text(of.state);
  return (
    <tr>
      <th scope="row">{keyspaceName(text(of.name)).words}</th>
      <td class={state === 'broken' ? 'bad' : undefined}>{state}</td>
      <td>{number(of['purge-within']) > 0 ? length(number(of['purge-within'])) : '–'}</td>
      <td>
        <Instant ms={number(of['purged-through'])} />
      </td>
      <td class="number">{count(number(of.rows))}</td>
      <td class="number">{count(number(of['due-rows']))}</td>
      <td class="number">
        {count(number(of.files))}, {size(number(of['file-bytes']))}
      </td>
    </tr>
  );
}

// A holder or a trace, whose fields depend on its kind.
function Finding({ reply }: { reply: Reply }) {
  const of = fields(reply);
  if (Object.keys(of).length === 0)
    return (
      <li>
        <Raw bytes={bytes(reply)} max={400} />
      </li>
    );
  const { description, kind, since, ...rest } = of;
  return (
    <li>
      {kind !== undefined && <strong>{text(kind)} </strong>}
      {description !== undefined && <span>{text(description)} </span>}
      {since !== undefined && number(since) > 0 && <Instant ms={number(since)} />}
      {Object.entries(rest).map(([name, value]) => (
        <span key={name}>
          {' '}
          {name}: <Raw bytes={bytes(value)} max={200} />
        </span>
      ))}
    </li>
  );
}

function Findings({ title, rows }: { title: string; rows: Reply[] }) {
  const slices = useSlices(rows, kFindingsOfPage);
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="findings">
        {slices.rows.map((one, at) => (
          <Finding reply={one} key={slices.first + at} />
        ))}
      </ul>
      <Slices of={slices} what={title} />
    </>
  );
}

function Report({ job }: { job: Job }) {
  const of = fields(job.result);
  const kept = number(of.kept) === 1;
  const slices = useSlices(list(of.keyspaces).map(fields));
  const holders = list(of.holders);
  const traces = list(of.traces);
  const save = () =>
    download(
      `mayfly-proof-${number(of['taken-at'])}.json`,
      'application/json',
      JSON.stringify(plain(job.result), null, 2),
    );
  return (
    <Panel
      title="The proof"
      wide
      actions={
        <button type="button" onClick={save}>
          Download the report
        </button>
      }
    >
      <p class={`verdict ${kept && traces.length === 0 ? 'good' : 'broken'}`} role="status">
        {text(of['in-words'])}
      </p>
      <p class="hint">
        Taken at {instant(number(of['taken-at']))}. {plural(number(of['empty-keyspaces']), 'keyspace')} had nothing to
        prove.
      </p>
      <Findings title="Where the bytes were found" rows={traces} />
      <Findings title="What still holds something" rows={holders} />
      <Rows
        label="Keyspaces"
        heads={['Keyspace', 'State', 'Promise', 'Purged through', 'Rows', 'Due', 'Files that may hold something']}
      >
        {slices.rows.map((one) => (
          <Keyspace of={one} key={text(one.name)} />
        ))}
      </Rows>
      <Slices of={slices} what="keyspaces" />
    </Panel>
  );
}

export function Proof() {
  const [find, setFind] = useState('');
  const [id, setId] = useState<number | null>(null);
  const doing = useDo();
  const job = useJob(id, () => {});
  useEffect(() => {
    // The last proof is shown again; a user who may not see jobs may still read this page.
    call(0, 'TTL.JOB', 'LIST').then(
      (reply) => {
        const last = list(reply)
          .map(jobOf)
          .filter((one) => one.kind === 'prove')
          .sort((a, b) => b.id - a.id)[0];
        if (last) setId((old) => old ?? last.id);
      },
      () => {},
    );
  }, []);
  const run = () =>
    doing.run(async () => {
      setId(number(await call(0, 'TTL.PROVE', ...(find === '' ? [] : ['FIND', parseEscaped(find)]))));
      return 'the proof has begun';
    });
  return (
    <>
      <Panel title="Prove that the dead are gone" wide>
        <p class="prose">
          A proof reads what is left of dead rows in every file as it is on the disk, and checks each promise (
          <code>purge-within</code>). With a text, it also searches for those bytes in rows, old versions, logs and
          files.
        </p>
        <Form label="Prove" button="Run a proof" submit={run} busy={doing.busy || (job !== null && !finished(job))}>
          <Text
            label="Search for a text (escaped; may be empty)"
            value={find}
            set={setFind}
            hint="alice@example.org"
            mono
          />
        </Form>
        <Fault words={doing.fault} />
        {job && (
          <JobLine
            state={job}
            stop={() =>
              doing.run(async () => {
                await call(0, 'TTL.JOB', 'CANCEL', job.id);
              })
            }
          />
        )}
      </Panel>
      {job?.state === 'done' && <Report job={job} />}
    </>
  );
}
