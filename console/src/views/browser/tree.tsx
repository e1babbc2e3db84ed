// Keys by prefix, as a tree for the keyboard: arrows move, open and close, Enter shows a key. A prefix asks for its
// children when it is opened, a page of them at a time.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Bytes } from '../../api/bytes';
import { escaped, fromArray, nameOf, toArray } from '../../api/bytes';
import { count } from '../../app/figures';
import { Fault, Nothing } from '../../parts/basics';
import { Text } from '../../parts/inputs';
import { Deadline } from '../../parts/instant';
import { Bulk } from './bulk';
import { patternOf } from '../../api/bytes';
import type { Branch } from './tree_branches';
import { useBranches } from './tree_branches';

interface Item {
  id: string;
  level: number;
  label: string;
  branch?: Branch; // A prefix or a key; otherwise "more" or a refusal.
  open?: boolean;
  act: () => void;
  parent: string;
  note?: ComponentChildren;
  bad?: boolean;
}

// What a child's name has beyond its parent's.
function tailOf(name: Bytes, parent: Bytes): string {
  return escaped(fromArray(toArray(name).slice(toArray(parent).length))) || '(empty)';
}

export function Tree({ db, chosen, open }: { db: number; chosen: Bytes | null; open: (key: Bytes) => void }) {
  const [delimiter, setDelimiter] = useState(':');
  const { branches, opened, toggle, more, reload } = useBranches(db, delimiter);
  const [current, setCurrent] = useState('');
  const [bulk, setBulk] = useState<Bytes | null>(null);
  const box = useRef<HTMLUListElement>(null);
  const moved = useRef(false);
  const last = useRef(0); // The place of the current line when it was last shown.
  const focusCurrent = () => box.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();

  const items: Item[] = [];
  const add = (parent: Bytes, level: number) => {
    const part = branches[nameOf(parent)];
    if (!part) return;
    for (const branch of part.rows) {
      const id = `${branch.prefix ? 'p' : 'k'}${nameOf(branch.name)}`;
      const isOpen = branch.prefix && opened.has(nameOf(branch.name));
      items.push({
        id,
        level,
        branch,
        open: isOpen,
        parent: `p${nameOf(parent)}`,
        label: tailOf(branch.name, parent),
        note: branch.prefix ? (
          `${count(branch.keys)}${branch.exact ? '' : '+'}`
        ) : branch.deadline === null ? undefined : (
          <Deadline ms={branch.deadline} brief />
        ),
        act: () => (branch.prefix ? toggle(branch.name) : open(branch.name)),
      });
      if (isOpen) add(branch.name, level + 1);
    }
    const extra = { level, parent: `p${nameOf(parent)}` };
    if (part.fault)
      items.push({ ...extra, id: `f${nameOf(parent)}`, label: part.fault, bad: true, act: () => more(parent) });
    else if (part.waiting) items.push({ ...extra, id: `w${nameOf(parent)}`, label: '…', act: () => {} });
    else if (part.next) items.push({ ...extra, id: `m${nameOf(parent)}`, label: 'More …', act: () => more(parent) });
  };
  add('', 1);
  // A line that is replaced, as "…" is by what was waited for, leaves its place and the focus to the one that comes there.
  const found = items.findIndex((item) => item.id === current);
  const at = found >= 0 ? found : Math.max(0, Math.min(last.current, items.length - 1));
  const focused = box.current?.contains(document.activeElement) ?? false;
  useLayoutEffect(() => {
    last.current = at;
    if (focused && !box.current?.contains(document.activeElement)) focusCurrent();
  });

  useEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    focusCurrent();
  });

  const go = (to: number) => {
    const item = items[Math.max(0, Math.min(items.length - 1, to))];
    if (!item) return;
    moved.current = true;
    setCurrent(item.id);
  };
  const press = (event: KeyboardEvent) => {
    const item = items[at];
    if (!item || event.ctrlKey || event.altKey || event.metaKey) return;
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(items.length - 1),
      Enter: () => item.act(),
      ' ': () => item.act(),
      ArrowRight: () => {
        if (item.branch?.prefix && !item.open) item.act();
        else if (item.open) go(at + 1);
      },
      ArrowLeft: () => {
        if (item.open) item.act();
        else go(items.findIndex((one) => one.id === item.parent));
      },
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  };
  const shown = items[at]?.branch;
  return (
    <>
      <div class="form small">
        <Text label="Delimiter" value={delimiter} set={setDelimiter} mono />
        <button type="button" onClick={reload}>
          Reload
        </button>
        <button type="button" disabled={!shown?.prefix} onClick={() => setBulk(shown!.name)}>
          Change all below
        </button>
      </div>
      {branches.s?.fault && items.length === 0 && <Fault words={branches.s.fault} />}
      {items.length === 0 && !branches.s?.waiting && <Nothing>This database is empty.</Nothing>}
      <ul class="tree" role="tree" aria-label="Keys by prefix" ref={box} onKeyDown={press}>
        {items.map((item, index) => (
          <li
            key={item.id}
            role="treeitem"
            aria-level={item.level}
            tabIndex={index === at ? 0 : -1}
            aria-expanded={item.branch?.prefix ? item.open : undefined}
            aria-selected={chosen !== null && item.id === `k${nameOf(chosen)}`}
            class={`level${Math.min(item.level, 8)}${item.bad ? ' bad' : ''}${item.branch?.prefix ? ' prefix' : ''}`}
            onClick={() => {
              setCurrent(item.id);
              item.act();
            }}
          >
            <span class="mark" aria-hidden="true">
              {item.branch?.prefix ? (item.open ? '▾' : '▸') : ''}
            </span>
            <code>{item.label}</code>
            {item.note && <span class="note">{item.note}</span>}
          </li>
        ))}
      </ul>
      {bulk !== null && <Bulk db={db} match={patternOf(bulk)} changed={reload} key={nameOf(bulk)} />}
    </>
  );
}
