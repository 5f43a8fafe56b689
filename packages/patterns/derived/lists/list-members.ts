// The entities of a list: its ids, then their rows. Rows that are gone or whose value has changed are left out and named.
import { allInOrder } from '../../concurrency/in-order.js';
import { decodeEntity } from '../../model/decode-entity.js';
import type { AnyEntity, Of } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import type { ManyOptions } from '../../repo/read/reads.js';
import { POINT_CONCURRENCY } from '../../repo/read/table-query.js';
import type { Service } from '../../repo/write/service.js';
import type { Values } from '../../values/property.js';
import { addressOfId, type EntityList, textOfKey } from './entity-list.js';
import type { IdStore } from './id-store.js';

/** An id whose entity does not match the list: its row is gone, or has another value. */
interface StaleId {
  readonly id: string;
  readonly fault: 'gone' | 'moved';
}

/** The entities of a list as they were read. */
export interface ListMembers<E extends AnyEntity> {
  readonly rows: readonly StoredOf<E>[];
  /** For a list that a flow keeps, possible until the flow has caught up; for one in the entity's partition, only if it changed between the reads. */
  readonly stale: readonly StaleId[];
}

/** Whether the value belongs to the list of this key. */
export function isIn(list: EntityList, key: Values, value: unknown): boolean {
  const own = list.keyOf(value as Of<AnyEntity>);
  return own !== undefined && textOfKey(list, own) === textOfKey(list, key);
}

export async function membersOf<E extends AnyEntity>(
  { requests, onDrift }: Service,
  list: EntityList,
  store: IdStore,
  table: string,
  key: Values,
  { concurrency = POINT_CONCURRENCY, signal }: ManyOptions = {},
): Promise<ListMembers<E>> {
  const ids = await store.ids(key, { signal });
  const found = await allInOrder(ids, { concurrency, signal }, async (id, each) => {
    const address = addressOfId(list, table, key, id);
    const answer = address && (await requests.get(address, { signal: each }));
    return answer && decodeEntity(list.owner, answer.row, { table, onDrift, etag: answer.etag });
  });
  const rows: StoredOf<E>[] = [];
  const stale: StaleId[] = [];
  for (const [at, id] of ids.entries()) {
    const row = found[at];
    if (row === undefined) stale.push({ id, fault: 'gone' });
    else if (!isIn(list, key, row.value)) stale.push({ id, fault: 'moved' });
    else rows.push(row as StoredOf<E>);
  }
  return { rows, stale };
}
