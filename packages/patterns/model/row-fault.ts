// The errors of a row that its entity cannot read, or must not replace: which row it is, and why.
import { type AnyPatternError, PatternError, type RowAddress } from '../values/pattern-error.js';
import type { WireObject } from '../values/read-wire.js';
import { textOf } from '../values/row-member.js';
import type { AnyEntity } from './definition.js';
import { parseTag } from './row-head.js';
import type { Stored } from './stored.js';

/** Errors that name the row and its problem. */
const CLEAR: readonly string[] = ['WrongEntity', 'TypeDrift', 'NewerVersion', 'RowUnreadable'];

/** What was thrown while the row was decoded, as an error that names it. */
export function rowFault(
  entity: AnyEntity,
  row: WireObject,
  { table, partitionKey, rowKey }: RowAddress,
  thrown: unknown,
): AnyPatternError {
  if (PatternError.is(thrown, 'WrongEntity')) return thrown;
  const address = { table, partitionKey, rowKey };
  const tag = entity.tag === undefined ? undefined : textOf(row, entity.tag);
  const found = tag === undefined ? 1 : parseTag(tag).version;
  if (found > entity.version)
    return new PatternError('NewerVersion', { ...address, known: entity.version, found }, { cause: thrown });
  if (PatternError.is(thrown) && CLEAR.includes(thrown.code)) return thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new PatternError('RowUnreadable', { ...address, entity: entity.name, reason }, { cause: thrown });
}

/** Throws BucketsChanging. */
export function refuseChanging(entity: string, reason: string): never {
  const sentence = `The number of buckets of ${entity} is being changed: ${reason}.`;
  throw new PatternError('BucketsChanging', { entity, reason }, { sentence });
}

/** Throws NewerVersion for a row that a newer program wrote: what that one knows, a replace would lose. */
export function refuseNewer(entity: AnyEntity, stored: Stored<unknown>): void {
  if (stored.version <= entity.version) return;
  const { table, partitionKey, rowKey, version } = stored;
  throw new PatternError('NewerVersion', {
    table,
    partitionKey,
    rowKey,
    known: entity.version,
    found: version,
  });
}
