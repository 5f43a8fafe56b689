// The rows of an index in its entity's partition, for an audit: index-row.ts maps a value to the row that should exist. A repair is one transaction with a condition check of the entity's row, so that it
// never wins against a writer.

import type { AnyEntity, IndexPlan, KeyOf } from '../../model/definition.js';
import { expectedIndexRow } from '../../model/index-row.js';
import { indexRowWrite } from '../../repo/indexes/index-write.js';
import { planConditionCheck, planDelete } from '../../repo/write/plan-write.js';
import { PlannedBatch } from '../../repo/write/planned-batch.js';
import { newIdentity, type Service } from '../../repo/write/service.js';
import { conditionOf } from './audited-rows.js';
import type { DerivedRows } from './derived-rows.js';

export const indexRows = <E extends AnyEntity>(
  service: Service,
  entity: E,
  index: IndexPlan,
  table: string,
  partitionKey: string | undefined,
): DerivedRows<E> => ({
  name: index.name,
  entity: index.entity,
  table,
  condition: conditionOf(index.entity, partitionKey),
  findsOrphans: true,
  expected: ({ value }) => expectedIndexRow(entity, index, table, value),
  ownerOf: ({ value }) => value as KeyOf<E>,
  put: async (row, expected, found, options) => {
    const check = planConditionCheck(row, newIdentity(service));
    const write = indexRowWrite(index, expected.address.table, expected.row, found);
    const indexWrites = [{ write, entity, index, owner: row }];
    await new PlannedBatch(service, row).add({ ...check, indexWrites }).commit(options);
  },
  remove: async (derived, _, options) => {
    await service.writes.write(planDelete(derived, derived.etag), options);
  },
});
