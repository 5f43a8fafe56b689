// Writes rows again whose values are under earlier keys, page by page, with a token by which another process goes on. Each write is conditional: programs read and write meanwhile.

import type { CallOptions } from '../concurrency/abort.js';
import type { InTable } from '../model/address.js';
import type { AnyEntity, NewOf } from '../model/definition.js';
import type { StoredOf } from '../model/stored.js';
import type { Db } from '../repo/open.js';
import { unlessLost } from '../repo/optimistic.js';
import type { PageOptions } from '../repo/read/results.js';
import type { Repo } from '../repo/write/repo.js';
import type { RowAddress } from '../values/pattern-error.js';
import { isLoss, type LostValue, type NewClearOf } from './clear.js';
import type { Encryption } from './encryption.js';

/** How rows are sealed again: from the `next` of the last progress that was seen, in pages of 100 rows by default. */
interface ResealOptions extends PageOptions, InTable {}

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

/** Whether it was written: another writer may have done it before, with the keys of now. */
async function resealRow<E extends AnyEntity, H extends string>(
  repo: Repo<E>,
  own: Encryption<E, H>,
  found: StoredOf<E>,
  options: CallOptions,
): Promise<boolean> {
  for (let row: StoredOf<E> | undefined = found; row && own.isOutdated(row); ) {
    const current = row;
    const { value } = await own.open(current);
    // Hashes are made again.
    const given = Object.entries(value).filter(([name]) => !own.hashNames.has(name));
    const sealed = await own.seal(Object.fromEntries(given) as NewClearOf<E, H>, { table: repo.table });
    const written = await unlessLost(() => repo.replace(current, sealed as NewOf<E>, options));
    if (written !== undefined) return true;
    row = await repo.get(current.value as never, options);
  }
  return false;
}

/** Writes rows again whose values are not under the ring's current keys. It advances as the caller consumes progress. After it has ended, earlier keys are needed only for `lost` rows. Throws what reads and writes throw. */
export async function* reseal<E extends AnyEntity, H extends string>(
  db: Db,
  own: Encryption<E, H>,
  { table = own.entity.table, resume, size = PAGE_SIZE, signal }: ResealOptions = {},
): AsyncGenerator<ResealProgress, void, undefined> {
  const repo = db.repo(own.entity, { table });
  let [resealed, inPlace] = [0, 0];
  for await (const { items, next } of repo
    .scan()
    .allowScan('sealing again')
    .pages({ resume, size, signal })) {
    const lost: (RowAddress & LostValue)[] = [];
    for (const row of items) {
      try {
        if (await resealRow(repo, own, row, { signal })) resealed++;
        else inPlace++;
      } catch (error) {
        if (!isLoss(error)) throw error;
        const { table: at, partitionKey, rowKey, property } = error.detail;
        lost.push({ table: at, partitionKey, rowKey, property, error });
      }
    }
    yield { resealed, inPlace, lost, next };
  }
}
