// Records of transactions that were aborted, for an audit: each keeps a request from doing its work that arrives late, and is of no use when no request can be under way any more. reserve.ts makes them; those
// of transactions that were done are the flow's to delete.

import type { AnyEntity } from '../../model/definition.js';
import { type Condition, keysCondition } from '../../model/filter/condition.js';
import { readAddress } from '../../model/row-head.js';
import { planDelete } from '../../repo/write/plan-write.js';
import type { RowAddress } from '../../values/pattern-error.js';
import type { WireObject } from '../../values/read-wire.js';
import { ageOf, RECORD_PREFIX, stateIn } from '../remote/reservation.js';
import type { AuditedRows } from './audited-rows.js';
import type { Derived, Wrong } from './derived.js';

/** Where they stand: in one partition, or in all. */
const recordsCondition = (partitionKey: string | undefined): Condition =>
  keysCondition(
    partitionKey === undefined ? {} : { eq: partitionKey },
    // The next character behind the last of the prefix.
    { ge: RECORD_PREFIX, lt: RECORD_PREFIX.replace(/!$/, '"') },
  );

/** Aborted ones that are old enough, by the service's clock. */
export function transactionRecords<E extends AnyEntity>(
  { entity, table, partitionKey }: { entity: E; table: string; partitionKey: string | undefined },
  rows: AuditedRows,
): Derived<E> {
  const { options, service } = rows;
  const { requests, writes, surroundings, abortedFor } = service;
  const orphan = async (address: RowAddress): Promise<Wrong | undefined> => {
    const found = await requests.get(address, options);
    if (found === undefined || stateIn(found) !== 'aborted') return undefined;
    if (ageOf(found, surroundings.now) < abortedFor) return undefined;
    const repair = () => writes.write(planDelete(address, found.etag ?? '*'), options);
    return { fault: 'orphan', address, key: undefined, repair };
  };
  return {
    name: 'transaction records',
    isGuarded: true,
    wrongOf: async () => undefined,
    stock: {
      pages: page => rows.all(entity, table, recordsCondition(partitionKey)).pages(page),
      membersOf: async (row: WireObject) => {
        const address = readAddress(row, table);
        return [{ address, owner: () => undefined, isOf: () => false, orphan: () => orphan(address) }];
      },
    },
  };
}
