// A query built by form: of the table or an index, one partition, a condition on the sort key, a filter.
import { useState } from 'preact/hooks';
import { table as operation } from '../../api/server';
import { usePages } from '../../app/pages';
import { Fault, Nothing, Pager, Panel } from '../../parts/basics';
import { Choice, Form, Text } from '../../parts/inputs';
import type { Description, Item } from './attributes';
import { keysOf, typedValue } from './attributes';
import { ItemRows } from './item_rows';

const kPage = 50;

const kConditions: [string, string][] = [
  ['', 'any'],
  ['=', '='],
  ['<', '<'],
  ['<=', '≤'],
  ['>', '>'],
  ['>=', '≥'],
  ['between', 'between'],
  ['begins_with', 'begins with'],
];
const kFilters: [string, string][] = [
  ['=', '='],
  ['<>', '≠'],
  ['<', '<'],
  ['>', '>'],
  ['contains', 'contains'],
  ['begins_with', 'begins with'],
  ['attribute_exists', 'exists'],
  ['attribute_not_exists', 'does not exist'],
];

interface Asked {
  index: string;
  partition: string;
  condition: string;
  first: string;
  last: string;
  down: boolean;
  attribute: string;
  filter: string;
  type: string;
  value: string;
}

const kNothingAsked: Asked = {
  index: '',
  partition: '',
  condition: '',
  first: '',
  last: '',
  down: false,
  attribute: '',
  filter: '=',
  type: 'S',
  value: '',
};

// Names and values always travel as placeholders: nothing typed becomes part of an expression.
function request(table: Description, asked: Asked) {
  const [hash, sort] = keysOf(table, asked.index);
  const names: Record<string, string> = { '#p': hash.name };
  const values: Record<string, unknown> = { ':p': typedValue(hash.type, asked.partition) };
  let where = '#p = :p';
  if (sort && asked.condition) {
    names['#s'] = sort.name;
    values[':a'] = typedValue(sort.type, asked.first);
    if (asked.condition === 'between') {
      values[':b'] = typedValue(sort.type, asked.last);
      where += ' AND #s BETWEEN :a AND :b';
    } else if (asked.condition === 'begins_with') where += ' AND begins_with(#s, :a)';
    else where += ` AND #s ${asked.condition} :a`;
  }
  let filter: string | undefined;
  if (asked.attribute) {
    names['#f'] = asked.attribute;
    if (asked.filter.startsWith('attribute_')) filter = `${asked.filter}(#f)`;
    else {
      values[':f'] = typedValue(asked.type, asked.value);
      filter = /^[a-z_]+$/.test(asked.filter) ? `${asked.filter}(#f, :f)` : `#f ${asked.filter} :f`;
    }
  }
  return {
    TableName: table.TableName,
    ...(asked.index ? { IndexName: asked.index } : {}),
    KeyConditionExpression: where,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ScanIndexForward: !asked.down,
    Limit: kPage,
    ...(filter ? { FilterExpression: filter } : {}),
  };
}

export function Query({ table, ttl }: { table: Description; ttl: string }) {
  const [form, setForm] = useState(kNothingAsked);
  const [asked, setAsked] = useState<Asked | null>(null);
  const set = (more: Partial<Asked>) => setForm({ ...form, ...more });
  const indexes = [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
  const [hash, sort] = keysOf(table, form.index);
  const pages = usePages<Item, Item>(
    async (after) => {
      if (!asked) return { rows: [], next: null };
      const page = await operation('Query', {
        ...request(table, asked),
        ...(after ? { ExclusiveStartKey: after } : {}),
      });
      return { rows: page.Items, next: page.LastEvaluatedKey ?? null };
    },
    [table.TableName, asked],
  );
  const submit = () => {
    if (JSON.stringify(form) === JSON.stringify(asked)) pages.again();
    else setAsked(form);
  };
  return (
    <Panel title={`Query ${table.TableName}`}>
      <Form label="Query" button="Query" submit={submit}>
        {indexes.length > 0 && (
          <Choice
            label="Of"
            value={form.index}
            set={(index) => set({ index, condition: '' })}
            options={[
              ['', 'the table'],
              ...indexes.map(({ IndexName }): [string, string] => [IndexName, `index ${IndexName}`]),
            ]}
          />
        )}
        <Text
          label={`${hash.name} is (${hash.type})`}
          value={form.partition}
          set={(partition) => set({ partition })}
          mono
          required
        />
        {sort && (
          <Choice
            label={`${sort.name} (${sort.type})`}
            value={form.condition}
            set={(condition) => set({ condition })}
            options={kConditions.filter(([one]) => one !== 'begins_with' || sort.type !== 'N')}
          />
        )}
        {sort && form.condition && (
          <Text
            label={form.condition === 'between' ? 'from' : 'value'}
            value={form.first}
            set={(first) => set({ first })}
            mono
          />
        )}
        {sort && form.condition === 'between' && (
          <Text label="to" value={form.last} set={(last) => set({ last })} mono />
        )}
        {sort && (
          <Choice
            label="Order"
            value={form.down ? 'down' : 'up'}
            set={(order) => set({ down: order === 'down' })}
            options={[
              ['up', 'rising'],
              ['down', 'falling'],
            ]}
          />
        )}
        <Text
          label="Filter: attribute"
          value={form.attribute}
          set={(attribute) => set({ attribute })}
          hint="none"
          mono
        />
        {form.attribute && (
          <>
            <Choice
              label="Filter: condition"
              value={form.filter}
              set={(filter) => set({ filter })}
              options={kFilters}
            />
            {!form.filter.startsWith('attribute_') && (
              <>
                <Choice
                  label="Filter: type"
                  value={form.type}
                  set={(type) => set({ type })}
                  options={[
                    ['S', 'text'],
                    ['N', 'number'],
                    ['B', 'base64'],
                  ]}
                />
                <Text label="Filter: value" value={form.value} set={(value) => set({ value })} mono />
              </>
            )}
          </>
        )}
      </Form>
      <Fault words={pages.fault} />
      {asked &&
        (pages.rows.length === 0 ? (
          !pages.waiting &&
          !pages.fault && (
            <Nothing>{pages.forward ? 'None on this page; the next one goes on.' : 'No item matches.'}</Nothing>
          )
        ) : (
          <ItemRows table={table} ttl={ttl} items={pages.rows} changed={pages.again} />
        ))}
      <Pager pages={pages} what="items" />
    </Panel>
  );
}
