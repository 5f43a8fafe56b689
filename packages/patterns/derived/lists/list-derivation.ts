// Keeps the lists of an entity with every write of its rows. A list in the row's partition changes in the row's transaction, under the list's own ETag; lists in other places are updated by a flow, to
// which the write sends a message: the row, and the lists that may have or have had its id. Only keys, no data: a worker reads the row, adds its id to the list that the row belongs to now, and removes
// it from the others.

import type { CallOptions } from '../../concurrency/abort.js';
import type { FlowOptions, Step } from '../../flows/definition.js';
import { type Flow, flow } from '../../flows/flow.js';
import { follow } from '../../flows/follow.js';
import { type KeyJson, keyJson, keyOfJson, keyValues, rowKeyJson } from '../../flows/key-json.js';
import { addressOfKey, isSameRow } from '../../model/address.js';
import type { AnyEntity, Of } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import { Db } from '../../repo/open.js';
import type { JoinedWrites, RowDerivation, WrittenRow } from '../../repo/write/derivation.js';
import type { PlannedWrite, WriteResult } from '../../repo/write/planned-write.js';
import type { Service } from '../../repo/write/service.js';
import { derive } from '../../repo/write/write-deriving.js';
import type { SentMessage } from '../../transport/messages/announce.js';
import { addressOf } from '../../transport/row-write.js';
import { isObject } from '../../values/is-object.js';
import { refuseDefinition } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { schemaOf } from '../../values/standard-schema.js';
import { countsOf, type EntityList, idOf, isIn, isSameList, partsOfKey, storedLists } from './entity-list.js';
import { type AnyList, ROWS_ADVICE } from './list.js';
import { ListRepo } from './list-repo.js';

/** An id that goes into a list, or out of it. */
interface ListChange {
  readonly list: EntityList;
  readonly key: Values;
  readonly isIn: boolean;
}

/** The changes that a write makes to the lists: none where the list's key stays the same. */
function changesOf(lists: readonly EntityList[], { before, after }: WrittenRow): readonly ListChange[] {
  return lists.flatMap(list => {
    const [old, now] = [before?.value, after].map(value =>
      value === undefined ? undefined : list.keyOf(value as Of<AnyEntity>),
    );
    if (old !== undefined && now !== undefined && isSameList(list, old, now)) return [];
    return [
      ...(old === undefined ? [] : [{ list, key: old, isIn: false }]),
      ...(now === undefined ? [] : [{ list, key: now, isIn: true }]),
    ];
  });
}

/** Changes lists in the partition of their rows. */
async function joinedLists(
  list: EntityList,
  rows: AnyList,
  service: Service,
  row: WrittenRow,
  options: CallOptions,
): Promise<JoinedWrites | undefined> {
  const changes = changesOf([list], row);
  if (changes.length === 0) return undefined;
  const lists = new ListRepo(service, rows, { table: row.address.table, counts: countsOf(list) });
  const writes: PlannedWrite<WriteResult>[] = [];
  const keys = new Map<string, Values>();
  for (const { key, isIn: isAdded } of changes) {
    const change = new Map([[idOf(list, row.address), isAdded]]);
    const planned = await lists.planned(key, change, row.identity, options);
    for (const { write } of planned) keys.set(addressOf(write).rowKey, key);
    writes.push(...planned);
  }
  const ended: JoinedWrites['ended'] = lost => {
    if (lost === undefined) for (const { key } of changes) lists.count(key, false);
    else if (keys.has(lost.rowKey)) lists.count(keys.get(lost.rowKey) ?? {}, true);
  };
  return { writes, ended, advice: ROWS_ADVICE };
}

/** The contents of a message: a row, and lists that may have its id. */
export interface ListFlowInput {
  readonly table: string;
  readonly key: KeyJson;
  readonly lists: readonly { readonly list: string; readonly key: KeyJson }[];
}

const isInput = (value: unknown): value is ListFlowInput =>
  isObject(value) && typeof value.table === 'string' && isObject(value.key) && Array.isArray(value.lists);

type ListFlow = Flow<ListFlowInput, ListFlowInput>;

/** The flows of lists in other places, and the lists that each keeps. */
const KEPT = new WeakMap<EntityList, { readonly flow: ListFlow; readonly lists: readonly EntityList[] }>();

