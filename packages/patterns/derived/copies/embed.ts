// Copies of some properties of another entity's row: what they are called where they stand, and what they should be. Pure. copies.ts keeps them equal.
import type { AnyEntity } from '../../model/definition.js';
import { refuseDefinition } from '../../values/pattern-error.js';
import { type Property, t, type ValueOf, type Values } from '../../values/property.js';

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
export const nameOf = ({ name }: Pick<Embedded, 'name'>, field: string): string => name + capitalized(field);
export const versionOf = ({ name }: Pick<Embedded, 'name'>): string => `${name}Version`;

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
