// The flow that keeps lists outside their entity's partition. Its message names a row and the lists that may have or have had its id; a worker reads the row, adds its id to the
// list that the row belongs to now, and removes it from the others.

import type { FlowOptions, Step } from '../../flows/definition.js';
import { type Flow, flow } from '../../flows/flow.js';
import { follow } from '../../flows/follow.js';
import { keyOfJson, keyValues } from '../../flows/key-json.js';
import { addressOfKey } from '../../model/address.js';
import type { AnyEntity, Of } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import { Db } from '../../repo/open.js';
import { refuseDefinition } from '../../values/pattern-error.js';
import { type EntityList, idOf, textOfKey } from './entity-list.js';
import { storeOf } from './id-store.js';
import { keepByFlow } from './list-derivation.js';
import { LIST_FLOW_SCHEMA, type ListFlowInput } from './list-input.js';

/** Makes the named lists, and the one that the row belongs to, match the row. */
async function settle(
  db: Db,
  list: EntityList,
  { table, key, lists }: ListFlowInput,
  row: StoredOf<AnyEntity> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const own = row && list.keyOf(row.value as Of<AnyEntity>);
  const candidates = lists
    .filter(each => each.list === list.name)
    .map(each => keyValues(list.owner, each.key));
  const byText = new Map([...candidates, ...(own ? [own] : [])].map(each => [textOfKey(list, each), each]));
  const owner = { ...list.owner, table };
  const id = idOf(list, addressOfKey(owner, table, keyOfJson(list.owner, key)));
  const store = storeOf(Db.serviceOf(db), list, { table });
  for (const [text, each] of byText)
    await store.change(each, new Map([[id, own !== undefined && textOfKey(list, own) === text]]), { signal });
}

const stepOf = (list: EntityList, table: string): Step<ListFlowInput> =>
  follow<AnyEntity, ListFlowInput>({
    name: list.name,
    entity: list.owner,
    table,
    key: input => keyOfJson(list.owner, input.key),
    make: (row, input, { db, signal }) => settle(db, list, input, row, signal),
  });

/** The flow that keeps these lists, of one entity: every write of its rows sends it a message. It can follow rows of any table. */
export function listFlow<E extends AnyEntity>(
  name: string,
  lists: readonly EntityList<E, unknown>[],
  options: FlowOptions<ListFlowInput> = {},
): Flow<ListFlowInput, ListFlowInput> {
  const all = lists as unknown as readonly EntityList[];
  const near = all.find(({ where }) => where === 'same-partition');
  if (near !== undefined) refuseDefinition(name, `${near.name} is written with its entities, and by no flow`);
  const steps = all.map(
    (list): Step<ListFlowInput> => ({
      name: list.name,
      run: (input, context) => stepOf(list, input.table).run(input, context) as Promise<undefined>,
    }),
  );
  const made = flow(name, LIST_FLOW_SCHEMA, steps, options);
  keepByFlow(all, made);
  return made;
}
