// Typed conditions, as in `where(p => p.age.ge(18))`. A property is compared only with values of its own type. Properties that exist only in a key are
// compared through that key.

import { checkValue } from '../../values/check-value.js';
import type { EdmType } from '../../values/edm.js';
import { type Refused, refuseDefinition, refuseValue } from '../../values/pattern-error.js';
import type { Property, ValueOf, Values } from '../../values/property.js';
import type { BagValue } from '../../values/typed-value.js';
import type { AnyEntity, Field } from '../definition.js';
import type { PartBounds } from '../keys/compiled-key.js';
import { hasUncertainOrder, successorOf, UNCERTAIN_ORDER } from '../keys/key-codec.js';
import { allOf, anyOf, type Comparison, type Condition, compare, keyCondition, TRUE } from './condition.js';

/** A condition under construction. Each method gives a new one. */
export class Clause {
  readonly condition: Condition;

  constructor(condition: Condition) {
    this.condition = condition;
  }

  and(other: Clause): Clause {
    return new Clause(allOf([this.condition, conditionOf(other)]));
  }

  or(other: Clause): Clause {
    return new Clause(anyOf([this.condition, conditionOf(other)]));
  }

  /** A row without the property meets no comparison, and so it meets the negation of each. */
  not(): Clause {
    return new Clause({ kind: 'not', term: this.condition });
  }
}

/** For programs without types, which may give anything. */
const conditionOf = (clause: Clause | undefined): Condition =>
  clause?.condition ?? refuseValue('where', 'made of conditions, such as p.age.gt(18)', 'it is not');

/** The condition that a program makes of these properties. */
export const built = <F>(build: (fields: F) => Clause, fields: F): Condition =>
  conditionOf(typeof build === 'function' ? build(fields) : undefined);

/** A property that is the same as a value or not. */
export interface Equality<V> {
  eq(value: V): Clause;
  ne(value: V): Clause;
  /** At least one of these. */
  in(values: readonly V[]): Clause;
}

/** A property whose values have an order. */
export interface Order<V> extends Equality<V> {
  gt(value: V): Clause;
  ge(value: V): Clause;
  lt(value: V): Clause;
  le(value: V): Clause;
  /** Both included. */
  between(first: V, last: V): Clause;
}

/** A property that is a text. */
export interface TextOrder<V> extends Order<V> {
  startsWith(prefix: string): Clause;
}

type FieldOf<V> = [V] extends [boolean | Uint8Array]
  ? Equality<V>
  : [V] extends [string]
    ? TextOrder<V>
    : Order<V>;

/** The properties of an entity that the service can compare. For JSON and pieces the compiler prints the reason. */
export type Fields<E extends AnyEntity> = {
  readonly [K in keyof E['props'] as E['props'][K]['use'] extends 'plain' ? K : never]: FieldOf<
    ValueOf<E['props'][K]>
  >;
} & {
  readonly [
    name: string
  ]: Refused<'A condition is on a property that the service can compare: not JSON, encrypted or in pieces'>;
};

/** The same for the compiler, whatever the property is. */
type AnyField = TextOrder<unknown>;

/** Texts that begin so. */
function prefixCondition(name: string, prefix: string): Condition {
  const type = 'String';
  const from = compare(name, 'ge', { type, value: prefix });
  if (prefix === '') return from;
  const value = hasUncertainOrder(prefix) ? undefined : successorOf(prefix);
  if (value === undefined) return refuseValue(name, 'a text that has an order', `it ${UNCERTAIN_ORDER}`);
  return allOf([from, compare(name, 'lt', { type, value })]);
}

/** How a property is compared with a value of its type. */
type Comparing = (operator: Comparison | 'prefix', value: BagValue) => Condition;

/** Of a property that is stored as it is. */
const storedField =
  ({ property: { edm }, name, wire }: Pick<Field, 'property' | 'name' | 'wire'>): Comparing =>
  (operator, value) => {
    if (operator === 'prefix') return prefixCondition(wire, String(value));
    if (typeof value === 'number' && !Number.isFinite(value))
      refuseValue(name, 'a finite number', `filters have no literal for ${value}`);
    return compare(wire, operator, { type: edm, value });
  };

