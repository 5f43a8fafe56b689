// The repository of one entity: reads by key, and writes on condition that the row is unchanged since it was read. Unconditional writes are under
// `overwrite`. plan-write.ts makes the writes.
import { Jitter } from '../flow/jitter.js';
import { fraction } from '../flow/surroundings.js';
import { encodeEntity } from '../model/encode-entity.js';
import type { AnyEntity, KeyOf, Of, PatchOf } from '../model/entity.js';
import type { Projected, Stored } from '../model/stored.js';
import type { QueryOptions } from '../read/query.js';
import { addresses, EntityReads } from '../read/reads.js';
import type { ReadOptions } from '../transport/table-requests.js';
import { PatternError, type RowAddress } from '../values/pattern-error.js';
import { wireText } from '../values/wire-property.js';
import { type Change, type MutableRow, mutate } from './mutate.js';
import {
  type PlannedWrite,
  planConditionCheck,
  planDelete,
  planMerge,
  planMergeOver,
  planNew,
  planReplace,
} from './plan-write.js';
import { newIdentity, querySettings, type Service } from './service.js';

export interface RepoOptions {
  /** Where the rows stand, if not in the entity's table. */
  readonly table?: string | undefined;
  /** Options of these queries, in place of those of all queries. */
  readonly queries?: QueryOptions | undefined;
}

export interface DeleteOptions extends ReadOptions {
  /**
   * Of two clients that delete the same row only one succeeds, also when requests are retried. Costs a second request:
   * a deleted row holds no operation id, so one is written into the row first.
   */
  readonly exactlyOnce?: boolean;
}

export interface MutateOptions extends ReadOptions {
  /** 8 by default. */
  readonly attempts?: number;
  /** Calls the function twice each time and compares, for tests. */
  readonly checksPurity?: boolean;
}

const ATTEMPTS = 8;
/** Milliseconds. */
const PAUSES = { base: 20, cap: 1_000 } as const;

/** The rows of an entity: reads, writes that depend on what was read, and those that do not, which are called `overwrite`. */
export class Repo<E extends AnyEntity> extends EntityReads<E> {
  /** Unconditional writes. */
  readonly overwrite: Overwrite<E>;
  readonly #service: Service;

  constructor(service: Service, entity: E, { table = entity.table, queries }: RepoOptions = {}) {
    super(entity, querySettings(service, table, queries));
    const { operationIds } = service;
    if (operationIds && entity.plan.byWire.has(operationIds.property))
      throw new PatternError('DefinitionInvalid', {
        subject: entity.name,
        reason: `${operationIds.property} is the property that holds operation ids: name another one in the options`,
      });
    this.overwrite = new Overwrite(service, entity, table);
    this.#service = service;
  }

