// Rows and checksum of each partition, from rows in the order of keys: a line per partition,
// `{"PartitionKey":…,"rows":…,"checksum":…}`. A partition that is split between two files has a line in the sums of
// each; `joined` merges them.
import { Checksum } from '../line/checksum.js';
import { formatString } from '../line/literal.js';

export interface PartitionSum {
  readonly partitionKey: string;
  readonly rows: number;
  readonly checksum: Checksum;
}

export const formatPartition = ({ partitionKey, rows, checksum }: PartitionSum): string =>
  `{"PartitionKey":${formatString(partitionKey)},"rows":${rows},"checksum":"${checksum}"}\n`;

export function parsePartition(line: string): PartitionSum {
  const { PartitionKey, rows, checksum } = JSON.parse(line) as {
    PartitionKey: string;
    rows: number;
    checksum: string;
  };
  return { partitionKey: PartitionKey, rows, checksum: Checksum.parse(checksum) };
}

/** Sums up rows in order. */
export class PartitionSums {
  #key: string | undefined;
  #rows = 0;
  #checksum = new Checksum();

  /** Returns the previous partition if the row begins another. `content` is its line without the Timestamp. */
  add(partitionKey: string, content: string): PartitionSum | undefined {
    const before = partitionKey === this.#key ? undefined : this.end();
    this.#key = partitionKey;
    this.#rows++;
    this.#checksum.addContent(content);
    return before;
  }

  /** The last partition; undefined if there was no row. */
  end(): PartitionSum | undefined {
    if (this.#key === undefined) return undefined;
    const sum = { partitionKey: this.#key, rows: this.#rows, checksum: this.#checksum };
    this.#key = undefined;
    this.#rows = 0;
    this.#checksum = new Checksum();
    return sum;
  }
}

/** Merges neighbours of one partition. */
export async function* joined(sums: AsyncIterable<PartitionSum>): AsyncGenerator<PartitionSum, void> {
  let before: PartitionSum | undefined;
  for await (const sum of sums) {
    if (before?.partitionKey === sum.partitionKey) {
      before.checksum.add(sum.checksum);
      before = { ...before, rows: before.rows + sum.rows };
      continue;
    }
    if (before !== undefined) yield before;
    before = sum;
  }
  if (before !== undefined) yield before;
}
