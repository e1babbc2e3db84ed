// The place within the page: #/view?name=value. Going back and bookmarks work; keys are bytes and come back as bytes.
import { useEffect, useState } from 'preact/hooks';
import type { Bytes } from '../api/bytes';
import { fromName, nameOf } from '../api/bytes';

export interface Place {
  view: string;
  parts: Record<string, string>;
}

export function placeOf(hash: string): Place {
  const [view, query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { view: view || 'overview', parts: Object.fromEntries(new URLSearchParams(query)) };
}

export function hashOf(view: string, parts: Record<string, string | number | undefined> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parts)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  return `#/${view}${query.size > 0 ? `?${query}` : ''}`;
}

// A lone surrogate cannot come from the server; whatever else is in a key survives the way through an address.
export const keyHash = (db: number, key: Bytes): string => hashOf('browser', { db, key: nameOf(key) });

export const keyOf = (place: Place): Bytes | null => (place.parts.key === undefined ? null : fromName(place.parts.key));

// One of a few values that a part can have; the first when it has another.
export function oneOf<T extends string>(place: Place, part: string, values: readonly T[]): T {
  return values.find((value) => value === place.parts[part]) ?? values[0];
}

export const go = (hash: string): void => {
  window.location.hash = hash;
};

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(window.location.hash));
  useEffect(() => {
    let last = '';
    const moved = () => {
      if (window.location.hash !== last) setPlace(placeOf(window.location.hash));
      last = window.location.hash;
    };
    window.addEventListener('hashchange', moved);
    moved(); // It may have changed before anybody listened.
    return () => window.removeEventListener('hashchange', moved);
  }, []);
  return place;
}
