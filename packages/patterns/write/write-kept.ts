// Writes a row whose entity has lists or copies: their keepers announce the write and name further writes. These go in one transaction with the row, under the ETags that were read; if another writer changed
// one of these rows in between, it is read again. The row itself is written under its own condition, and errors about it are thrown at once.
import { Attempts, isLost, refusalOf } from '../flow/optimistic.js';
import { type SentMessage, unlessRefused } from '../messages/announce.js';
import { addressOf } from '../transport/row-write.js';
import type { ReadOptions } from '../transport/table-requests.js';
import { PatternError } from '../values/pattern-error.js';
import type { Along, RowAlong, RowKeeper, WrittenRow } from './keeper.js';
import type { WriteResult } from './operations.js';
import { type KeptWrite, type PlannedWrite, planConditionCheck } from './plan-write.js';
import { newIdentity, type Service } from './service.js';

type Kept<T> = PlannedWrite<T> & { readonly kept: KeptWrite<T> };

/** What several keepers change in one row is one write of it. */
function joined(rows: readonly RowAlong[]): readonly RowAlong[] {
  const byKey = new Map<string, RowAlong>();
  for (const each of rows) {
    const { rowKey } = each.row;
    const earlier = byKey.get(rowKey);
    byKey.set(rowKey, earlier ? { ...earlier, patch: { ...earlier.patch, ...each.patch } } : each);
  }
  return [...byKey.values()];
}

/** How writes are sent. */
export interface Sending<T> {
  /** The row by itself. */
  alone(planned: PlannedWrite<T>): Promise<T>;
  /** The row and others, all or nothing. Throws BatchFailed. */
  together(planned: PlannedWrite<T>, others: readonly PlannedWrite<WriteResult>[]): Promise<T>;
}

class KeptTransaction<T> {
  readonly #service: Service;
  readonly #planned: Kept<T>;
  readonly #row: WrittenRow;
  readonly #keepers: readonly RowKeeper[];
  readonly #options: ReadOptions;

  constructor(service: Service, planned: Kept<T>, options: ReadOptions) {
    const { entity, before, after, by } = planned.kept;
    const { operationIds } = service;
    const { operationId } = planned;
    const identity =
      operationIds && operationId !== undefined ? { operationIds, operationId } : newIdentity(service);
    this.#service = service;
    this.#planned = planned;
    this.#row = { entity, before, after, address: addressOf(planned.write), identity };
    this.#keepers = entity.plan.keepers.filter(each => each !== by);
    this.#options = options;
  }

  async run(sending: Sending<T>): Promise<T> {
    const sent: SentMessage[] = [];
    return unlessRefused(sent, async () => {
      for (const keeper of this.#keepers) {
        const message = await keeper.announce?.(this.#service, this.#row, this.#options);
        if (message !== undefined) sent.push(message);
      }
      return this.#written(sending);
    });
  }

  async #written({ alone, together }: Sending<T>): Promise<T> {
    for (const attempts = new Attempts(this.#service.surroundings, this.#options); ; ) {
      const along: Along[] = [];
      for (const keeper of this.#keepers)
        along.push((await keeper.along?.(this.#service, this.#row, this.#options)) ?? {});
      const writes = this.#writesOf(along);
      const own = this.#ownWith(along);
      if (writes.length === 0) return alone(own);
      try {
        const result = await together(own, writes);
        for (const { ended } of along) ended?.(undefined);
        return result;
      } catch (thrown) {
        if (!PatternError.is(thrown, 'BatchFailed')) throw thrown;
        if (thrown.detail.index === 0 || !isLost(thrown)) throw refusalOf(thrown);
        const { detail } = thrown;
        for (const { ended } of along) ended?.(detail);
        await attempts.next(detail, undefined, along.find(({ advice }) => advice)?.advice);
      }
    }
  }

  #writesOf(along: readonly Along[]): readonly PlannedWrite<WriteResult>[] {
    const rows = joined(along.flatMap(each => each.rows ?? []));
    const { identity } = this.#row;
    return [
      ...rows.map(({ row, patch, plan }) => {
        if (Object.keys(patch).length === 0) return planConditionCheck(row, identity);
        const { kept: _, ...planned } = plan(patch, identity);
        return planned;
      }),
      ...along.flatMap(each => each.writes ?? []),
    ];
  }

  /** The write of the row itself, with what keepers set in it. */
  #ownWith(along: readonly Along[]): PlannedWrite<T> {
    const set = Object.assign({}, ...along.map(each => each.set ?? {}));
    const planned = this.#planned;
    const { kept: _, ...own } = Object.keys(set).length === 0 ? planned : planned.kept.again(set);
    return { ...own, ...(planned.ifExists !== undefined && { ifExists: planned.ifExists }) };
  }
}

/** Does the write, and what its keepers have to do with it. Throws what the write throws, and Contention if others change what goes along each time. */
export const writeKept = <T>(
  service: Service,
  planned: Kept<T>,
  options: ReadOptions,
  sending: Sending<T>,
): Promise<T> => new KeptTransaction(service, planned, options).run(sending);
