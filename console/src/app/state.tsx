// What every view shares: the session, the live figures, and the line that tells screen readers what happened.
import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Overview } from '../api/live';
import { follow } from '../api/live';
import type { Session } from '../api/server';
import { report } from './time';

interface Shared {
  session: Session;
  figures: Overview | null;
  connected: boolean;
  say: (words: string) => void;
  said: string;
}

const SharedContext = createContext<Shared>(null!);

export const useShared = () => useContext(SharedContext);

export function SharedState({ session, children }: { session: Session; children: ComponentChildren }) {
  const [figures, setFigures] = useState<Overview | null>(null);
  const [connected, setConnected] = useState(true);
  const [said, say] = useState('');

  useEffect(() => {
    let close = () => {};
    // A page that nobody looks at costs the server nothing.
    const open = () => {
      close();
      close = document.hidden
        ? () => {}
        : follow(null, {
            overview: (latest) => {
              report(latest.now_ms);
              setFigures(latest);
            },
            state: setConnected,
          });
    };
    open();
    document.addEventListener('visibilitychange', open);
    return () => {
      document.removeEventListener('visibilitychange', open);
      close();
    };
  }, [session.csrf]);

  return <SharedContext.Provider value={{ session, figures, connected, say, said }}>{children}</SharedContext.Provider>;
}
