// What all queries of one table share: the settings by which they are sent, the plan, and admission before results are read.

import type { DriftPolicy } from '../../model/drift.js';
import { type Admission, admit } from '../../model/filter/admit.js';
import { type Plan, planOf, type RowQuery } from '../../model/filter/plan.js';
import type { RowSource } from '../../transport/row-source.js';
import type { WireObject } from '../../values/read-wire.js';
import { ResultsOnDemand } from './results.js';
import { RowResults } from './row-results.js';
import type { UnreadablePolicy } from './unreadable.js';

/** What a program says of all its queries. */
export interface QueryOptions extends Admission {
  /** Seals tokens, for those that leave the program. */
  readonly tokenSecret?: Uint8Array | undefined;
  /** Point reads at once: 16 by default. */
  readonly concurrency?: number | undefined;
  /** What becomes of rows that their entity cannot read; `throw` by default. */
  readonly onUnreadable?: UnreadablePolicy | undefined;
}

/** Where a query reads, and by which options. */
export interface QuerySettings extends QueryOptions {
  readonly source: RowSource;
  /** Where the rows stand, if not in the entity's table. */
  readonly table?: string | undefined;
  readonly onDrift?: DriftPolicy | undefined;
}

export const POINT_CONCURRENCY = 16;

export abstract class TableQuery<R> extends ResultsOnDemand<R> {
  protected readonly settings: QuerySettings;
  /** Why it may read many partitions. */
  protected readonly reason: string | undefined;

  constructor(settings: QuerySettings, reason: string | undefined) {
    super();
    this.settings = settings;
    this.reason = reason;
  }

  abstract get rowQuery(): RowQuery;

  /** What makes results differ in addition to the query: entities and their versions. */
  protected abstract readonly shape: string;

  /** Undefined for a row that is none of the results. Throws what should end the query. */
  protected abstract decode(row: WireObject): R | undefined;

  explain(): Plan {
    return planOf(this.rowQuery);
  }

  protected override results(): RowResults<R> {
    const { settings, rowQuery: query, shape } = this;
    admit(query, settings, this.reason);
    return new RowResults({
      source: settings.source,
      query,
      decode: row => this.decode(row),
      shape,
      secret: settings.tokenSecret,
      concurrency: settings.concurrency ?? POINT_CONCURRENCY,
    });
  }
}
