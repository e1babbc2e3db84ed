// Values of DynamoDB's JSON as text, and back from forms.

export type Value = Record<string, any>;
export type Item = Record<string, Value>;

export interface KeyPart {
  name: string;
  type: string; // S, N or B
}

export interface Description {
  TableName: string;
  TableStatus: string;
  ItemCount: number;
  TableSizeBytes: number;
  KeySchema: { AttributeName: string; KeyType: string }[];
  AttributeDefinitions: { AttributeName: string; AttributeType: string }[];
  GlobalSecondaryIndexes?: Index[];
  LocalSecondaryIndexes?: Index[];
  LatestStreamArn?: string;
  StreamSpecification?: { StreamEnabled: boolean; StreamViewType: string };
  CreationDateTime: number;
}

export interface Index {
  IndexName: string;
  IndexStatus?: string;
  KeySchema: { AttributeName: string; KeyType: string }[];
  Projection: { ProjectionType: string; NonKeyAttributes?: string[] };
  ItemCount?: number;
  IndexSizeBytes?: number;
}

export function keysOf(table: Description, index = ''): KeyPart[] {
  const indexes = [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
  const schema = indexes.find((one) => one.IndexName === index)?.KeySchema ?? table.KeySchema;
  const sorted = [...schema].sort((a) => (a.KeyType === 'HASH' ? -1 : 1));
  return sorted.map(({ AttributeName: name }) => ({
    name,
    type: table.AttributeDefinitions.find((one) => one.AttributeName === name)?.AttributeType ?? 'S',
  }));
}

export function shownValue(value: Value | undefined): string {
  if (value === undefined) return '';
  const [[type, inner]] = Object.entries(value);
  switch (type) {
    case 'S':
      return inner;
    case 'N':
      return inner;
    case 'B':
      return `base64 ${inner}`;
    case 'BOOL':
      return String(inner);
    case 'NULL':
      return 'null';
    case 'L':
      return `[${inner.map(shownValue).join(', ')}]`;
    case 'M':
      return `{${Object.entries(inner)
        .map(([name, one]) => `${name}: ${shownValue(one as Value)}`)
        .join(', ')}}`;
    default:
      return `<${inner.join(', ')}>`;
  }
}

export const typedValue = (type: string, words: string): Value => ({ [type]: words });

export const keyOfItem = (item: Item, keys: KeyPart[]): Item =>
  Object.fromEntries(keys.map(({ name }) => [name, item[name]]));
