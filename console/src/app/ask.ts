// How views ask: useAsk() for what is shown, useDo() for what a person does. Both keep the server's words of a refusal.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useShared } from './state';

export interface Asked<T> {
  value: T | undefined;
  fault: string;
  waiting: boolean;
  again: () => void;
}

const wordsOf = (fault: unknown) => (fault instanceof Error ? fault.message : String(fault));

// Asks when `inputs` change. An answer that is overtaken by a later question is dropped; the old value stays meanwhile.
export function useAsk<T>(ask: () => Promise<T>, inputs: unknown[]): Asked<T> {
  const [state, setState] = useState<{ value?: T; fault: string; waiting: boolean }>({ fault: '', waiting: true });
  const [round, setRound] = useState(0);
  useEffect(() => {
    let current = true;
    setState((old) => ({ ...old, waiting: true }));
    ask().then(
      (value) => current && setState({ value, fault: '', waiting: false }),
      (fault) => current && setState({ fault: wordsOf(fault), waiting: false }),
    );
    return () => {
      current = false;
    };
  }, [...inputs, round]);
  const again = useCallback(() => setRound((count) => count + 1), []);
  return { value: state.value, fault: state.fault, waiting: state.waiting, again };
}

export interface Doing {
  fault: string;
  busy: boolean;
  run: (work: () => Promise<string | void>) => Promise<boolean>;
  clear: () => void;
}

// Runs one action at a time. What it returns is told to screen readers; a refusal stays to be read.
export function useDo(): Doing {
  const { say } = useShared();
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const run = useCallback(
    async (work: () => Promise<string | void>) => {
      if (running.current) return false;
      running.current = true;
      setBusy(true);
      setFault('');
      try {
        const words = await work();
        if (words) say(words);
        return true;
      } catch (caught) {
        setFault(wordsOf(caught));
        return false;
      } finally {
        running.current = false;
        setBusy(false);
      }
    },
    [say],
  );
  return { fault, busy, run, clear: () => setFault('') };
}
