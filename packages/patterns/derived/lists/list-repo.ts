// Reads and changes lists of a table under optimistic concurrency: a change reads only the part of a list that it needs, and writes under the ETags that it read; after a
// conflict with another writer it starts over. list-rows.ts decides which rows a change writes.

import type { CallOptions } from '../../concurrency/abort.js';
import type { AnyEntity } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import { Attempts, isLost } from '../../repo/optimistic.js';
import { OPERATIONS } from '../../repo/write/operations.js';
import { newIdentity, type Subject, timeOfWrite } from '../../repo/write/plan-write.js';
import { PlannedBatch } from '../../repo/write/planned-batch.js';
import type { Identity, PlannedWrite, WriteResult } from '../../repo/write/planned-write.js';
import type { Service } from '../../repo/write/service.js';
import { writePlanned } from '../../repo/write/write-planned.js';
import { utf8Length } from '../../values/bytes.js';
import type { RowAddress } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { ContentionCount, type ListContention } from './contention.js';
import type { IdChanges } from './id-set.js';
import { type AnyList, type ListKey, ROWS_ADVICE } from './list.js';
import { CHANGE_BYTES } from './list-limits.js';
import { type ListEdits, ListReads } from './list-reads.js';
import { chunkValues, HEAD, headValues } from './list-rows.js';

/** Where lists are stored, and a callback for hot ones. */
export interface ListOptions {
  /** The table of the lists, if not that of the definition. */
  readonly table?: string | undefined;
  /** Attempts for a change: 8 by default. */
  readonly attempts?: number | undefined;
  /** Called once for a list when at least one in twenty of its writes conflicts with another writer. */
  readonly warn?: ((found: ListContention) => void) | undefined;
}

interface ListSettings extends ListOptions {
  /** Shared with others that write the list. */
  readonly counts?: ContentionCount | undefined;
}

