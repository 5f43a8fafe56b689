// Known answers of the standards: that Web Crypto is used as they say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromHex, toHex, toUtf8 } from '../values/bytes.js';
import { contentKeyOf, decrypt, encrypt, hmac, sha256, unwrap, wrap } from './cipher.js';

test('AES-256-GCM: test cases 13 and 14 of its specification by McGrew and Viega', async () => {
  const key = await contentKeyOf(new Uint8Array(32));
  const [nonce, bound] = [new Uint8Array(12), new Uint8Array()];
  const empty = await encrypt(key, nonce, new Uint8Array(), bound);
  assert.equal(toHex(empty), '530f8afbc74536b9a963b4f1c4cb738b');
  const zeroes = await encrypt(key, nonce, new Uint8Array(16), bound);
  assert.equal(toHex(zeroes), 'cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919');
});

test('AES-256-GCM: test case 16 of its specification by McGrew and Viega', async () => {
  const key = await contentKeyOf(fromHex('feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308'));
  const nonce = fromHex('cafebabefacedbaddecaf888');
  const bound = fromHex('feedfacedeadbeeffeedfacedeadbeefabaddad2');
  const plain = fromHex(
    'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
  );
  const expected =
    '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b';
  assert.equal(toHex(await encrypt(key, nonce, plain, bound)), expected);
  assert.deepEqual(await decrypt(key, nonce, fromHex(expected), bound), plain);
  assert.equal(await decrypt(key, nonce, fromHex(expected), new Uint8Array()), undefined);
});

test('key wrap: RFC 3394 4.6', async () => {
  const wrapping = fromHex('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f');
  const key = fromHex('00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f');
  const wrapped = '28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21';
  assert.equal(toHex(await wrap(wrapping, key)), wrapped);
  assert.deepEqual(await unwrap(wrapping, fromHex(wrapped)), key);
  await assert.rejects(unwrap(wrapping, fromHex(wrapped.replace('28', '29'))));
});

test('HMAC-SHA-256: RFC 4231 4.3', async () => {
  assert.equal(
    toHex(await hmac(toUtf8('Jefe'), toUtf8('what do ya want for nothing?'))),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('SHA-256: FIPS 180 "abc"', async () => {
  assert.equal(
    toHex(await sha256(toUtf8('abc'))),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
