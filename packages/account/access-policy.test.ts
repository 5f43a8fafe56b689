// The stored form of access policies: every policy reads back unchanged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeIdentifiers, encodeIdentifiers } from './access-policy.js';

const open = <T>(field: fc.Arbitrary<T>) => fc.option(field, { nil: undefined });
/** Strict equality compares prototypes too. */
const plain = { noNullPrototype: true } as const;
const ticks = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const policy = fc.record(
  {
    start: open(ticks),
    expiry: open(ticks),
    permission: open(fc.constantFrom('r', 'raud')),
  },
  plain,
);
const identifiers = fc.array(fc.record({ id: fc.string(), policy: open(policy) }, plain));

test('policies read back as they were written', () => {
  fc.assert(
    fc.property(identifiers, list => {
      assert.deepEqual(decodeIdentifiers(encodeIdentifiers(list)), list);
    }),
  );
});

test('the stored form is what later versions must read', () => {
  const list = [
    { id: 'a', policy: undefined },
    { id: 'b', policy: { start: -1n, expiry: 2n ** 60n, permission: 'ra' } },
    { id: 'c', policy: { start: undefined, expiry: undefined, permission: 'd' } },
  ];
  const text =
    '{"version":1,"value":[{"id":"a"},' +
    '{"id":"b","policy":{"start":"-1","expiry":"1152921504606846976","permission":"ra"}},' +
    '{"id":"c","policy":{"permission":"d"}}]}';
  assert.equal(encodeIdentifiers(list).toString(), text);
  assert.deepEqual(decodeIdentifiers(Buffer.from(text)), list);
});

test('anything but a list of policies is corrupt', () => {
  for (const value of ['1', '{}', '[null]', '[{"id":"a","policy":{"start":"soon"}}]']) {
    const bytes = Buffer.from(`{"version":1,"value":${value}}`);
    assert.throws(() => decodeIdentifiers(bytes), { name: 'StoreError', code: 'corrupt' }, value);
  }
});
