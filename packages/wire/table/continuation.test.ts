// Continuation tokens as Azure writes them and as clients bring them back (protocol: queries#continuation).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  entityTokenHeaders,
  formatToken,
  parseEntityToken,
  parseTableToken,
  parseToken,
} from './continuation.js';

const VECTORS: readonly (readonly [string, string])[] = [
  ['Smith', '1!8!U21pdGg-'],
  ['pkc12a1338', '1!16!cGtjMTJhMTMzOA--'],
  [`partition1-ô- -'-"-%20-%27-pk`, '1!40!cGFydGl0aW9uMS3DtC0gLSctIi0lMjAtJTI3LXBr'],
  ['', '1!0!'],
  ['k>?', '1!4!az4/'],
  ['abk~', '1!8!YWJrfg--'],
  ['ab>', '1!4!YWI+'],
];

test('the recorded tokens, and those with characters that base64 has beside letters', () => {
  for (const [key, token] of VECTORS) {
    assert.equal(formatToken(key), token);
    assert.equal(parseToken(token), key);
  }
});

test('a token in URL-safe base64 is accepted', () => {
  assert.equal(parseToken('1!4!az4_'), 'k>?');
});

test("Azure's own token of a table has the time of its creation, which is ignored", () => {
  assert.equal(parseToken('1!40!dGFibGUzNTg2MTlkMgEwMWQzNTljZGFiMWI3OTg1'), 'table358619d2');
});

/** Valid keys: no control characters, no halves of pairs. */
const key = fc.string({ unit: 'grapheme' }).filter(text => !/\p{Cc}/u.test(text));
const query = (headers: readonly (readonly [string, string])[]) =>
  new Map(headers.map(([name, value]) => [name.replace('x-ms-continuation-', ''), value]));

test('every key reads back from its headers', () => {
  fc.assert(
    fc.property(key, key, (partitionKey, rowKey) => {
      const headers = entityTokenHeaders({ partitionKey, rowKey });
      assert.deepEqual(parseEntityToken(query(headers)), { partitionKey, rowKey });
      for (const [, value] of headers) assert.match(value, /^1!\d+![A-Za-z0-9+/]*-{0,2}$/);
    }),
  );
});

test('without a row key a page begins with its partition', () => {
  const smith = { partitionKey: 'Smith', rowKey: '' };
  assert.deepEqual(parseEntityToken(new Map([['NextPartitionKey', '1!8!U21pdGg-']])), smith);
  const empty = new Map([
    ['NextPartitionKey', '1!8!U21pdGg-'],
    ['NextRowKey', ''],
  ]);
  assert.throws(() => parseEntityToken(empty), { name: 'TableError', code: 'InvalidInput' });
  assert.equal(parseEntityToken(new Map()), undefined);
});

test('table names are accepted as tokens and, for old clients, in plain text', () => {
  assert.equal(parseTableToken(new Map([['NextTableName', formatToken('mytable')]])), 'mytable');
  assert.equal(parseTableToken(new Map([['NextTableName', 'mytable']])), 'mytable');
  assert.equal(parseTableToken(new Map()), undefined);
});

test('malformed tokens are refused', () => {
  const wrong = [
    '',
    'Smith',
    '1!8!',
    '1!7!U21pdGg-',
    '2!8!U21pdGg-',
    '1!!',
    '1!x!',
    '1!8!U21pdGg=',
    '1!4!a b-',
  ];
  for (const text of wrong)
    assert.throws(() => parseToken(text), { name: 'TableError', code: 'InvalidInput' }, text);
  for (const name of ['NextPartitionKey', 'NextRowKey']) {
    const parameters = new Map([
      ['NextPartitionKey', '1!0!'],
      [name, 'Smith'],
    ]);
    assert.throws(() => parseEntityToken(parameters), { code: 'InvalidInput' });
  }
  assert.throws(() => parseTableToken(new Map([['NextTableName', '1!Smith']])), { code: 'InvalidInput' });
});
