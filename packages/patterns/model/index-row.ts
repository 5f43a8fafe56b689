// The rows of an entity's indexes as a value gives them: pure, and of the whole value, so that whoever writes or checks index rows has the same. What is done with them is others'
// matter.
import type { CompiledKey } from '../keys/compiled-key.js';
import { PatternError, type RowAddress } from '../values/pattern-error.js';
import { type EncodedRow, encodeEntity } from './encode-entity.js';
import type { AnyEntity } from './entity.js';
import type { IndexPlan } from './index-plan.js';

type Values = Readonly<Record<string, unknown>>;

/** The row that the index has of the value; undefined if the value lacks a part of the index's key. Throws KeyInvalid and TooLarge. */
export function encodeIndexRow(
  { entity, needs }: IndexPlan,
  value: unknown,
): EncodedRow<unknown> | undefined {
  const values = value as Values;
  if (needs.some(name => values[name] === undefined || values[name] === null)) return undefined;
  return encodeEntity(entity, valueOfIndex(entity, values));
}

/** What of the value an index row has. */
const valueOfIndex = ({ plan }: AnyEntity, values: Values): Values =>
  Object.fromEntries(plan.fields.map(({ name }) => [name, values[name]]));

/** The values of an index's key, for errors. */
export const indexKeyOf = ({ needs }: IndexPlan, value: unknown): Values =>
  Object.fromEntries(needs.map(name => [name, (value as Values)[name]]));

/** The index of this name. Throws DefinitionInvalid. */
export function indexNamed({ name, plan }: AnyEntity, index: string): IndexPlan {
  const found = plan.indexes.find(each => each.name === index);
  if (found !== undefined) return found;
  throw new PatternError('DefinitionInvalid', { subject: name, reason: `it has no index ${index}` });
}

const begins = ({ beginning: { text, isWhole } }: CompiledKey, key: string): boolean =>
  isWhole ? key === text : key.startsWith(text);

/** The row keys of the indexes that these entities may have in a partition. */
export const indexKeysIn = (entities: readonly AnyEntity[], partitionKey: string): readonly CompiledKey[] =>
  entities
    .filter(({ plan }) => begins(plan.partition, partitionKey))
    .flatMap(({ plan }) => plan.indexes.map(({ entity }) => entity.plan.row));

/** Whether a row with these keys is one of an index: what begins with its literal is. */
export const isIndexRow = (entities: readonly AnyEntity[], { partitionKey, rowKey }: RowAddress): boolean =>
  indexKeysIn(entities, partitionKey).some(key => begins(key, rowKey));
