// Copies of some properties of another entity's row: what they are called where they stand, which source a row has, which copies it should have, and which rows have copies of a source. copies.ts writes the
// differences.

import type { CallOptions } from '../../concurrency/abort.js';
import { addressOfKey, isSameRow } from '../../model/address.js';
import type { AnyEntity, KeyOf, Of } from '../../model/definition.js';
import { encodePatch } from '../../model/encode-entity.js';
import type { Plan } from '../../model/filter/plan.js';
import type { StoredOf } from '../../model/stored.js';
import type { Db } from '../../repo/open.js';
import type { Results } from '../../repo/read/results.js';
import type { WrittenRow } from '../../repo/write/derivation.js';
import { type RowAddress, refuseDefinition } from '../../values/pattern-error.js';
import { type Property, t, type ValueOf, type Values } from '../../values/property.js';
import type { Fault } from '../audit/audit.js';

/** `manager` and `name` are `managerName`. */
type CopyName<N extends string, F extends string> = `${N}${Capitalize<F>}`;

/** The properties that a row with copies has for them. */
type CopyProps<N extends string, S extends AnyEntity, F extends keyof S['props'] & string> = {
  readonly [K in F as CopyName<N, K>]: Property<ValueOf<S['props'][K]>, 'optional', S['props'][K]['use']>;
} & { readonly [K in `${N}Version`]: Property<string, 'optional', 'plain'> };

/** Properties of a source, as they stand in rows of another entity. */
export interface Embedded<
  N extends string = string,
  S extends AnyEntity = AnyEntity,
  F extends string = string,
