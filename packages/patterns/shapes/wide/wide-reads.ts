// Reads wide entities: all rows of one with one query, repeated if they are from different writes. Torn reads are never returned.

import type { CallOptions } from '../../concurrency/abort.js';
import { addressOfKey } from '../../model/address.js';
import { decodeEntity } from '../../model/decode-entity.js';
import type { AnyEntity, KeyOf, PartitionOf, RowLead } from '../../model/definition.js';
import { keysCondition } from '../../model/filter/condition.js';
import { formatFilter } from '../../model/filter/format-filter.js';
import type { KeyRange } from '../../model/keys/compiled-key.js';
import { rowFault } from '../../model/row-fault.js';
import { Attempts } from '../../repo/optimistic.js';
import type { Service } from '../../repo/write/service.js';
import { rowPages } from '../../transport/row-source.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import type { WireObject } from '../../values/read-wire.js';
import { textOf } from '../../values/row-member.js';
import { joinRows, keysOfPieces, pieceOfKey, type WideStored } from './wide-rows.js';

export class WideReads<E extends AnyEntity> {
  readonly #service: Service;
  readonly #entity: E;
  readonly table: string;

  constructor(service: Service, entity: E, table: string) {
    this.#service = service;
    this.#entity = entity;
    this.table = table;
  }

  addressOf(key: KeyOf<E>): RowAddress {
    return addressOfKey(this.#entity, this.table, key);
  }

  filterOf({ partitionKey, rowKey }: RowAddress): string {
    return this.#filter(partitionKey, keysOfPieces(rowKey));
  }

  /** Throws RowUnreadable for rows that do not belong together though no write is under way, and Contention if every attempt met a write. */
  async get(address: RowAddress, options: CallOptions = {}): Promise<WideStored<E> | undefined> {
    const filter = this.filterOf(address);
    let tornAt: string | undefined;
    for (const attempts = new Attempts(this.#service.surroundings, options); ; ) {
      const rows: WireObject[] = [];
      for await (const page of this.#pages(filter, options)) rows.push(...page);
      const found = this.#joined(rows, address);
      if (found === undefined || 'pieces' in found) return found;
      const { etag, reason } = found;
      await attempts.next(address, etag).catch((thrown: unknown) => {
        // Every write of a row is one of the first row, too: what stays torn while that is the same is not being written, but damaged.
        throw etag === tornAt && PatternError.is(thrown, 'Contention')
          ? rowFault(this.#entity, {}, address, new Error(`${reason}, and nobody writes it.`))
          : thrown;
      });
      tornAt = etag;
    }
  }

  /** The wide entities of a partition in the order of their keys. Each one that is written during the read is read again separately. */
  async *all(
    partition: PartitionOf<E>,
    lead: RowLead<E>,
    options: CallOptions,
  ): AsyncGenerator<WideStored<E>, void, undefined> {
    const { plan } = this.#entity;
    const partitionKey = plan.partition.encode(partition);
    const range = plan.row.range(lead);
    const filter = this.#filter(partitionKey, range.eq === undefined ? range : keysOfPieces(range.eq));
    let group: WireObject[] = [];
    let first: string | undefined;
    for await (const page of this.#pages(filter, options))
      for (const row of page) {
        const of = pieceOfKey(textOf(row, 'RowKey') ?? '').first;
        if (of !== first) yield* this.#given(group, partitionKey, first, options);
        group = of === first ? [...group, row] : [row];
        first = of;
      }
    yield* this.#given(group, partitionKey, first, options);
  }

  async *#given(
    rows: readonly WireObject[],
    partitionKey: string,
    rowKey: string | undefined,
    options: CallOptions,
  ): AsyncGenerator<WideStored<E>, void, undefined> {
    if (rowKey === undefined) return;
    const address = { table: this.table, partitionKey, rowKey };
    try {
      const joined = this.#joined(rows, address);
      const found = joined === undefined || 'pieces' in joined ? joined : await this.get(address, options);
      if (found !== undefined) yield found;
    } catch (thrown) {
      if (!PatternError.is(thrown, 'WrongEntity')) throw thrown;
    }
  }

  #joined(rows: readonly WireObject[], address: RowAddress) {
    const entity = this.#entity;
    const found = joinRows(rows, address.rowKey, [entity.tag, this.#service.operationIds?.property]);
    if (found.kind === 'none') return undefined;
    if (found.kind === 'torn') return found;
    const { onDrift } = this.#service;
    const stored = decodeEntity(entity, found.row, { table: this.table, onDrift });
    return { ...stored, pieces: found.pieces } as WideStored<E>;
  }

  #filter(partitionKey: string, rows: KeyRange): string {
    return formatFilter(keysCondition({ eq: partitionKey }, rows));
  }

  #pages(filter: string, { signal }: CallOptions): AsyncGenerator<readonly WireObject[], void, undefined> {
    return rowPages(this.#service.requests, { table: this.table, filter, signal });
  }
}
