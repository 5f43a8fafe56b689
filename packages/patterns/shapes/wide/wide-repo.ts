// The repository of a wide entity, whose value spans several rows. One query reads them all, again if they are from different writes: torn reads are never returned. Each write is one transaction, which
// wide-writes.ts plans.

import type { CallOptions } from '../../concurrency/abort.js';
import { allInOrder } from '../../concurrency/in-order.js';
import { addressOfKey, type InTable } from '../../model/address.js';
import { decodeEntity } from '../../model/decode-entity.js';
import type { AnyEntity, KeyOf, NewOf, Of, PartitionOf, RowLead } from '../../model/definition.js';
import { encodeEntity } from '../../model/encode-entity.js';
import { keysCondition } from '../../model/filter/condition.js';
import { formatFilter } from '../../model/filter/format-filter.js';
import type { KeyRange } from '../../model/keys/compiled-key.js';
import type { GivenPatch } from '../../model/patch.js';
import { rowFault } from '../../model/row-fault.js';
import { asRead } from '../../model/stored.js';
import { Attempts, refusalOf } from '../../repo/optimistic.js';
import type { ManyOptions } from '../../repo/read/reads.js';
import { POINT_CONCURRENCY } from '../../repo/read/table-query.js';
import { type Change, type MutateOptions, mutate, refuseOtherKey } from '../../repo/write/mutate.js';
import { patchOfValue, refuseForeign } from '../../repo/write/operations.js';
import { subjectOf, timeOfWrite } from '../../repo/write/plan-write.js';
import type { Identity, PlannedWrite, WriteResult } from '../../repo/write/planned-write.js';
import { refuseOperationIdProperty, type Service } from '../../repo/write/service.js';
import { writeTogether } from '../../repo/write/write-planned.js';
import { rowPages } from '../../transport/row-source.js';
import { toHex } from '../../values/bytes.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import type { WireObject } from '../../values/read-wire.js';
import { textOf } from '../../values/row-member.js';
import { ShapedRepo } from '../shaped-repo.js';
import { LOGICAL, type WideEntity } from './wide.js';
import { joinRows, keysOfPieces, pieceOfKey, type WideStored } from './wide-rows.js';
import { planCreate, planDelete, planMerge, planReplace, type WideSubject } from './wide-writes.js';

const ID_BYTES = 16;

type Planned = PlannedWrite<WriteResult>;

const filterOf = (partitionKey: string, rows: KeyRange): string =>
  formatFilter(keysCondition({ eq: partitionKey }, rows));

/** The wide entities of a definition. */
export class WideRepo<E extends AnyEntity> extends ShapedRepo<E, WideStored<E>, NewOf<E>, GivenPatch<E>> {
  readonly table: string;
  readonly #service: Service;
  readonly #entity: E;
  readonly #warnings: readonly string[];

  constructor(service: Service, definition: WideEntity<E>, { table = definition.table }: InTable = {}) {
    const entity = definition[LOGICAL];
    refuseOperationIdProperty(service, entity);
    super(service);
    this.table = table;
    this.#service = service;
    this.#entity = entity;
    this.#warnings = definition.warnings;
  }

  /** Undefined if there is none. Throws RowUnreadable if rows do not belong together, and Contention if every read met a write. */
  override async get(key: KeyOf<E>, options: CallOptions = {}): Promise<WideStored<E> | undefined> {
    return this.#read(this.addressOf(key), options);
  }

  /** One for each key, in their order, undefined where there is none. */
  async getMany(
    keys: Iterable<KeyOf<E>>,
    { concurrency = POINT_CONCURRENCY, signal }: ManyOptions = {},
  ): Promise<readonly (WideStored<E> | undefined)[]> {
    return allInOrder(keys, { concurrency, signal }, (key, each) => this.get(key, { signal: each }));
  }

