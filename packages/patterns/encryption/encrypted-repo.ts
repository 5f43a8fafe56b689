// A repository whose values are plain in the program and encrypted in the table. `rows` has the stored rows and their queries.

import type { CallOptions } from '../concurrency/abort.js';
import type { InTable } from '../model/address.js';
import { addressOfKey } from '../model/address.js';
import type { AnyEntity, KeyOf, NewOf } from '../model/definition.js';
import type { GivenPatch, KeyStays } from '../model/patch.js';
import { asRead, type BareKey, type RowRef, type StoredOf } from '../model/stored.js';
import { Db } from '../repo/open.js';
import type { ManyOptions } from '../repo/read/reads.js';
import { type Change, type MutateOptions, mutate } from '../repo/write/mutate.js';
import { OPERATIONS, type Target } from '../repo/write/operations.js';
import { subjectOf } from '../repo/write/plan-write.js';
import type { DeleteOptions, Repo } from '../repo/write/repo.js';
import type { Service } from '../repo/write/service.js';
import { writePlanned } from '../repo/write/write-planned.js';
import type { RowAddress } from '../values/pattern-error.js';
import type { Values } from '../values/property.js';
import type { ClearOf, ClearPatchOf, ClearStored, ClearTarget, NewClearOf, OpenOptions } from './clear.js';

/** The part of an entity's encryption in use. */
interface RowEncryption<E extends AnyEntity, H extends string> {
  readonly entity: E;
  seal(value: NewClearOf<E, H>, options: InTable): Promise<NewOf<E>>;
  sealPatch(address: RowAddress, patch: Values): Promise<Values>;
  open(stored: StoredOf<E>, options?: OpenOptions): Promise<ClearStored<E>>;
  textOf(value: Values): string;
}

/** The rows of an entity, with open values. */
export class EncryptedRepo<E extends AnyEntity, H extends string = never> {
  /** The stored rows, with Ciphertexts. `encryption.openAll` opens the results of their queries. */
  readonly rows: Repo<E>;
  readonly #encryption: RowEncryption<E, H>;
  readonly #service: Service;
  readonly #table: string;

  constructor(db: Db, encryption: RowEncryption<E, H>, { table = encryption.entity.table }: InTable = {}) {
    this.rows = db.repo(encryption.entity, { table });
    this.#encryption = encryption;
    this.#service = Db.serviceOf(db);
    this.#table = table;
  }

  /** Undefined if there is no such row. Throws KeyUnavailable and CiphertextRefused, unless `onLost` is given. */
  async get(key: KeyOf<E>, options: CallOptions & OpenOptions = {}): Promise<ClearStored<E> | undefined> {
    const { onLost, ...own } = options;
    const found = await this.rows.get(key, own);
    return found && this.#encryption.open(found, { onLost });
  }

  /** In the order of the keys; undefined where there is no such row. */
  async getMany(
    keys: readonly KeyOf<E>[],
    options: ManyOptions & OpenOptions = {},
  ): Promise<readonly (ClearStored<E> | undefined)[]> {
    const { onLost, ...own } = options;
    const found = await this.rows.getMany(keys, own);
    return Promise.all(found.map(row => row && this.#encryption.open(row, { onLost })));
  }

  /** A new row. Throws AlreadyExists. */
  async create(value: NewClearOf<E, H>, options: CallOptions = {}): Promise<ClearStored<E>> {
    return this.#encryption.open(await this.rows.create(await this.#sealed(value), options));
  }

  /** Replaces the row, under a new content key. Throws Conflict and NotFound. */
  async replace(
    target: ClearTarget<E> | BareKey<E>,
    value: NewClearOf<E, H>,
    options: CallOptions = {},
  ): Promise<ClearStored<E>> {
    const sealed = await this.#sealed(value);
    return this.#encryption.open(await this.rows.replace(rowOf(target), sealed, options));
  }

  /** Insert Or Replace. */
  async upsert(value: NewClearOf<E, H>, options: CallOptions = {}): Promise<ClearStored<E>> {
    return this.#encryption.open(await this.rows.upsert(await this.#sealed(value), options));
  }

  /** Changes plain and self-contained encrypted properties. Throws ValueInvalid for one under its row's key, Conflict and NotFound. */
  async merge<T extends ClearTarget<E>>(
    given: T | BareKey<E>,
    patch: ClearPatchOf<E, H> & KeyStays<E>,
    options: CallOptions = {},
  ): Promise<T extends ClearStored<E> ? ClearStored<E> : RowRef<E>> {
    const target: ClearTarget<E> = given as T;
    const address =
      'sealed' in target ? target.sealed : addressOfKey(this.rows.entity, this.#table, target.key);
    const sealed = (await this.#encryption.sealPatch(address, patch as Values)) as GivenPatch<E>;
    const merged: StoredOf<E> | RowRef<E> = await this.rows.merge(
      rowOf(target) as StoredOf<E>,
      sealed,
      options,
    );
    return ('whole' in merged ? await this.#encryption.open(merged) : merged) as never;
  }

  /** Insert Or Merge, if all encrypted values are self-contained. Throws ValueInvalid otherwise: values that the row keeps would lose their key. */
  async upsertMerge(value: NewClearOf<E, H>, options: CallOptions = {}): Promise<RowRef<E>> {
    return this.rows.upsertMerge(await this.#sealed(value), options);
  }

  /** Throws Conflict and NotFound. */
  async delete(target: ClearTarget<E> | BareKey<E>, options: DeleteOptions = {}): Promise<void> {
    await this.rows.delete(rowOf(target), options);
  }

  /** Deletes the row if there is one. Throws Conflict unless the ETag is `*`. */
  async deleteIfExists(target: ClearTarget<E> | BareKey<E>, options: CallOptions = {}): Promise<void> {
    await this.rows.deleteIfExists(rowOf(target), options);
  }

  /** `mutate` of a repository, on the decrypted value. Throws Contention. */
  async mutate(
    key: KeyOf<E>,
    change: Change<ClearOf<E>, NewClearOf<E, H>>,
    options: MutateOptions = {},
  ): Promise<ClearStored<E> | undefined> {
    const { entity } = this.rows;
    const done = await mutate<ClearOf<E>, NewClearOf<E, H>, E['name']>(
      {
        address: addressOfKey(entity, this.#table, key),
        read: own => this.get(key, own),
        write: async (stored, value, identity, own) => {
          const subject = subjectOf(this.#service, entity, this.#table, identity);
          const sealed = await this.#sealed(value);
          const planned = stored
            ? OPERATIONS.replace(subject, rowOf<E>(stored as ClearStored<E>), sealed)
            : OPERATIONS.create(subject, sealed);
          return this.#encryption.open(await writePlanned(this.#service, planned, own));
        },
        valueAsRead: async stored => {
          const { sealed } = stored as ClearStored<E>;
          return (await this.#encryption.open(asRead(sealed))).value;
        },
        isSame: (a, b) => this.#encryption.textOf(a as Values) === this.#encryption.textOf(b as Values),
      },
      change,
      this.#service,
      options,
    );
    return done as ClearStored<E> | undefined;
  }

  #sealed(value: NewClearOf<E, H>) {
    return this.#encryption.seal(value, { table: this.#table });
  }
}

/** The stored row, whose ETag and further properties a write needs. */
const rowOf = <E extends AnyEntity>(target: ClearTarget<E> | BareKey<E>): Target<E> =>
  'sealed' in target ? target.sealed : (target as RowRef<E>);
