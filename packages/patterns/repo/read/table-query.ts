// What all queries of one table share: the settings by which they are sent, the plan, admission, and how results are read.

import type { CallOptions } from '../../concurrency/abort.js';
import type { DriftPolicy } from '../../model/drift.js';
import { type Admission, admit, type Plan, planOf, type RowQuery } from '../../model/filter/plan.js';
import type { RowSource } from '../../transport/row-source.js';
import type { WireObject } from '../../values/read-wire.js';
import { type FetchOptions, fetchRows, type Position, positionIn } from './fetch-rows.js';
import {
  checkPageSize,
  checkWhole,
  PAGE_SIZE_MAX,
  type Page,
  PagedResults,
  type PageOptions,
} from './results.js';
import { formatToken, parseToken } from './resume-token.js';
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

/** A query of one table. It asks for its pages, follows continuations to the end, over empty pages too, and decodes rows. */
export abstract class TableQuery<R> extends PagedResults<R> {
  readonly settings: QuerySettings;
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

  override async *pages({
    size,
    resume,
    signal,
  }: PageOptions = {}): AsyncGenerator<Page<R>, void, undefined> {
    const { rowQuery: query, shape } = this;
    const { tokenSecret } = this.settings;
    admit(query, this.settings, this.reason);
    checkPageSize(size);
    const subject = JSON.stringify([query.table, query.filter ?? '', query.select ?? [], shape]);
    let from = resume === undefined ? undefined : positionIn(await parseToken(resume, subject, tokenSecret));
    do {
      const { items, next } = await this.#some(query, { size, signal, from });
      const token = next && (await formatToken(subject, next, tokenSecret));
      if (items.length > 0) yield { items, next: token };
      from = next;
    } while (from !== undefined);
  }

  override async take(count: number, { signal }: CallOptions = {}): Promise<readonly R[]> {
    const query = this.rowQuery;
    admit(query, this.settings, this.reason);
    checkWhole('count', count, 0);
    const taken: R[] = [];
    let from: Position | undefined;
    while (taken.length < count) {
      const size = Math.min(count - taken.length, PAGE_SIZE_MAX);
      const { items, next } = await this.#some(query, { size, signal, from });
      taken.push(...items);
      if (next === undefined) break;
      from = next;
    }
    return taken;
  }

  /** The next page that has items; an empty one only at the end. */
  async #some(
    query: RowQuery,
    { size, signal, from }: Omit<FetchOptions, 'concurrency'>,
  ): Promise<{ readonly items: readonly R[]; readonly next: Position | undefined }> {
    const { source, concurrency = POINT_CONCURRENCY } = this.settings;
    for (let position = from; ; ) {
      signal?.throwIfAborted();
      const { rows, next } = await fetchRows(source, query, { size, from: position, signal, concurrency });
      const items = rows.flatMap(row => this.decode(row) ?? []);
      if (items.length > 0 || next === undefined) return { items, next };
      position = next;
    }
  }
}
