// Advice on a table, from its rows or a sample of them: every rule's findings, sizes, and the cost, from prices that
// the user gives: Azure's differ by region, redundancy and year.
import { createHistogram } from 'node:perf_hooks';
import type { Row } from '../line/row.js';
import { entitySize } from '../stats/table-stats.js';
import { AppendOnly } from './append-only.js';
import type { Finding, Rule } from './finding.js';
import { HotPartition } from './hot-partition.js';
import { KeyHygiene } from './key-hygiene.js';
import { Oversize } from './oversize.js';
import { TypeDrift } from './type-drift.js';

export interface Prices {
  /** For a GiB for a month. */
  readonly gib: number | undefined;
  /** For 10,000 requests. */
  readonly tenThousandRequests: number | undefined;
}

interface Cost {
  /** For keeping the rows for a month. */
  readonly storageAMonth: number | undefined;
  /** For reading the table once. */
  readonly scan: number | undefined;
  /** For reading each row once by its keys. */
  readonly pointReads: number | undefined;
  /** For writing the rows again, one by one, and in transactions of 100. */
  readonly singleWrites: number | undefined;
  readonly batchedWrites: number | undefined;
}

const GIB = 1_073_741_824;
/** Rows per page, and requests per price. */
const PAGE_ROWS = 1000;
const REQUESTS = 10_000;
const BATCH_ROWS = 100;

/** @param rows and bytes of the whole table. */
function costOf(rows: number, bytes: number, { gib, tenThousandRequests }: Prices): Cost {
  const requests = (count: number): number | undefined =>
    tenThousandRequests === undefined ? undefined : (Math.ceil(count) / REQUESTS) * tenThousandRequests;
  return {
    storageAMonth: gib === undefined ? undefined : (bytes / GIB) * gib,
    scan: requests(Math.max(1, rows / PAGE_ROWS)),
    pointReads: requests(rows),
    singleWrites: requests(rows),
    batchedWrites: requests(rows / BATCH_ROWS),
  };
}

export interface TableAdvice {
  readonly table: string;
  /** Rows that were read. */
  readonly rows: number;
  readonly partitions: number;
  /** Size of the entities, as Azure counts it. */
  readonly bytes: number;
  readonly sizes: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly findings: readonly Finding[];
  /** For a whole table whose prices were given. */
  readonly cost?: Cost;
  /** The requested number of rows, if the rows are a sample. */
  readonly sample?: number;
}

export class AdviceOnTable {
  readonly #rules: readonly Rule[] = [
    new HotPartition(),
    new AppendOnly(),
    new KeyHygiene(),
    new Oversize(),
    new TypeDrift(),
  ];
  readonly #sizes = createHistogram({ figures: 2 });
  #bytes = 0;
  #max = 0;
  #partition: string | undefined;
  #partitions = 0;

  /** Rows come in the order of their keys. */
  add(row: Row): void {
    const bytes = entitySize(row);
    this.#sizes.record(bytes);
    this.#bytes += bytes;
    this.#max = Math.max(this.#max, bytes);
    if (row.partitionKey !== this.#partition) {
      this.#endPartition();
      this.#partition = row.partitionKey;
      this.#partitions++;
    }
    for (const rule of this.#rules) rule.add(row, bytes);
  }

  #endPartition(): void {
    if (this.#partition !== undefined) for (const rule of this.#rules) rule.end?.(this.#partition);
  }

  result(table: string, { prices, sample }: { prices: Prices; sample?: number | undefined }): TableAdvice {
    this.#endPartition();
    const [rows, bytes, max] = [this.#sizes.count, this.#bytes, this.#max];
    const hasPrices = prices.gib !== undefined || prices.tenThousandRequests !== undefined;
    /** Up to a hundredth too large. */
    const quantile = (percentile: number): number => Math.min(max, this.#sizes.percentile(percentile));
    return {
      table,
      rows,
      partitions: this.#partitions,
      bytes,
      sizes: { p50: quantile(50), p99: quantile(99), max },
      findings: this.#rules.flatMap(rule => rule.findings()),
      ...(hasPrices && sample === undefined && { cost: costOf(rows, bytes, prices) }),
      ...(sample !== undefined && { sample }),
    };
  }
}
