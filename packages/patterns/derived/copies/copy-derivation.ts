// Keeps copies with every write of a source, and of a row that has them. In one partition that is one transaction:
//
//   a source that changes     the rows with copies are read, and written with it under their ETags
//   a row that takes another source    the source is read, and its ETag checked in the transaction, which gives it a new one
//   a source that is deleted    as the policy defines; a row that takes it at the same time has given it a new ETag, so that one of the two is refused
//
// For remote copies a message is sent to a flow before the write.

import type { CallOptions } from '../../concurrency/abort.js';
import type { Flow } from '../../flows/flow.js';
import { type KeyJson, rowKeyJson } from '../../flows/key-json.js';
import type { AnyEntity } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import { Db } from '../../repo/open.js';
import type { JoinedRow, RowDerivation, WrittenRow } from '../../repo/write/derivation.js';
import { OPERATIONS } from '../../repo/write/operations.js';
import { subjectOf } from '../../repo/write/plan-write.js';
import type { Identity, PlannedWrite, WriteResult } from '../../repo/write/planned-write.js';
import type { Service } from '../../repo/write/service.js';
import { derive } from '../../repo/write/write-deriving.js';
import { isObject } from '../../values/is-object.js';
import { PatternError, refuseValue, rowText } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { schemaOf } from '../../values/standard-schema.js';
import type { CopyRules } from './copy-rules.js';
import { copiesOf, copyNames } from './embed.js';

/** The contents of a message: the row that was written, and the position to continue from among the rows with copies of it. */
export interface CopyInput {
  readonly of: 'source' | 'holder';
  readonly key: KeyJson;
  readonly resume?: string;
}

const isInput = (value: unknown): value is CopyInput =>
  isObject(value) && (value.of === 'source' || value.of === 'holder') && isObject(value.key);

export const COPY_FLOW_SCHEMA = schemaOf(isInput, 'should name a row');

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
  (patch: Values, identity: Identity): PlannedWrite<WriteResult> =>
    OPERATIONS.merge(subjectOf(service, holder, row.table, identity), row, patch as never);

/** Throws SourceInUse if a row has copies of the source. */
async function refuseUsed(
  service: Service,
  name: string,
  rules: CopyRules,
  { address, before }: WrittenRow,
  options: CallOptions,
): Promise<void> {
  for await (const { table, partitionKey, rowKey } of rules.holdersOf(
    new Db(service),
    valuesOf(before) ?? {},
    options,
  )) {
    const by = { table, partitionKey, rowKey };
    const sentence = `The row ${rowText(address)} stays, because ${rowText(by)} has copies of it: ${name} refuses its deletion.`;
    throw new PatternError('SourceInUse', { ...address, copies: name, by }, { sentence });
  }
}

/** The source of a row that takes its copies. Throws SourceMissing. */
async function sourceFor(
  service: Service,
  name: string,
  rules: CopyRules,
  value: Values,
  options: CallOptions,
): Promise<StoredOf<AnyEntity>> {
  const { keyOf, embedded } = rules.spec;
  const key = keyOf(value as never);
  const source = key && (await new Db(service).repo(embedded.source).get(key, options));
  const address = rules.sourceOf(value);
  if (source === undefined && address !== undefined)
    throw new PatternError(
      'SourceMissing',
      { ...address, copies: name },
      { sentence: `There is no row ${rowText(address)}, of which ${name} takes copies.` },
    );
  return source as StoredOf<AnyEntity>;
}

/** Whether a write may leave a row with other copies than it should have. */
function changesCopies(rules: CopyRules, row: WrittenRow): row is WrittenRow & { readonly after: Values } {
  const { after, before } = row;
  if (after === undefined || !isInPlace(row)) return false;
  const was = valuesOf(before);
  if (was !== undefined && rules.isSameSource(was, after) && rules.isSameCopies(was, after)) return false;
  return rules.sourceOf(after) !== undefined || !rules.has(after, undefined);
}

/** Whether a write changes what rows have copies of. */
function changesSource(rules: CopyRules, row: WrittenRow): boolean {
  const { after, before } = row;
  if (!isInPlace(row) || (after === undefined && rules.spec.whenDeleted === 'keep')) return false;
  return before === undefined || after === undefined || !rules.isAsCopied(before.value, after);
}

type CopyFlow = Flow<CopyInput, CopyInput>;

