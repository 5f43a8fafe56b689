// The statistics of a table, from its rows in the order of their keys: how many, how large, in how many partitions,
// which are the largest, and which properties have which types. Memory holds the names of properties and the largest
// few, however large the table is.
import { bytesOf } from '../line/bytes.js';
import { Checksum } from '../line/checksum.js';
import { formatContent } from '../line/line.js';
import { compareText, EDM_TYPES, type EdmType, type Property, type Row, textOf } from '../line/row.js';

const FIXED: Readonly<Partial<Record<EdmType, number>>> = {
  Boolean: 1,
  Int32: 4,
  Int64: 8,
  Double: 8,
  DateTime: 8,
  Guid: 16,
};

/** The size of a value only, in bytes: a string has two per character and four for its length, a Binary four for its length. */
export function valueSize(property: Property): number {
  const fixed = FIXED[property.type];
  if (fixed !== undefined) return fixed;
  return property.type === 'String' ? textOf(property).length * 2 + 4 : bytesOf(property).length + 4;
}

/** In bytes. */
export function entitySize({ partitionKey, rowKey, properties }: Row): number {
  let size = 4 + (partitionKey.length + rowKey.length) * 2;
  for (const property of properties) size += 8 + property.name.length * 2 + valueSize(property);
  return size;
}

export class Largest<T> {
  readonly #most: number;
  readonly #sizeOf: (item: T) => number;
  #items: T[] = [];

  constructor(most: number, sizeOf: (item: T) => number) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  /** Whether an item of this size would be among them: callers ask before they build an item. */
  admits(size: number): boolean {
    const least = this.#items.at(-1);
    return this.#items.length < this.#most || (least !== undefined && size > this.#sizeOf(least));
  }

  add(item: T): void {
    const size = this.#sizeOf(item);
    if (!this.admits(size)) return;
    const at = this.#items.findIndex(each => this.#sizeOf(each) < size);
    this.#items.splice(at === -1 ? this.#items.length : at, 0, item);
    this.#items = this.#items.slice(0, this.#most);
  }

  /** The largest first; equal ones in the order of arrival. */
  list(): readonly T[] {
    return this.#items;
  }
}

/** The number of largest entities and partitions that are kept. */
const LARGEST_COUNT = 10;

interface LargeEntity {
  readonly PartitionKey: string;
  readonly RowKey: string;
  /** As Azure counts it. */
  readonly bytes: number;
}

interface LargePartition {
  readonly PartitionKey: string;
  readonly rows: number;
  readonly bytes: number;
}

interface PropertyStats {
  readonly name: string;
  /** How many rows have it with which type; only types that occur. */
  readonly types: Readonly<Partial<Record<EdmType, number>>>;
}

export interface TableStats {
  readonly table: string;
  readonly rows: number;
  /** As Azure counts entities. */
  readonly bytes: number;
  readonly partitions: number;
  /** As in a dump of the table; null for a sample. */
  readonly checksum: string | null;
  readonly largestEntities: readonly LargeEntity[];
  readonly largestPartitions: readonly LargePartition[];
  /** By name in UTF-16 order. */
  readonly properties: readonly PropertyStats[];
  /** For a sample: the requested number of rows; all figures are of the rows read. */
  readonly sample?: number;
}

export class StatsOfTable {
  readonly #checksum = new Checksum();
  readonly #entities = new Largest<LargeEntity>(LARGEST_COUNT, ({ bytes }) => bytes);
  readonly #partitions = new Largest<LargePartition>(LARGEST_COUNT, ({ bytes }) => bytes);
  readonly #types = new Map<string, Map<EdmType, number>>();
  #rows = 0;
  #bytes = 0;
  #partitionCount = 0;
  #partition: { key: string; rows: number; bytes: number } | undefined;

  /** Rows come in the order of their keys. */
  add(row: Row): void {
    const bytes = entitySize(row);
    this.#rows++;
    this.#bytes += bytes;
    this.#checksum.addContent(formatContent(row));
    if (this.#entities.admits(bytes))
      this.#entities.add({ PartitionKey: row.partitionKey, RowKey: row.rowKey, bytes });
    if (this.#partition?.key !== row.partitionKey) {
      this.#endPartition();
      this.#partition = { key: row.partitionKey, rows: 0, bytes: 0 };
    }
    this.#partition.rows++;
    this.#partition.bytes += bytes;
    for (const { name, type } of row.properties) {
      const types = this.#types.get(name) ?? new Map<EdmType, number>();
      if (types.size === 0) this.#types.set(name, types);
      types.set(type, (types.get(type) ?? 0) + 1);
    }
  }

  #endPartition(): void {
    if (this.#partition === undefined) return;
    const { key, rows, bytes } = this.#partition;
    this.#partitionCount++;
    this.#partitions.add({ PartitionKey: key, rows, bytes });
    this.#partition = undefined;
  }

  /** @param sample the requested number of rows, if the rows are a sample. */
  result(table: string, sample?: number): TableStats {
    this.#endPartition();
    const properties = [...this.#types]
      .map(([name, types]) => ({ name, types: inOrder(types) }))
      .sort((a, b) => compareText(a.name, b.name));
    return {
      table,
      rows: this.#rows,
      bytes: this.#bytes,
      partitions: this.#partitionCount,
      checksum: sample === undefined ? this.#checksum.toString() : null,
      largestEntities: this.#entities.list(),
      largestPartitions: this.#partitions.list(),
      properties,
      ...(sample !== undefined && { sample }),
    };
  }
}

const inOrder = (types: ReadonlyMap<EdmType, number>): PropertyStats['types'] =>
  Object.fromEntries(
    EDM_TYPES.flatMap(type => {
      const count = types.get(type);
      return count === undefined ? [] : [[type, count]];
    }),
  );
