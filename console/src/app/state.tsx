// What every view shares: the session, the live figures, and the line that tells screen readers what happened.
import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { follow } from '../api/live';
import type { Overview } from '../api/overview';
import { list, number } from '../api/reply';
import type { Session } from '../api/server';
import { call, checkSession } from '../api/server';
import { report } from './time';

interface Shared {
  session: Session;
  figures: Overview | null;
  refused: string; // Why there are no figures, in the server's words.
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
  const [refused, setRefused] = useState('');

  useEffect(() => {
    let close = () => {};
    // A page that nobody looks at costs the server nothing.
    const open = () => {
      close();
      close = document.hidden
        ? () => {}
        : follow(null, {
            overview: (latest) => {
              report(latest.now);
              setFigures(latest);
            },
            refused: setRefused,
            end: () => {
              setConnected(false);
              checkSession().catch(() => {}); // The server is away.
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

  useEffect(() => {
    if (refused === '') return undefined;
    // Who may not see figures may often ask for the time, by which deadlines are shown.
    const ask = () => {
      if (document.hidden) return;
      call(0, 'TIME').then(
        (reply) => {
          const [seconds, micros] = list(reply).map(number);
          report(seconds * 1000 + micros / 1000);
        },
        () => {},
      );
    };
    ask();
    const timer = setInterval(ask, 1000);
    return () => clearInterval(timer);
  }, [refused]);

  const shared = { session, figures, refused, connected, say, said };
  return <SharedContext.Provider value={shared}>{children}</SharedContext.Provider>;
}
