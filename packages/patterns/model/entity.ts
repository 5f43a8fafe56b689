// The definition of an entity: a name, a version, a table, properties, two keys, and indexes. It is checked once, when the program starts, and compiled to a plan
// for encoding and decoding.

import { refuseDefinition } from '../values/pattern-error.js';
import type { Props } from '../values/property.js';
import { checkTableName } from './check-table.js';
import { compileEntity } from './compile-entity.js';
import type { Entity, EntityPlan, IndexKind, IndexOwner, IndexPlan, Upcast } from './definition.js';
import type { IndexesOf, IndexSpecs, NoIndexes } from './index-plan.js';
import { type Key, type KeyDefinition, type KeyOn, keyOf, partsOf } from './keys/key.js';

/** What a definition of an entity says. */
export interface EntitySpec<P extends Props, PK extends Key, RK extends Key, IX = NoIndexes> {
  /** From 1. Rows that are older are brought up to date by `upcast` when they are read. */
  readonly version: number;
  readonly table: string;
  readonly props: P;
  /** `p => key(p.department)`, where `p` has the properties above. */
  readonly partition: KeyDefinition<P, PK>;
  /** `p => key('review', p.id.as(codec.int(6)))`. */
  readonly row: KeyDefinition<P, RK>;
  /** From each earlier version to the next: `{ 1: old => ({ ...old, state: 'open' }) }`. */
  readonly upcast?: Readonly<Record<number, Upcast>>;
  /** The property that holds the tag; `EntityType` unless another is named. `false` writes none, and reads all rows as this version. */
  readonly tag?: string | false;
  /**
   * Further keys by which rows are found, by their names: `{ byEmail: { kind: near, row: p => key('email', p.email.as(codec.lower)), unique: true } }`. The library
   * writes their rows together with the entity's, or by a flow where they are `remote`.
   */
  readonly indexes?: IX;
}

const ENTITY_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** Of rows, and of messages: versions from 1, and from each a way to the next. Throws DefinitionInvalid. */
export function checkVersion(
  subject: string,
  version: number,
  upcast: Readonly<Record<number, unknown>>,
): void {
  if (!Number.isSafeInteger(version) || version < 1)
    refuseDefinition(subject, `version ${version} is not a whole number from 1`);
  for (let from = 1; from < version; from++)
    if (upcast[from] === undefined)
      refuseDefinition(subject, `nothing leads from version ${from} to ${from + 1}`);
  const beyond = Object.keys(upcast).find(from => !(Number(from) >= 1 && Number(from) < version));
  if (beyond !== undefined)
    refuseDefinition(subject, `there is an upcast from ${beyond}, which is not an earlier version`);
}

/** The official client takes these for the keys, the time and the ETag of a row. */
const CLIENT_NAMES = ['partitionKey', 'rowKey', 'timestamp', 'etag'];

/** Defines an entity. Throws DefinitionInvalid for what could not work. */
export const entity = <
  const N extends string,
  P extends Props,
  PK extends KeyOn<P>,
  RK extends KeyOn<P>,
  const IX extends IndexSpecs<P>,
>(
  name: N,
  spec: EntitySpec<P, PK, RK, IX>,
): Entity<N, P, PK, RK, IndexesOf<IX>> => defined(name, spec, false);

/** The indexes, compiled by their kinds, so that a program without any bundles no code for them. */
function compiledIndexes(owner: IndexOwner, plan: EntityPlan): readonly IndexPlan[] {
  const kinds = Object.values(owner.indexes).map(each => (each as { kind?: IndexKind }).kind);
  const strange = kinds.find(kind => kind?.compile === undefined);
  if (kinds.includes(strange))
    refuseDefinition(owner.name, `no index is of the kind ${strange}: see shelfmark-patterns/indexes`);
  return [...(kinds[0]?.compile(owner, plan).values() ?? [])];
}

/** The same, of more properties than a row may have: wide entities put them into several rows. */
export function defined<
  const N extends string,
  P extends Props,
  PK extends KeyOn<P>,
  RK extends KeyOn<P>,
  const IX extends IndexSpecs<P>,
>(name: N, spec: EntitySpec<P, PK, RK, IX>, isWide: boolean): Entity<N, P, PK, RK, IndexesOf<IX>> {
  const { version, table, props, upcast = {} } = spec;
  if (!ENTITY_NAME.test(name)) refuseDefinition(name, 'an entity is named by letters, digits, _ and -');
  checkTableName(name, table);
  checkVersion(name, version, upcast);
  const parts = partsOf(props);
  const partition = keyOf(`${name}.partition`, spec.partition, parts);
  const row = keyOf(`${name}.row`, spec.row, parts);
  const tag = spec.tag === false ? undefined : (spec.tag ?? 'EntityType');
  const compiled = compileEntity({ name, props, partition, row, tag, version, isWide });
  const made = { name, version, table, props, partition, row, tag, upcast, indexes: spec.indexes ?? {} };
  const all = compiledIndexes(made, compiled);
  const plan: EntityPlan = {
    ...compiled,
    indexes: all.filter(({ kind }) => kind.kind === 'same-partition'),
    remoteIndexes: all.filter(({ kind }) => kind.kind === 'remote'),
    derivations: [...new Set(all.map(({ kind }) => kind))],
  };
  const indexes = Object.freeze(Object.fromEntries(all.map(each => [each.name, each.definition])));
  const warnings = [
    ...plan.warnings,
    ...all.flatMap(({ entity }) => entity.warnings),
    ...CLIENT_NAMES.filter(each => plan.byWire.has(each) || each === tag).map(
      each =>
        `${name} has a property ${each} in the table, which is a name of the official client: use stored().`,
    ),
  ];
  return Object.freeze({ ...made, indexes: indexes as never, plan, warnings });
}