/** Of rows with copies: in the partition of their source, or by this flow. */
function ofHolder(name: string, rules: CopyRules, flow: CopyFlow | undefined): RowDerivation {
  const { embedded, whenDeleted } = rules.spec;
  const hasSource = (row: WrittenRow): boolean => {
    const was = valuesOf(row.before);
    return was !== undefined && rules.isSameSource(was, row.after ?? {});
  };
  if (flow !== undefined) {
    const announce: RowDerivation['announce'] = async (service, row, options) => {
      if (!changesCopies(rules, row)) return undefined;
      const { entity, after, identity } = row;
      if (!hasSource(row) && whenDeleted === 'refuse') await sourceFor(service, name, rules, after, options);
      const input: CopyInput = { of: 'holder', key: rowKeyJson(entity, after) };
      return flow.announce(new Db(service), input, identity?.operationId, { signal: options.signal });
    };
    return { name, reads: [], writes: [], announce };
  }
  const join: RowDerivation['join'] = async (service, row, options) => {
    if (!changesCopies(rules, row)) return undefined;
    const { after, address, identity } = row;
    if (hasSource(row)) return { set: rules.kept(valuesOf(row.before) ?? {}) };
    const at = rules.sourceOf(after);
    if (at === undefined) return { set: copiesOf(embedded, undefined, undefined) };
    if (at.partitionKey !== address.partitionKey)
      refuseValue(
        name,
        `a source in the partition ${address.partitionKey}`,
        `it is in ${at.partitionKey}, and copies of the kind 'same-partition' are written with their source`,
      );
    const source = await sourceFor(service, name, rules, after, options);
    const version = identity?.operationId ?? source.etag;
    const touched = { row: source, patch: {}, plan: planCopies(service, embedded.source, source) };
    return { set: copiesOf(embedded, source.value, version), rows: [touched] };
  };
  return { name, reads: [], writes: copyNames(embedded), join };
}

/** Of sources. */
function ofSource(name: string, rules: CopyRules, flow: CopyFlow | undefined): RowDerivation {
  const { embedded, whenDeleted, holder } = rules.spec;
  const refuseDeletion = async (service: Service, row: WrittenRow, options: CallOptions): Promise<void> => {
    if (row.after === undefined && whenDeleted === 'refuse')
      await refuseUsed(service, name, rules, row, options);
  };
  const shared = { name, reads: embedded.fields, writes: [] };
  if (flow !== undefined) {
    const announce: RowDerivation['announce'] = async (service, row, options) => {
      if (!changesSource(rules, row)) return undefined;
      await refuseDeletion(service, row, options);
      const { after, before, entity, identity } = row;
      const input: CopyInput = { of: 'source', key: rowKeyJson(entity, after ?? valuesOf(before) ?? {}) };
      const deletes = after === undefined;
      const { signal } = options;
      return flow.announce(new Db(service), input, identity?.operationId, { deletes, signal });
    };
    return { ...shared, announce };
  }
  const join: RowDerivation['join'] = async (service, row, options) => {
    if (!changesSource(rules, row)) return undefined;
    await refuseDeletion(service, row, options);
    const { after, before, identity } = row;
    // No row takes copies of a missing row, so nothing waits for a new one; and what is refused has none.
    if (whenDeleted === 'refuse' && (before === undefined || after === undefined)) return undefined;
    const version = after === undefined ? undefined : (identity?.operationId ?? before?.etag ?? 'new');
    const patch = copiesOf(embedded, after, version);
    const rows: JoinedRow[] = [];
    for await (const each of rules.holdersOf(new Db(service), after ?? valuesOf(before) ?? {}, options)) {
      rows.push({ row: each, patch, plan: planCopies(service, holder, each) });
      if (rows.length > FAN_OUT)
        throw new PatternError('TooManyOperations', { operations: 1 + rows.length, limit: 1 + FAN_OUT });
    }
    return { rows };
  };
  return { ...shared, join };
}

/** From now on writes of the source, and of the rows with copies, keep these. Gives the derivation of the latter. Throws DefinitionInvalid. */
export function deriveCopies(name: string, rules: CopyRules, flow: CopyFlow): RowDerivation {
  const { holder, embedded, where = 'remote' } = rules.spec;
  const by = where === 'remote' ? flow : undefined;
  const own = ofHolder(name, rules, by);
  derive(embedded.source, ofSource(name, rules, by));
  derive(holder, own);
  return own;
}
