// The statistics of a table, from its rows in the order of their keys: how many, how large, in how many partitions,
// which are the largest, and which properties have which types. Memory holds the names of properties and the largest
// few, however large the table is.
import { Checksum } from '../line/checksum.js';
import { formatContent } from '../line/line.js';
import { compareText, EDM_TYPES, type EdmType, type Row } from '../line/row.js';
import { entitySize } from './entity-size.js';
import { Largest } from './largest.js';

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
