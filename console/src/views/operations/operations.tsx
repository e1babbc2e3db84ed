// What an operator looks at and does: slow commands, clients, users, settings, backups and checks.
import type { Place } from '../../app/address';
import { go, hashOf, oneOf } from '../../app/address';
import { Tabs } from '../../parts/basics';
import { Clients } from './clients';
import { Jobs } from './jobs';
import { Settings } from './settings';
import { SlowLog } from './slow_log';
import { Users } from './users';

export function Operations({ place }: { place: Place }) {
  const tab = oneOf(place, 'tab', ['slow', 'clients', 'users', 'settings', 'jobs']);
  return (
    <>
      <Tabs
        label="Operations"
        chosen={tab}
        choose={(next) => go(hashOf('operations', { tab: next }))}
        names={[
          ['slow', 'Slow log'],
          ['clients', 'Clients'],
          ['users', 'Users'],
          ['settings', 'Settings'],
          ['jobs', 'Backup, restore, check'],
        ]}
      />
      {tab === 'slow' && <SlowLog />}
      {tab === 'clients' && <Clients />}
      {tab === 'users' && <Users />}
      {tab === 'settings' && <Settings />}
      {tab === 'jobs' && <Jobs />}
    </>
  );
}
