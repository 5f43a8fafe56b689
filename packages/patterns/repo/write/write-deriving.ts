// Writes a row whose entity has lists or copies: their derivations announce the write and name further writes. These go in one transaction with the row, under the ETags that were read; if another writer changed
// one of these rows in between, it is read again. The row itself is written under its own condition, and errors about it are thrown at once.

import type { AnyEntity, Derivation } from '../../model/definition.js';
import { type SentMessage, unlessRefused } from '../../transport/messages/announce.js';
import { addressOf } from '../../transport/row-write.js';
import { PatternError, refuseDefinition } from '../../values/pattern-error.js';
import { Attempts, isLost, refusalOf } from '../optimistic.js';
import {
  type JoinedRow,
  type JoinedWrites,
  type RowDerivation,
  readingOf,
  type WriteDeriving,
  type WrittenRow,
} from './derivation.js';
import { newIdentity, planConditionCheck } from './plan-write.js';
import type { DerivingWrite, Identity, PlannedWrite, WriteResult } from './planned-write.js';
import { writePlanned, writeTogether } from './write-planned.js';

/** What several derivations change in one row is one write of it. */
function mergedRows(rows: readonly JoinedRow[]): readonly JoinedRow[] {
  const byKey = new Map<string, JoinedRow>();
  for (const each of rows) {
    const { rowKey } = each.row;
    const earlier = byKey.get(rowKey);
    byKey.set(rowKey, earlier ? { ...earlier, patch: { ...earlier.patch, ...each.patch } } : each);
  }
  return [...byKey.values()];
}

/** The write of the row itself, with what derivations set in it. */
function ownWith<T>(
  planned: PlannedWrite<T>,
  { again }: DerivingWrite<T>,
  joined: readonly JoinedWrites[],
): PlannedWrite<T> {
  const set = Object.assign({}, ...joined.map(each => each.set ?? {}));
  const { deriving: _, ...own } = Object.keys(set).length === 0 ? planned : again(set);
  return { ...own, ...(planned.ifExists !== undefined && { ifExists: planned.ifExists }) };
}

function writesOf(identity: Identity, joined: readonly JoinedWrites[]): readonly PlannedWrite<WriteResult>[] {
  const rows = mergedRows(joined.flatMap(each => each.rows ?? []));
  return [
    ...rows.map(({ row, patch, plan }) => {
      if (Object.keys(patch).length === 0) return planConditionCheck(row, identity);
      const { deriving: _, ...planned } = plan(patch, identity);
      return planned;
    }),
    ...joined.flatMap(each => each.writes ?? []),
  ];
}

/** Does the write, and what its derivations have to do with it. Throws what the write throws, and Contention if others change what joins it each time. */
const writeDeriving: WriteDeriving = async (service, planned, deriving, options) => {
  const { entity, before, after, by } = deriving;
  const { operationIds, surroundings } = service;
  const { operationId } = planned;
  const identity =
    operationIds && operationId !== undefined ? { operationIds, operationId } : newIdentity(service);
  const row: WrittenRow = { entity, before, after, address: addressOf(planned.write), identity };
  const derivations = readingOf(entity).filter(each => each !== by);
  const sent: SentMessage[] = [];
  return unlessRefused(sent, async () => {
    for (const derivation of derivations) {
      const message = await derivation.announce?.(service, row, options);
      if (message !== undefined) sent.push(message);
    }
    for (const attempts = new Attempts(surroundings, options); ; ) {
      const joined: JoinedWrites[] = [];
      for (const derivation of derivations)
        joined.push((await derivation.join?.(service, row, options)) ?? {});
      const writes = writesOf(identity, joined);
      const own = ownWith(planned, deriving, joined);
      if (writes.length === 0) return writePlanned(service, own, options);
      try {
        const result = await writeTogether(service, own, writes, options);
        for (const { ended } of joined) ended?.(undefined);
        return result;
      } catch (thrown) {
        if (!PatternError.is(thrown, 'BatchFailed')) throw thrown;
        if (thrown.detail.index === 0 || !isLost(thrown)) throw refusalOf(thrown);
        const { detail } = thrown;
        for (const { ended } of joined) ended?.(detail);
        await attempts.next(detail, undefined, joined.find(({ advice }) => advice)?.advice);
      }
    }
  });
};

/** A change of one would have to bring changes of the other along, without end. */
function refuseChain(name: string, writer: Derivation, reader: Derivation): void {
  const chained = writer.writes.find(each => reader.reads.includes(each));
  if (chained !== undefined)
    refuseDefinition(
      reader.name,
      `${chained} of ${name} is a copy that ${writer.name} writes in the transaction of its source, and nothing else follows from it`,
    );
}

/** From now on, what is derived follows every write of the entity's rows. Throws DefinitionInvalid. */
export function derive({ name, plan }: AnyEntity, derivation: RowDerivation): void {
  if (plan.rebucketing !== undefined)
    refuseDefinition(derivation.name, `the number of buckets of ${name} is being changed`);
  for (const other of plan.derivations) {
    refuseChain(name, other, derivation);
    refuseChain(name, derivation, other);
  }
  plan.derivations.push(Object.assign(derivation, { transact: writeDeriving }));
}
