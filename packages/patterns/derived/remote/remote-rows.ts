// Makes the remote index rows of one row match that row, whatever happened to either. Index rows are read before their row, and written under the ETags that they then had: if another process
// writes one in between, everything is read again. So an index row never goes back to an earlier version of its row. A worker with an old view of the row can only add an index row where there is none, and
// the check of the row after each write finds that.

import type { CallOptions } from '../../concurrency/abort.js';
import type { AnyEntity, IndexPlan } from '../../model/definition.js';
import {
  expectedIndexRow,
  indexNamed,
  isAsExpected,
  tableOfIndex,
  versionOf,
  withSource,
} from '../../model/index-row.js';
import { refuseNewer } from '../../model/row-fault.js';
import type { StoredOf } from '../../model/stored.js';
import { findRow } from '../../repo/find-row.js';
import { Attempts, unlessLost } from '../../repo/optimistic.js';
import type { Service } from '../../repo/write/service.js';
import type { RowWrite } from '../../transport/row-write.js';
import type { RowAddress } from '../../values/pattern-error.js';
import type { IndexRowKey } from './remote.js';

/** A place where an index may have a row of the row. */
interface Place {
  readonly index: IndexPlan;
  readonly address: RowAddress;
}

/** One row of an entity, and some of its remote indexes that are not unique: rows of unique keys may be another row's. */
interface IndexedRow<E extends AnyEntity> {
  readonly entity: E;
  readonly indexes: readonly IndexPlan[];
  readonly owner: RowAddress;
}

const textOf = ({ table, partitionKey, rowKey }: RowAddress): string =>
  JSON.stringify([table.toLowerCase(), partitionKey, rowKey]);

/** The row at the address; undefined if there is none. Throws what cannot be read, which is left as it is. */
async function rowAt<E extends AnyEntity>(
  { requests, onDrift }: Pick<Service, 'requests'> & Partial<Pick<Service, 'onDrift'>>,
  entity: E,
  address: RowAddress,
  options: CallOptions,
): Promise<StoredOf<E> | undefined> {
  const row = await findRow(requests, entity, [address], { onDrift }, options);
  if (row !== undefined) refuseNewer(entity, row);
  return row;
}

/** The places that these keys name. Throws DefinitionInvalid for an index that the entity does not have. */
function placesOf(
  { entity, owner }: Pick<IndexedRow<AnyEntity>, 'entity' | 'owner'>,
  keys: readonly IndexRowKey[],
): Map<string, Place> {
  const places = keys.map(([name, partitionKey, rowKey]): Place => {
    const index = indexNamed(entity, name);
    return { index, address: { table: tableOfIndex(entity, index, owner.table), partitionKey, rowKey } };
  });
  return new Map(places.filter(({ index }) => !index.unique).map(place => [textOf(place.address), place]));
}

/** The write that makes the row of a place what it should be; undefined if it is. */
function writeOf(
  { index, address }: Place,
  found: StoredOf<AnyEntity> | undefined,
  expected: ReturnType<typeof expectedIndexRow>,
  row: StoredOf<AnyEntity> | undefined,
): RowWrite | undefined {
  if (expected === undefined || row === undefined)
    return found && { kind: 'delete', ...address, etag: found.etag };
  if (found !== undefined && isAsExpected(index, found, expected)) return undefined;
  const { table } = address;
  const made = withSource(expected.row, versionOf(row));
  return found === undefined
    ? { kind: 'create', table, row: made }
    : { kind: 'replace', table, row: made, etag: found.etag };
}

/** `keys` are those index rows that the row may have had. Gives the row for which the index rows are right. Throws Contention, and what reads and writes throw. */
export async function settleRemoteRows<E extends AnyEntity>(
  service: Service,
  indexed: IndexedRow<E>,
  keys: readonly IndexRowKey[],
  options: CallOptions,
): Promise<StoredOf<E> | undefined> {
  const { requests, surroundings, writes } = service;
  const { entity, indexes, owner } = indexed;
  const places = placesOf(indexed, keys);
  for (const attempts = new Attempts(surroundings, options); ; ) {
    const all = [...places];
    const found = await Promise.all(
      all.map(([, { index, address }]) => rowAt({ requests }, index.entity, address, options)),
    );
    const row = await rowAt(service, entity, owner, options);
    const expected = new Map(
      (row === undefined ? [] : indexes).flatMap(index => {
        const should = expectedIndexRow(entity, index, owner.table, row?.value);
        return should === undefined ? [] : [[textOf(should.address), { ...should, index }] as const];
      }),
    );
    const isComplete = [...expected.keys()].every(text => places.has(text));
    for (const [text, place] of expected) if (!places.has(text)) places.set(text, place);
    // Index rows are read before their row.
    if (!isComplete) continue;
    const wrong = all.flatMap(
      ([text, place], at) => writeOf(place, found[at], expected.get(text), row) ?? [],
    );
    if (wrong.length === 0) return row;
    // What is missing before what is left over, so that queries find a row under one of its keys at every moment.
    const ordered = [...wrong.filter(isPut), ...wrong.filter(each => !isPut(each))];
    const written = await unlessLost(async () => {
      for (const write of ordered) await writes.write({ write }, options);
      return true;
    });
    if (written === undefined) await attempts.next(owner, row?.etag);
    else if ((await rowAt(service, entity, owner, options))?.etag === row?.etag) return row;
  }
}

const isPut = ({ kind }: RowWrite): boolean => kind !== 'delete';
