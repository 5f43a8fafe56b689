// Records of transactions that were aborted, for an audit: each keeps a request from doing its work that arrives late, and is of no use when no request can be under way any more. reserve.ts makes them; those
// of transactions that were done are the flow's to delete.

import type { AnyEntity } from '../../model/definition.js';
import { allOf, type Condition } from '../../model/filter/condition.js';
import { keyCondition } from '../../model/filter/key-condition.js';
import { readAddress } from '../../model/row-head.js';
import { ageOf } from '../../repo/indexes/reservation.js';
import { RECORD_PREFIX, stateIn } from '../../repo/indexes/transaction-record.js';
import { planDelete } from '../../repo/write/plan-write.js';
import type { Service } from '../../repo/write/service.js';
import type { ReadOptions } from '../../transport/table-requests.js';
import type { WireObject } from '../../values/read-wire.js';
import type { Finding } from './derived-rows.js';
import type { CheckResult } from './recheck.js';

/** The phase that finds them. */
export const RECORDS = 'transaction records';

/** Where they stand: in one partition, or in all. */
export const recordsCondition = (partitionKey: string | undefined): Condition => {
  // The next character behind the last of the prefix.
  const rowKeys = keyCondition('RowKey', { ge: RECORD_PREFIX, lt: RECORD_PREFIX.replace(/!$/, '"') });
  return partitionKey === undefined
    ? rowKeys
    : allOf([keyCondition('PartitionKey', { eq: partitionKey }), rowKeys]);
};

/** Whether the record is of an aborted transaction, and old enough, by the service's clock. */
export async function checkRecord<E extends AnyEntity>(
  { requests, writes, surroundings, abortedFor }: Service,
  table: string,
  row: WireObject,
  options: ReadOptions,
): Promise<CheckResult<Finding<E>>> {
  const address = readAddress(row, table);
  const found = await requests.get(address, options);
  if (found === undefined || stateIn(found) !== 'aborted') return 'right';
  if (ageOf(found, surroundings.now) < abortedFor) return 'right';
  const about = { of: RECORDS, key: undefined, isRepaired: false, reason: undefined } as const;
  return {
    finding: { ...address, ...about, fault: 'orphan' },
    repair: () => writes.write(planDelete(address, found.etag ?? '*'), options),
  };
}
