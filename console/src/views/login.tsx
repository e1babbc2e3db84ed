import { useState } from 'preact/hooks';
import type { Session } from '../api/server';
import { logIn } from '../api/server';
import { Fault } from '../parts/basics';
import { Form, Text } from '../parts/inputs';

export function Login({ opened, reason }: { opened: (session: Session) => void; reason: string }) {
  const [user, setUser] = useState('default');
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState(reason);
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    setFault('');
    try {
      opened(await logIn(user, password));
    } catch (caught) {
      setFault((caught as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <main id="main" class="login">
      <h1>mayfly</h1>
      <p>Log in as a user of the server: the same names, passwords and rules as for the protocol.</p>
      <Form label="Log in" submit={submit} busy={busy} button="Log in">
        <Text label="User" value={user} set={setUser} autocomplete="username" required />
        <Text label="Password" value={password} set={setPassword} type="password" autocomplete="current-password" />
        <Fault words={fault} />
      </Form>
    </main>
  );
}