> {
  readonly name: N;
  readonly source: S;
  readonly fields: readonly F[];
  /** To be spread into the `props` of the entity that has the copies. All are missing where there is no source. */
  readonly props: CopyProps<N, S, F & keyof S['props']>;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What a copied property is called where it stands. */
const nameOf = ({ name }: Pick<Embedded, 'name'>, field: string): string => name + capitalized(field);
const versionOf = ({ name }: Pick<Embedded, 'name'>): string => `${name}Version`;

/** Copies of these properties: `embed('manager', Employee, ['name', 'email'])`. Throws DefinitionInvalid. */
export function embed<
  const N extends string,
  S extends AnyEntity,
  const F extends readonly (keyof S['props'] & string)[],
>(name: N, source: S, fields: F): Embedded<N, S, F[number]> {
  const stranger = fields.find(field => !Object.hasOwn(source.props, field));
  if (stranger !== undefined) refuseDefinition(name, `${stranger} is not a property of ${source.name}`);
  if (fields.length === 0) refuseDefinition(name, 'it copies nothing');
  for (const field of fields) {
    const reason = source.props[field]?.pieces?.onlyHere;
    if (reason !== undefined) refuseDefinition(name, `${field} of ${source.name} ${reason}`);
  }
  const copies = fields.map(field => {
    const property = (source.props as Readonly<Record<string, Property>>)[field] as Property;
    return [nameOf({ name }, field), Object.freeze({ ...property.optional(), storedName: undefined })];
  });
  const props = { ...Object.fromEntries(copies), [versionOf({ name })]: t.string().optional() } as never;
  return Object.freeze({ name, source, fields, props });
}

/** The properties of a row that are copies, and the version that they are of. */
export const copyNames = (embedded: Embedded): readonly string[] => [
  ...embedded.fields.map(field => nameOf(embedded, field)),
  versionOf(embedded),
];

/** When a source is deleted, its copies become null, or stay as they were; or the deletion is refused while there are copies. */
export type WhenDeleted = 'null' | 'keep' | 'refuse';

/** The copies of a source; all are null without one. `version` is the source's. */
export function copiesOf(embedded: Embedded, source: unknown, version: string | undefined): Values {
  const from = (source ?? {}) as Values;
  const copied = embedded.fields.map(field => [nameOf(embedded, field), from[field] ?? null]);
  return { ...Object.fromEntries(copied), [versionOf(embedded)]: version ?? null };
}

/** Where copies stand: in the partition of their source, written in its transaction, or anywhere, written by a flow. */
export type CopiesPlace = 'same-partition' | 'remote';

/** Rows with copies, and how they are found. */
type Holders<H extends AnyEntity> = Results<StoredOf<H>> & { explain(): Plan };

/** Copies and how they are kept. */
export interface CopiesSpec<H extends AnyEntity = AnyEntity, S extends AnyEntity = AnyEntity> {
  readonly holder: H;
  readonly embedded: Embedded<string, S>;
  /** The source of a row; undefined if it has none. */
  readonly keyOf: NoInfer<(value: Of<H>) => KeyOf<S> | undefined>;
  readonly whenDeleted: WhenDeleted;
  /** `remote` by default. */
  readonly where?: CopiesPlace;
  /** The rows that have copies of a source, by a query of the program. */
  readonly holders: NoInfer<(db: Db, key: KeyOf<S>) => Holders<H>>;
}

export class CopyRules {
  readonly spec: CopiesSpec;

  constructor(spec: CopiesSpec) {
    this.spec = spec;
  }

  get isSamePartition(): boolean {
    return this.spec.where === 'same-partition';
  }

  /** The source's address; undefined for a row without one. */
  sourceOf(value: Values): RowAddress | undefined {
    const { keyOf, embedded } = this.spec;
    const key = keyOf(value as Of<AnyEntity>);
    return key && addressOfKey(embedded.source, embedded.source.table, key);
  }

  /** Whether a write leaves a row its source, or none. */
  keepsSource({ before, after }: WrittenRow): boolean {
    if (before === undefined) return false;
    const [one, other] = [this.sourceOf(before.value), this.sourceOf(after ?? {})];
    return one === undefined || other === undefined ? one === other : isSameRow(one, other);
  }

  /** Whether a write may leave a row with other copies than it should have. */
  changesCopies(row: WrittenRow): row is WrittenRow & { readonly after: Values } {
    const { after, before } = row;
    if (after === undefined || !isInPlace(row)) return false;
    const names = copyNames(this.spec.embedded);
    const isSame = sameIn(this.spec.holder);
    const was = before?.value as Values | undefined;
    if (was && this.keepsSource(row) && names.every(name => isSame(name, was[name], after[name])))
      return false;
    return this.sourceOf(after) !== undefined || !this.has(after, undefined);
  }

  /** Whether a write changes what rows have copies of. */
  changesSource(row: WrittenRow): boolean {
    const { after, before } = row;
    const { whenDeleted, embedded } = this.spec;
    if (!isInPlace(row) || (after === undefined && whenDeleted === 'keep')) return false;
    if (before === undefined || after === undefined) return true;
    const isSame = sameIn(embedded.source);
    return !embedded.fields.every(name => isSame(name, (before.value as Values)[name], after[name]));
  }

  /** Whether the value's copies are those of this source, of whichever version; none for undefined. */
  has(value: Values, source: unknown): boolean {
    const { embedded, holder } = this.spec;
    const from = source as Values | undefined;
    const version = value[versionOf(embedded)] ?? undefined;
    if ((version === undefined) !== (from === undefined)) return false;
    return embedded.fields.every(field => {
      const name = nameOf(embedded, field);
      return sameIn(holder)(name, value[name], from?.[field]);
    });
  }

  /** The copies that a value has, as a patch. */
  kept(value: Values): Values {
    return Object.fromEntries(copyNames(this.spec.embedded).map(name => [name, value[name] ?? null]));
  }

  /** The source, and the patch that makes a row's copies match it; undefined if they do. */
  async compared(
    db: Db,
    value: Values,
    options: CallOptions,
  ): Promise<{
    readonly hasKey: boolean;
    readonly source: StoredOf<AnyEntity> | undefined;
    readonly patch: Values | undefined;
  }> {
    const { keyOf, embedded, whenDeleted } = this.spec;
    const key = keyOf(value as Of<AnyEntity>);
    const hasKey = key !== undefined;
    const source = key && (await db.repo(embedded.source).get(key, options));
    const stays =
      (source === undefined && hasKey && whenDeleted === 'keep') || this.has(value, source?.value);
    return { hasKey, source, patch: stays ? undefined : copiesOf(embedded, source?.value, source?.etag) };
  }

  /** What is wrong with a row's copies. */
  async faultOf(db: Db, value: Values, options: CallOptions): Promise<Fault | undefined> {
    const { hasKey, source, patch } = await this.compared(db, value, options);
    if (hasKey && source === undefined && this.spec.whenDeleted === 'refuse') return 'dangling';
    if (patch === undefined) return undefined;
    if (source === undefined) return 'orphan';
    return this.has(value, undefined) ? 'missing' : 'stale';
  }

  /** The rows with copies of a source, among those that the program's query gives: it may still find rows that have another source now. */
  async *holdersOf(
    db: Db,
    source: Values,
    { signal }: CallOptions,
  ): AsyncGenerator<StoredOf<AnyEntity>, void, undefined> {
    const { holders, embedded } = this.spec;
    const key = source as KeyOf<AnyEntity>;
    const address = addressOfKey(embedded.source, embedded.source.table, key);
    for await (const row of holders(db, key).stream({ signal })) {
      const own = this.sourceOf(row.value as Values);
      if (own !== undefined && isSameRow(own, address)) yield row;
    }
  }
}

/** Copies are kept of rows in their entity's own table. */
const isInPlace = ({ entity, address }: WrittenRow): boolean =>
  entity.table.toLowerCase() === address.table.toLowerCase();

/** By what would be stored. */
const sameIn =
  (entity: AnyEntity) =>
  (name: string, a: unknown, b: unknown): boolean =>
    textOf(entity, name, a) === textOf(entity, name, b);

const textOf = (entity: AnyEntity, name: string, is: unknown): string | undefined =>
  is === undefined || is === null
    ? undefined
    : encodePatch(entity, { [name]: is })
        .map(({ literal }) => literal)
        .join();
