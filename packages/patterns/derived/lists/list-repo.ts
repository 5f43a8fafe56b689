// Reads and changes lists of a table under optimistic concurrency. A short list takes one point read, a long one its head and one range. A change reads only the part of a list that it
// needs, and writes under the ETags that it read; after a conflict with another writer it starts over. list-rows.ts decides which rows a change writes.

import type { CallOptions } from '../../concurrency/abort.js';
import { addressOfKey } from '../../model/address.js';
import type { AnyEntity } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import { Attempts, isLost } from '../../repo/optimistic.js';
import { EntityReads } from '../../repo/read/reads.js';
import { OPERATIONS } from '../../repo/write/operations.js';
import { newIdentity, subjectOf } from '../../repo/write/plan-write.js';
import type { Identity, PlannedWrite, WriteResult } from '../../repo/write/planned-write.js';
import { querySettings, type Service } from '../../repo/write/service.js';
import { writePlanned, writeTogether } from '../../repo/write/write-planned.js';
import { utf8Length } from '../../values/bytes.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { ContentionCount, type ListContention } from './contention.js';
import { changeIds, containsId, type IdChanges, type IdSet, idsOf } from './id-set.js';
import { type AnyList, type ListKey, ROWS_ADVICE } from './list.js';
import {
  type Chunk,
  type ChunkEntry,
  chunkFor,
  coversId,
  editChunk,
  HEAD,
  type Head,
  joinedChunks,
  NO_LIST,
  neighbourOf,
  type RowEdits,
  readChunk,
  readHead,
} from './list-rows.js';

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

type StoredRow = StoredOf<AnyEntity>;
type Planned = PlannedWrite<WriteResult>;

/** Rows that a change would write. */
interface ListEdits {
  readonly rows: RowEdits;
  /** The rows as they were read, by number. A row that is not there is new. */
  readonly stored: ReadonlyMap<number, StoredRow>;
  /** Changes of ids in other chunks, which are not among these edits. */
  readonly rest: IdChanges;
}

const NOTHING: RowEdits = new Map();

/** Most bytes of ids that one transaction changes, so that it fits in 4 MiB whatever it splits. */
const CHANGE_BYTES = 512 * 1_024;

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

/** The decoded content of the row, which must be defined. Throws RowUnreadable. */
function understood<T>({ table, partitionKey, rowKey, entity }: StoredRow, content: T | undefined): T {
  if (content !== undefined) return content;
  const reason = 'its ids are not those that a list holds';
  throw new PatternError('RowUnreadable', { table, partitionKey, rowKey, entity, reason });
}

/** The lists of a definition. */
export class ListRepo<L extends AnyList> {
  readonly list: L;
  readonly table: string;
  readonly #service: Service;
  readonly #rows: EntityReads<AnyEntity>;
  readonly #attempts: number | undefined;
  readonly #contention: ContentionCount;

  constructor(service: Service, list: L, { table = list.table, attempts, warn, counts }: ListSettings = {}) {
    this.list = list;
    this.table = table;
    this.#service = service;
    this.#rows = new EntityReads(list.rows, querySettings(service, table));
    this.#attempts = attempts;
    this.#contention = counts ?? new ContentionCount(warn);
  }

  /** The ids of the list in the order of their UTF-8; none if there is no such list. Throws Contention if its chunks are split and merged each time they are read. */
  async ids(key: ListKey<L>, options: CallOptions = {}): Promise<readonly string[]> {
    const { row, ids } = await this.#whole(key, options);
    if (row === undefined) return [];
    try {
      return idsOf(ids);
    } catch {
      return understood<readonly string[]>(row, undefined);
    }
  }

