// Advice on a table, from its rows or a sample of them: every rule's findings, sizes, and the cost if prices are known.
import type { Row } from '../line/row.js';
import { entitySize } from '../stats/entity-size.js';
import { AppendOnly } from './append-only.js';
import { type Cost, costOf, type Prices } from './cost.js';
import type { Finding, Rule } from './finding.js';
import { HotPartition } from './hot-partition.js';
import { KeyHygiene } from './key-hygiene.js';
import { Oversize } from './oversize.js';
import { SizeSpread } from './size-spread.js';
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
  readonly #sizes = new SizeSpread();
  #partition: string | undefined;
  #partitions = 0;

  /** Rows come in the order of their keys. */
  add(row: Row): void {
    const bytes = entitySize(row);
    this.#sizes.add(bytes);
    if (row.partitionKey !== this.#partition) {
      this.#partition = row.partitionKey;
      this.#partitions++;
    }
    for (const rule of this.#rules) rule.add(row, bytes);
  }

  result(table: string, { prices, sample }: { prices: Prices; sample?: number | undefined }): TableAdvice {
    const { count, total } = this.#sizes;
    const hasPrices = prices.gib !== undefined || prices.tenThousandRequests !== undefined;
    return {
      table,
      rows: count,
      partitions: this.#partitions,
      bytes: total,
      sizes: { p50: this.#sizes.quantile(0.5), p99: this.#sizes.quantile(0.99), max: this.#sizes.max },
      findings: this.#rules.flatMap(rule => rule.findings()),
      ...(hasPrices && sample === undefined && { cost: costOf(count, total, prices) }),
      ...(sample !== undefined && { sample }),
    };
  }
}