  /** The wide entities of a partition whose row keys begin with these parts, in the order of their keys. Each one that is written during the read is read again separately. */
  async *all(
    partition: PartitionOf<E>,
    lead: RowLead<E> = {} as RowLead<E>,
    options: CallOptions = {},
  ): AsyncGenerator<WideStored<E>, void, undefined> {
    const { plan } = this.#entity;
    const partitionKey = plan.partition.encode(partition);
    const range = plan.row.range(lead);
    const filter = filterOf(partitionKey, range.eq === undefined ? range : keysOfPieces(range.eq));
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

  override create(value: NewOf<E>, options: CallOptions = {}): Promise<WideStored<E>> {
    return this.#done(planCreate(this.#subject(), value), options);
  }

  /** As `mutate` of a repository: applies `change` to the whole under optimistic concurrency. Throws Contention. */
  mutate(
    key: KeyOf<E>,
    change: Change<Of<E>, NewOf<E>>,
    options: MutateOptions = {},
  ): Promise<WideStored<E> | undefined> {
    const address = this.addressOf(key);
    const now = timeOfWrite(this.#service);
    const textOfValue = (value: NewOf<E>): string =>
      JSON.stringify(encodeEntity(this.#entity, value, { now, isWide: true }).properties);
    const row = {
      address,
      read: (own: CallOptions) => this.#read(address, own),
      write: (stored: unknown, value: NewOf<E>, identity: Identity, own: CallOptions) => {
        const at = this.#subject(identity);
        if (stored !== undefined)
          return this.#done(planReplace(at, asRead(stored as WideStored<E>), value), own);
        refuseOtherKey(address, this.addressOf(value as unknown as KeyOf<E>));
        return this.#done(planCreate(at, value), own);
      },
      valueAsRead: (stored: { readonly value: Of<E> }) => asRead(stored).value,
      isSame: (a: NewOf<E>, b: NewOf<E>) => textOfValue(a) === textOfValue(b),
    };
    return mutate(row, change, this.#service, options) as Promise<WideStored<E> | undefined>;
  }

  explain(key: KeyOf<E>): {
    /** One query of all its rows, repeated if they were written during it. */
    readonly read: readonly string[];
    /** One transaction, with the first row and those that change. */
    readonly write: readonly string[];
    readonly warnings: readonly string[];
  } {
    const { partitionKey, rowKey } = this.addressOf(key);
    const first = `${this.table}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
    return {
      read: [`GET ${this.table}()?$filter=${filterOf(partitionKey, keysOfPieces(rowKey))}`],
      write: [`POST $batch: ${first} with If-Match, and each further row that changes`],
      warnings: this.#warnings,
    };
  }

  protected override addressOf(key: KeyOf<E>): RowAddress {
    return addressOfKey(this.#entity, this.table, key);
  }

  protected override async replaced(
    row: WideStored<E>,
    value: NewOf<E>,
    options: CallOptions,
  ): Promise<WideStored<E>> {
    const at = this.#subject();
    refuseForeign(at, row);
    return this.#done(planReplace(at, row, value), options);
  }

  protected override async merged(
    row: WideStored<E>,
    patch: GivenPatch<E>,
    options: CallOptions,
  ): Promise<WideStored<E>> {
    const at = this.#subject();
    refuseForeign(at, row);
    return this.#done(planMerge(at, row, patch as Values), options);
  }

  protected override async deleted(row: WideStored<E>, options: CallOptions): Promise<void> {
    refuseForeign({ entity: this.#entity, table: this.table }, row);
    await this.#done(planDelete(row), options);
  }

  protected override patchOf(value: NewOf<E>): GivenPatch<E> {
    const at = { entity: this.#entity, now: timeOfWrite(this.#service) };
    return patchOfValue(at, value, true) as GivenPatch<E>;
  }

  protected override kept(row: WideStored<E>): WideStored<E> {
    const own = this.#service.operationIds?.property;
    return { ...row, unknown: row.unknown.filter(({ name }) => name === own) };
  }

  #subject(identity?: Identity): WideSubject<E> {
    const { random } = this.#service.surroundings;
    const subject = subjectOf(this.#service, this.#entity, this.table, identity);
    return { ...subject, newId: () => toHex(random(ID_BYTES)) };
  }

  /** Throws RowUnreadable for rows that do not belong together though no write is under way, and Contention if every attempt met a write. */
  async #read(address: RowAddress, options: CallOptions): Promise<WideStored<E> | undefined> {
    const filter = filterOf(address.partitionKey, keysOfPieces(address.rowKey));
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
      const found = joined === undefined || 'pieces' in joined ? joined : await this.#read(address, options);
      if (found !== undefined) yield found;
    } catch (thrown) {
      if (!PatternError.is(thrown, 'WrongEntity')) throw thrown;
    }
  }

  #joined(rows: readonly WireObject[], address: RowAddress) {
    const entity = this.#entity;
    const { onDrift, operationIds } = this.#service;
    const found = joinRows(rows, address.rowKey, [entity.tag, operationIds?.property]);
    if (found === undefined || 'reason' in found) return found;
    const stored = decodeEntity(entity, found.row, { table: this.table, onDrift });
    return { ...stored, pieces: found.pieces } as WideStored<E>;
  }

  #pages(filter: string, { signal }: CallOptions): AsyncGenerator<readonly WireObject[], void, undefined> {
    return rowPages(this.#service.requests, { table: this.table, filter, signal });
  }

  /** One transaction. Throws what the write of the first row throws, which has the condition. */
  async #done(planned: readonly Planned[], options: CallOptions): Promise<WideStored<E>> {
    const [own, ...others] = planned as [Planned, ...Planned[]];
    if (others.length === 0)
      return own.result(await this.#service.writes.write(own, options)) as WideStored<E>;
    try {
      return (await writeTogether(this.#service, own, others, options)) as WideStored<E>;
    } catch (thrown) {
      throw refusalOf(thrown);
    }
  }
}
