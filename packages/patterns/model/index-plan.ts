// Secondary indexes of an entity: what a definition says of them, and the plan that is compiled of it. The rows of an index are rows of an entity of their own, called
// `Employee.byEmail`, with the same partition key, the index's row key, and some of the properties: so they are encoded, queried and told apart as all rows are. This says nothing of
// how they are written; index-row.ts makes them of values.
import { areDisjoint } from '../keys/disjoint.js';
import { type Key, type KeyParts, key, keyOf, type PartNames, type PartOf, partsOf } from '../keys/key.js';
import { refuseDefinition } from '../values/pattern-error.js';
import type { Property, Props, ValueOf } from '../values/property.js';
import { compileEntity } from './compile-entity.js';
import type { AnyEntity, Entity, EntityPlan, Upcast } from './entity.js';

/** The properties that may be in an index's key: those of keys, and optional ones, without which a value has no row in the index. */
export type IndexKeyNames<P extends Props> = {
  [K in keyof P]: P[K] extends { readonly use: 'plain' }
    ? ValueOf<P[K]> extends Uint8Array
      ? never
      : K
    : never;
}[keyof P];

/** Keys that an index of an entity with these properties may have. */
export type IndexKeyOn<P extends Props> = Key<readonly (string | PartOf<P, IndexKeyNames<P>>)[]>;

/** What a definition says of an index. */
export interface IndexSpec<P extends Props = Props> {
  /** Its rows stand in the partition of the entity's row, and are written in one transaction with it. */
  readonly kind: 'same-partition';
  /** `p => key('email', p.email.as(codec.lower))`. It begins with a literal of its own. */
  readonly row: IndexKeyOn<P> | ((parts: KeyParts<P, IndexKeyNames<P>>) => IndexKeyOn<P>);
  /** No two rows of a partition have the same key in it. Without this, the entity's row key stands behind the index's. */
  readonly unique?: boolean;
  /** Properties that its rows have besides those of keys; `all` for whole copies, none by default. */
  readonly project?: 'all' | readonly (keyof P & string)[];
}

/** Indexes by their names. */
export type IndexSpecs<P extends Props = Props> = Readonly<Record<string, IndexSpec<P>>>;

/** An entity that has none. */
export type NoIndexes = Readonly<Record<never, never>>;

/** What of an index is in the type of its entity. */
export interface Index<
  K extends Key = Key,
  U extends boolean = boolean,
  J extends 'all' | readonly string[] = 'all' | readonly string[],
> {
  readonly kind: 'same-partition';
  /** As the definition has it: of an index that is not unique, the entity's row key follows. */
  readonly row: K;
  readonly unique: U;
  readonly project: J;
}

/** All indexes of an entity, by name. */
export type Indexes = Readonly<Record<string, Index>>;

/** The types of the indexes that a definition has: without a name, it has none. */
export type IndexesOf<S> = string extends keyof S ? NoIndexes : { readonly [I in keyof S]: IndexOf<S[I]> };

/** A key, or that which a function makes. */
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
        : readonly []
    >
  : Index;

/** The names of an entity's indexes. */
export type IndexName<E extends AnyEntity> = keyof E['indexes'] & string;

type IndexRow<K extends Key, X extends Index> = X['unique'] extends true
  ? X['row']
  : Key<readonly [...X['row']['parts'], ...K['parts']]>;

/** What is in the index's key is there in all of its rows. */
type IndexProps<P extends Props, N extends PropertyKey, X extends Index> = {
  readonly [K in X['project'] extends readonly string[]
    ? (N | X['project'][number] | PartNames<X['row']['parts']>) & keyof P
    : keyof P]: K extends PartNames<X['row']['parts']> ? Property<ValueOf<P[K]>, 'required', 'plain'> : P[K];
};

/** The rows of an index, as an entity. */
export type IndexEntity<E extends AnyEntity, I extends IndexName<E>> = Entity<
  `${E['name']}.${I}`,
  IndexProps<E['props'], PartNames<E['partition']['parts']> | PartNames<E['row']['parts']>, E['indexes'][I]>,
  E['partition'],
  IndexRow<E['row'], E['indexes'][I]>,
  NoIndexes
>;

/** What is worked out of an index once. */
export interface IndexPlan {
  readonly name: string;
  /** As the definition has it. */
  readonly definition: Index;
  readonly unique: boolean;
  /** Its rows, as an entity. */
  readonly entity: AnyEntity;
  /** The properties without which a value has no row in it. */
  readonly needs: readonly string[];
}

type Owner = Pick<
  AnyEntity,
  'name' | 'version' | 'table' | 'props' | 'partition' | 'row' | 'tag' | 'upcast'
> & { readonly indexes: IndexSpecs };

const INDEX_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** A change of a key takes two operations, and the entity's row one: of the hundred in a batch. */
const INDEXES_MAX = 49;

