// Keeps the lists of an entity with every write of its rows. A list in the row's partition changes in the row's transaction, under the list's own ETag; lists in other places are updated by a flow, to
// which the write sends a message.

import type { CallOptions } from '../../concurrency/abort.js';
import type { Flow } from '../../flows/flow.js';
import type { AnyEntity, Of } from '../../model/definition.js';
import { Db } from '../../repo/open.js';
import type { JoinedWrites, RowDerivation, WrittenRow } from '../../repo/write/derivation.js';
import type { PlannedWrite, WriteResult } from '../../repo/write/planned-write.js';
import type { Service } from '../../repo/write/service.js';
import { derive } from '../../repo/write/write-deriving.js';
import type { SentMessage } from '../../transport/messages/announce.js';
import { refuseDefinition } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { ContentionCount } from './contention.js';
import { type EntityList, idOf, partsOfKey, textOfKey } from './entity-list.js';
import { ROWS_ADVICE } from './list.js';
import { type ListFlowInput, listFlowInput } from './list-input.js';
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
    if (old !== undefined && now !== undefined && textOfKey(list, old) === textOfKey(list, now)) return [];
    return [
      ...(old === undefined ? [] : [{ list, key: old, isIn: false }]),
      ...(now === undefined ? [] : [{ list, key: now, isIn: true }]),
    ];
  });
}

/** Keeps lists in the partition of their rows. Counts conflicts between writers of one list in this process. */
class SamePartitionList implements RowDerivation {
  readonly name: string;
  readonly reads: readonly string[];
  readonly writes = [];
  readonly #list: EntityList;

  constructor(list: EntityList) {
    this.name = list.name;
    this.reads = partsOfKey(list);
    this.#list = list;
  }

  async join(service: Service, row: WrittenRow, options: CallOptions): Promise<JoinedWrites | undefined> {
    const changes = changesOf([this.#list], row);
    const { home } = this.#list;
    if (changes.length === 0 || home.kind !== 'rows') return undefined;
    const counts = countsOf(this.#list);
    const lists = new ListRepo(service, home.list, { table: row.address.table, counts });
    const writes: PlannedWrite<WriteResult>[] = [];
    const keys = new Map<string, Values>();
    for (const { key, isIn } of changes) {
      const change = new Map([[idOf(this.#list, row.address), isIn]]);
      const planned = await lists.planned(key, change, row.identity, options);
      for (const each of planned) keys.set(rowKeyOf(each), key);
      writes.push(...planned);
    }
    const ended: JoinedWrites['ended'] = lost => {
      if (lost === undefined) for (const { key } of changes) lists.count(key, false);
      else if (keys.has(lost.rowKey)) lists.count(keys.get(lost.rowKey) ?? {}, true);
    };
    return { writes, ended, advice: ROWS_ADVICE };
  }
}

const rowKeyOf = ({ write }: PlannedWrite<unknown>): string =>
  'row' in write ? write.row.rowKey : write.rowKey;

/** How often writers of an entity's lists conflict. */
const COUNTS = new WeakMap<EntityList, ContentionCount>();

export function countsOf(list: EntityList): ContentionCount {
  const counts = COUNTS.get(list) ?? new ContentionCount(list.warn);
  COUNTS.set(list, counts);
  return counts;
}

/** A flow, and the lists that it keeps. */
interface KeptLists {
  readonly flow: Flow<ListFlowInput, ListFlowInput>;
  readonly lists: readonly EntityList[];
}

/** Of lists in other places. */
const KEPT = new WeakMap<EntityList, KeptLists>();

/** The flow that keeps lists of this definition; undefined for lists that are written with their rows, and until a flow is defined. */
export const flowOf = (list: EntityList): KeptLists['flow'] | undefined => KEPT.get(list)?.flow;

/** One message is about all lists of a flow that a write changes: the first of them sends it. Until a list has a flow, writes that change it are refused. */
const remoteList = (list: EntityList): RowDerivation => ({
  name: list.name,
  reads: partsOfKey(list),
  writes: [],
  announce: async (service, row, { signal }): Promise<SentMessage | undefined> => {
    const { flow, lists = [list] } = KEPT.get(list) ?? {};
    const changes = changesOf(lists, row);
    if (changes[0]?.list !== list) return undefined;
    if (flow === undefined)
      return refuseDefinition(
        list.name,
        `it is not in the partition of its entities, and needs the flow that keeps it: listFlow('${list.name}', [${list.name}])`,
      );
    const { entity, address, after, before, identity } = row;
    const values: unknown = after ?? before?.value;
    const input = listFlowInput(entity, address.table, values as Values, changes);
    const deletes = after === undefined;
    return flow.announce(new Db(service), input, identity?.operationId, { deletes, signal });
  },
});

/** The list is changed by every write of its owner's rows. Throws DefinitionInvalid. */
export const deriveList = (list: EntityList): void =>
  derive(list.owner, list.where === 'same-partition' ? new SamePartitionList(list) : remoteList(list));

/** The lists are changed by this flow. Throws DefinitionInvalid for lists that have one. */
export function keepByFlow(lists: readonly EntityList[], flow: KeptLists['flow']): void {
  for (const list of lists) {
    const kept = KEPT.get(list);
    if (kept !== undefined)
      refuseDefinition(flow.name, `${list.name} is kept by the flow ${kept.flow.name} already`);
    if (list.owner !== lists[0]?.owner)
      refuseDefinition(flow.name, `${list.name} is a list of ${list.owner.name}`);
  }
  for (const list of lists) KEPT.set(list, { flow, lists });
}
