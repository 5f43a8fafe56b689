// The repository of a wide entity, whose value spans several rows. wide-reads.ts reads them, wide-writes.ts plans writes; each write is one transaction.

import type { CallOptions } from '../../concurrency/abort.js';
import { allInOrder } from '../../concurrency/in-order.js';
import type { InTable } from '../../model/address.js';
import type { AnyEntity, KeyOf, NewOf, Of, PartitionOf, RowLead } from '../../model/definition.js';
import { encodeEntity } from '../../model/encode-entity.js';
import type { GivenPatch } from '../../model/patch.js';
import { asRead, type BareKey, type RowRef } from '../../model/stored.js';
import { refusalOf, writeByRead } from '../../repo/optimistic.js';
import type { ManyOptions } from '../../repo/read/reads.js';
import { POINT_CONCURRENCY } from '../../repo/read/table-query.js';
import { type Change, type MutateOptions, mutate, refuseOtherKey } from '../../repo/write/mutate.js';
import { idsAlone, newIdentity, timeOfWrite } from '../../repo/write/plan-write.js';
import type { Identity, PlannedWrite, WriteResult } from '../../repo/write/planned-write.js';
import { refuseOperationIdProperty, type Service } from '../../repo/write/service.js';
import { writeTogether } from '../../repo/write/write-planned.js';
import { toHex } from '../../values/bytes.js';
import { PatternError, refuseValue } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { LOGICAL, type WideEntity } from './wide.js';
import { WideReads } from './wide-reads.js';
import type { WideStored } from './wide-rows.js';
import { planCreate, planDelete, planMerge, planReplace, type WideSubject } from './wide-writes.js';

const ID_BYTES = 16;

type Planned = PlannedWrite<WriteResult>;

/** The wide entity to be changed: one that was read or written, or a key and the ETag that it must have, `*` for any. */
type WideTarget<E extends AnyEntity> = WideStored<E> | RowRef<E>;

/** The wide entities of a definition. */
export class WideRepo<E extends AnyEntity> {
  readonly table: string;
  readonly #service: Service;
  readonly #entity: E;
  readonly #reads: WideReads<E>;
  readonly #warnings: readonly string[];

  constructor(service: Service, definition: WideEntity<E>, { table = definition.table }: InTable = {}) {
    const entity = definition[LOGICAL];
    refuseOperationIdProperty(service, entity);
    this.table = table;
    this.#service = service;
    this.#entity = entity;
    this.#reads = new WideReads(service, entity, table);
    this.#warnings = definition.warnings;
  }

  /** Undefined if there is none. Throws RowUnreadable if rows do not belong together, and Contention if every read met a write. */
  get(key: KeyOf<E>, options: CallOptions = {}): Promise<WideStored<E> | undefined> {
    return this.#reads.get(this.#reads.addressOf(key), options);
  }

  /** One for each key, in their order, undefined where there is none. */
  async getMany(
    keys: Iterable<KeyOf<E>>,
    { concurrency = POINT_CONCURRENCY, signal }: ManyOptions = {},
  ): Promise<readonly (WideStored<E> | undefined)[]> {
    const found = await allInOrder([...keys], { concurrency, signal }, async (key, each) => ({
      row: await this.get(key, { signal: each }),
    }));
    return found.map(({ row }) => row);
  }

  /** The wide entities of a partition whose row keys begin with these parts, in the order of their keys. */
  all(
    partition: PartitionOf<E>,
    lead: RowLead<E> = {} as RowLead<E>,
    options: CallOptions = {},
  ): AsyncGenerator<WideStored<E>, void, undefined> {
    return this.#reads.all(partition, lead, options);
  }

  /** Throws AlreadyExists. */
  create(value: NewOf<E>, options: CallOptions = {}): Promise<WideStored<E>> {
    return this.#done(planCreate(this.#subject(), value), options);
  }

  /** Throws Conflict and NotFound. */
  async replace(
    target: WideTarget<E> | BareKey<E>,
    value: NewOf<E>,
    options: CallOptions = {},
  ): Promise<WideStored<E>> {
    return this.#changed(target, (at, stored) => planReplace(at, stored, value), options);
  }

  /** Changes some properties; writes their rows and the first one. `null` and `remove` remove a property. Throws Conflict and NotFound. */
  async merge(
    target: WideTarget<E> | BareKey<E>,
    patch: GivenPatch<E>,
    options: CallOptions = {},
  ): Promise<WideStored<E>> {
    return this.#changed(target, (at, stored) => planMerge(at, stored, patch as Values), options);
  }

