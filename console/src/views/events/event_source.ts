// The newest events: the last that are kept, then each as it comes. Bounded; what falls out is counted, not hidden.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ExpiryEvent, Filter } from '../../api/live';
import { follow } from '../../api/live';

const kEventsMax = 5000;
const kRenderEveryMs = 250;

export function useEvents(filter: Filter) {
  const [events, setEvents] = useState<ExpiryEvent[]>([]);
  const [missed, setMissed] = useState(0);
  const [waiting, setWaiting] = useState(0);
  const [paused, setPaused] = useState(false);
  const [fault, setFault] = useState('');
  const stopped = useRef(false);
  stopped.current = paused;

  useEffect(() => {
    let buffer: ExpiryEvent[] = [];
    const show = (more: ExpiryEvent[]) =>
      setEvents((old) => {
        const all = new Map([...more, ...old].map((event) => [event.sequence, event]));
        const sorted = [...all.values()].sort((a, b) => b.sequence - a.sequence);
        if (sorted.length > kEventsMax) setMissed((count) => count + sorted.length - kEventsMax);
        return sorted.slice(0, kEventsMax);
      });
    setEvents([]);
    setMissed(0);
    setFault('');
    const close = follow(filter, {
      expiry: (more) => {
        setFault('');
        buffer.push(...more);
        const over = buffer.length - kEventsMax;
        if (over > 0) {
          buffer = buffer.slice(over);
          setMissed((count) => count + over);
        }
      },
      skipped: (more) => setMissed((count) => count + more),
      refused: setFault,
    });
    const timer = setInterval(() => {
      if (stopped.current) return setWaiting(buffer.length);
      if (buffer.length > 0) {
        show(buffer);
        buffer = [];
        setWaiting(0);
      }
    }, kRenderEveryMs);
    return () => {
      clearInterval(timer);
      close();
    };
  }, [filter.match, filter.keyspace, filter.cause]);
  return { events, waiting, paused, pause: setPaused, fault, missed };
}
