// The page begins here: the session decides between the login and the console.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Session } from './api/server';
import { onSessionEnd, openSession } from './api/server';
import { SharedState } from './app/state';
import { Shell } from './app/shell';
import { keepTheme } from './app/theme';
import { Login } from './views/login';
import './style/base.css';
import './style/layout.css';
import './style/parts.css';
import './style/views.css';

function Page() {
  const [session, setSession] = useState<Session | null | undefined>(undefined);
  const [reason, setReason] = useState('');
  useEffect(() => {
    onSessionEnd((why) => {
      setReason(why);
      setSession(null);
    });
    openSession().then(setSession, (fault: Error) => {
      setReason(fault.message);
      setSession(null);
    });
  }, []);
  if (session === undefined) return <p class="nothing">Opening …</p>;
  if (session === null)
    return (
      <Login
        opened={(opened) => {
          setReason('');
          setSession(opened);
        }}
        reason={reason}
      />
    );
  return (
    <SharedState session={session} key={session.csrf}>
      <Shell
        ended={() => {
          setReason('');
          setSession(null);
        }}
      />
    </SharedState>
  );
}

keepTheme();
const root = document.getElementById('page')!;
root.replaceChildren();
render(<Page />, root);
