// Secondary indexes of an entity: their definitions, and the plan that is compiled from them. The rows of an index are rows of an entity of their own, called
// `Employee.byEmail`, with the index's keys and some of the properties: so they are encoded and queried like all rows. Writes are elsewhere;
// index-row.ts makes index rows from values.

import { refuseDefinition } from '../values/pattern-error.js';
import { type Property, type Props, required, type ValueOf } from '../values/property.js';
import { checkTableName } from './check-table.js';
import { compileEntity } from './compile-entity.js';
import type {
  AnyEntity,
  Entity,
  EntityPlan,
  Index,
  IndexOwner,
  IndexPlan,
  IndexState,
  NearKind,
  RemoteKind,
  Upcast,
} from './definition.js';
import { areDisjoint } from './keys/compiled-key.js';
import {
  type Key,
  type KeyParts,
  key,
  keyOf,
  namesIn,
  type PartNames,
  type PartOf,
  partsOf,
} from './keys/key.js';

/** The properties that may be in an index's key: those that may be in keys, and optional ones. A value without one has no row in the index. */
export type IndexKeyNames<P extends Props> = {
  [K in keyof P]: P[K] extends { readonly use: 'plain' }
    ? ValueOf<P[K]> extends Uint8Array
      ? never
      : K
    : never;
}[keyof P];

/** Keys that an index of an entity with these properties may have. */
export type IndexKeyOn<P extends Props> = Key<readonly (string | PartOf<P, IndexKeyNames<P>>)[]>;

/** A key of an index, or what makes it of the entity's properties. */
type IndexKeyDefinition<P extends Props> =
  | IndexKeyOn<P>
  | ((parts: KeyParts<P, IndexKeyNames<P>>) => IndexKeyOn<P>);

/** Options of every index. */
interface AnyIndexSpec<P extends Props> {
  /** Properties that its rows have in addition to those of keys; `all` for whole copies, none by default. */
  readonly project?: 'all' | readonly (keyof P & string)[];
  /** `building`: writes keep its rows, but it has no queries yet, because rows of earlier writes may be missing. `ready` by default. */
  readonly state?: IndexState;
}

/** An index whose rows stand in the partition of the entity's row, and are written in one transaction with it. */
interface LocalIndexSpec<P extends Props = Props> extends AnyIndexSpec<P> {
  /** `near` of shelfmark-patterns/indexes. */
  readonly kind: NearKind;
  /** `p => key('email', p.email.as(codec.lower))`. It begins with a literal of its own. */
  readonly row: IndexKeyDefinition<P>;
  /** No two rows of a partition have the same key in it. Without this, the entity's row key stands behind the index's. */
  readonly unique?: boolean;
}

/** An index whose rows stand in other partitions or in another table, and are written by a flow after the entity's row. */
interface RemoteIndexSpec<P extends Props = Props> extends AnyIndexSpec<P> {
  /** `remote` of shelfmark-patterns/indexes. */
  readonly kind: RemoteKind;
  /** Its own table; by default the table of the entity's rows. */
  readonly table?: string;
  /** `p => key('email', p.email.as(codec.lower))`. In the table of the entity's rows it begins with a literal of its own. */
  readonly partition: IndexKeyDefinition<P>;
  readonly row: IndexKeyDefinition<P>;
  /** No two rows of the entity have the same keys in it: a write reserves them before it is done. Without this, both keys of the entity's row stand behind the index's row key. */
  readonly unique?: boolean;
}

/** The definition of an index. */
type IndexSpec<P extends Props = Props> = LocalIndexSpec<P> | RemoteIndexSpec<P>;

/** Indexes by their names. */
export type IndexSpecs<P extends Props = Props> = Readonly<Record<string, IndexSpec<P>>>;

/** No indexes. */
export type NoIndexes = Readonly<Record<never, never>>;

/** The types of the indexes of a definition; none if they have no literal names. */
export type IndexesOf<S> = string extends keyof S ? NoIndexes : { readonly [I in keyof S]: IndexOf<S[I]> };

/** A key, or the key that a function makes. */
type KeyFrom<R> = R extends Key
  ? R
  : R extends (...parts: never[]) => infer K
    ? K extends Key
      ? K
      : Key
    : Key;

type IndexOf<S> = S extends { readonly row: infer R }
  ? Index<
      KeyFrom<R>,
      S extends { readonly unique: true } ? true : false,
      S extends { readonly project: infer J }
        ? J extends 'all' | readonly string[]
          ? J
          : readonly []
        : readonly [],
      S extends { readonly partition: infer PK } ? KeyFrom<PK> : undefined,
      S extends { readonly state: 'building' } ? 'building' : 'ready'
    >
  : Index;

/** The names of an entity's indexes. */
export type IndexName<E extends AnyEntity> = keyof E['indexes'] & string;

