// The sorted set of ids as bytes, against a plain set of texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText, law } from '../../testing/law.js';
import { compareBytes, toUtf8 } from '../../values/bytes.js';
import { PatternError } from '../../values/pattern-error.js';
import {
  changeIds,
  containsId,
  firstId,
  ID_BYTES_MAX,
  idSet,
  idsOf,
  mergeIds,
  readIds,
  splitIds,
} from './id-set.js';

const inOrder = (ids: Iterable<string>): readonly string[] =>
  [...new Set(ids)].sort((a, b) => compareBytes(toUtf8(a), toUtf8(b)));

/** Ids that come again, of one byte, of none, around the length that takes a second byte, and any others. */
const anyId = fc.oneof(
  anyText,
  fc.constantFrom(
    '',
    'a',
    'b',
    '\u0000',
    'a\u0000b',
    ',',
    '!',
    ...[126, 127, 128, 129].map(n => 'x'.repeat(n)),
  ),
  fc.nat(30).map(String),
);

test('changes do what they do to a plain set', () => {
  law(
    fc.property(fc.array(anyId), fc.array(fc.array(fc.tuple(anyId, fc.boolean()))), (ids, steps) => {
      let set = idSet(ids);
      assert.deepEqual(idsOf(set), inOrder(ids));
      const plain = new Set(ids);
      for (const step of steps) {
        const before = inOrder(plain);
        const given = new Map(step);
        for (const [id, isIn] of given) isIn ? plain.add(id) : plain.delete(id);
        const next = changeIds(set, given);
        const after = inOrder(plain);
        assert.deepEqual(idsOf(next), after);
        assert.deepEqual(readIds(next.bytes), { bytes: next.bytes, count: after.length });
        assert.equal(next === set, before.join('\n') === after.join('\n') && before.length === after.length);
        assert.deepEqual(idsOf(set), before, 'the set before is as it was');
        set = next;
      }
      for (const id of [...ids, 'none', '']) assert.equal(containsId(set, id), plain.has(id));
    }),
  );
});

test('parts are in order, about equal, and make the whole', () => {
  law(
    fc.property(fc.array(anyId), fc.integer({ min: 1, max: 7 }), (ids, count) => {
      const whole = idSet(ids);
      const parts = splitIds(whole, count);
      assert(parts.length <= count);
      const longest = Math.max(0, ...idsOf(whole).map(id => toUtf8(id).length + 2));
      for (const part of parts) {
        assert(part.count > 0);
        assert(part.bytes.length <= whole.bytes.length / count + longest);
        assert.equal(Buffer.from(firstId(part)).toString(), idsOf(part)[0]);
      }
      assert.deepEqual(mergeIds(parts), whole);
    }),
  );
});

test('bytes that are no set are told from one', () => {
  const set = idSet(['a', 'b', 'x'.repeat(200)]);
  assert(readIds(set.bytes));
  for (let length = 1; length < set.bytes.length; length++) {
    const isWhole = length === 2 || length === 4;
    assert.equal(readIds(set.bytes.slice(0, length)) !== undefined, isWhole, `${length} bytes`);
  }
  for (const bytes of [[1, 98, 1, 97], [1, 97, 1, 97], [0, 0], [0x80], [0xff, 0x7f]])
    assert.equal(readIds(Uint8Array.from(bytes)), undefined);
  assert.throws(() => idsOf({ bytes: Uint8Array.from([1, 0xff]), count: 1 }), TypeError);
});

test('an id has a length that a set can say', () => {
  const longest = 'x'.repeat(ID_BYTES_MAX);
  assert.deepEqual(idsOf(idSet([longest])), [longest]);
  for (const id of [`${longest}x`, '\ud800', 'a\udc00'])
    assert.throws(
      () => idSet([id]),
      thrown => PatternError.is(thrown, 'ValueInvalid'),
    );
});
