// Long jobs: backups, restores, checks, compaction, and all others that run or have run, with their results.
import { useEffect, useState } from 'preact/hooks';
import type { Reply } from '../../api/reply';
import { isError, lines, list, number } from '../../api/reply';
import type { Command } from '../../api/server';
import { call, replies } from '../../api/server';
import { useAsk, useDo } from '../../app/ask';
import { length } from '../../app/time';
import { Fault, Nothing, Panel, Rows } from '../../parts/basics';
import { Form, Text, Tick } from '../../parts/inputs';
import { finished, JobLine, jobOf, useJob } from '../../parts/job';
import { Slices, useSlices } from '../../parts/slices';
import { Restore } from './restore';

const kJobsOfPage = 10;

function Result({ reply }: { reply: Reply }) {
  if (reply === null) return null;
  return (
    <div class="block" tabIndex={0} role="region" aria-label="Result">
      <pre>{lines(reply).join('\n')}</pre>
    </div>
  );
}

export function Jobs() {
  const [name, setName] = useState('');
  const [repair, setRepair] = useState(false);
  const [id, setId] = useState<number | null>(null);
  const all = useAsk(
    async () =>
      list(await call(0, 'TTL.JOB', 'LIST'))
        .map(jobOf)
        .sort((a, b) => b.id - a.id),
    [id],
  );
  const job = useJob(id, all.again);
  const doing = useDo();
  useEffect(() => {
    const running = all.value?.find((one) => !finished(one));
    if (id === null && running) setId(running.id);
  }, [all.value]);
  const start = (title: string, ...command: Command) =>
    doing.run(async () => {
      const [reply] = await replies(0, [command]);
      if (isError(reply)) throw new Error(reply.error);
      setId(number(reply));
      return `${title} has begun`;
    });
  const cancel = (which: number) =>
    doing.run(async () => {
      await call(0, 'TTL.JOB', 'CANCEL', which);
      all.again();
    });
  const slices = useSlices(all.value ?? [], kJobsOfPage);
  return (
    <>
      <div class="panels">
        <Panel title="Back up">
          <p class="hint">A backup is one state of everything, in one file, while clients go on.</p>
          <Form
            label="Backup"
            button="Back up"
            submit={() => start('the backup', 'TTL.BACKUP', ...(name.trim() ? [name.trim()] : []))}
            busy={doing.busy}
            small
          >
            <Text label="Name" value={name} set={setName} hint="the instant" mono />
          </Form>
        </Panel>
        <Panel title="Restore">
          <Restore round={all.value} busy={doing.busy} start={start} />
        </Panel>
        <Panel title="Check and compact">
          <p class="hint">
            A check reads everything and compares rows, index and counts. Compacting gives back the space of all that is
            gone.
          </p>
          <Form
            label="Check"
            button="Check"
            submit={() => start('the check', 'TTL.CHECK', ...(repair ? ['REPAIR'] : []))}
            busy={doing.busy}
            small
          >
            <Tick label="Repair; writers wait meanwhile" value={repair} set={setRepair} />
            <button type="button" disabled={doing.busy} onClick={() => start('compacting', 'TTL.COMPACT')}>
              Compact
            </button>
          </Form>
        </Panel>
      </div>
      <Fault words={doing.fault} />
      {job && (
        <Panel title={`Job ${job.id}${job.kind && `: ${job.kind}`}`} wide>
          <JobLine state={job} stop={() => cancel(job.id)} />
          <Result reply={job.result} />
        </Panel>
      )}
      <Panel
        title="Jobs"
        wide
        actions={
          <button type="button" onClick={all.again}>
            Reload
          </button>
        }
      >
        <Fault words={all.fault} />
        {!all.value?.length ? (
          !all.fault && <Nothing>None so far.</Nothing>
        ) : (
          <Rows label="Jobs" heads={['Id', 'Kind', 'State', 'Took', <span class="unseen">Actions</span>]}>
            {slices.rows.map((one) => (
              <tr key={one.id}>
                <th scope="row">{one.id}</th>
                <td>{one.kind}</td>
                <td class={one.state === 'failed' ? 'bad' : undefined}>{one.state}</td>
                <td>{length(one.tookMs)}</td>
                <td class="buttons">
                  <button type="button" onClick={() => setId(one.id)}>
                    Show<span class="unseen"> job {one.id}</span>
                  </button>
                </td>
              </tr>
            ))}
          </Rows>
        )}
        <Slices of={slices} what="jobs" />
      </Panel>
    </>
  );
}
