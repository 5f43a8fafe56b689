// The codecs of keys: that values come back, that order is kept, and what each refuses. Known texts are part of the format: rows stand where they were put.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { rebucketing } from '../../bulk.js';
import { codec, Instant, PatternError } from '../../index.js';
import { anyText, compare, law } from '../../testing/law.js';
import { refuses as refusesAs } from '../../testing/refuses.js';
import { type AnyKeyCodec, escapeKeyText, forbiddenIn, unescapeKeyText } from './key-codec.js';

const refuses = (act: () => unknown, reason: RegExp): void => refusesAs(act, 'KeyInvalid', reason);

const anyInstant = fc
  .bigInt({ min: 0n, max: 3_155_378_975_999_999_999n })
  .map(ticks => Instant.fromTicks(ticks));
const anyDouble = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, -0, 1, -1, 5e-324, -5e-324, 1e308));

/** A codec, values for it, and their order. */
type CodecLaw = readonly [AnyKeyCodec, fc.Arbitrary<unknown>, order: (a: never, b: never) => number];

const LAWS: readonly CodecLaw[] = [
  [codec.text, anyText, compare],
  [codec.int(6), fc.integer({ min: 0, max: 999_999 }), compare],
  [codec.int(15), fc.integer({ min: 0, max: 999_999_999_999_999 }), compare],
  [codec.int32, fc.integer(), compare],
  [codec.int64, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), compare],
  [codec.double, anyDouble, (a, b) => (a === b ? 0 : compare(a, b))],
  [codec.bool, fc.boolean(), (a, b) => Number(a) - Number(b)],
  [codec.guid, fc.uuid(), compare],
  [codec.time, anyInstant, (a: Instant, b: Instant) => compare(a.ticks, b.ticks)],
  [codec.timeDesc, anyInstant, (a: Instant, b: Instant) => compare(b.ticks, a.ticks)],
];

describe('a codec', () => {
  for (const [of, values, order] of LAWS) {
    test(`${of.name} gives values back`, () => {
      law(
        fc.property(values, value => {
          const text = of.encode(value as never);
          assert.equal(order(of.decode(text) as never, value as never), 0);
          assert.equal(forbiddenIn(text), undefined);
          if (of.width !== undefined) assert.equal(text.length, of.width);
        }),
      );
    });
    test(`${of.name} keeps order`, () => {
      law(
        fc.property(values, values, (a, b) =>
          assert.equal(
            compare(of.encode(a as never), of.encode(b as never)),
            Math.sign(order(a as never, b as never)),
          ),
        ),
      );
    });
  }

  test('makes the texts that it always made', () => {
    assert.equal(codec.text.encode('Ops / EU #1?'), 'Ops"1.1"1EU"1"41>1');
    assert.equal(codec.lower.encode('  Émile.Zola'), '"1"1émile.0zola');
    assert.equal(codec.int(6).encode(123), '000123');
    assert.equal(codec.int32.encode(-1), '2147483647');
    assert.equal(codec.int64.encode(0n), '09223372036854775808');
    assert.equal(codec.double.encode(1.5), 'bff8000000000000');
    assert.equal(codec.double.encode(-1.5), '4007ffffffffffff');
    assert.equal(
      codec.guid.encode('C9DA6455-213D-42C9-9A79-3E9149A57833'),
      'c9da6455213d42c99a793e9149a57833',
    );
    const at = Instant.parse('2017-11-10T02:44:47.6221962Z');
    assert.equal(codec.time.encode(at), '0636458786876221962');
    assert.equal(codec.timeDesc.encode(at), '2518920189123778037');
    assert.deepEqual(
      ['', 'a', 'customer-17', 'é'].map(text => codec.hash(16).encode(text)),
      HASHES,
    );
  });
});

/** FNV-1a of UTF-8, stirred, modulo 16: computed by hash-bucket.ts once, and never to change. */
const HASHES = ['11', '03', '02', '07'];

