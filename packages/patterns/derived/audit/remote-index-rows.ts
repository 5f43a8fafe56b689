// The rows of an index in other partitions or in another table, for an audit. A repair does what the worker of the index's flow does: it makes the index row match the entity's row, and checks that
// row again.

import { addressOfKey } from '../../model/address.js';
import type { AnyEntity, IndexPlan, KeyOf } from '../../model/definition.js';
import { expectedIndexRow, tableOfIndex } from '../../model/index-row.js';
import { isReservation, type UniqueIndex } from '../../repo/indexes/reservation.js';
import type { Service } from '../../repo/write/service.js';
import type { ReadOptions } from '../../transport/table-requests.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import { RemoteRows } from '../remote/remote-rows.js';
import { conditionOf } from './audited-rows.js';
import type { DerivedRows } from './derived-rows.js';

/** Makes the key of a row its own, and frees one that it has not. Throws UniqueViolation, and Conflict for a key that a write under way has reserved. */
async function settleKey(
  service: Service,
  unique: UniqueIndex,
  owner: RowAddress,
  key: Omit<RowAddress, 'table'>,
  options: ReadOptions,
): Promise<void> {
  const { reservations: keys } = service;
  const address = { ...key, table: tableOfIndex(unique.entity, unique.index, unique.table) };
  const settled = [await keys.settle(unique, address, options), await keys.keep(unique, owner, options)];
  if (settled.includes('pending')) throw new PatternError('Conflict', { ...address, etag: '' });
}

/** `isOfPartition`: the audit covers one partition of the entity. Its index rows are mixed with those of all others, so orphans are not searched. Throws DefinitionInvalid. */
export function remoteIndexRows<E extends AnyEntity>(
  service: Service,
  entity: E,
  index: IndexPlan,
  table: string,
  isOfPartition: boolean,
): DerivedRows<E> {
  const settle = async (
    owner: RowAddress,
    { partitionKey, rowKey }: RowAddress,
    options: ReadOptions,
  ): Promise<void> => {
    if (index.unique)
      return settleKey(service, { entity, table, index }, owner, { partitionKey, rowKey }, options);
    await new RemoteRows(
      service,
      entity,
      [index],
      owner,
      [[index.name, partitionKey, rowKey]],
      options,
    ).settle();
  };
  return {
    name: index.name,
    entity: index.entity,
    table: tableOfIndex(entity, index, table),
    condition: conditionOf(index.entity),
    findsOrphans: !isOfPartition,
    expected: ({ value }) => expectedIndexRow(entity, index, table, value),
    ownerOf: ({ value }) => value as KeyOf<E>,
    reservedSince: found => (found.unknown.some(isReservation) ? found.timestamp : undefined),
    put: (row, { address }, _, options) => settle(row, address, options),
    remove: (derived, key, options) => settle(addressOfKey(entity, table, key), derived, options),
  };
}
