// Moves an entity's rows to the places of its current number of buckets, page by page, with a token by which another process can continue. A row is marked, then
// copied to its new place, then deleted in its old one; each step is conditional, and the three can be repeated from anywhere. rebucketing-writes.ts documents writes by others during the move.

import type { CallOptions } from '../../concurrency/abort.js';
import { addresses, isSameRow } from '../../model/address.js';
import { decodeBag, encodeBag } from '../../model/bag.js';
import type { AnyEntity } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import type { RowAnswer } from '../../transport/row-source.js';
import type { RowWrite } from '../../transport/row-write.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import { MARKS } from '../../values/row-member.js';
import type { WireProperty, WireRow } from '../../values/wire-property.js';
import { unlessLost } from '../optimistic.js';
import type { PageOptions, Results } from '../read/results.js';
import { idProperty, newIdentity, planDelete, withId } from '../write/plan-write.js';
import type { Identity } from '../write/planned-write.js';
import { isMovingRow, movingMark } from '../write/rebucketing-writes.js';
import type { Service } from '../write/service.js';

/** How rows are moved to their new buckets: from the `next` of the last progress that was seen, in pages of 100 rows by default. */
export type RebucketOptions = PageOptions;

/** The state after a page. Counts cover all pages since the start, or since the given token. */
export interface RebucketProgress {
  readonly moved: number;
  /** Rows that are in the right bucket. */
  readonly inPlace: number;
  /** The token to continue from; undefined at the end. */
  readonly next: string | undefined;
}

const PAGE_SIZE = 100;

class Move {
  readonly #service: Service;
  readonly #from: RowAddress;
  readonly #to: RowAddress;

  constructor(service: Service, from: RowAddress, to: RowAddress) {
    this.#service = service;
    this.#from = from;
    this.#to = to;
  }

  /** Again until the row is not there any more: others may write it until it is marked. */
  async run(options: CallOptions): Promise<void> {
    for (;;) {
      const found = await this.#service.requests.get(this.#from, options);
      if (found === undefined) return;
      const etag = isMovingRow(found.row) ? found.etag : await this.#mark(found, options);
      if (etag === undefined) continue;
      const copy = await this.#copy(found, options);
      if (await this.#remove(this.#from, etag, options)) return;
      // Another process deleted it during the copy. The state of a copy that another move made is unknown.
      if (copy !== undefined) await this.#remove(this.#to, copy, options);
    }
  }

  /** The ETag of the marked row; undefined if it was written in between. */
  #mark({ row, etag = '' }: RowAnswer, options: CallOptions): Promise<string | undefined> {
    const { unknown } = this.#read(row);
    const { table, partitionKey, rowKey } = this.#from;
    return unlessLost(() => {
      const identity = newIdentity(this.#service);
      const properties = [movingMark, ...idProperty(identity, unknown)];
      const marked = { partitionKey, rowKey, properties, bytes: 0 };
      return this.#write({ kind: 'merge', table, row: marked, etag }, identity, options);
    });
  }

  /** The ETag of the copy; undefined if there is one already. */
  async #copy({ row }: RowAnswer, options: CallOptions): Promise<string | undefined> {
    const { wire, unknown } = this.#read(row);
    const { table, partitionKey, rowKey } = this.#to;
    const identity = newIdentity(this.#service);
    const copy = { ...wire, partitionKey, rowKey, properties: withId(identity, unknown) };
    try {
      return await this.#write({ kind: 'create', table, row: copy }, identity, options);
    } catch (thrown) {
      // After any other refusal the row must stay where it is.
      if (PatternError.is(thrown, 'AlreadyExists')) return undefined;
      throw thrown;
    }
  }

  /** Whether it was there to be removed. */
  async #remove(address: RowAddress, etag: string, options: CallOptions): Promise<boolean> {
    const isGone = await unlessLost(async () => {
      await this.#service.writes.write(planDelete(address, etag), options);
      return true;
    });
    return isGone ?? false;
  }

  /** The row as it is, without the mark. */
  #read(row: RowAnswer['row']): { readonly wire: WireRow; readonly unknown: readonly WireProperty[] } {
    const wire = encodeBag(decodeBag(row, { table: this.#from.table }));
    return { wire, unknown: wire.properties.filter(({ name }) => name !== MARKS.moving) };
  }

  #write(write: RowWrite, identity: Identity, options: CallOptions): Promise<string | undefined> {
    return this.#service.writes.write({ write, operationId: identity?.operationId }, options);
  }
}

/** Moves the rows. One at a time may run: two would not lose a row, and would wait for each other. Throws what a read or a write throws. */
export async function* moveRows<E extends AnyEntity>(
  service: Service,
  entity: E,
  rows: Results<StoredOf<E>>,
  { resume, size = PAGE_SIZE, signal }: RebucketOptions,
): AsyncGenerator<RebucketProgress, void, undefined> {
  let [moved, inPlace] = [0, 0];
  for await (const { items, next } of rows.pages({ resume, size, signal })) {
    for (const row of items) {
      const [to, ...earlier] = addresses(entity, row.table, row.value as never);
      const stands = (at: RowAddress): boolean => isSameRow(at, row);
      if (to !== undefined && earlier.some(stands) && !stands(to)) {
        await new Move(service, row, to).run({ signal });
        moved++;
      } else inPlace++;
    }
    yield { moved, inPlace, next };
  }
}
