// The frame around every view: skip link, navigation, the server's clock, the switch of colors, and the live region.
import type { FunctionComponent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { escaped } from '../api/bytes';
import { logOut } from '../api/server';
import { Browser } from '../views/browser/browser';
import { CommandLine } from '../views/command_line/command_line';
import { Deadlines } from '../views/deadlines/deadlines';
import { Events } from '../views/events/events';
import { Operations } from '../views/operations/operations';
import { Overview } from '../views/overview';
import { Proof } from '../views/proof/proof';
import { Tables } from '../views/tables/tables';
import type { Place } from './address';
import { hashOf, usePlace } from './address';
import { useShared } from './state';
import { keepTheme, useShownTheme } from './theme';
import { instant, useNow } from './time';

const kViews: [string, string, FunctionComponent<{ place: Place }>][] = [
  ['overview', 'Overview', Overview],
  ['deadlines', 'Deadlines', Deadlines],
  ['browser', 'Browser', Browser],
  ['events', 'Events', Events],
  ['proof', 'Proof', Proof],
  ['tables', 'Tables', Tables],
  ['operations', 'Operations', Operations],
  ['commands', 'Command line', CommandLine],
];

function Clock() {
  const { connected, figures } = useShared();
  const now = useNow();
  if (!connected)
    return (
      <span class="clock lost" role="status">
        connection lost; trying again
      </span>
    );
  const state = figures?.clock_state || 'ok';
  return (
    <span class="clock">
      {now > 0 ? <time>{instant(Math.floor(now / 1000) * 1000)}</time> : '…'}
      {state !== 'ok' && (
        <a class="bad" href={hashOf('overview')}>
          clock: {state}
        </a>
      )}
    </span>
  );
}

function ThemeSwitch() {
  const shown = useShownTheme();
  const next = shown === 'dark' ? 'light' : 'dark';
  return (
    <button type="button" class="plain" onClick={() => keepTheme(next)}>
      {next === 'dark' ? 'Dark' : 'Light'}
    </button>
  );
}

export function Shell({ ended }: { ended: () => void }) {
  const { session, said } = useShared();
  const place = usePlace();
  const heading = useRef<HTMLHeadingElement>(null);
  const [name, title, View] = kViews.find(([one]) => one === place.view) ?? kViews[0];
  const first = useRef(true);

  const views = useRef<HTMLElement>(null);
  // At once, not after the next frame: it would take the focus from where a quick person has gone on to.
  useLayoutEffect(() => {
    document.title = `${title} · mayfly`;
    views.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    // A change of view is a change of page: the keyboard goes on at its heading.
    if (!first.current) heading.current?.focus();
    first.current = false;
  }, [title]);

  const toMain = (event: Event) => {
    event.preventDefault();
    heading.current?.focus();
  };
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>
        Skip to the content
      </a>
      <header class="top">
        <span class="brand">
          mayfly <small>{session.version}</small>
        </span>
        <Clock />
        <span class="who">
          <span class="user" title={escaped(session.user)}>
            {escaped(session.user)}
          </span>
          <ThemeSwitch />
          <button type="button" class="plain" onClick={() => logOut().then(ended, ended)}>
            Log out
          </button>
        </span>
      </header>
      <nav class="views" aria-label="Views" ref={views}>
        {kViews.map(([view, words]) => (
          <a key={view} href={hashOf(view, { db: place.parts.db })} aria-current={view === name ? 'page' : undefined}>
            {words}
          </a>
        ))}
      </nav>
      <main id="main">
        <h1 tabIndex={-1} ref={heading}>
          {title}
        </h1>
        <View place={place} key={name} />
      </main>
      <footer class="about">
        <a href="/console/third-party-notices.txt">Third-party notices</a>
      </footer>
      <div class="unseen" role="status" aria-live="polite">
        {said}
      </div>
    </>
  );
}