  /** At most two point reads for a list of any length. */
  async contains(key: ListKey<L>, id: string, options: CallOptions = {}): Promise<boolean> {
    const { content } = await this.#head(key, options);
    const chunk = content.own ?? (await this.#chunk(key, chunkFor(content.chunks, id), options))?.content;
    if (chunk !== undefined && coversId(chunk, id)) return containsId(chunk.ids, id);
    return containsId((await this.#whole(key, options)).ids, id);
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
    return addressOfKey(this.list.rows, this.table, { ...key, listRow: HEAD } as never);
  }

  /** For callers that write other rows in the same transaction: the writes of the list, from a new read. */
  async planned(
    key: ListKey<L>,
    changes: IdChanges,
    identity: Identity,
    options: CallOptions = {},
  ): Promise<readonly Planned[]> {
    return this.#planned(key, await this.#edits(key, changes, options), identity);
  }

  /** Of an attempt that others made, with what `planned` gave. */
  count(key: ListKey<L>, isConflict: boolean): void {
    const { partitionKey, rowKey } = this.addressOf(key);
    this.#contention.count(this.table, `${partitionKey}, ${rowKey}`, isConflict);
  }

  /** Applies changes to one chunk. Returns the changes still to do. */
  async #changed(key: ListKey<L>, changes: IdChanges, options: CallOptions): Promise<IdChanges> {
    const { signal } = options;
    const attempts = new Attempts(this.#service.surroundings, { attempts: this.#attempts, signal });
    for (;;) {
      const edits = await this.#edits(key, changes, options);
      const [first, ...others] = this.#planned(key, edits, newIdentity(this.#service));
      if (first === undefined) return edits.rest;
      try {
        if (others.length === 0) await writePlanned(this.#service, first, options);
        else await writeTogether(this.#service, first, others, options);
        this.count(key, false);
        return edits.rest;
      } catch (thrown) {
        if (!isLost(thrown)) throw thrown;
        this.count(key, true);
      }
      await attempts.next(this.addressOf(key), edits.stored.get(HEAD)?.etag, ROWS_ADVICE);
    }
  }

  #planned(key: Values, { rows, stored }: ListEdits, identity: Identity): readonly Planned[] {
    const at = subjectOf<AnyEntity>(this.#service, this.list.rows, this.table, identity);
    return [...rows].flatMap(([number, values]): readonly Planned[] => {
      const before = stored.get(number);
      if (values === null) return before === undefined ? [] : [OPERATIONS.delete(at, before)];
      const value = { ...key, ...values } as never;
      return [before === undefined ? OPERATIONS.create(at, value) : OPERATIONS.replace(at, before, value)];
    });
  }

  /** The rows that the changes of ids in the first affected chunk would write. Throws Contention. */
  #edits(key: ListKey<L>, changes: IdChanges, options: CallOptions): Promise<ListEdits> {
    return this.#steady(key, options, async () => {
      const { row, content } = await this.#head(key, options);
      const stored = new Map(row === undefined ? [] : [[HEAD, row]]);
      const [first] = changes.keys();
      if (first === undefined) return { rows: NOTHING, stored, rest: new Map() };
      const { chunks } = content;
      const read = async (entry: ChunkEntry): Promise<Chunk | undefined> => {
        if (content.own !== undefined) return content.own;
        const chunk = await this.#chunk(key, entry, options);
        if (chunk !== undefined) stored.set(entry.number, chunk.row);
        return chunk?.content;
      };
      const chunk = await read(chunkFor(chunks, first));
      if (chunk === undefined || !coversId(chunk, first)) return undefined;
      const own = new Map([...changes].filter(([id]) => coversId(chunk, id)));
      const rest = new Map([...changes].filter(([id]) => !own.has(id)));
      const ids = changeIds(chunk.ids, own);
      if (ids === chunk.ids) return { rows: NOTHING, stored, rest };
      const beside = ids.count < chunk.ids.count ? neighbourOf(chunks, chunk.number, ids) : undefined;
      const neighbour = beside && (await read(beside));
      if (beside && neighbour === undefined) return undefined;
      return { rows: editChunk(chunks, chunk, ids, neighbour), stored, rest };
    });
  }

  #whole(
    key: ListKey<L>,
    options: CallOptions,
  ): Promise<{ readonly row: StoredRow | undefined; readonly ids: IdSet }> {
    return this.#steady(key, options, async () => {
      const { row, content } = await this.#head(key, options);
      const ids = content.own?.ids ?? joinedChunks(await this.#chunks(key, options));
      return ids && { row, ids };
    });
  }

  /** What is read of rows that others did not split or merge in between: undefined if they did. */
  async #steady<T>(key: ListKey<L>, options: CallOptions, read: () => Promise<T | undefined>): Promise<T> {
    const attempts = new Attempts(this.#service.surroundings, options);
    for (; ; await attempts.next(this.addressOf(key), undefined)) {
      const found = await read();
      if (found !== undefined) return found;
    }
  }

  async #head(
    key: ListKey<L>,
    options: CallOptions,
  ): Promise<{ readonly row: StoredRow | undefined; readonly content: Head }> {
    const row = await this.#row(key, HEAD, options);
    return { row, content: row === undefined ? NO_LIST : understood(row, readHead(row.value)) };
  }

  async #chunks(key: ListKey<L>, options: CallOptions): Promise<readonly Chunk[]> {
    const names = this.list.rows.plan.row.names.filter(name => name !== 'listRow');
    const lead = Object.fromEntries(names.map(name => [name, (key as Values)[name]]));
    const partition = this.#rows.partition(key as never);
    const query = partition.rows(lead as never, { listRow: { ge: HEAD + 1 } } as never);
    const chunks: Chunk[] = [];
    for await (const row of query.stream(options)) chunks.push(understood(row, readChunk(row.value)));
    return chunks;
  }

  async #chunk(
    key: ListKey<L>,
    { number }: ChunkEntry,
    options: CallOptions,
  ): Promise<{ readonly row: StoredRow; readonly content: Chunk } | undefined> {
    const row = await this.#row(key, number, options);
    return row && { row, content: understood(row, readChunk(row.value)) };
  }

  #row(key: ListKey<L>, listRow: number, options: CallOptions): Promise<StoredRow | undefined> {
    return this.#rows.get({ ...key, listRow } as never, options);
  }
}
