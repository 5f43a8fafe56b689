// Conversions of bytes, held to those of Node's Buffer.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../testing/code-point.js';
import { anyText, law } from '../testing/law.js';
import {
  compareBytes,
  fromBase64,
  fromBase64Url,
  fromHex,
  fromUtf8,
  toBase64,
  toBase64Url,
  toHex,
  toUtf8,
  utf8Length,
} from './bytes.js';

const bytes = fc.uint8Array({ maxLength: 100 });

describe('bytes', () => {
  test('are the texts that Buffer makes of them, and come back', () =>
    law(
      fc.property(bytes, some => {
        assert.equal(toBase64(some), Buffer.from(some).toString('base64'));
        assert.equal(toBase64Url(some), Buffer.from(some).toString('base64url'));
        assert.equal(toHex(some), Buffer.from(some).toString('hex'));
        assert.deepEqual(fromBase64(toBase64(some)), some);
        assert.deepEqual(fromBase64Url(toBase64Url(some)), some);
        assert.deepEqual(fromHex(toHex(some)), some);
      }),
    ));

  test('may be many', () => {
    const many = new Uint8Array(65_536).map((_, at) => at * 7);
    assert.equal(toBase64(many), Buffer.from(many).toString('base64'));
    assert.deepEqual(fromBase64(toBase64(many)), many);
  });

  test('of texts are as many as they count', () =>
    law(
      fc.property(fc.oneof(anyText, fc.string({ unit: codePoint })), text => {
        assert.equal(utf8Length(text), Buffer.byteLength(text));
        assert.deepEqual(toUtf8(text), new Uint8Array(Buffer.from(text)));
        assert.equal(fromUtf8(toUtf8(text)), Buffer.from(text).toString());
      }),
    ));

  test('of a text that begins with a byte order mark come back with it', () =>
    assert.equal(fromUtf8(toUtf8('\ufeffa')), '\ufeffa'));

  test('of halves of surrogate pairs count as what replaces them', () => {
    for (const text of ['\ud800', '\udc00', '\ud800a', '\udc00\ud800', 'a\ud83d', '\ud800\ud800\udc00'])
      assert.equal(utf8Length(text), Buffer.byteLength(text));
  });

  test('that are no base64 are refused', () => {
    for (const text of ['a', '%', 'ä===', '=a']) assert.equal(fromBase64(text), undefined);
    for (const text of ['+', '/', 'a', 'aa=', ' ']) assert.equal(fromBase64Url(text), undefined);
  });

  test('are in the order of Buffer', () =>
    law(
      fc.property(bytes, bytes, (a, b) => {
        assert.equal(Math.sign(compareBytes(a, b)), Buffer.compare(a, b));
        assert.equal(compareBytes(a, Uint8Array.from(a)), 0);
      }),
    ));
});
