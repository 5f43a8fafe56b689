// Keys of several parts: values to keys and back, order, and ranges, for random definitions against a plain model.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { codec, Instant, type Key, key, part, t } from '../../index.js';
import { CompiledKey } from '../../internals.js';
import { isIn } from '../../testing/condition.js';
import { compare, law } from '../../testing/law.js';
import { refuses, refusesDefinition } from '../../testing/refuses.js';
import { COMPARISONS } from '../filter/condition.js';
import type { PartBounds } from './compiled-key.js';
import type { KeyPart } from './key.js';
import { forbiddenIn } from './key-codec.js';

const PROPS = {
  text: t.string(),
  name: t.string(),
  count: t.int32(),
  big: t.int64(),
  size: t.double(),
  at: t.instant(),
  open: t.bool(),
  id: t.guid(),
} as const;
type Name = keyof typeof PROPS;

// Few values each, so that random tuples have parts in common.
const VALUES: Readonly<Record<Name, readonly unknown[]>> = {
  text: ['', 'a', 'ab', 'a b', 'a!', 'a/b', 'b', '~', '"'],
  name: ['x', 'xy', 'X'],
  count: [-1, 0, 1, 12, 2_147_483_647],
  big: [-1n, 0n, 5n],
  size: [-1.5, 0, 3, 1e300],
  at: [504_911_232_000_000_000n, 504_911_232_000_000_001n, 638_000_000_000_000_000n].map(ticks =>
    Instant.fromTicks(ticks),
  ),
  open: [false, true],
  id: ['c9da6455-213d-42c9-9a79-3e9149a57833', '00000000-0000-0000-0000-000000000000'],
};
const NAMES = Object.keys(PROPS) as readonly Name[];

const rank = (value: unknown): bigint | number | string => {
  if (value instanceof Instant) return value.ticks;
  return typeof value === 'boolean' ? Number(value) : (value as number);
};

/** Parts of different properties, in a random order, some with a literal before them. */
const definition = fc
  .tuple(
    fc.shuffledSubarray([...NAMES], { minLength: 1, maxLength: 4 }),
    fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  )
  .map(([names, literals]) => {
    const parts = names.flatMap((name, at) => {
      const each = name === 'at' && literals[at] ? part(name, codec.timeDesc) : part(name);
      return literals[at] ? [`L${at}`, each] : [each];
    });
    return { names, key: key(...parts) as Key };
  });
const values = fc.record(
  Object.fromEntries(NAMES.map(name => [name, fc.constantFrom(...VALUES[name])])) as Record<
    Name,
    fc.Arbitrary<unknown>
  >,
);

const compiled = (of: Key): CompiledKey => new CompiledKey('Test.row', of, PROPS);
const row = (...parts: readonly KeyPart[]): CompiledKey => compiled(key(...parts) as Key);

describe('a key', () => {
  test('gives its parts back', () => {
    law(
      fc.property(definition, values, (made, of) => {
        const text = compiled(made.key).encode(of);
        const expected = Object.fromEntries(made.names.map(name => [name, of[name]]));
        assert.deepEqual(compiled(made.key).decode(text), expected);
        assert.equal(forbiddenIn(text), undefined);
      }),
    );
  });

  test('is in the order of its parts', () => {
    law(
      fc.property(definition, values, values, (made, a, b) => {
        const of = compiled(made.key);
        const differing = made.names.find(name => compare(rank(a[name]), rank(b[name])) !== 0);
        const isDown = made.key.parts.some(each => typeof each === 'object' && each.codec === codec.timeDesc);
        const sign = differing === 'at' && isDown ? -1 : 1;
        const expected = differing === undefined ? 0 : sign * compare(rank(a[differing]), rank(b[differing]));
        assert.equal(compare(of.encode(a), of.encode(b)), expected);
      }),
    );
  });

  test('has ranges that hold the keys with these leading parts and bounds, and no others', () => {
    const operators = fc.subarray(['ge', 'gt', 'lt', 'le'] as const, { maxLength: 2 });
    law(
      fc.property(
        definition,
        fc.nat(),
        values,
        values,
        operators,
        fc.array(values),
        (made, count, lead, bound, ops, rows) => {
          const given = made.names.slice(0, count % (made.names.length + 1));
          const next = made.names[given.length];
          // One lower and one upper bound at most, as the range has no room for more.
          const isPair =
            ops.length === 2 &&
            (ops[0] === 'ge') === (ops[1] === 'gt') &&
            (ops[0] === 'lt') === (ops[1] === 'le');
          const used = next === undefined || isPair ? [] : ops;
          const bounds = Object.fromEntries(used.map(op => [op, bound[next as Name]])) as PartBounds;
          const of = compiled(made.key);
          const range = of.range(Object.fromEntries(given.map(name => [name, lead[name]])), bounds);
          for (const candidate of [...rows, lead, bound]) {
            const isChild = given.every(name => compare(rank(candidate[name]), rank(lead[name])) === 0);
            const holds = used.every(op => {
              const order = compare(rank(candidate[next as Name]), rank(bound[next as Name]));
              return COMPARISONS[op].holds(order);
            });
            assert.equal(
              isIn(of.encode(candidate), range),
              isChild && holds,
              `${of.encode(candidate)} in ${JSON.stringify(range)}`,
            );
          }
        },
      ),
    );
  });

  test('has ranges of prefixes', () => {
    const word = fc.constantFrom('', 'a', 'ab', 'a b', 'a/', 'a/b', 'abc', 'b', 'a"', '~');
    law(
      fc.property(word, word, fc.boolean(), (prefix, text, isLast) => {
        const of = isLast ? row('rev', part('text')) : row('rev', part('text'), part('count'));
        const range = of.range({}, { prefix });
        assert.equal(isIn(of.encode({ text, count: 1 }), range), text.startsWith(prefix));
        assert(!isIn('rew!a!b', range) && !isIn('rev', range));
      }),
    );
  });
});

