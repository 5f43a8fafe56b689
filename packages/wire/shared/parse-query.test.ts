// The cache of parsed queries: the same query gives the same object, and queries with different signatures are never confused.
// ../table/route.test.ts tests the parameters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery, parseStorageQuery, SecretText } from './target.js';

test('a repeated query gives the same object, with and without a signature', () => {
  for (const text of ['$top=5', 'sig=abc', 'sv=1&sig=abc', 'sv=1&sig=abc&se=2', 'sv=1&sig=', 'design=1'])
    assert.equal(parseQuery(text), parseQuery(text), text);
});

test('a query cached with another signature is not returned', () => {
  const of = (sig: string): string => `sv=1&sig=${sig}&se=2`;
  for (const sig of ['abc', 'abd', 'bbc', 'ab', 'abcd', '', 'abc', 'a%2Bc', 'a%2bc'])
    assert.deepEqual(
      [...parseQuery(of(sig))],
      [
        ['sv', '1'],
        ['sig', decodeURIComponent(sig)],
        ['se', '2'],
      ],
      sig,
    );
});

test('the position of the signature does not matter', () => {
  const texts = ['sig=x&a=1', 'a=1&sig=x', 'a=1&sig=x&sig=y', 'a=1&sig=y&sig=x', 'a=1&asig=x', 'a=1&%73ig=x'];
  for (let again = 0; again < 2; again++)
    assert.deepEqual(
      texts.map(text => [...parseQuery(text)].map(pair => pair.join('=')).join('&')),
      ['sig=x&a=1', 'a=1&sig=x', 'a=1&sig=x', 'a=1&sig=y', 'a=1&asig=x', 'a=1&sig=x'],
    );
  const escaped = 'a=1&%73ig=x';
  assert.notEqual(
    parseQuery(escaped),
    parseQuery(escaped),
    'A signature is not remembered as a part of a text.',
  );
});

test('long queries are not cached', () => {
  for (const [length, isKept] of [
    [511, true],
    [512, true],
    [513, false],
  ] as const) {
    const text = `sig=abc&x=${'y'.repeat(length - 10)}`;
    assert.equal(text.length, length);
    const first = parseQuery(text);
    assert.equal(parseQuery(text) === first, isKept, `${length} characters`);
  }
});

test('after a thousand other queries with signatures a query is evicted', () => {
  const first = parseQuery('many=1&sig=abc');
  assert.equal(parseQuery('many=1&sig=abc'), first);
  for (let i = 0; i < 1001; i++) parseQuery(`other=${i}&sig=abc`);
  assert.notEqual(parseQuery('many=1&sig=abc'), first);
});

test('secrets compare right at any position of a difference', () => {
  const isSame = (secret: string, other: string): boolean =>
    new SecretText(secret).isAt(`x=${other}&`, 2, 2 + other.length);
  assert.ok(isSame('', ''));
  assert.ok(isSame('abcd', 'abcd'));
  assert.ok(isSame('a\u0141😀', 'a\u0141😀'));
  for (const other of ['', 'abc', 'abcde', 'xbcd', 'axcd', 'abcx', 'ABCD', 'abc\u0164'])
    assert.ok(!isSame('abcd', other), other);
});

const parse = (text: string) => Object.fromEntries(parseStorageQuery(text));

test('a plus sign is a space, and stays in base64', () => {
  assert.deepEqual(parse('prefix=sub+1/a%2Bb&sig=a+b=&Sig2=&PopReceipt=A+B&blockid=+/+%20'), {
    prefix: 'sub 1/a+b',
    sig: 'a+b=',
    sig2: '',
    popreceipt: 'A+B',
    blockid: '+/+ ',
  });
});

test('values of one name are sorted and joined', () => {
  assert.deepEqual(parse('include=metadata&INCLUDE=a&x=1'), { include: 'a,metadata', x: '1' });
});