/** Of a property that only a key holds. The service sees the key's text, so the property must be its first part. */
function keyField({ name: entity, plan }: AnyEntity, { name, rebuiltFrom }: Field): Comparing {
  const isPartition = rebuiltFrom === 'partition';
  const keyName = isPartition ? 'PartitionKey' : 'RowKey';
  const key = isPartition ? plan.partition : plan.row;
  const within = (lead: Values, next: PartBounds): Condition =>
    key.names[0] === name
      ? keyCondition(keyName, key.range(lead, next))
      : refuseDefinition(
          `${entity}.${name}`,
          `it is kept in ${keyName} alone, behind ${key.names[0]}: see rows()`,
        );
  return (operator, value) => {
    if (operator !== 'eq' && operator !== 'ne') return within({}, { [operator]: value });
    const term = within({ [name]: value }, {});
    return operator === 'eq' ? term : { kind: 'not', term };
  };
}

/** For programs without types: members that are not there have a sentence, in place of undefined. */
const guarded = <T extends object>(members: T, refuse: (name: string) => never): T =>
  new Proxy(members, {
    get: (target, name) =>
      typeof name === 'symbol' || Object.hasOwn(target, name) ? Reflect.get(target, name) : refuse(name),
  });

function fieldOf(subject: string, edm: EdmType, comparing: Comparing): AnyField {
  const condition = (operator: Comparison | 'prefix', value: unknown): Condition => {
    if (operator === 'prefix' && edm !== 'String')
      refuseValue(subject, 'a String', `it is ${edm}, and startsWith compares texts`);
    // What a check refuses may still be stored, and may be asked for.
    return comparing(operator, checkValue({ edm, checks: [] }, value, subject) as BagValue);
  };
  const clause = (operator: Comparison | 'prefix') => (value: unknown) =>
    new Clause(condition(operator, value));
  const members: AnyField = {
    eq: clause('eq'),
    ne: clause('ne'),
    gt: clause('gt'),
    ge: clause('ge'),
    lt: clause('lt'),
    le: clause('le'),
    between: (first, last) => clause('ge')(first).and(clause('le')(last)),
    startsWith: clause('prefix'),
    in: values => {
      const [first, ...others] = values.map(value => condition('eq', value));
      return new Clause(first === undefined ? { kind: 'not', term: TRUE } : anyOf([first, ...others]));
    },
  };
  return guarded(members, name =>
    refuseValue(
      `${subject}.${name}`,
      `one of ${Object.keys(members).join(', ')}`,
      'a filter compares whole properties',
    ),
  );
}

/** A property without an entity, by its name in the table and its type. */
export const plainField = (name: string, property: Property): AnyField =>
  fieldOf(name, property.edm, storedField({ name, wire: name, property }));

const FIELDS = new WeakMap<AnyEntity, Readonly<Record<string, AnyField>>>();

/** What is none, and what the service sees as a text of JSON or in pieces, has no conditions. */
function refuseField({ name, plan }: AnyEntity, each: string): never {
  if (!plan.byName.has(each)) refuseValue(each, `a property of ${name}`, 'it is not');
  return refuseDefinition(`${name}.${each}`, 'it is opaque to the service: ask for another property');
}

/** The properties of the entity, to be compared. */
export function fieldsOf<E extends AnyEntity>(entity: E): Fields<E> {
  const made = FIELDS.get(entity) ?? guarded(fieldsIn(entity), name => refuseField(entity, name));
  FIELDS.set(entity, made);
  return made as Fields<E>;
}

const fieldsIn = (entity: AnyEntity): Readonly<Record<string, AnyField>> =>
  Object.fromEntries(
    entity.plan.fields
      .filter(({ property }) => property.use === 'plain')
      .map(field => [
        field.name,
        fieldOf(
          field.name,
          field.property.edm,
          field.rebuiltFrom === undefined ? storedField(field) : keyField(entity, field),
        ),
      ]),
  );