  /** Insert Or Replace, after a read that finds rows to delete. */
  upsert(value: NewOf<E>, options: CallOptions = {}): Promise<WideStored<E>> {
    return this.#upserted(
      value,
      (at, stored) => {
        const unknown = idsAlone(at.identity, stored.unknown);
        return planReplace(at, { ...stored, unknown }, value);
      },
      options,
    );
  }

  /** Insert Or Merge, after a read. */
  upsertMerge(value: NewOf<E>, options: CallOptions = {}): Promise<WideStored<E>> {
    return this.#upserted(value, (at, stored) => planMerge(at, stored, this.#patchOf(at, value)), options);
  }

  /** Throws Conflict and NotFound. */
  async delete(target: WideTarget<E> | BareKey<E>, options: CallOptions = {}): Promise<void> {
    await this.#changed(target, (_, stored) => planDelete(stored), options);
  }

  /** Deletes it if there is one. Throws Conflict unless the ETag is `*`. */
  async deleteIfExists(target: WideTarget<E> | BareKey<E>, options: CallOptions = {}): Promise<void> {
    try {
      await this.delete(target, options);
    } catch (thrown) {
      if (!PatternError.is(thrown, 'NotFound')) throw thrown;
    }
  }

  /** As `mutate` of a repository: applies `change` to the whole under optimistic concurrency. Throws Contention. */
  mutate(
    key: KeyOf<E>,
    change: Change<Of<E>, NewOf<E>>,
    options: MutateOptions = {},
  ): Promise<WideStored<E> | undefined> {
    const address = this.#reads.addressOf(key);
    const now = timeOfWrite(this.#service);
    const textOf = (value: NewOf<E>): string =>
      JSON.stringify(encodeEntity(this.#entity, value, { now, isWide: true }).properties);
    const row = {
      address,
      read: (own: CallOptions) => this.#reads.get(address, own),
      write: (stored: unknown, value: NewOf<E>, identity: Identity, own: CallOptions) => {
        const at = this.#subject(identity);
        if (stored !== undefined)
          return this.#done(planReplace(at, asRead(stored as WideStored<E>), value), own);
        refuseOtherKey(address, this.#reads.addressOf(value as unknown as KeyOf<E>));
        return this.#done(planCreate(at, value), own);
      },
      valueAsRead: (stored: { readonly value: Of<E> }) => asRead(stored).value,
      isSame: (a: NewOf<E>, b: NewOf<E>) => textOf(a) === textOf(b),
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
    const address = this.#reads.addressOf(key);
    const first = `${this.table}(PartitionKey='${address.partitionKey}',RowKey='${address.rowKey}')`;
    return {
      read: [`GET ${this.table}()?$filter=${this.#reads.filterOf(address)}`],
      write: [`POST $batch: ${first} with If-Match, and each further row that changes`],
      warnings: this.#warnings,
    };
  }

  #subject(identity = newIdentity(this.#service)): WideSubject<E> {
    const { random } = this.#service.surroundings;
    const now = timeOfWrite(this.#service);
    return { entity: this.#entity, table: this.table, identity, now, newId: () => toHex(random(ID_BYTES)) };
  }

  #patchOf({ now }: WideSubject<E>, value: NewOf<E>): Values {
    const { plan } = this.#entity;
    const { value: whole } = encodeEntity(this.#entity, value, { now, keepsRow: true, isWide: true });
    return Object.fromEntries(
      Object.entries(whole as Values).filter(([name]) => plan.byName.get(name)?.inKey !== true),
    );
  }

  /** Writes by what was read, or by what a key's rows hold now. */
  async #changed(
    given: WideTarget<E> | BareKey<E>,
    plan: (at: WideSubject<E>, stored: WideStored<E>) => readonly Planned[],
    options: CallOptions,
  ): Promise<WideStored<E>> {
    const target = given as WideTarget<E>;
    if ('pieces' in target) {
      this.#refuseForeign(target);
      return this.#done(plan(this.#subject(), asRead(target)), options);
    }
    const { key, etag } = target as RowRef<E>;
    if (key === undefined || etag === undefined)
      refuseValue('row', 'a wide entity that was read, or { key, etag }', 'it is neither');
    return this.#byRead(key, etag, false, options, stored => plan(this.#subject(), stored as WideStored<E>));
  }

  #upserted(
    value: NewOf<E>,
    plan: (at: WideSubject<E>, stored: WideStored<E>) => readonly Planned[],
    options: CallOptions,
  ): Promise<WideStored<E>> {
    return this.#byRead(value as unknown as KeyOf<E>, '*', true, options, stored => {
      const at = this.#subject();
      return stored === undefined ? planCreate(at, value) : plan(at, stored);
    });
  }

  async #byRead(
    key: KeyOf<E>,
    etag: string,
    mayLack: boolean,
    options: CallOptions,
    plan: (stored: WideStored<E> | undefined) => readonly Planned[],
  ): Promise<WideStored<E>> {
    const { surroundings } = this.#service;
    const address = this.#reads.addressOf(key);
    const read = (): Promise<WideStored<E> | undefined> => this.#reads.get(address, options);
    return writeByRead({ surroundings, address, etag, mayLack, read }, options, async stored =>
      this.#done(plan(stored), options),
    );
  }

  #refuseForeign(stored: WideStored<E>): void {
    const { entity, table, partitionKey, rowKey } = stored;
    if (entity !== this.#entity.name)
      throw new PatternError('WrongEntity', {
        table,
        partitionKey,
        rowKey,
        expected: this.#entity.name,
        found: entity,
      });
    if (table.toLowerCase() !== this.table.toLowerCase())
      refuseValue('table', this.table, `the row is of ${table}`);
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
