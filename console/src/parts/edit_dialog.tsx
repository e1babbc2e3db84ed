// Dialogs of one member of a collection: its value, its deadline, or whether it goes.
import type { Bytes } from '../api/bytes';
import { shortened } from '../api/bytes';
import { useDo } from '../app/ask';
import { Fault } from './basics';
import { Confirm, Dialog } from './dialog';
import { Deadline } from './instant';
import { TtlEditor } from './ttl_editor';
import { ValueEditor } from './value_editor';

export function EditDialog({
  title,
  value,
  save,
  close,
}: {
  title: string;
  value: Bytes;
  save: (value: Bytes) => Promise<unknown>;
  close: () => void;
}) {
  const doing = useDo();
  return (
    <Dialog title={title} close={close}>
      <ValueEditor
        label="Value"
        value={value}
        doing={doing}
        save={async (bytes) => {
          await save(bytes);
          close();
        }}
      />
      <div class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

export function DeadlineDialog({
  what,
  deadline,
  set,
  remove,
  close,
}: {
  what: string;
  deadline: number | null;
  close: () => void;
  set: (ms: number) => Promise<unknown>;
  remove: () => Promise<unknown>;
}) {
  const doing = useDo();
  return (
    <Dialog title={`Deadline of ${what}`} close={close}>
      <Deadline ms={deadline} />
      <TtlEditor what={what} deadline={deadline} doing={doing} set={set} remove={remove} />
      <div class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

export function RemoveDialog({
  what,
  from,
  remove,
  close,
}: {
  what: Bytes;
  from: string;
  remove: () => Promise<unknown>;
  close: () => void;
}) {
  const doing = useDo();
  const yes = () =>
    doing.run(async () => {
      await remove();
      close();
      return `${shortened(what, 40)} removed`;
    });
  return (
    <Confirm title={`Remove it from ${from}?`} button="Remove" yes={yes} no={close} busy={doing.busy}>
      <p>
        <code class="raw">{shortened(what)}</code>
      </p>
      <Fault words={doing.fault} />
    </Confirm>
  );
}