/** The names of its indexes whose rows stand in other partitions or in another table. */
export type RemoteIndexName<E extends AnyEntity> = {
  [I in IndexName<E>]: E['indexes'][I]['partition'] extends Key ? I : never;
}[IndexName<E>];

/** The names of those that have queries. */
export type ReadyIndexName<E extends AnyEntity> = {
  [I in IndexName<E>]: E['indexes'][I]['state'] extends 'building' ? never : I;
}[IndexName<E>];

/** The names of the indexes whose rows are stored next to the entity's own. */
export type LocalIndexName<E extends AnyEntity> = Exclude<IndexName<E>, RemoteIndexName<E>>;

/** For the compiler only: why an index is not read in this way. */
export type IndexReason<E extends AnyEntity, I extends string> =
  I extends IndexName<E>
    ? I extends ReadyIndexName<E>
      ? I extends RemoteIndexName<E>
        ? `The rows of ${I} are remote and may be behind: read it 'verified' or 'index-only'`
        : `The rows of ${I} are never behind: it is read without 'verified' or 'index-only'`
      : `${I} is being built, and has no queries until it is ready`
    : `${E['name']} has no index ${I}`;

type IndexPartition<PK extends Key, X extends Index> = X['partition'] extends Key ? X['partition'] : PK;

type IndexRow<PK extends Key, K extends Key, X extends Index> = X['unique'] extends true
  ? X['row']
  : X['partition'] extends Key
    ? Key<readonly [...X['row']['parts'], ...PK['parts'], ...K['parts']]>
    : Key<readonly [...X['row']['parts'], ...K['parts']]>;

/** The properties in an index's own keys. */
type IndexKeyNamesOf<X extends Index> =
  | PartNames<X['row']['parts']>
  | (X['partition'] extends Key ? PartNames<X['partition']['parts']> : never);

/** All rows of an index have the properties of its keys. */
type IndexProps<P extends Props, N extends PropertyKey, O extends PropertyKey, X extends Index> = {
  readonly [K in X['project'] extends readonly string[]
    ? (N | X['project'][number] | O) & keyof P
    : keyof P]: K extends O ? Property<ValueOf<P[K]>, 'required', 'plain'> : P[K];
};

/** The rows of an index, as an entity. */
export type IndexEntity<E extends AnyEntity, I extends IndexName<E>> = Entity<
  `${E['name']}.${I}`,
  IndexProps<
    E['props'],
    PartNames<E['partition']['parts']> | PartNames<E['row']['parts']>,
    IndexKeyNamesOf<E['indexes'][I]>,
    E['indexes'][I]
  >,
  IndexPartition<E['partition'], E['indexes'][I]>,
  IndexRow<E['partition'], E['row'], E['indexes'][I]>,
  NoIndexes
>;

const INDEX_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** A change of a key takes two operations, and the entity's row one: of the hundred in a batch. */
const INDEXES_MAX = 49;

/** The property in an index row: times of writes are copied from the entity's row, not filled again. */
function copied(property: Property, isInKey: boolean): Property {
  const isTime = property.filling !== undefined && property.filling.kind !== 'default';
  if (!isInKey && !isTime) return property;
  return required(property);
}

/** The entity's upcast, for a row that has only some of its properties. */
const narrowed = (step: Upcast, props: Props, all: Props): Upcast => {
  return old => {
    const entries = Object.entries(step(old));
    return Object.fromEntries(
      entries.filter(([name]) => Object.hasOwn(props, name) || !Object.hasOwn(all, name)),
    );
  };
};

const isRemote = (spec: IndexSpec): spec is RemoteIndexSpec => spec.kind.kind === 'remote';

function checkSpec({ name, props }: IndexOwner, index: string, spec: IndexSpec): void {
  const subject = `${name}.indexes.${index}`;
  const { project, state } = spec;
  if (!INDEX_NAME.test(index)) refuseDefinition(subject, 'an index is named by letters, digits, _ and -');
  if (isRemote(spec) && spec.table !== undefined) checkTableName(subject, spec.table);
  if (state !== undefined && state !== 'building' && state !== 'ready')
    refuseDefinition(subject, `an index is building or ready, and not ${state}`);
  if (project !== undefined && project !== 'all') {
    const stranger = project.find(each => !Object.hasOwn(props, each));
    if (stranger !== undefined) refuseDefinition(subject, `${stranger} is not a property of ${name}`);
  }
  const copied = project === 'all' ? Object.keys(props) : (project ?? []);
  for (const each of copied) {
    const reason = props[each]?.pieces?.onlyHere;
    if (reason !== undefined)
      refuseDefinition(subject, `${each} ${reason}; name the properties without it in project`);
  }
}

