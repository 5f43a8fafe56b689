// Advice on a table, from its rows or a sample of them: every rule's findings, sizes, and the cost if prices are known.
import { createHistogram } from 'node:perf_hooks';
import type { Row } from '../line/row.js';
import { entitySize } from '../stats/entity-size.js';
import { AppendOnly } from './append-only.js';
import { type Cost, costOf, type Prices } from './cost.js';
import type { Finding, Rule } from './finding.js';
import { HotPartition } from './hot-partition.js';
import { KeyHygiene } from './key-hygiene.js';
import { Oversize } from './oversize.js';
import { TypeDrift } from './type-drift.js';

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
      this.#partitions++;
      this.#begin(row.partitionKey);
    }
    for (const rule of this.#rules) rule.add(row, bytes);
  }

  #begin(partition: string | undefined): void {
    this.#partition = partition;
    for (const rule of this.#rules) rule.begin?.(partition);
  }

  result(table: string, { prices, sample }: { prices: Prices; sample?: number | undefined }): TableAdvice {
    this.#begin(undefined);
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
