// The store contract: what every engine promises and every domain builds on. It knows spaces, partitions, keys,
// versions and bytes; it leaves entities, messages, blobs, HTTP and Azure to others.
//
// Laws, proved by the conformance suite:
// 1. Rows of a space are ordered by (partition, key), each ordinally by UTF-16 code unit, as JavaScript's `<` orders
//    strings.
// 2. Commits of one partition are linearizable; a commit is applied whole or not at all.
// 3. One scan of one partition sees each commit whole or not at all.
// 4. A row's version rises strictly over its life, also over delete and re-create, and under any clock.
// 5. Acknowledged commits survive a kill of the process and, in a durable mode, a power cut; no read shows a commit
//    that such a failure could undo.
// 6. A decision without changes changes nothing; a decision that throws changes nothing and its error reaches the
//    caller.

/** Longest partition and longest key of a row, in UTF-16 code units (protocol: data-model#keys). Bounds of a scan may be longer. */
export const KEY_LENGTH_MAX = 1024;

/** The name of a space. Names are compared exactly; a domain that ignores case folds it before. */
export interface SpaceAddress {
  readonly account: string;
  readonly service: string;
  readonly name: string;
}

/** One generation of a space: a name that is dropped and created again gets another `id` and starts empty. */
export interface Space extends SpaceAddress {
  readonly id: number;
  /** When this generation was created, in ticks. */
  readonly created: bigint;
  readonly metadata: Buffer;
}

/** A position in a space's order. It need not have a row. */
export interface Position {
  readonly partition: string;
  readonly key: string;
}

export interface Row extends Position {
  /** The tick of the commit that wrote the row. */
  readonly version: bigint;
  readonly value: Buffer;
}

/** Half-open: `from` is in the range, `until` is not; without `until` it reaches the end of the space. */
export interface ScanRange {
  readonly from: Position;
  readonly until?: Position | undefined;
}

/**
 * What a visitor's own work has cost so far: the visitor adds to it, and the scan yields the thread earlier. One step
 * takes about as long as a comparison of two numbers.
 */
export interface Effort {
  steps: number;
}

/** The cost of a scan's own work on a row, in steps of a visitor. */
export const STEPS_OF_ROW = 64;

/** The bounds of a scan; the first one reached ends it. At least one row is visited, so that a scan always advances. */
export interface Budget {
  /** Rows that count. 0 ends the scan before the first row. */
  readonly rows: number;
  /** Bytes of the values of rows that count; the row that reaches or crosses the bound is the last one. */
  readonly bytes: number;
  /** Rows visited, whether they count or not. */
  readonly examined: number;
  /** Time spent, in milliseconds of the store's clock. */
  readonly milliseconds: number;
  /** Not a bound: how much work the visitor does, where that may be more than the scan's own. Read after each visit. */
  readonly effort?: Effort | undefined;
  /** Not a bound: the visitor reads all of each row that counts, so the store may load it ahead. */
  readonly isReadWhole?: boolean | undefined;
}

/**
 * The value is `bytes[from, until)`. Looking there costs less than `value`, which may be a view created on demand. So
 * may be `key`: its bytes are those from `keyFrom` until `keyUntil`, in a code in which 20 to 7E are the characters of
 * ASCII, and nothing else is. If `keyFrom` is negative the key is not in `bytes`.
 */
export interface RowInPlace extends Row {
  readonly bytes: Buffer;
  readonly from: number;
  readonly until: number;
  readonly keyFrom: number;
  readonly keyUntil: number;
}

/**
 * The visitor of a scan sees a row in place: the row and its bytes are valid during the call only; copy them to keep
 * them (`copyRow`). True: the row counts against the budget's rows and bytes.
 */
export type Visit = (row: RowInPlace) => boolean;

/** The end of a scan. */
export interface ScanEnd {
  /** The first row that was not visited; undefined when the range is exhausted. */
  readonly next: Position | undefined;
  /** Rows visited: the cost of the scan. */
  readonly examined: number;
}

/** The rows that a commit reads for its decision. */
export interface Reads {
  readonly keys: readonly string[];
  /** At most one half-open range of keys, cut after `rows` rows. */
  readonly range?:
    | { readonly from: string; readonly until?: string | undefined; readonly rows: number }
    | undefined;
}

export interface ReadRows {
  /** In the order of `Reads.keys`; undefined where there is no row. */
  readonly keys: readonly (Row | undefined)[];
  /** In order; empty if no range was asked for. */
  readonly range: readonly Row[];
}

/** Final images, at most one change a key. Other rows stay unchanged. */
export interface Decision<R> {
  readonly result: R;
  readonly puts?: readonly { readonly key: string; readonly value: Buffer }[];
  readonly deletes?: readonly string[];
}

/**
 * Pure: called again after a conflict, with the rows and a later tick of that attempt. `tick` becomes the version
 * of every row put. Values of `rows` may be views into the engine's memory: they are valid during the call only;
 * copy them to keep them.
 */
export type Decide<R> = (rows: ReadRows, tick: bigint) => Decision<R>;

/** Methods fail only with a `StoreError`, and with errors that `decide`, `change` and `visit` throw. */
export interface Store {
  /** Returns undefined if a space of that name exists, after it called `onExisting` with the space that was in the way. */
  createSpace(
    address: SpaceAddress,
    metadata: Buffer,
    onExisting?: (existing: Space) => void,
  ): Promise<Space | undefined>;
  getSpace(address: SpaceAddress): Promise<Space | undefined>;
  /** Spaces of a service in the order of their names, from `from` on, at most `limit`. */
  listSpaces(account: string, service: string, from: string, limit: number): Promise<readonly Space[]>;
  /** Replaces the metadata by the result of `change`, which is pure; undefined if this generation is gone. */
  updateSpace(space: Space, change: (metadata: Buffer) => Buffer): Promise<Space | undefined>;
  /**
   * Frees the name at once; rows are reclaimed in the background, and until then a read or scan of this generation may
   * still show some. False if this generation was gone already. `check` may throw, by the metadata of that moment: then
   * nothing changes.
   */
  dropSpace(space: Space, check?: (metadata: Buffer) => void): Promise<boolean>;

  /** In the order of `keys`; undefined where there is no row. The caller may keep the rows. */
  read(space: Space, partition: string, keys: readonly string[]): Promise<readonly (Row | undefined)[]>;
  /** Visits the rows of the range in order. May stop early, never skips, never repeats. `collectRows` returns copies. */
  scan(space: Space, range: ScanRange, budget: Budget, visit: Visit): Promise<ScanEnd>;
  /** Returns the decision's result once the changes are durable, or undefined without a decision if this generation is gone. */
  commit<R>(space: Space, partition: string, reads: Reads, decide: Decide<R>): Promise<R | undefined>;

  /** Waits for commits in progress; later calls fail with `closed`. Closing twice is harmless. */
  close(): Promise<void>;
}
