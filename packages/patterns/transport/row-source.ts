// What reads need of a sender: one row, and a page of rows. It knows no entities.
import type { RowAddress } from '../values/pattern-error.js';
import type { WireObject } from '../values/read-wire.js';

/** Where the next page begins, as the service said it. */
export interface PageStart {
  readonly partitionKey: string;
  readonly rowKey: string | undefined;
}

/** What queries read from: requests, or a model of the service in tests. */
export interface RowSource {
  /** The row; undefined if there is none. */
  get(
    address: RowAddress,
    options: { readonly select?: readonly string[] | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<{ readonly row: WireObject; readonly etag: string | undefined } | undefined>;
  queryPage(request: {
    readonly table: string;
    readonly filter?: string | undefined;
    readonly select?: readonly string[] | undefined;
    readonly top?: number | undefined;
    readonly next?: PageStart | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<{
    readonly rows: readonly WireObject[];
    /** A page without rows may have one. */
    readonly next: PageStart | undefined;
  }>;
}