/** The row key of an index: where several rows may have its key, the keys of the entity's row follow. */
function wholeRowKey({ partition, row }: IndexOwner, { row: own, unique, kind }: Index): Key {
  if (unique) return own;
  const ofOwner = kind === 'remote' ? [...partition.parts, ...row.parts] : row.parts;
  return key(...own.parts, ...ofOwner).joinedBy(own.separator);
}

/** The rows of an index as an entity. */
function indexEntity(owner: IndexOwner, index: string, definition: Index, table: string): AnyEntity {
  const { props, tag, version, upcast } = owner;
  const name = `${owner.name}.${index}`;
  const { partition = owner.partition, project } = definition;
  const row = wholeRowKey(owner, definition);
  const inIndexKey = namesOf(definition);
  const kept = new Set([...namesIn(owner.partition), ...namesIn(owner.row), ...inIndexKey]);
  for (const each of project === 'all' ? Object.keys(props) : project) kept.add(each);
  const entries = Object.entries(props).filter(([each]) => kept.has(each));
  const copies: Props = Object.fromEntries(
    entries.map(([each, property]) => [each, copied(property, inIndexKey.includes(each))]),
  );
  const plan = compileEntity({ name, props: copies, partition, row, tag, version, ownRow: definition.row });
  const steps = Object.entries(upcast).map(([from, step]) => [from, narrowed(step, copies, props)]);
  const upcasts: Readonly<Record<number, Upcast>> = Object.fromEntries(steps);
  return Object.freeze({
    name,
    version,
    table,
    props: copies,
    partition,
    row,
    tag,
    upcast: upcasts,
    indexes: {},
    plan,
    // Warnings about the entity's own partition key belong to the entity.
    warnings: definition.partition === undefined && plan.partition.names.length > 0 ? [] : plan.warnings,
  });
}

/** The properties in an index's own keys. */
const namesOf = ({ partition, row }: Index): readonly string[] => [
  ...new Set([...(partition === undefined ? [] : namesIn(partition)), ...namesIn(row)]),
];

const ownTable = ({ table }: IndexOwner, named: string | undefined): string | undefined =>
  named?.toLowerCase() === table.toLowerCase() ? undefined : named;

function planOf(owner: IndexOwner, index: string, spec: IndexSpec): IndexPlan {
  checkSpec(owner, index, spec);
  const parts = partsOf(owner.props);
  const made = (what: 'partition' | 'row', definition: unknown): Key =>
    keyOf(`${owner.name}.${index}.${what}`, definition as never, parts) as Key;
  const { project = [], state = 'ready' } = spec;
  const unique = spec.unique === true;
  const partition = isRemote(spec) ? made('partition', spec.partition) : undefined;
  const table = isRemote(spec) ? ownTable(owner, spec.table) : undefined;
  const row = made('row', spec.row);
  const { kind } = spec;
  const definition: Index = Object.freeze({ kind: kind.kind, partition, row, unique, project, state });
  kind.checkLiterals(owner, index, definition, table);
  const entity = indexEntity(owner, index, definition, table ?? owner.table);
  return { name: index, kind, definition, unique, entity, needs: namesOf(definition), table };
}

/** No row of the entity or of an index may have the key of another index's row; and an entity whose buckets change has no indexes, because its rows are written one by one. */
function checkTogether({ name, table }: IndexOwner, plan: EntityPlan, indexes: readonly IndexPlan[]): void {
  const all = [{ plan, table }, ...indexes.map(({ entity }) => entity)];
  for (const [at, a] of all.entries())
    for (const b of all.slice(at + 1)) {
      const isApart =
        a.table.toLowerCase() !== b.table.toLowerCase() ||
        areDisjoint(a.plan.row, b.plan.row) ||
        areDisjoint(a.plan.partition, b.plan.partition);
      if (!isApart)
        refuseDefinition(
          `${a.plan.row.subject} and ${b.plan.row.subject}`,
          'both may give the same key; begin each with a literal of its own',
        );
    }
  const near = indexes.filter(({ definition }) => definition.kind === 'same-partition');
  if (near.length > INDEXES_MAX)
    refuseDefinition(name, `it has ${near.length} indexes, and may have ${INDEXES_MAX}`);
  if (plan.rebucketing !== undefined || indexes.some(index => index.entity.plan.rebucketing))
    refuseDefinition(
      name,
      'rows with indexes stay in their buckets: hash(n, rebucketing(m)) does not go with indexes',
    );
}

/** The plans by the names of indexes. Throws DefinitionInvalid. */
export function compileIndexes(owner: IndexOwner, plan: EntityPlan): ReadonlyMap<string, IndexPlan> {
  const specs = Object.entries(owner.indexes as IndexSpecs);
  const indexes = new Map(specs.map(([index, spec]) => [index, planOf(owner, index, spec)]));
  checkTogether(owner, plan, [...indexes.values()]);
  return indexes;
}
