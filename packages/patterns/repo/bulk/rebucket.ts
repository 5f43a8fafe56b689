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
import type { WireRow } from '../../values/wire-property.js';
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

/** The row as it is, without the mark. */
function contentOf({ row }: RowAnswer, table: string): WireRow {
  const wire = encodeBag(decodeBag(row, { table }));
  return { ...wire, properties: wire.properties.filter(({ name }) => name !== MARKS.moving) };
}

/** Moves one row. Again until it is not there any more: others may write it until it is marked. */
async function moveRow(
  { requests, writes, operationIds }: Service,
  from: RowAddress,
  to: RowAddress,
  options: CallOptions,
): Promise<void> {
  const write = (of: RowWrite, identity: Identity): Promise<string | undefined> =>
    writes.write({ write: of, operationId: identity?.operationId }, options);
  /** The ETag of the marked row; undefined if it was written in between. */
  const mark = (etag: string, { properties: unknown }: WireRow): Promise<string | undefined> => {
    const { table, partitionKey, rowKey } = from;
    const identity = newIdentity({ operationIds });
    const properties = [movingMark, ...idProperty(identity, unknown)];
    const row = { partitionKey, rowKey, properties, bytes: 0 };
    return unlessLost(() => write({ kind: 'merge', table, row, etag }, identity));
  };
  /** The ETag of the copy; undefined if there is one already. */
  const copy = async (content: WireRow): Promise<string | undefined> => {
    const { table, partitionKey, rowKey } = to;
    const identity = newIdentity({ operationIds });
    const properties = withId(identity, content.properties);
    try {
      return await write(
        { kind: 'create', table, row: { ...content, partitionKey, rowKey, properties } },
        identity,
      );
    } catch (thrown) {
      // After any other refusal the row must stay where it is.
      if (PatternError.is(thrown, 'AlreadyExists')) return undefined;
      throw thrown;
    }
  };
  /** Whether it was there to be removed. */
  const remove = async (address: RowAddress, etag: string): Promise<boolean> => {
    const removed = unlessLost(() => writes.write(planDelete(address, etag), options).then(() => true));
    return (await removed) ?? false;
  };
  for (;;) {
    const found = await requests.get(from, options);
    if (found === undefined) return;
    const content = contentOf(found, from.table);
    const etag = isMovingRow(found.row) ? found.etag : await mark(found.etag ?? '', content);
    if (etag === undefined) continue;
    const copied = await copy(content);
    if (await remove(from, etag)) return;
    // Another process deleted it during the copy. The state of a copy that another move made is unknown.
    if (copied !== undefined) await remove(to, copied);
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
        await moveRow(service, row, to, { signal });
        moved++;
      } else inPlace++;
    }
    yield { moved, inPlace, next };
  }
}
