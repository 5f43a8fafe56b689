// The types of entities, of their indexes, and of the plans that both are compiled to. entity.ts makes entities; compile-entity.ts and index-plan.ts make the plans.
import type { Flat, GivenRow, Property, Props, Row, ValueOf } from '../values/property.js';
import type { WireProperty } from '../values/wire-property.js';
import type { CompiledKey } from './keys/compiled-key.js';
import type { Key, Part, PartNames } from './keys/key.js';
import type { Rebucketing } from './keys/key-codec.js';

/** Whether all rows of an index are there. */
export type IndexState = 'building' | 'ready';

/** An index, as the type of its entity has it. */
export interface Index<
  K extends Key = Key,
  U extends boolean = boolean,
  J extends 'all' | readonly string[] = 'all' | readonly string[],
  PK extends Key | undefined = Key | undefined,
  S extends IndexState = IndexState,
> {
  readonly kind: 'same-partition' | 'remote';
  /** Undefined for that of the entity's row. */
  readonly partition: PK;
  /** As the definition has it: of an index that is not unique, the keys of the entity's row follow that are not in the partition key. */
  readonly row: K;
  readonly unique: U;
  readonly project: J;
  readonly state: S;
}

/** All indexes of an entity, by name. */
export type Indexes = Readonly<Record<string, Index>>;

/** The kind of an index, with what compiles, keeps and reads it: `near` and `remote` of shelfmark-patterns/indexes. */
export interface IndexKind extends Derivation {
  readonly kind: Index['kind'];
  /** The indexes of an entity, whatever their kinds, by their names. Throws DefinitionInvalid. */
  readonly compile: (owner: IndexOwner, plan: EntityPlan) => ReadonlyMap<string, IndexPlan>;
  /** `table` is the index's own, if it has one. Throws DefinitionInvalid where no literal distinguishes the index's rows from others. */
  checkLiterals(
    owner: Pick<AnyEntity, 'name' | 'row'>,
    index: string,
    definition: Index,
    table: string | undefined,
  ): void;
}

/** Of indexes in the partition of the entity's row. */
export interface NearKind extends IndexKind {
  readonly kind: 'same-partition';
}

/** Of indexes whose rows stand elsewhere. */
export interface RemoteKind extends IndexKind {
  readonly kind: 'remote';
}

/** An entity whose indexes are not compiled yet. */
export type IndexOwner = Pick<
  AnyEntity,
  'name' | 'version' | 'table' | 'props' | 'partition' | 'row' | 'tag' | 'upcast'
> & { readonly indexes: Readonly<Record<string, unknown>> };

/** An index, compiled. */
export interface IndexPlan {
  readonly name: string;
  readonly kind: IndexKind;
  /** As the definition has it. */
  readonly definition: Index;
  readonly unique: boolean;
  /** Its rows, as an entity. */
  readonly entity: AnyEntity;
  /** The properties without which a value has no row in it. */
  readonly needs: readonly string[];
  /** Its own table; undefined if its rows stand in the table of the entity's rows. */
  readonly table: string | undefined;
}

/** Something that is derived from the rows of an entity. repo/write/derivation.ts has what it does when a row is written. */
export interface Derivation {
  /** For errors. */
  readonly name: string;
  /** Properties from which it is derived. */
  readonly reads: readonly string[];
  /** Properties of these rows that it writes in the transactions of other rows. */
  readonly writes: readonly string[];
}

/** A property as encoding and decoding need it. */
export interface Field {
  /** In the program. */
  readonly name: string;
  /** In the table. */
  readonly wire: string;
  /** The member of a row that holds its type. */
  readonly annotation: string;
  readonly property: Property;
  /** The key that gives the value back; such a property is not stored separately. */
  readonly rebuiltFrom: 'partition' | 'row' | undefined;
  /** Whether a key depends on it, so that it cannot change. */
  readonly inKey: boolean;
}

/** An entity, compiled. */
export interface EntityPlan {
  /** The property that names a row's entity and version; undefined if rows have none. */
  readonly tag: WireProperty | undefined;
  /** Some values are objects that a caller can change. */
  readonly hasObjects: boolean;
  readonly fields: readonly Field[];
  readonly byWire: ReadonlyMap<string, Field>;
  readonly byName: ReadonlyMap<string, Field>;
  /** Names in rows that are no unknown properties. */
  readonly known: ReadonlySet<string>;
  readonly partition: CompiledKey;
  readonly row: CompiledKey;
  /** Set while the number of buckets of a key is being changed: a row may then stand under one of several keys. */
  readonly rebucketing: Rebucketing | undefined;
  /** Those whose rows stand in the partition of the entity's row. */
  readonly indexes: readonly IndexPlan[];
  /** Those whose rows stand in other partitions or in another table. */
  readonly remoteIndexes: readonly IndexPlan[];
  /** Weaknesses of its keys. */
  readonly warnings: readonly string[];
  /** What is derived from its rows: indexes, and lists and copies that were defined later. */
  readonly derivations: Derivation[];
}

/** Turns the values of one version into those of the next. Pure, and defined for every value that was ever stored. */
export type Upcast = (old: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** The schema of a kind of row, as `entity` makes it. */
export interface Entity<
  N extends string = string,
  P extends Props = Props,
  PK extends Key = Key,
  RK extends Key = Key,
  IX extends Indexes = Indexes,
> {
  readonly name: N;
  readonly version: number;
  readonly table: string;
  readonly props: P;
  readonly partition: PK;
  readonly row: RK;
  /** The name of the property that holds a row's entity and version, such as `Employee.2`; none if rows do not store it. */
  readonly tag: string | undefined;
  readonly upcast: Readonly<Record<number, Upcast>>;
  readonly indexes: IX;
  readonly plan: EntityPlan;
  /** What works but not well: keys, keys of indexes, and names. */
  readonly warnings: readonly string[];
}

/** Any entity at all. */
export type AnyEntity = Entity;

/** The type of an entity's value. */
export type Of<E extends AnyEntity> = Row<E['props']>;

/** A value to write. Properties that the library fills may be missing. */
export type NewOf<E extends AnyEntity> = GivenRow<E['props']>;

/** The key of a row: the properties in its two keys. */
export type KeyOf<E extends AnyEntity> = PickValues<
  E['props'],
  PartNames<E['partition']['parts']> | PartNames<E['row']['parts']>
>;

/** The properties in a partition key. */
export type PartitionOf<E extends AnyEntity> = PickValues<E['props'], PartNames<E['partition']['parts']>>;

/** The properties in a row key. */
export type RowOf<E extends AnyEntity> = PickValues<E['props'], PartNames<E['row']['parts']>>;

type PickValues<P extends Props, N extends PropertyKey> = {
  readonly [K in N & keyof P]: ValueOf<P[K]>;
};

/** The names of parts, in order. */
export type NameList<A extends readonly unknown[]> = A extends readonly [infer H, ...infer R]
  ? H extends Part<infer N>
    ? [N, ...NameList<R>]
    : NameList<R>
  : [];

/** Some leading parts of a row key, or none: they give a range of rows. */
export type RowLead<E extends AnyEntity> = Lead<E['props'], NameList<E['row']['parts']>>;

type Lead<P extends Props, N extends readonly unknown[], Before = unknown> = N extends [
  infer H extends keyof P & string,
  ...infer R,
]
  ?
      | Flat<Before & { readonly [K in Extract<N[number], string>]?: never }>
      | Lead<P, R, Before & { readonly [K in H]: ValueOf<P[K]> }>
  : Flat<Before>;
