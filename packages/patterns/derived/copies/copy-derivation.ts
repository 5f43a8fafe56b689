// Keeps copies with every write of a source, and of a row that has them. In one partition that is one transaction:
//
//   a source that changes     the rows with copies are read, and written with it under their ETags
//   a row that takes another source    the source is read, and its ETag checked in the transaction, which gives it a new one
//   a source that is deleted    as the policy defines; a row that takes it at the same time has given it a new ETag, so that one of the two is refused
//
// For remote copies a message is sent to a flow before the write.

import type { Flow } from '../../flows/flow.js';
import { rowKeyJson } from '../../flows/key-json.js';
import type { AnyEntity } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import { Db } from '../../repo/open.js';
import { OPERATIONS, type WriteResult } from '../../repo/write/operations.js';
import type { Identity, PlannedWrite } from '../../repo/write/plan-write.js';
import type { JoinedRow, JoinedWrites, RowDerivation, WrittenRow } from '../../repo/write/row-derivation.js';
import { type Service, timeOfWrite } from '../../repo/write/service.js';
import { derive } from '../../repo/write/write-deriving.js';
import type { SentMessage } from '../../transport/messages/announce.js';
import type { ReadOptions } from '../../transport/table-requests.js';
import { PatternError, refuseValue } from '../../values/pattern-error.js';
import type { CopyInput } from './copy-input.js';
import type { CopyRules } from './copy-rules.js';
import { copiesOf, copyNames } from './embed.js';

type Values = Readonly<Record<string, unknown>>;

/** Rows that are changed together with their source: of a hundred operations the source takes one. */
export const FAN_OUT = 99;

/** Copies are kept of rows in their entity's own table. */
const isInPlace = ({ entity, address }: WrittenRow): boolean =>
  entity.table.toLowerCase() === address.table.toLowerCase();

const valuesOf = (row: StoredOf<AnyEntity> | undefined): Values | undefined =>
  row?.value as Values | undefined;

/** What writes copies in a row, as it was read. Their derivations have nothing to do with it. */
export const planCopies =
  (service: Service, holder: AnyEntity, row: StoredOf<AnyEntity>) =>
  (patch: Values, identity: Identity): PlannedWrite<WriteResult> => {
    const at = { entity: holder, table: row.table, identity, now: timeOfWrite(service) };
    return OPERATIONS.merge(at, row, patch as never);
  };

/** Throws SourceInUse if a row has copies of the source. */
async function refuseUsed(
  service: Service,
  name: string,
  rules: CopyRules,
  { address, before }: WrittenRow,
  options: ReadOptions,
): Promise<void> {
  for await (const { table, partitionKey, rowKey } of rules.holdersOf(
    new Db(service),
    valuesOf(before) ?? {},
    options,
  ))
    throw new PatternError('SourceInUse', { ...address, copies: name, by: { table, partitionKey, rowKey } });
}

/** The source of a row that takes its copies. Throws SourceMissing. */
async function sourceFor(
  service: Service,
  name: string,
  rules: CopyRules,
  value: Values,
  options: ReadOptions,
): Promise<StoredOf<AnyEntity>> {
  const { keyOf, embedded } = rules.spec;
  const key = keyOf(value as never);
  const source = key && (await new Db(service).repo(embedded.source).get(key, options));
  const address = rules.sourceOf(value);
  if (source === undefined && address !== undefined)
    throw new PatternError('SourceMissing', { ...address, copies: name });
  return source as StoredOf<AnyEntity>;
}

/** Of rows with copies in the partition of their source. */
class SamePartitionHolder implements RowDerivation {
  readonly name: string;
  readonly reads = [];
  readonly writes: readonly string[];
  readonly #rules: CopyRules;

  constructor(name: string, rules: CopyRules) {
    this.name = name;
    this.writes = copyNames(rules.spec.embedded);
    this.#rules = rules;
  }

  async join(service: Service, row: WrittenRow, options: ReadOptions): Promise<JoinedWrites | undefined> {
    const { after, before, address, identity } = row;
    if (after === undefined || !isInPlace(row)) return undefined;
    const rules = this.#rules;
    const { embedded } = rules.spec;
    const was = valuesOf(before);
    if (was !== undefined && rules.isSameSource(was, after))
      return rules.isSameCopies(was, after) ? undefined : { set: rules.kept(was) };
    const at = rules.sourceOf(after);
    if (at === undefined)
      return rules.has(after, undefined) ? undefined : { set: copiesOf(embedded, undefined, undefined) };
    if (at.partitionKey !== address.partitionKey)
      refuseValue(
        this.name,
        `a source in the partition ${address.partitionKey}`,
        `it is in ${at.partitionKey}, and copies of the kind 'same-partition' are written with their source`,
      );
    const source = await sourceFor(service, this.name, rules, after, options);
    const version = identity?.operationId ?? source.etag;
    const touched: JoinedRow = {
      row: source,
      patch: {},
      plan: planCopies(service, embedded.source, source),
    };
    return { set: copiesOf(embedded, source.value, version), rows: [touched] };
  }
}