describe('a definition', () => {
  test('of the design guide, with underscores', () => {
    const of = compiled(key('rev', part('count', codec.int(6)), part('big')).joinedBy('_'));
    assert.equal(of.encode({ count: 123, big: 1n }), 'rev_000123_09223372036854775809');
    assert.deepEqual(of.range({ count: 123 }), { ge: 'rev_000123_', lt: 'rev_000123`' });
    assert.deepEqual(of.decode('rev_000123_09223372036854775809'), { count: 123, big: 1n });
  });

  test('without a separator needs fixed widths', () => {
    const of = compiled(key(part('count', codec.int(4)), part('text')).joinedBy(''));
    assert.equal(of.encode({ count: 7, text: 'a' }), '0007a');
    assert.deepEqual(of.range({ count: 7 }), { ge: '0007', lt: '0008' });
    assert.deepEqual(of.range({}, { gt: 7, le: 9 }), { ge: '0008', lt: '000:' });
  });

  test('knows when it has no order, and then has no ranges of values', () => {
    const of = compiled(key(part('text'), part('count')).joinedBy('_'));
    refuses(() => of.range({}, { ge: 'a' }), 'KeyInvalid', /has no order/);
    assert.deepEqual(of.range({ text: 'a' }), { ge: 'a_', lt: 'a`' });
    refuses(() => of.encode({ text: 'a_b', count: 1 }), 'KeyInvalid', /holds the separator/);
  });

  test('refuses what no key may hold, and what could not be read', () => {
    for (const [define, reason] of [
      ...['a/b', 'a b', 'a!b', '#', ''].map(
        literal => [() => row(literal, part('text')), /literal/] as const,
      ),
      [() => compiled(key('a_b', part('text')).joinedBy('_')), /separator/],
      [() => compiled(key('a', part('text')).joinedBy('/')), /no key may hold/],
      [() => compiled(key(part('text'), part('count')).joinedBy('')), /no fixed width/],
      [() => key('a').joinedBy('--'), /one character/],
    ] as const)
      refusesDefinition(define, reason);
  });

  test('may be one literal, or nothing', () => {
    assert.equal(row('settings').encode({}), 'settings');
    assert.deepEqual(row('settings').decode('settings'), {});
    assert.equal(row().encode({}), '');
    refuses(() => row('settings').decode('setting'), 'KeyInvalid', /literal/);
  });
});

describe('a key that cannot be', () => {
  const exact = part('text', codec.exact);

  test('made, or compared for want of an order, is refused by the name of its part', () => {
    const ofText = row(part('text'));
    const both = row(part('text'), part('count'));
    for (const [make, reason] of [
      [() => both.encode({ text: 'a' }), /count is missing in Test.row/],
      [() => row(part('count', codec.int(2))).encode({ count: 100 }), /part count is not/],
      [() => row(exact).encode({ text: 'a/b' }), /part text holds U\+002F/],
      [() => row(exact, 'x').encode({ text: 'a b' }), /space/],
      [() => ofText.range({}, { ge: '\u{1f600}' }), /U\+D7FF/],
      [() => ofText.range({}, { prefix: 'a\ue000' }), /U\+D7FF/],
      [() => ofText.range({ text: 'a' }, { ge: 'b' }), /no part after/],
      [() => both.range({ count: 1 }), /count is given without text/],
      [() => row(part('count')).range({}, { prefix: '1' }), /only if it is text/],
      [() => row(part('text', codec.hash(4)), part('count')).range({}, { ge: 'a' }), /has no order/],
    ] as const)
      refuses(make, 'KeyInvalid', reason);
    refuses(() => ofText.encode({ text: 5 }), 'ValueInvalid', /not a string/);
    assert.equal(row('x', exact).encode({ text: 'a b!c' }), 'x!a b!c');
    assert.deepEqual(ofText.range({ text: '\u{1f600}' }), { eq: '\u{1f600}' });
  });

  test('read is refused', () => {
    const of = row('rev', part('count', codec.int(3)), part('text'));
    for (const text of ['', 'rev', 'rev!', 'rev!01', 'rev!001', 'rev!0010!a', 'rex!001!a', 'rev!001!a!b'])
      refuses(() => of.decode(text), 'KeyInvalid', /./);
    assert.deepEqual(of.decode('rev!001!'), { count: 1, text: '' });
  });

  test('has up to 512 characters', () => {
    const of = row('L', part('text'));
    for (const length of [509, 510]) assert.equal(of.encode({ text: 'x'.repeat(length) }).length, length + 2);
    refuses(() => of.encode({ text: 'x'.repeat(511) }), 'TooLarge', /513.*512/);
    refuses(() => of.range({ text: 'x'.repeat(511) }), 'TooLarge', /512/);
  });
});