/** The flow that keeps lists of this definition; undefined for lists that are written with their rows, and until a flow is defined. */
export const flowOf = (list: EntityList): ListFlow | undefined => KEPT.get(list)?.flow;

/** One message is about all lists of a flow that a write changes: the first of them sends it. Until a list has a flow, writes that change it are refused. */
async function announceLists(
  list: EntityList,
  service: Service,
  row: WrittenRow,
  { signal }: CallOptions,
): Promise<SentMessage | undefined> {
  const { flow: keeper, lists = [list] } = KEPT.get(list) ?? {};
  const changes = changesOf(lists, row);
  if (changes[0]?.list !== list) return undefined;
  if (keeper === undefined)
    return refuseDefinition(
      list.name,
      `it is not in the partition of its entities, and needs the flow that keeps it: listFlow('${list.name}', [${list.name}])`,
    );
  const { entity, address, after, before, identity } = row;
  const input: ListFlowInput = {
    table: address.table,
    key: rowKeyJson(entity, (after ?? before?.value) as Values),
    lists: changes.map(each => ({
      list: each.list.name,
      key: keyJson(entity, Object.keys(each.key), each.key),
    })),
  };
  const deletes = after === undefined;
  return keeper.announce(new Db(service), input, identity?.operationId, { deletes, signal });
}

/** The list is changed by every write of its owner's rows. Throws DefinitionInvalid. */
export function deriveList(list: EntityList): void {
  const { name, owner, where, home } = list;
  const follows: Pick<RowDerivation, 'join' | 'announce'> =
    where === 'same-partition' && home.kind === 'rows'
      ? { join: (service, row, options) => joinedLists(list, home.list, service, row, options) }
      : { announce: (service, row, options) => announceLists(list, service, row, options) };
  derive(owner, { name, reads: partsOfKey(list), writes: [], ...follows });
}

/** Makes the named lists, and the one that the row belongs to, match the row. */
async function settle(
  db: Db,
  list: EntityList,
  { table, key, lists }: ListFlowInput,
  row: StoredOf<AnyEntity> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { owner } = list;
  const own = row && list.keyOf(row.value as Of<AnyEntity>);
  const named = lists.filter(each => each.list === list.name).map(each => keyValues(owner, each.key));
  const stored = [...named, ...(own ? [own] : [])].map(storedLists(Db.serviceOf(db), list, table));
  const id = idOf(list, addressOfKey(owner, table, keyOfJson(owner, key)));
  for (const [at, each] of stored.entries())
    if (!stored.slice(at + 1).some(({ address }) => isSameRow(address, each.address)))
      await each.change(new Map([[id, row !== undefined && isIn(list, each.address, row.value)]]), {
        signal,
      });
}

/** A message names the table of its row. */
const stepOf = (list: EntityList): Step<ListFlowInput> => ({
  name: list.name,
  run: (input, context) => {
    const step = follow<AnyEntity, ListFlowInput>({
      name: list.name,
      entity: list.owner,
      table: input.table,
      key: ({ key }) => keyOfJson(list.owner, key),
      make: (row, _, { db, signal }) => settle(db, list, input, row, signal),
    });
    return step.run(input, context) as Promise<undefined>;
  },
});

/** The flow that keeps these lists, of one entity: every write of its rows sends it a message. It can follow rows of any table. Throws DefinitionInvalid for lists that have one. */
export function listFlow<E extends AnyEntity>(
  name: string,
  lists: readonly EntityList<E, unknown>[],
  options: FlowOptions<ListFlowInput> = {},
): ListFlow {
  const all = lists as unknown as readonly EntityList[];
  const near = all.find(({ where }) => where === 'same-partition');
  if (near !== undefined) refuseDefinition(name, `${near.name} is written with its entities, and by no flow`);
  const schema = schemaOf(isInput, 'should name a row and lists');
  const made = flow(name, schema, all.map(stepOf), options);
  for (const list of all) {
    const kept = flowOf(list);
    if (kept !== undefined) refuseDefinition(name, `${list.name} is kept by the flow ${kept.name} already`);
    if (list.owner !== all[0]?.owner) refuseDefinition(name, `${list.name} is a list of ${list.owner.name}`);
  }
  for (const list of all) KEPT.set(list, { flow: made, lists: all });
  return made;
}
