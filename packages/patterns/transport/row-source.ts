// What reads need of a sender: one row, and pages of rows. It knows no entities.

import type { CallOptions } from '../concurrency/abort.js';
import type { RowAddress } from '../values/pattern-error.js';
import type { WireObject } from '../values/read-wire.js';

export interface GetOptions extends CallOptions {
  readonly select?: readonly string[] | undefined;
}

/** A row, and its ETag. */
export interface RowAnswer {
  readonly row: WireObject;
  readonly etag: string | undefined;
  /** When the service answered, by its own clock. */
  readonly date?: string | undefined;
}

/** Where the next page begins, as the service gave it. */
export interface PageStart {
  readonly partitionKey: string;
  readonly rowKey: string | undefined;
}

/** A request for a page of rows. */
export interface PageRequest extends CallOptions {
  readonly table: string;
  /** The text of `$filter`; all rows without one. */
  readonly filter?: string | undefined;
  readonly select?: readonly string[] | undefined;
  /** At most so many rows; the service gives 1,000 at most. */
  readonly top?: number | undefined;
  readonly next?: PageStart | undefined;
}

/** A page of rows, and where the next one begins. */
export interface PageAnswer {
  readonly rows: readonly WireObject[];
  /** A page without rows may have one. */
  readonly next: PageStart | undefined;
}

/** What queries read from: requests, or a model of the service in tests. */
export interface RowSource {
  /** The row; undefined if there is none. */
  get(address: RowAddress, options?: GetOptions): Promise<RowAnswer | undefined>;
  queryPage(request: PageRequest): Promise<PageAnswer>;
}

/** The rows of a query, page by page to its end. */
export async function* rowPages(
  source: RowSource,
  request: Omit<PageRequest, 'next'>,
): AsyncGenerator<readonly WireObject[], void, undefined> {
  let next: PageStart | undefined;
  do {
    const page = await source.queryPage({ ...request, next });
    yield page.rows;
    next = page.next;
  } while (next !== undefined);
}
