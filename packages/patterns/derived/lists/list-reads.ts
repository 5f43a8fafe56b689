// Reads lists of a table: a short one by one point read, a long one by its head and one range. A change reads only the rows that it needs.

import type { CallOptions } from '../../concurrency/abort.js';
import { addressOfKey } from '../../model/address.js';
import type { AnyEntity } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import { Attempts } from '../../repo/optimistic.js';
import { EntityReads } from '../../repo/read/reads.js';
import { querySettings, type Service } from '../../repo/write/service.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { changeIds, containsId, type IdChanges, type IdSet, idsOf, NO_IDS } from './id-set.js';
import type { AnyList } from './list.js';
import {
  type Chunk,
  chunkFor,
  coversId,
  editChunk,
  editHead,
  HEAD,
  type Head,
  joinedChunks,
  NO_LIST,
  neighbourOf,
  type RowEdits,
  readChunk,
  readHead,
} from './list-rows.js';

type StoredRow = StoredOf<AnyEntity>;

/** Rows that a change would write, and their ETags. */
export interface ListEdits extends RowEdits {
  /** The rows as they were read, by number. A row that is not there is new. */
  readonly stored: ReadonlyMap<number, StoredRow>;
  /** Changes of ids in other chunks, which are not among these edits. */
  readonly rest: IdChanges;
  readonly isNothing: boolean;
}

const NOTHING = { head: undefined, chunks: [], removed: [] } as const;

/** The decoded content of the row, which must be defined. Throws RowUnreadable. */
function understood<T>({ table, partitionKey, rowKey, entity }: StoredRow, content: T | undefined): T {
  if (content !== undefined) return content;
  const reason = 'its ids are not those that a list holds';
  throw new PatternError('RowUnreadable', { table, partitionKey, rowKey, entity, reason });
}

export class ListReads {
  readonly #rows: EntityReads<AnyEntity>;
  readonly #service: Service;

  constructor(service: Service, { rows }: AnyList, table: string) {
    this.#service = service;
    this.#rows = new EntityReads(rows, querySettings(service, table));
  }

  /** All ids of the list. Throws Contention if its chunks are split and merged each time they are read. */
  async ids(key: Values, options: CallOptions = {}): Promise<readonly string[]> {
    const { row, ids } = await this.#whole(key, options);
    if (row === undefined) return [];
    try {
      return idsOf(ids);
    } catch {
      return understood<readonly string[]>(row, undefined);
    }
  }

  async contains(key: Values, id: string, options: CallOptions = {}): Promise<boolean> {
    const head = await this.#row(key, HEAD, options);
    if (head === undefined) return false;
    const content = understood(head, readHead(head.value));
    if (content.kind === 'ids') return containsId(content.ids, id);
    const chunk = await this.#chunk(key, chunkFor(content.chunks, id).number, options);
    if (chunk !== undefined && coversId(chunk.content, id)) return containsId(chunk.content.ids, id);
    return containsId((await this.#whole(key, options)).ids, id);
  }

  /** The rows that the changes of ids in the head, or in the first affected chunk, would write. Throws Contention. */
  async edits(key: Values, changes: IdChanges, options: CallOptions = {}): Promise<ListEdits> {
    const attempts = new Attempts(this.#service.surroundings, options);
    for (; ; await attempts.next(this.addressOf(key), undefined)) {
      const head = await this.#row(key, HEAD, options);
      const content = head === undefined ? NO_LIST : understood(head, readHead(head.value));
      const stored = new Map(head === undefined ? [] : [[HEAD, head]]);
      if (content.kind === 'ids') {
        const ids = changeIds(content.ids, changes);
        const isNothing = ids === content.ids;
        return { ...(isNothing ? NOTHING : editHead(ids)), stored, rest: new Map(), isNothing };
      }
      const edits = await this.#chunkEdits(key, content, changes, options);
      if (edits !== undefined) return { ...edits, stored: new Map([...stored, ...edits.stored]) };
    }
  }

  /** Undefined if the directory has changed since it was read. */
  async #chunkEdits(
    key: Values,
    { chunks }: Extract<Head, { kind: 'directory' }>,
    changes: IdChanges,
    options: CallOptions,
  ): Promise<ListEdits | undefined> {
    const [first] = changes.keys();
    if (first === undefined) return { ...NOTHING, stored: new Map(), rest: new Map(), isNothing: true };
    const { number } = chunkFor(chunks, first);
    const chunk = await this.#chunk(key, number, options);
    if (chunk === undefined || !coversId(chunk.content, first)) return undefined;
    const isOwn = ([id]: readonly [string, boolean]): boolean => coversId(chunk.content, id);
    const rest = new Map([...changes].filter(each => !isOwn(each)));
    const { ids: before } = chunk.content;
    const ids = changeIds(before, new Map([...changes].filter(isOwn)));
    const stored = new Map([[number, chunk.row]]);
    if (ids === before) return { ...NOTHING, stored, rest, isNothing: true };
    const beside = ids.count < before.count ? neighbourOf(chunks, number, ids) : undefined;
    const neighbour = beside && (await this.#chunk(key, beside.number, options));
    if (beside && neighbour === undefined) return undefined;
    if (neighbour) stored.set(neighbour.content.number, neighbour.row);
    return { ...editChunk(chunks, chunk.content, ids, neighbour?.content), stored, rest, isNothing: false };
  }

  async #whole(
    key: Values,
    options: CallOptions,
  ): Promise<{ readonly row: StoredRow | undefined; readonly ids: IdSet }> {
    const attempts = new Attempts(this.#service.surroundings, options);
    for (; ; await attempts.next(this.addressOf(key), undefined)) {
      const row = await this.#row(key, HEAD, options);
      if (row === undefined) return { row, ids: NO_IDS };
      const content = understood(row, readHead(row.value));
      if (content.kind === 'ids') return { row, ids: content.ids };
      const ids = joinedChunks(await this.#chunks(key, options));
      if (ids !== undefined) return { row, ids };
    }
  }

  async #chunks(key: Values, options: CallOptions): Promise<readonly Chunk[]> {
    const { entity } = this.#rows;
    const lead = Object.fromEntries(
      entity.plan.row.names.filter(name => name !== 'listRow').map(name => [name, key[name]]),
    );
    const partition = this.#rows.partition(key as never);
    const query = partition.rows(lead as never, { listRow: { ge: HEAD + 1 } } as never);
    const chunks: Chunk[] = [];
    for await (const row of query.stream(options)) chunks.push(understood(row, readChunk(row.value)));
    return chunks;
  }

  async #chunk(
    key: Values,
    number: number,
    options: CallOptions,
  ): Promise<{ readonly row: StoredRow; readonly content: Chunk } | undefined> {
    const row = await this.#row(key, number, options);
    return row && { row, content: understood(row, readChunk(row.value)) };
  }

  async #row(key: Values, listRow: number, options: CallOptions): Promise<StoredRow | undefined> {
    return this.#rows.get({ ...key, listRow } as never, options);
  }

  /** Of the list's head. */
  addressOf(key: Values): RowAddress {
    const { entity, table } = this.#rows;
    return addressOfKey(entity, table, { ...key, listRow: HEAD } as never);
  }
}