const namesIn = ({ parts }: Key): readonly string[] =>
  parts.flatMap(each => (typeof each === 'string' ? [] : [each.name]));

/** As an index row has it: the library gives times of writes to the entity's row, and copies them. */
function copied(property: Property, isInKey: boolean): Property {
  const isTime = property.filling !== undefined && property.filling.kind !== 'default';
  if (!isInKey && !isTime) return property;
  return Object.freeze({ ...property, presence: 'required', filling: undefined }) as Property;
}

/** The entity's steps, of which a row with fewer properties has only what concerns it. */
const narrowed = (step: Upcast, props: Props, all: Props): Upcast => {
  return old => {
    const entries = Object.entries(step(old));
    return Object.fromEntries(
      entries.filter(([name]) => Object.hasOwn(props, name) || !Object.hasOwn(all, name)),
    );
  };
};

function checkSpec({ name, props, row }: Owner, index: string, { kind, project }: IndexSpec): void {
  const subject = `${name}.indexes.${index}`;
  if (!INDEX_NAME.test(index)) refuseDefinition(subject, 'an index is named by letters, digits, _ and -');
  if (kind !== 'same-partition') refuseDefinition(subject, `there are no indexes of the kind ${kind}`);
  if (project !== undefined && project !== 'all') {
    const stranger = project.find(each => !Object.hasOwn(props, each));
    if (stranger !== undefined) refuseDefinition(subject, `${stranger} is no property of ${name}`);
  }
  if (typeof row.parts[0] !== 'string')
    refuseDefinition(
      `${name}.row`,
      'the row key of an entity with indexes begins with a literal, so that queries of its rows leave out those of indexes',
    );
}

/** The rows of an index as an entity. */
function indexEntity(owner: Owner, index: string, definition: Index): AnyEntity {
  const { partition, props, tag, version, table, upcast } = owner;
  const name = `${owner.name}.${index}`;
  const { row: own, unique, project } = definition;
  const row = unique ? own : key(...own.parts, ...owner.row.parts).joinedBy(own.separator);
  const inIndexKey = namesIn(own);
  const kept = new Set([...namesIn(partition), ...namesIn(owner.row), ...inIndexKey]);
  for (const each of project === 'all' ? Object.keys(props) : project) kept.add(each);
  const entries = Object.entries(props).filter(([each]) => kept.has(each));
  const copies: Props = Object.fromEntries(
    entries.map(([each, property]) => [each, copied(property, inIndexKey.includes(each))]),
  );
  const plan = compileEntity({ name, props: copies, partition, row, tag });
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
    warnings: [],
  });
}

function planOf(owner: Owner, index: string, spec: IndexSpec): IndexPlan {
  checkSpec(owner, index, spec);
  const subject = `${owner.name}.${index}.row`;
  const row = keyOf(subject, spec.row as never, partsOf(owner.props)) as Key;
  const { unique = false, project = [] } = spec;
  if (typeof row.parts[0] !== 'string')
    refuseDefinition(subject, 'the key of an index begins with a literal, by which its rows are told apart');
  const definition: Index = Object.freeze({ kind: spec.kind, row, unique, project });
  const entity = indexEntity(owner, index, definition);
  return { name: index, definition, unique, entity, needs: [...new Set(namesIn(row))] };
}

/** No row of the entity or of an index may be one of another index; and rows whose buckets change are written one by one, without others. */
function checkTogether({ name }: Owner, plan: EntityPlan, indexes: readonly IndexPlan[]): void {
  const keys = [plan.row, ...indexes.map(index => index.entity.plan.row)];
  for (const [at, a] of keys.entries())
    for (const b of keys.slice(at + 1))
      if (!areDisjoint(a, b))
        refuseDefinition(
          `${a.subject} and ${b.subject}`,
          'both may give the same key; begin each with a literal of its own',
        );
  if (indexes.length > INDEXES_MAX)
    refuseDefinition(name, `it has ${indexes.length} indexes, and may have ${INDEXES_MAX}`);
  if (plan.isChanging || indexes.some(index => index.entity.plan.isChanging))
    refuseDefinition(
      name,
      'rows with indexes stay in their buckets: hash(n, { also }) does not go with indexes',
    );
}

/** The plans by the names of indexes. Throws DefinitionInvalid. */
export function compileIndexes(owner: Owner, plan: EntityPlan): ReadonlyMap<string, IndexPlan> {
  const indexes = new Map(
    Object.entries(owner.indexes).map(([index, spec]) => [index, planOf(owner, index, spec)]),
  );
  if (indexes.size > 0) checkTogether(owner, plan, [...indexes.values()]);
  return indexes;
}

/** As the definition has them. */
export const definitionsOf = (plans: ReadonlyMap<string, IndexPlan>): Indexes =>
  Object.freeze(Object.fromEntries([...plans].map(([name, { definition }]) => [name, definition])));
