// A question that must be answered before anything else: the browser's own modal dialog keeps the focus inside,
// Escape says no, and the focus goes back to where it was.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export function Dialog({ title, children, close }: { title: string; children: ComponentChildren; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => before?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

export function Confirm({
  title,
  children,
  button,
  yes,
  no,
  busy,
}: {
  title: string;
  children: ComponentChildren;
  button: string;
  yes: () => void;
  no: () => void;
  busy?: boolean;
}) {
  return (
    <Dialog title={title} close={no}>
      {children}
      <div class="actions">
        <button type="button" onClick={no}>
          Cancel
        </button>
        <button type="button" class="danger" disabled={busy} onClick={yes}>
          {button}
        </button>
      </div>
    </Dialog>
  );
}
