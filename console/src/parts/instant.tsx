// Instants and deadlines: how far off by the server's clock, and the exact instant beside.
import { instant, until, useNow } from '../app/time';

export function Instant({ ms, brief }: { ms: number; brief?: boolean }) {
  const now = useNow();
  const exact = instant(ms);
  return (
    <span class="instant">
      <span class="off">{now > 0 ? until(ms, now) : ''}</span>
      {brief ? <span class="unseen"> {exact}</span> : <time>{exact}</time>}
    </span>
  );
}

function nearness(left: number): string {
  if (left <= 60_000) return 'soon';
  if (left <= 3_600_000) return 'near';
  return 'far';
}

// null: it lives until it is deleted.
export function Deadline({ ms, brief }: { ms: number | null; brief?: boolean }) {
  const now = useNow();
  if (ms === null) return <span class="deadline never">no deadline</span>;
  return (
    <span class={`deadline ${nearness(ms - now)}`}>
      <Instant ms={ms} brief={brief} />
    </span>
  );
}
