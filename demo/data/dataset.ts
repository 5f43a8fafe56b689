// A data set in memory: typed entities in key order. load.ts sends them.
import { readFile } from 'node:fs/promises';

/** A property's value as the client returns it: bigint is Int64, Date is DateTime, number is Int32 or Double. */
export type Value = string | number | bigint | boolean | Date;

export interface Entity {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly [property: string]: Value;
}

export interface Dataset {
  /** Name of the table. */
  readonly table: string;
  /** Name of the file inside the package. */
  readonly file: string;
  /** Sorted like a table: by PartitionKey, then RowKey, code unit by code unit. */
  readonly entities: readonly Entity[];
  /** Properties of type Double. JavaScript has one number, so without this 7.0 would go out as an Int32. */
  readonly doubles: ReadonlySet<string>;
}

const byKeys = (a: Entity, b: Entity): number => {
  if (a.partitionKey !== b.partitionKey) return a.partitionKey < b.partitionKey ? -1 : 1;
  return a.rowKey < b.rowKey ? -1 : Number(a.rowKey > b.rowKey);
};

/** @throws Error if two entities have the same keys: the second one would fail or overwrite the first. */
export function dataset(
  table: string,
  file: string,
  entities: readonly Entity[],
  doubles: readonly string[],
): Dataset {
  const sorted = entities.toSorted(byKeys);
  for (const [index, entity] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next !== undefined && byKeys(entity, next) === 0) {
      throw new Error(`${file} holds ${entity.partitionKey}, ${entity.rowKey} twice.`);
    }
  }
  return { table, file, entities: sorted, doubles: new Set(doubles) };
}

/** The text of a file of the npm package `vega-datasets`, which is installed for development. */
export const readDatasetFile = (file: string): Promise<string> =>
  readFile(new URL(`../data/${file}`, import.meta.resolve('vega-datasets')), 'utf8');

/** Partition keys and the number of entities of each, in order. */
export function partitionSizes({ entities }: Dataset): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { partitionKey } of entities) sizes.set(partitionKey, (sizes.get(partitionKey) ?? 0) + 1);
  return sizes;
}
