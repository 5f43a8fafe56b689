// SHA-256 and its HMAC, held to Node's.
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { law } from '../testing/law.js';
import { toHex, toUtf8 } from './bytes.js';
import { hmacSha256, isSameSecret, sha256 } from './sha256.js';

const bytes = fc.uint8Array({ maxLength: 300 });

test('the vectors of FIPS 180', () => {
  assert.equal(
    toHex(sha256(toUtf8('abc'))),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
  assert.equal(
    toHex(sha256(new Uint8Array())),
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
});

test('every length around a block', () => {
  for (let length = 0; length <= 200; length++) {
    const some = new Uint8Array(length).fill(length);
    assert.equal(toHex(sha256(some)), createHash('sha256').update(some).digest('hex'));
  }
});

test('a hash is that of Node', () =>
  law(
    fc.property(bytes, some => {
      assert.equal(toHex(sha256(some)), createHash('sha256').update(some).digest('hex'));
    }),
  ));

test('a seal is that of Node', () =>
  law(
    fc.property(bytes, bytes, (secret, some) => {
      assert.equal(toHex(hmacSha256(secret, some)), createHmac('sha256', secret).update(some).digest('hex'));
    }),
  ));

test('secrets are the same or not', () =>
  law(
    fc.property(bytes, bytes, (a, b) => {
      assert.equal(isSameSecret(a, b), toHex(a) === toHex(b));
      assert(isSameSecret(a, Uint8Array.from(a)));
    }),
  ));