/** In the order of ids, in groups that one transaction may change. */
function* slices(changes: IdChanges): Generator<IdChanges, void, undefined> {
  let slice = new Map<string, boolean>();
  let bytes = 0;
  for (const [id, isIn] of [...changes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    slice.set(id, isIn);
    bytes += utf8Length(id) + 2;
    if (bytes < CHANGE_BYTES) continue;
    yield slice;
    slice = new Map();
    bytes = 0;
  }
  yield slice;
}

type Planned = PlannedWrite<WriteResult>;

/** The lists of a definition. */
export class ListRepo<L extends AnyList> {
  readonly list: L;
  readonly table: string;
  readonly #service: Service;
  readonly #reads: ListReads;
  readonly #attempts: number | undefined;
  readonly #contention: ContentionCount;

  constructor(service: Service, list: L, { table = list.table, attempts, warn, counts }: ListSettings = {}) {
    this.list = list;
    this.table = table;
    this.#service = service;
    this.#reads = new ListReads(service, list, table);
    this.#attempts = attempts;
    this.#contention = counts ?? new ContentionCount(warn);
  }

  /** The ids of the list in the order of their UTF-8; none if there is no such list. */
  ids(key: ListKey<L>, options: CallOptions = {}): Promise<readonly string[]> {
    return this.#reads.ids(key, options);
  }

  /** At most two point reads for a list of any length. */
  contains(key: ListKey<L>, id: string, options: CallOptions = {}): Promise<boolean> {
    return this.#reads.contains(key, id, options);
  }

  /** Adds these ids to the list; those that it has already stay. Throws Contention. */
  add(key: ListKey<L>, ids: Iterable<string>, options: CallOptions = {}): Promise<void> {
    return this.change(key, new Map([...ids].map(id => [id, true])), options);
  }

  /** Removes these ids from the list, if it has them. Throws Contention. */
  remove(key: ListKey<L>, ids: Iterable<string>, options: CallOptions = {}): Promise<void> {
    return this.change(key, new Map([...ids].map(id => [id, false])), options);
  }

  /** Afterwards each id is in the list, or is not. Ids of one chunk are changed together, those of several chunks one chunk after the other. Throws Contention. */
  async change(key: ListKey<L>, changes: IdChanges, options: CallOptions = {}): Promise<void> {
    for (let next of slices(changes)) while (next.size > 0) next = await this.#changed(key, next, options);
  }

  /** Lists that this instance wrote, most conflicts first. */
  contention(): readonly ListContention[] {
    return this.#contention.found();
  }

  explain(key: ListKey<L>): {
    readonly table: string;
    /** For a list in one row; a longer one takes a range, too. */
    readonly read: readonly string[];
    /** For a change of one id, after the read. A chunk is split or merged by one transaction over all rows affected. */
    readonly write: readonly string[];
    readonly warnings: readonly string[];
  } {
    const { table, partitionKey, rowKey } = this.addressOf(key);
    const head = `${table}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
    const { warnings } = this.list;
    return { table, read: [`GET ${head}`], write: [`PUT ${head} with If-Match`], warnings };
  }

  /** Of the list's head. */
  addressOf(key: ListKey<L>): RowAddress {
    return this.#reads.addressOf(key);
  }

  /** For callers that write other rows in the same transaction: the writes of the list, from a new read. */
  async planned(
    key: ListKey<L>,
    changes: IdChanges,
    identity: Identity,
    options: CallOptions = {},
  ): Promise<readonly Planned[]> {
    return this.#planned(key, await this.#reads.edits(key, changes, options), identity);
  }

  /** Of an attempt that others made, with what `planned` gave. */
  count(key: ListKey<L>, isConflict: boolean): void {
    const { partitionKey, rowKey } = this.addressOf(key);
    this.#contention.count(`${partitionKey}, ${rowKey}`, isConflict);
  }

  /** Applies changes to one chunk. Returns the changes still to do. */
  async #changed(key: ListKey<L>, changes: IdChanges, options: CallOptions): Promise<IdChanges> {
    const { signal } = options;
    const attempts = new Attempts(this.#service.surroundings, { attempts: this.#attempts, signal });
    for (;;) {
      const edits = await this.#reads.edits(key, changes, options);
      if (edits.isNothing) return edits.rest;
      try {
        await this.#write(key, edits, options);
        this.count(key, false);
        return edits.rest;
      } catch (thrown) {
        if (!isLost(thrown)) throw thrown;
        this.count(key, true);
      }
      await attempts.next(this.addressOf(key), edits.stored.get(HEAD)?.etag, ROWS_ADVICE);
    }
  }

  async #write(key: ListKey<L>, edits: ListEdits, options: CallOptions): Promise<void> {
    const writes = this.#planned(key, edits, newIdentity(this.#service));
    const [only] = writes;
    if (writes.length === 1 && only !== undefined) {
      await writePlanned(this.#service, only, options);
      return;
    }
    const batch = new PlannedBatch(this.#service, this.addressOf(key));
    for (const each of writes) batch.add(each);
    await batch.commit(options);
  }

  #planned(
    key: Values,
    { head, chunks, removed, stored }: ListEdits,
    identity: Identity,
  ): readonly Planned[] {
    const { table, list } = this;
    const at: Subject<AnyEntity> = { entity: list.rows, table, identity, now: timeOfWrite(this.#service) };
    const put = (number: number, values: Values): Planned => {
      const before = stored.get(number);
      const value = { ...key, ...values } as never;
      return before === undefined ? OPERATIONS.create(at, value) : OPERATIONS.replace(at, before, value);
    };
    const take = (number: number): readonly Planned[] => {
      const before = stored.get(number) as StoredOf<AnyEntity> | undefined;
      return before === undefined ? [] : [OPERATIONS.delete(at, before)];
    };
    return [
      ...(head === undefined ? [] : head === null ? take(HEAD) : [put(HEAD, headValues(head))]),
      ...chunks.map(chunk => put(chunk.number, chunkValues(chunk))),
      ...removed.flatMap(take),
    ];
  }
}
