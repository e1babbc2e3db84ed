// The small pieces all views are made of. Text is always a child of an element, so a name can never become markup.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Bytes } from '../api/bytes';
import { escaped, isText, shortened } from '../api/bytes';

// Where it happened, in the server's words.
export const Fault = ({ words }: { words: string }) =>
  words === '' ? null : (
    <p class="fault" role="alert">
      {words}
    </p>
  );

export function Panel({
  title,
  actions,
  children,
  wide,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
  wide?: boolean;
}) {
  return (
    <section class={wide ? 'panel wide' : 'panel'} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

// Bytes on one line, visible and never interpreted.
export function Raw({ bytes, max = 120 }: { bytes: Bytes; max?: number }) {
  return (
    <code class={isText(bytes) ? 'raw' : 'raw binary'} dir="ltr" translate={false}>
      {shortened(bytes, max)}
    </code>
  );
}

export const RawWhole = ({ bytes }: { bytes: Bytes }) => (
  <code class="raw whole" dir="ltr" translate={false}>
    {escaped(bytes)}
  </code>
);

// Whose button it is, for screen readers.
export const Of = ({ bytes }: { bytes: Bytes }) => <span class="unseen"> {shortened(bytes, 60)}</span>;

// A table that may be wider than the screen: it scrolls by itself, also from the keyboard.
export function Rows({
  label,
  heads,
  children,
}: {
  label: string;
  heads: ComponentChildren[];
  children: ComponentChildren;
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Table: ${label}`}>
      <table>
        <thead>
          <tr>
            {heads.map((head, at) => (
              <th scope="col" key={at}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export const Nothing = ({ children }: { children: ComponentChildren }) => <p class="nothing">{children}</p>;

export function Pager({
  pages,
  what,
}: {
  pages: { page: number; waiting: boolean; forward: (() => void) | null; back: (() => void) | null };
  what: string;
}) {
  if (!pages.forward && !pages.back) return null;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <button type="button" disabled={!pages.back} onClick={() => pages.back?.()}>
        Back
      </button>
      <span aria-live="polite">
        Page {pages.page}
        {pages.waiting ? ' …' : ''}
      </span>
      <button type="button" disabled={!pages.forward} onClick={() => pages.forward?.()}>
        Next
      </button>
    </nav>
  );
}

// Tabs within a view; arrow keys move between them.
export function Tabs({
  label,
  names,
  chosen,
  choose,
}: {
  label: string;
  names: [string, string][];
  chosen: string;
  choose: (name: string) => void;
}) {
  const bar = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  // The choice may come by way of the address, after the key: the focus follows when it is there.
  useLayoutEffect(() => {
    if (moved.current) bar.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus();
    moved.current = false;
  }, [chosen]);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = names.findIndex(([name]) => name === chosen);
    const [next] = names[(at + step + names.length) % names.length];
    moved.current = true;
    choose(next);
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move} ref={bar}>
      {names.map(([name, title]) => (
        <button
          type="button"
          role="tab"
          key={name}
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => choose(name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

export function Progress({ done, all, label }: { done: number; all: number; label: string }) {
  const known = all > 0;
  return (
    <div class="progress">
      <progress aria-label={label} max={known ? all : 1} value={known ? Math.min(done, all) : undefined} />
      <span>{known ? `${Math.floor((Math.min(done, all) / all) * 100)} %` : '…'}</span>
    </div>
  );
}
