// Compiles a definition whose names are in order to the plan by which rows are encoded and decoded. entity.ts checks the rest of a definition; index-plan.ts
// compiles index rows as entities of their own.

import { refuseDefinition } from '../values/pattern-error.js';
import { wiresOf } from '../values/pieces.js';
import type { Props } from '../values/property.js';
import { annotationOf, checkPropertyName, SYSTEM_NAMES } from '../values/row-member.js';
import { CUSTOM_PROPERTIES_MAX, encodeProperty } from '../values/wire-property.js';
import type { EntityPlan, Field } from './definition.js';
import { CompiledKey } from './keys/compiled-key.js';
import { type Key, namesIn } from './keys/key.js';
import { formatTag } from './row-head.js';

function fieldsOf(subject: string, props: Props, partition: CompiledKey, row: CompiledKey): readonly Field[] {
  return Object.entries(props).map(([name, property]) => {
    const wire = property.storedName ?? name;
    if (name === '__proto__') refuseDefinition(subject, 'no property can be called __proto__ in a program');
    const givesBack = ({ bound }: CompiledKey): boolean =>
      bound.some(each => each.name === name && each.codec.lossless);
    const rebuiltFrom = givesBack(partition) ? 'partition' : givesBack(row) ? 'row' : undefined;
    const inKey = partition.names.includes(name) || row.names.includes(name);
    return { name, wire, annotation: annotationOf(wire), property, rebuiltFrom, inKey };
  });
}

function checkNames(subject: string, fields: readonly Field[], tag: string | undefined): void {
  const names = [...fields.flatMap(wiresOf), ...(tag === undefined ? [] : [tag])];
  for (const name of names) checkPropertyName(subject, name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) refuseDefinition(subject, `two properties are called ${twice} in the table`);
}

function checkCount(subject: string, stored: readonly Field[], tag: string | undefined): void {
  const counts = stored.map(({ property: { pieces } }) => pieces?.count ?? 1);
  const count = counts.reduce((sum, each) => sum + each, tag === undefined ? 0 : 1);
  if (count > CUSTOM_PROPERTIES_MAX)
    refuseDefinition(
      subject,
      `${count} properties would be stored, and a row may have ${CUSTOM_PROPERTIES_MAX}: shelfmark-patterns/wide has more`,
    );
}

/**
 * The append anti-pattern, and with reversed time the prepend one: one end of the table, or one partition, takes all new rows, however many servers there are. Of the row key those parts count which a
 * program names there.
 */
function warningsOf(partition: CompiledKey, row: CompiledKey, named: readonly string[]): readonly string[] {
  const { bound, subject } = partition;
  const trendOf = (part = bound[0]) => part?.codec.trend ?? 'none';
  if (bound.length === 0 && row.bound.some(each => trendOf(each) === 'time' && named.includes(each.name)))
    return [
      `${row.subject} ${trendOf(row.bound[0]) === 'time' ? 'begins with' : 'has'} time, in a partition that all rows share, which takes all new rows. Put another part into the partition key, or a hash: p.id.as(codec.hash(16)).`,
    ];
  const trend = trendOf();
  if (trend === 'none') return [];
  const cause = trend === 'time' ? 'with time:' : 'with a number; if numbers are given out in order,';
  const advice = 'Put another part before it, or a hash: p.id.as(codec.hash(16)).';
  return [`${subject} begins ${cause} all new rows go to one end of the table. ${advice}`];
}

/** The definition that is compiled. */
interface Compilable {
  readonly name: string;
  readonly props: Props;
  readonly partition: Key;
  readonly row: Key;
  readonly tag: string | undefined;
  readonly version: number;
  /** Its properties stand in several rows, so the limits of one row do not apply. */
  readonly isWide?: boolean;
  /** The row key as the program defined it, without what the library appends. */
  readonly ownRow?: Key;
}

/** The plan, without indexes. Throws DefinitionInvalid. */
export function compileEntity({
  name,
  props,
  partition,
  row,
  tag,
  version,
  isWide = false,
  ownRow = row,
}: Compilable): EntityPlan {
  const partitionKey = new CompiledKey(`${name}.partition`, partition, props);
  const rowKey = new CompiledKey(`${name}.row`, row, props);
  const fields = fieldsOf(name, props, partitionKey, rowKey);
  checkNames(name, fields, tag);
  const stored = fields.filter(({ rebuiltFrom }) => rebuiltFrom === undefined);
  if (!isWide) checkCount(name, stored, tag);
  return {
    tag: tag === undefined ? undefined : encodeProperty(tag, 'String', formatTag({ name, version })),
    hasObjects: fields.some(
      ({ property: { edm, json, pieces } }) => edm === 'Binary' || json !== undefined || pieces !== undefined,
    ),
    fields,
    byWire: new Map(fields.map(field => [field.wire, field])),
    byName: new Map(fields.map(field => [field.name, field])),
    known: new Set([...SYSTEM_NAMES, ...(tag === undefined ? [] : [tag]), ...stored.flatMap(wiresOf)]),
    partition: partitionKey,
    row: rowKey,
    rebucketing: [...partitionKey.bound, ...rowKey.bound].find(({ codec }) => codec.rebucketing)?.codec
      .rebucketing,
    indexes: [],
    remoteIndexes: [],
    warnings: warningsOf(partitionKey, rowKey, namesIn(ownRow)),
    derivations: [],
  };
}