/** Of sources whose copies are in their partition. */
class SamePartitionSource implements RowDerivation {
  readonly name: string;
  readonly reads: readonly string[];
  readonly writes = [];
  readonly #rules: CopyRules;

  constructor(name: string, rules: CopyRules) {
    this.name = name;
    this.reads = rules.spec.embedded.fields;
    this.#rules = rules;
  }

  async join(service: Service, row: WrittenRow, options: ReadOptions): Promise<JoinedWrites | undefined> {
    const { after, before, identity } = row;
    const rules = this.#rules;
    const { embedded, whenDeleted, holder } = rules.spec;
    const was = valuesOf(before);
    if (!isInPlace(row)) return undefined;
    if (after !== undefined && was !== undefined && rules.isAsCopied(was, after)) return undefined;
    // No row takes copies of a missing row, so nothing waits for this one.
    if (was === undefined && whenDeleted === 'refuse') return undefined;
    if (after === undefined) {
      if (whenDeleted === 'keep') return undefined;
      if (whenDeleted === 'refuse') {
        await refuseUsed(service, this.name, rules, row, options);
        return undefined;
      }
    }
    const version = after === undefined ? undefined : (identity?.operationId ?? before?.etag ?? 'new');
    const patch = copiesOf(embedded, after, version);
    const rows: JoinedRow[] = [];
    for await (const each of rules.holdersOf(new Db(service), after ?? was ?? {}, options)) {
      rows.push({ row: each, patch, plan: planCopies(service, holder, each) });
      if (rows.length > FAN_OUT)
        throw new PatternError('TooManyOperations', { operations: 1 + rows.length, limit: 1 + FAN_OUT });
    }
    return { rows };
  }
}

type CopyFlow = Flow<CopyInput, CopyInput>;

/** Of rows with copies of remote sources. */
const remoteHolder = (name: string, rules: CopyRules, flow: CopyFlow): RowDerivation => ({
  name,
  reads: [],
  writes: [],
  announce: async (service, row, options): Promise<SentMessage | undefined> => {
    const { after, before, entity, identity } = row;
    const { signal } = options;
    if (after === undefined || !isInPlace(row)) return undefined;
    const was = valuesOf(before);
    const isSameSource = was !== undefined && rules.isSameSource(was, after);
    if (isSameSource && rules.isSameCopies(was, after)) return undefined;
    const takesNone = rules.sourceOf(after) === undefined && rules.has(after, undefined);
    if (takesNone) return undefined;
    if (!isSameSource && rules.spec.whenDeleted === 'refuse')
      await sourceFor(service, name, rules, after, options);
    const input: CopyInput = { of: 'holder', key: rowKeyJson(entity, after) };
    return flow.announce(new Db(service), input, identity?.operationId, { signal });
  },
});

/** Of sources with remote copies. */
const remoteSource = (name: string, rules: CopyRules, flow: CopyFlow): RowDerivation => ({
  name,
  reads: rules.spec.embedded.fields,
  writes: [],
  announce: async (service, row, options): Promise<SentMessage | undefined> => {
    const { after, before, entity, identity } = row;
    const { signal } = options;
    const was = valuesOf(before);
    if (!isInPlace(row)) return undefined;
    if (was !== undefined && after !== undefined && rules.isAsCopied(was, after)) return undefined;
    const deletes = after === undefined;
    const { whenDeleted } = rules.spec;
    if (deletes && whenDeleted === 'refuse') await refuseUsed(service, name, rules, row, options);
    if (deletes && whenDeleted === 'keep') return undefined;
    const input: CopyInput = { of: 'source', key: rowKeyJson(entity, after ?? was ?? {}) };
    return flow.announce(new Db(service), input, identity?.operationId, { deletes, signal });
  },
});

/** From now on writes of the source, and of the rows with copies, keep these. Gives the derivation of the latter. Throws DefinitionInvalid. */
export function deriveCopies(name: string, rules: CopyRules, flow: CopyFlow): RowDerivation {
  const { holder, embedded, where = 'remote' } = rules.spec;
  const isSamePartition = where === 'same-partition';
  const own = isSamePartition ? new SamePartitionHolder(name, rules) : remoteHolder(name, rules, flow);
  derive(
    embedded.source,
    isSamePartition ? new SamePartitionSource(name, rules) : remoteSource(name, rules, flow),
  );
  derive(holder, own);
  return own;
}
