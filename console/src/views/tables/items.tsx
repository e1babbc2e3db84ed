// All items of a table, a page at a time, in the table's own order.
import { table as operation } from '../../api/server';
import { usePages } from '../../app/pages';
import { Fault, Nothing, Pager, Panel } from '../../parts/basics';
import type { Description, Item } from './attributes';
import { ItemRows, NewItem } from './item_rows';

const kPage = 50;

export function Items({ table, ttl }: { table: Description; ttl: string }) {
  const pages = usePages<Item, Item>(
    async (after) => {
      const page = await operation('Scan', {
        TableName: table.TableName,
        Limit: kPage,
        ...(after ? { ExclusiveStartKey: after } : {}),
      });
      return { rows: page.Items, next: page.LastEvaluatedKey ?? null };
    },
    [table.TableName],
  );
  return (
    <>
      <Panel
        title={`Items of ${table.TableName}`}
        actions={
          <button type="button" onClick={pages.again}>
            Reload
          </button>
        }
      >
        <Fault words={pages.fault} />
        {pages.rows.length === 0 ? (
          !pages.waiting && !pages.fault && <Nothing>No item.</Nothing>
        ) : (
          <ItemRows table={table} ttl={ttl} items={pages.rows} changed={pages.again} />
        )}
        <Pager pages={pages} what="items" />
      </Panel>
      <NewItem table={table} changed={pages.again} />
    </>
  );
}