describe('text in keys', () => {
  test('tuples of texts are in the order of their keys', () => {
    const tuple = fc.array(anyText, { minLength: 1, maxLength: 4 });
    const joined = (texts: readonly string[]): string => texts.map(text => escapeKeyText(text)).join('!');
    const inOrder = (a: readonly string[], b: readonly string[]): number => {
      for (const [at, text] of a.entries()) {
        const other = b[at];
        if (other === undefined) return 1;
        if (text !== other) return compare(text, other);
      }
      return a.length - b.length;
    };
    law(
      fc.property(tuple, tuple, (a, b) =>
        assert.equal(compare(joined(a), joined(b)), Math.sign(inOrder(a, b))),
      ),
    );
  });

  test('what begins a text begins its code', () => {
    law(fc.property(anyText, anyText, (a, b) => assert(escapeKeyText(a + b).startsWith(escapeKeyText(a)))));
  });

  test('what was not escaped so is not read', () => {
    for (const text of ['"', '"5', '"0', '"0f', '"02f', '.', 'a.2', '~', '~1a0', '>', '[2', '"0FF'])
      assert.throws(() => unescapeKeyText(text), PatternError, text);
  });

  test('halves of surrogate pairs are refused', () => {
    refuses(() => escapeKeyText('a\ud800'), /half of a surrogate pair/);
    refuses(() => codec.text.encode('\udc00b'), /half of a surrogate pair/);
  });
});

describe('limits of codecs', () => {
  test('int(n) takes n digits', () => {
    assert.equal(codec.int(3).encode(998), '998');
    assert.equal(codec.int(3).encode(999), '999');
    refuses(() => codec.int(3).encode(1000), /from 0 to 999/);
    refuses(() => codec.int(3).encode(-1), /from 0 to 999/);
    refuses(() => codec.int(3).encode(1.5), /whole number/);
    refuses(() => codec.int(3).decode('12'), /3 digits/);
    refuses(() => codec.int(3).decode('12a'), /3 digits/);
    for (const width of [1, 15]) assert.equal(codec.int(width).width, width);
    for (const width of [0, 16, 1.5]) assert.throws(() => codec.int(width), PatternError);
  });

  test('int32 and int64 take what the service takes', () => {
    for (const value of [-(2 ** 31), 2 ** 31 - 1])
      assert.equal(codec.int32.decode(codec.int32.encode(value)), value);
    for (const value of [-(2 ** 31) - 1, 2 ** 31, 0.5]) refuses(() => codec.int32.encode(value), /Int32/);
    for (const value of [-(2n ** 63n), 2n ** 63n - 1n])
      assert.equal(codec.int64.decode(codec.int64.encode(value)), value);
    for (const value of [-(2n ** 63n) - 1n, 2n ** 63n]) refuses(() => codec.int64.encode(value), /Int64/);
    refuses(() => codec.int64.encode(5 as never), /Int64/);
    for (const above of [2n ** 32n - 1n, 2n ** 64n - 1n]) {
      const of = above < 2n ** 33n ? codec.int32 : codec.int64;
      assert(of.decode(`${above}`) > 0);
      refuses(() => of.decode(`${above + 1n}`), /is not an Int/);
    }
  });

  test('NaN has no place in an order', () => {
    refuses(() => codec.double.encode(Number.NaN), /not a number/);
    assert.equal(
      codec.double.decode(codec.double.encode(Number.POSITIVE_INFINITY)),
      Number.POSITIVE_INFINITY,
    );
  });

  test('times end with the year 9999', () => {
    for (const of of [codec.time, codec.timeDesc]) {
      refuses(() => of.decode('3155378976000000000'), /9999/);
      assert.equal(of.decode(of.encode(Instant.fromTicks(0n))).ticks, 0n);
    }
  });

  test('exact texts are not escaped, and so cannot hold everything', () => {
    assert.equal(codec.exact.encode('a b.c'), 'a b.c');
    for (const text of ['a/b', 'a\\b', 'a#', '?', '\u0000', '\u001f', '\u007f', '\u009f', '\ud800'])
      refuses(() => codec.exact.encode(text), /which no key may/);
    for (const text of [' ', '\u00a0', '\u{1f600}']) assert.equal(codec.exact.encode(text), text);
  });
});

describe('buckets', () => {
  test('are from 2 to 10000', () => {
    for (const count of [2, 10_000]) assert.equal(codec.hash(count).all?.length, count);
    for (const count of [0, 1, 10_001, 2.5]) assert.throws(() => codec.hash(count), PatternError);
    assert.throws(() => codec.hash(4, rebucketing(1)), PatternError);
  });

  test('share values evenly, and in the same way each time', () => {
    const of = codec.hash(16);
    const counts = new Map<string, number>();
    const total = 32_000;
    for (let i = 0; i < total; i++) {
      const bucket = of.encode(`customer-${i}`);
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
    }
    assert.deepEqual([...counts.keys()].sort(), of.all);
    // Chi-square of 15 degrees of freedom: above 37.7 once in a thousand times, were it chance.
    const expected = total / 16;
    const chiSquare = [...counts.values()].reduce(
      (sum, count) => sum + (count - expected) ** 2 / expected,
      0,
    );
    assert(chiSquare < 37.7, `${chiSquare}`);
  });
});
