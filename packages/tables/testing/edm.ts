// Random properties for the tests of this package: values of every type with their edges, and names of every kind; and what properties count.
import fc from 'fast-check';
import { DATE_TIME_MAX, DATE_TIME_MIN } from '#base';
import type { EdmValue, Property } from '../entity/edm.js';
import type { EntityKey } from '../entity/entity-key.js';
import { keyBytes, propertyBytes } from '../limits.js';

/** Strict equality compares prototypes too. */
const plain = { noNullPrototype: true } as const;

/** Any UTF-16 text, halves of surrogate pairs included. */
export const anyText = fc
  .array(fc.oneof(fc.nat({ max: 0xffff }), fc.integer({ min: 0x20, max: 0x7e })))
  .map(units => String.fromCharCode(...units));

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const dateTime = fc.bigInt({ min: DATE_TIME_MIN, max: DATE_TIME_MAX });
const binary = fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes));

export const edmValue: fc.Arbitrary<EdmValue> = fc.oneof(
  fc.record({ type: fc.constant('Edm.String'), value: anyText }, plain),
  fc.record({ type: fc.constant('Edm.Int32'), value: fc.integer() }, plain),
  fc.record({ type: fc.constant('Edm.Int64'), value: int64 }, plain),
  fc.record({ type: fc.constant('Edm.Double'), value: fc.double() }, plain),
  fc.record({ type: fc.constant('Edm.Boolean'), value: fc.boolean() }, plain),
  fc.record({ type: fc.constant('Edm.DateTime'), value: dateTime }, plain),
  fc.record({ type: fc.constant('Edm.Guid'), value: fc.uuid() }, plain),
  fc.record({ type: fc.constant('Edm.Binary'), value: binary }, plain),
);

/** Names on Object.prototype, and names that need escapes. */
const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'été', '名前', '𠮷野', '_', 'a1'];
const propertyName = fc.oneof(
  fc.constantFrom(...ODD_NAMES),
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,9}$/),
);

/** Properties with different names, in random order. */
export const properties: fc.Arbitrary<Property[]> = fc.uniqueArray(
  fc.tuple(propertyName, edmValue).map(([name, value]): Property => ({ name, ...value })),
  { selector: property => property.name, maxLength: 12 },
);

/** The bytes that an entity counts against its limit of 1 MiB (protocol: data-model#size-of-an-entity). */
export const entityBytes = (key: EntityKey, properties: readonly Property[]): number =>
  properties.reduce((sum, property) => sum + propertyBytes(property), keyBytes(key));