  /** A new row. Throws AlreadyExists. */
  create(value: Of<E>, options: ReadOptions = {}): Promise<Stored<Of<E>>> {
    return done(
      this.#service,
      planNew('create', this.entity, value, newIdentity(this.#service), this.table),
      options,
    );
  }

  /** The value instead of the one that was read; properties that are not the entity's stay. Throws Conflict and NotFound. */
  replace(stored: Stored<Of<E>>, value: Of<E>, options: ReadOptions = {}): Promise<Stored<Of<E>>> {
    return done(this.#service, planReplace(this.entity, stored, value, newIdentity(this.#service)), options);
  }

  /** Some properties, of which only those go over the wire that change. Undefined takes a property away. Throws Conflict and NotFound. */
  merge(stored: Stored<Of<E>>, patch: PatchOf<E>, options: ReadOptions = {}): Promise<Stored<Of<E>>> {
    return done(this.#service, planMerge(this.entity, stored, patch, newIdentity(this.#service)), options);
  }

  /** Throws Conflict and NotFound. */
  async delete(
    stored: Stored<Of<E>> | Projected<Partial<Of<E>>>,
    { exactlyOnce = false, ...options }: DeleteOptions = {},
  ): Promise<void> {
    let { etag } = stored;
    if (exactlyOnce) {
      if (!stored.whole)
        throw new PatternError('ValueInvalid', {
          property: 'whole',
          expected: 'a whole row',
          reason: 'only some properties were read, and operation ids are among the others',
        });
      etag = (await done(this.#service, planConditionCheck(stored, newIdentity(this.#service)), options))
        .etag;
    }
    await done(this.#service, planDelete(stored, etag), options);
  }

  /**
   * Applies `change` to the row under optimistic concurrency, with any number of other writers. `change` gets undefined if there is no row, and may be called more than
   * once; if it gives undefined, or what it got, nothing is written. Throws Contention.
   */
  mutate(
    key: KeyOf<E>,
    change: Change<Of<E>>,
    { attempts = ATTEMPTS, checksPurity = false, signal }: MutateOptions = {},
  ): Promise<Stored<Of<E>> | undefined> {
    const { surroundings } = this.#service;
    return mutate(this.#mutable(key), change, {
      attempts,
      checksPurity,
      signal,
      identity: newIdentity(this.#service),
      jitter: new Jitter(PAUSES, () => fraction(surroundings.random)),
      sleep: surroundings.sleep,
    });
  }

  #mutable(key: KeyOf<E>): MutableRow<Of<E>> {
    const { entity, table } = this;
    const address = addressOfKey(entity, table, key);
    const textOf = (value: Of<E>): string => wireText(encodeEntity(entity, value));
    return {
      address,
      read: options => this.get(key, options),
      write: (stored, value, identity, options) => {
        const planned = stored
          ? planReplace(entity, stored, value, identity)
          : planNew('create', entity, value, identity, table);
        const { write } = planned;
        if (write.kind === 'create') refuseOtherKey(address, write.row);
        return done(this.#service, planned, options);
      },
      isSame: (a, b) => textOf(a) === textOf(b),
    };
  }
}

/** Unconditional writes of one entity's rows. */
export class Overwrite<E extends AnyEntity> {
  readonly #service: Service;
  readonly #entity: E;
  readonly #table: string;

  constructor(service: Service, entity: E, table: string) {
    this.#service = service;
    this.#entity = entity;
    this.#table = table;
  }

  /** The row becomes this; what else it had is lost. */
  put(value: Of<E>, options: ReadOptions = {}): Promise<Stored<Of<E>>> {
    const identity = newIdentity(this.#service);
    return done(this.#service, planNew('put', this.#entity, value, identity, this.#table), options);
  }

  /** Throws NotFound. */
  async merge(key: KeyOf<E>, patch: PatchOf<E>, options: ReadOptions = {}): Promise<void> {
    const address = addressOfKey(this.#entity, this.#table, key);
    const identity = newIdentity(this.#service);
    await done(this.#service, planMergeOver(this.#entity, address, patch, identity), options);
  }

  /** Afterwards there is no such row, whether or not there was one. */
  async delete(key: KeyOf<E>, options: ReadOptions = {}): Promise<void> {
    for (const address of addresses(this.#entity, this.#table, key)) {
      try {
        await done(this.#service, planDelete(address, '*'), options);
      } catch (thrown) {
        if (!PatternError.is(thrown, 'NotFound')) throw thrown;
      }
    }
  }
}

async function done<T>({ writes }: Service, planned: PlannedWrite<T>, options: ReadOptions = {}): Promise<T> {
  return planned.result(await writes.write(planned, options));
}

const addressOfKey = <E extends AnyEntity>({ plan }: E, table: string, key: KeyOf<E>): RowAddress => ({
  table,
  partitionKey: plan.partition.encode(key),
  rowKey: plan.row.encode(key),
});

function refuseOtherKey(address: RowAddress, row: Omit<RowAddress, 'table'>): void {
  if (row.partitionKey === address.partitionKey && row.rowKey === address.rowKey) return;
  throw new PatternError('ValueInvalid', {
    property: 'key',
    expected: `('${address.partitionKey}', '${address.rowKey}')`,
    reason: 'the function gave a value with another key',
  });
}
