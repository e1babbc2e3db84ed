// Inputs with their labels.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Common {
  label: string;
  value: string;
  set: (value: string) => void;
  hint?: string;
  hidden?: boolean; // The label is for screen readers alone.
}

export function Text({
  label,
  value,
  set,
  hint,
  hidden,
  type = 'text',
  required,
  list,
  mono,
  autocomplete = 'off',
}: Common & { type?: string; required?: boolean; list?: string[]; mono?: boolean; autocomplete?: string }) {
  const id = useId();
  return (
    <div class="input">
      <label for={id} class={hidden ? 'unseen' : undefined}>
        {label}
      </label>
      <input
        id={id}
        type={type as any}
        value={value}
        required={required}
        spellcheck={false}
        autocomplete={autocomplete as any}
        autocapitalize="off"
        class={mono ? 'mono' : undefined}
        placeholder={hint}
        list={list && `${id}-list`}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {list && (
        <datalist id={`${id}-list`}>
          {list.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </div>
  );
}

export function Choice({ label, value, set, hidden, options }: Common & { options: [string, string][] }) {
  const id = useId();
  return (
    <div class="input">
      <label for={id} class={hidden ? 'unseen' : undefined}>
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => set(event.currentTarget.value)}>
        {options.map(([name, title]) => (
          <option key={name} value={name} selected={name === value}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

export function Area({
  label,
  value,
  set,
  hint,
  hidden,
  rows = 8,
  fixed,
}: Common & { rows?: number; fixed?: boolean }) {
  const id = useId();
  return (
    <div class="input area">
      <label for={id} class={hidden ? 'unseen' : undefined}>
        {label}
      </label>
      <textarea
        id={id}
        rows={rows}
        value={value}
        placeholder={hint}
        spellcheck={false}
        autocapitalize="off"
        readOnly={fixed}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </div>
  );
}

export function Tick({ label, value, set }: { label: string; value: boolean; set: (value: boolean) => void }) {
  return (
    <label class="tick">
      <input type="checkbox" checked={value} onChange={(event) => set(event.currentTarget.checked)} /> {label}
    </label>
  );
}

// A form whose button and Enter do the same.
export function Form({
  label,
  children,
  submit,
  busy,
  button,
  danger,
  small,
  grid,
  beside,
}: {
  label: string;
  children?: ComponentChildren;
  submit: () => void;
  busy?: boolean;
  button: string;
  danger?: boolean;
  small?: boolean;
  grid?: boolean; // Many inputs, in columns.
  beside?: ComponentChildren; // Other buttons.
}) {
  return (
    <form
      class={`form${small ? ' small' : ''}${grid ? ' grid' : ''}`}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {children}
      <div class="actions">
        {beside}
        <button type="submit" class={danger ? 'danger' : 'primary'} disabled={busy}>
          {button}
        </button>
      </div>
    </form>
  );
}
