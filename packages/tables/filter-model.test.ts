// The compiled filter against a simple evaluation of its tree, on random filters and entities (protocol: queries#comparing).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import type { EdmValue, Property } from './entity/edm.js';
import { encodeEntity } from './entity/entity-encoder.js';
import { compileFilter } from './filter/compile-filter.js';
import type { ComparisonOperator, Filter } from './filter/filter.js';
import {
  and,
  compare,
  constant,
  type Entity,
  evaluate,
  not,
  or,
  property,
  string,
  truth,
} from './testing/filter.js';
import { placed } from './testing/placed-row.js';

const GUID = 'c9da6455-213d-42c9-9a79-3e9149a57833';
/** Few values, close together, so that comparisons often meet equal ones. */
const VALUES: readonly EdmValue[] = [
  ...['', 'a', 'b', 'é', '1', GUID].map((value): EdmValue => ({ type: 'Edm.String', value })),
  ...[-1, 0, 1].map((value): EdmValue => ({ type: 'Edm.Int32', value })),
  ...[-1n, 0n, 1n, 2n ** 53n + 1n].map((value): EdmValue => ({ type: 'Edm.Int64', value })),
  ...[-1, -0, 1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY].map(
    (value): EdmValue => ({ type: 'Edm.Double', value }),
  ),
  ...[false, true].map((value): EdmValue => ({ type: 'Edm.Boolean', value })),
  ...[0n, 1n].map((value): EdmValue => ({ type: 'Edm.DateTime', value })),
  ...[GUID, GUID.replace('c', 'd')].map((value): EdmValue => ({ type: 'Edm.Guid', value })),
  ...['', 'a', 'ab'].map((value): EdmValue => ({ type: 'Edm.Binary', value: Buffer.from(value) })),
];
const KEYS = ['', 'a', 'b', '\u{1f600}', '\uffff'];

const value = fc.constantFrom(...VALUES);
const name = fc.constantFrom('a', 'b', 'été', '__proto__', 'constructor', 'missing');
const keyText = fc.constantFrom(...KEYS);
const version = fc.constantFrom(0n, 1n, 2n);
const operator = fc.constantFrom<ComparisonOperator>('eq', 'ne', 'gt', 'ge', 'lt', 'le');

const openComparison = fc
  .tuple(name, operator, value)
  .map(([of, op, with_]) => compare(of, op, constant(with_)));
const keyComparison = fc
  .tuple(fc.constantFrom('PartitionKey', 'RowKey'), operator, keyText)
  .map(([of, op, text]) => compare(of, op, string(text)));
const versionComparison = fc
  .tuple(operator, version)
  .map(([op, ticks]) => compare('Timestamp', op, constant({ type: 'Edm.DateTime', value: ticks })));
const anyName = fc.oneof(name, fc.constantFrom('PartitionKey', 'RowKey', 'Timestamp'));
const propertyComparison = fc
  .tuple(anyName, operator, anyName)
  .map(([a, op, b]) => compare(a, op, property(b)));
const bare = fc.oneof(name.map(property), fc.boolean().map(truth));

const { filter: anyFilter } = fc.letrec<{ filter: Filter }>(tie => ({
  filter: fc.oneof(
    { depthSize: 'medium' },
    openComparison,
    keyComparison,
    versionComparison,
    propertyComparison,
    bare,
    tie('filter').map(not),
    fc
      .tuple(fc.constantFrom(and, or), fc.array(tie('filter'), { minLength: 2, maxLength: 3 }))
      .map(([join, terms]) => join(...terms)),
  ),
}));

const entity: fc.Arbitrary<Entity> = fc.record({
  partition: keyText,
  key: keyText,
  version,
  properties: fc.uniqueArray(
    fc.tuple(name, value).map(([of, held]): Property => ({ name: of, ...held })),
    { selector: property => property.name },
  ),
});

test('the compiled filter matches the same rows as the simple evaluation', () => {
  fc.assert(
    fc.property(anyFilter, fc.array(entity, { minLength: 1, maxLength: 8 }), (filter, entities) => {
      const takes = compileFilter(filter);
      for (const of of entities) {
        const { partition, key, version: ticks, properties } = of;
        const taken = takes(placed({ partition, key, version: ticks, value: encodeEntity(properties) }));
        assert.equal(taken, evaluate(filter, of));
      }
    }),
    { numRuns: randomRuns(5_000) },
  );
});
