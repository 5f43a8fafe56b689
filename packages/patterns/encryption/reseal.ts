// Writes rows again whose values are under earlier keys, page by page, with a token by which another process goes on. Each write is conditional: programs read and write meanwhile.

import type { CallOptions } from '../concurrency/abort.js';
import type { InTable } from '../model/address.js';
import type { AnyEntity, NewOf } from '../model/definition.js';
import type { StoredOf } from '../model/stored.js';
import type { Db } from '../repo/open.js';
import { unlessLost } from '../repo/optimistic.js';
import type { PageOptions } from '../repo/read/results.js';
import { PatternError, type RowAddress } from '../values/pattern-error.js';
import type { LostValue, NewClearOf } from './clear.js';
import type { Encryption } from './encryption.js';

/** How rows are sealed again: from the `next` of the last progress that was seen, in pages of 100 rows by default. */
export interface ResealOptions extends PageOptions, InTable {}

/** Where it is after a page. Counts are of all pages since the start, or since the token that was given. */
export interface ResealProgress {
  readonly resealed: number;
  /** Rows whose values are under the keys that they should be under. */
  readonly inPlace: number;
  /** Rows of this page that could not be opened, and stay as they are. */
  readonly lost: readonly (RowAddress & LostValue)[];
  /** By which to go on; undefined at the end. */
  readonly next: string | undefined;
}

const PAGE_SIZE = 100;

class Resealed<E extends AnyEntity, H extends string> {
  readonly #encryption: Encryption<E, H>;
  readonly #db: Db;
  readonly #table: string;

  constructor(db: Db, encryption: Encryption<E, H>, table: string) {
    this.#db = db;
    this.#encryption = encryption;
    this.#table = table;
  }

  /** Whether it was written: another writer may have done it before, with the keys of now. */
  async row(found: StoredOf<E>, options: CallOptions): Promise<boolean> {
    const repo = this.#db.repo(this.#encryption.entity, { table: this.#table });
    for (let row: StoredOf<E> | undefined = found; row && this.#encryption.isOutdated(row); ) {
      const { value } = await this.#encryption.open(row);
      const sealed = await this.#encryption.seal(this.#given(value), { table: this.#table });
      const current = row;
      const written = await unlessLost(() => repo.replace(current, sealed as NewOf<E>, options));
      if (written !== undefined) return true;
      row = await repo.get(current.value as never, options);
    }
    return false;
  }

  /** Without the hashes, which are made again. */
  #given(value: object): NewClearOf<E, H> {
    const { hashNames } = this.#encryption;
    return Object.fromEntries(Object.entries(value).filter(([name]) => !hashNames.has(name))) as NewClearOf<
      E,
      H
    >;
  }
}

/** Throws what reads and writes throw. */
export async function* resealRows<E extends AnyEntity, H extends string>(
  db: Db,
  encryption: Encryption<E, H>,
  { table = encryption.entity.table, resume, size = PAGE_SIZE, signal }: ResealOptions,
): AsyncGenerator<ResealProgress, void, undefined> {
  const rows = db.repo(encryption.entity, { table }).scan().allowScan('sealing again');
  const resealed = new Resealed(db, encryption, table);
  let [done, inPlace] = [0, 0];
  for await (const { items, next } of rows.pages({ resume, size, signal })) {
    const lost: (RowAddress & LostValue)[] = [];
    for (const row of items) {
      try {
        if (await resealed.row(row, { signal })) done++;
        else inPlace++;
      } catch (error) {
        const isLost =
          PatternError.is(error, 'KeyUnavailable') || PatternError.is(error, 'CiphertextRefused');
        if (!isLost) throw error;
        const { table: at, partitionKey, rowKey, property } = error.detail;
        lost.push({ table: at, partitionKey, rowKey, property, error });
      }
    }
    yield { resealed: done, inPlace, lost, next };
  }
}
