// CRC64 against the values of the official client, against the definition, and in pieces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Crc64 } from './crc64.js';

const base64Of = (text: string): string => new Crc64().update(Buffer.from(text)).digest().toString('base64');

/** Bit by bit, by the definition. */
function slowly(bytes: Uint8Array): bigint {
  let value = 0xffff_ffff_ffff_ffffn;
  for (const byte of bytes) {
    value ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++)
      value = (value & 1n) === 0n ? value >> 1n : (value >> 1n) ^ 0x9a6c9329ac4bc9b5n;
  }
  return value ^ 0xffff_ffff_ffff_ffffn;
}

test('texts have the values that the official client computes', () => {
  const vectors = {
    '': 'AAAAAAAAAAA=',
    abc: '6/rBP7vK5QU=',
    Hello: '7YooR2vuA24=',
    'Hello World': 'YeJLfssylmU=',
    'Hello World!': 'peH8Xsgc5QI=',
  };
  for (const [text, expected] of Object.entries(vectors)) assert.equal(base64Of(text), expected, text);
});

test('bytes of every length have the value of the definition', () => {
  for (let length = 0; length <= 67; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 167 + length * 13) & 255);
    assert.equal(new Crc64().update(bytes).digest().readBigUInt64LE(), slowly(bytes), `${length}`);
  }
});

test('pieces of any length sum up to the value of the whole', () => {
  const bytes = Buffer.alloc(200_003, 'The quick brown fox jumps over the lazy dog.');
  const whole = new Crc64().update(bytes).digest();
  for (const length of [1, 7, 16, 1000, 65_536, 65_537]) {
    const sum = new Crc64();
    for (let from = 0; from < bytes.length; from += length) sum.update(bytes.subarray(from, from + length));
    assert.deepEqual(sum.digest(), whole, `${length}`);
  }
  assert.equal(whole.readBigUInt64LE(), slowly(bytes));
});
