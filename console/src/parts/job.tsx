// A long job of the server: asked about again and again while it runs, shown with its progress, and stopped.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Reply } from '../api/reply';
import { fields, number, text } from '../api/reply';
import { call } from '../api/server';
import { length } from '../app/time';
import { Fault, Progress } from './basics';

export interface Job {
  id: number;
  kind: string;
  state: string;
  done: number;
  all: number;
  tookMs: number;
  error: string;
  result: Reply;
}

// Soon at first, so that short jobs are seen to run.
const kAskAfterMs = [50, 100, 200, 300];
const kAskEveryMs = 500;

export const jobOf = (reply: Reply): Job => {
  const of = fields(reply);
  return {
    id: number(of.id),
    kind: text(of.kind),
    state: text(of.state),
    done: number(of.done),
    all: number(of.all),
    tookMs: number(of['took-ms']),
    error: text(of.error),
    result: of.result ?? null,
  };
};

export const finished = (job: Job): boolean => ['done', 'failed', 'cancelled'].includes(job.state);

// The latest state of a job; `ended` is called once, when it has ended.
export function useJob(id: number | null, ended: () => void): Job | null {
  const [job, setJob] = useState<Job | null>(null);
  const then = useRef(ended);
  then.current = ended;
  useEffect(() => {
    setJob(null);
    if (id === null) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    let current = true;
    let asked = 0;
    const ask = async () => {
      try {
        const latest = jobOf(await call(0, 'TTL.JOB', 'GET', id));
        if (!current) return;
        setJob(latest);
        if (finished(latest)) then.current();
        else timer = setTimeout(ask, kAskAfterMs[asked++] ?? kAskEveryMs);
      } catch (fault) {
        const error = (fault as Error).message;
        if (current) setJob({ id, kind: '', state: 'failed', done: 0, all: 0, tookMs: 0, error, result: null });
      }
    };
    ask();
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [id]);
  return job;
}

export function JobLine({ state, stop }: { state: Job; stop: () => void }) {
  return (
    <div class="job">
      {!finished(state) && (
        <>
          <Progress done={state.done} all={state.all} label={`Progress of job ${state.id}`} />
          <button type="button" onClick={stop}>
            Stop
          </button>
        </>
      )}
      <p role="status">
        Job {state.id}: {state.state}
        {finished(state) && state.tookMs > 0 && ` after ${length(state.tookMs)}`}
      </p>
      <Fault words={state.error} />
    </div>
  );
}
