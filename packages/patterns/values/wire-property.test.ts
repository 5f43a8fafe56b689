// What rows count, and each limit below, at and above it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { entity, key, PatternError, t } from '../index.js';
import { encodeEntity } from '../internals.js';

const refuses = (act: () => unknown, reason: RegExp): void =>
  assert.throws(act, (thrown: unknown) => PatternError.is(thrown, 'TooLarge') && reason.test(thrown.message));

const Doc = entity('Doc', {
  version: 1,
  table: 'Docs',
  props: { k: t.string(), text: t.string().optional(), photo: t.bytes().optional() },
  partition: key('p'),
  row: p => key(p.k),
});

describe('the size', () => {
  test('of a row is what the published rule says', () => {
    const { bytes } = encodeEntity(Doc, { k: 'abc', text: 'ü!', photo: new Uint8Array(5) });
    const keys = 4 + 2 * ('p'.length + 'abc'.length);
    const tag = 8 + 2 * 'EntityType'.length + 2 * 'Doc.1'.length + 4;
    const text = 8 + 2 * 'text'.length + 2 * 'ü!'.length + 4;
    const photo = 8 + 2 * 'photo'.length + 5 + 4;
    assert.equal(bytes, keys + tag + text + photo);
  });

  test('of a string is up to 32,768 characters', () => {
    for (const length of [32_767, 32_768]) encodeEntity(Doc, { k: 'a', text: 'x'.repeat(length) });
    refuses(
      () => encodeEntity(Doc, { k: 'a', text: 'x'.repeat(32_769) }),
      /Doc.text has a size of 32769 \(string\), and may have 32768/,
    );
    // What counts is UTF-16: two for each of these.
    encodeEntity(Doc, { k: 'a', text: '\u{1f600}'.repeat(16_384) });
    refuses(() => encodeEntity(Doc, { k: 'a', text: '\u{1f600}'.repeat(16_385) }), /32770/);
  });

  test('of bytes is up to 65,536', () => {
    for (const length of [65_535, 65_536]) encodeEntity(Doc, { k: 'a', photo: new Uint8Array(length) });
    refuses(
      () => encodeEntity(Doc, { k: 'a', photo: new Uint8Array(65_537) }),
      /Doc.photo has a size of 65537 \(binary\)/,
    );
  });
});
