// What rows count, and each limit below, at and above it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { entity, key, PatternError, t } from '../index.js';
import { encodeEntity } from '../internals.js';
import { rowBytes } from './wire-property.js';

const refuses = (act: () => unknown, reason: RegExp): void =>
  assert.throws(act, (thrown: unknown) => PatternError.is(thrown, 'TooLarge') && reason.test(thrown.message));

const Doc = entity('Doc', {
  version: 1,
  table: 'Docs',
  props: { k: t.string(), text: t.string().optional(), photo: t.bytes().optional() },
  partition: key('p'),
  row: p => key(p.k),
});

/** So many bytes of a row, in properties of at most 30,000 characters. */
function propertiesOf(bytes: number): { name: string; bytes: number }[] {
  const properties: { name: string; bytes: number }[] = [];
  for (let rest = bytes; rest > 0; rest -= 60_000)
    properties.push({ name: `p${properties.length}`, bytes: Math.min(rest, 60_000) });
  return properties;
}

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

  test('of a row is up to 1 MiB', () => {
    const limit = 1_048_576;
    const keys = 4 + 2 * ('p'.length + 'r'.length);
    for (const bytes of [limit - 1, limit])
      assert.equal(rowBytes('Doc', 'p', 'r', propertiesOf(bytes - keys)), bytes);
    refuses(
      () => rowBytes('Doc', 'p', 'r', propertiesOf(limit + 1 - keys)),
      /p0 has 60000 bytes.*1048577 \(entity bytes\), and may have 1048576/,
    );
  });

  test('of a row is up to 252 properties', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `p${at}`, bytes: 1 }));
    for (const count of [251, 252]) rowBytes('Doc', 'p', 'r', many(count));
    refuses(() => rowBytes('Doc', 'p', 'r', many(253)), /253 \(properties\), and may have 252/);
  });
});
