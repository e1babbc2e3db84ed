// When keys die: a forecast one can zoom into, the keys behind each bar, the keys that never die, and what a policy
// would change.
import { useState } from 'preact/hooks';
import type { Place } from '../../app/address';
import { DbChoice, dbOf } from '../../parts/db_choice';
import { Tabs } from '../../parts/basics';
import { Forecast } from './forecast';
import { Policy } from './policy';
import { WithoutDeadline } from './without_deadline';

export function Deadlines({ place }: { place: Place }) {
  const db = dbOf(place);
  const [tab, setTab] = useState('forecast');
  return (
    <>
      <div class="form small above">
        <DbChoice place={place} />
      </div>
      <Tabs
        label="Deadlines"
        chosen={tab}
        choose={setTab}
        names={[
          ['forecast', 'Forecast'],
          ['never', 'Without a deadline'],
          ['policy', 'Policy'],
        ]}
      />
      {tab === 'forecast' && <Forecast db={db} key={db} />}
      {tab === 'never' && <WithoutDeadline db={db} key={db} />}
      {tab === 'policy' && <Policy db={db} key={db} />}
    </>
  );
}
