// Which database a view shows; it stands in the address, so that a view can be handed on.
import { go, hashOf } from '../app/address';
import type { Place } from '../app/address';
import { useShared } from '../app/state';
import { Choice } from './inputs';

export const dbOf = (place: Place): number => Number(place.parts.db ?? 0) || 0;

export function useDbOptions(): [string, string][] {
  const { session, figures } = useShared();
  const rows = (db: number) => figures?.keyspaces.find((one) => one.name === `db${db}`)?.rows ?? 0;
  return Array.from({ length: session.databases }, (_, db): [string, string] => [
    String(db),
    rows(db) > 0 ? `db${db} (${rows(db)})` : `db${db}`,
  ]);
}

export function DbChoice({ place }: { place: Place }) {
  const options = useDbOptions();
  return (
    <Choice
      label="Database"
      value={String(dbOf(place))}
      options={options}
      set={(db) => go(hashOf(place.view, { db }))}
    />
  );
}
