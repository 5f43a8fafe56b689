// A repeated text is logged once a second, with the number of suppressed ones, a new text at once; and no secret is, wherever it stands.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REPEATED_MILLISECONDS, Repetition, withoutSecrets } from './log.js';

test('the same is told once a second', () => {
  let now = 5;
  const repetition = new Repetition(() => now);
  assert.equal(repetition.next('full'), 0);
  assert.equal(repetition.next('full'), undefined);
  now += REPEATED_MILLISECONDS - 1;
  assert.equal(repetition.next('full'), undefined);
  now += 1;
  assert.equal(repetition.next('full'), 2);
  now += REPEATED_MILLISECONDS + 1;
  assert.equal(repetition.next('full'), 0);
});

test('another one is told at once', () => {
  const repetition = new Repetition(() => 0);
  assert.deepEqual(
    ['a', 'a', 'b', 'a', 'a'].map(text => repetition.next(text)),
    [0, undefined, 1, 0, undefined],
  );
});

const KEY = Buffer.from('secret '.repeat(10)).subarray(0, 64).toString('base64');
const SIGNATURE = Buffer.from(`sec+et/${'x'.repeat(25)}`).toString('base64');
const TOKEN = `eyJhbGciOiJIUzI1NiJ9.${Buffer.from('{"roles":["secret"]}').toString('base64url')}.c2lnbmF0dXJl`;
const once = encodeURIComponent;

test('nothing of a secret is left', () => {
  const texts: readonly string[] = [
    `/account/table?sv=1&sig=${once(SIGNATURE)}&se=2`,
    `/account/table%3Fsv=1%26sig%3D${once(once(SIGNATURE))}`,
    `/account/table;SIG=${SIGNATURE}`,
    `sig=short`,
    `SharedKey account:${SIGNATURE}`,
    `SharedKeyLite ${KEY}:account`,
    `SharedKey%20account:${SIGNATURE}`,
    `Bearer ${TOKEN}`,
    `bearer ${TOKEN.slice(0, 40)}`,
    `the token ${TOKEN} is none`,
    `Basic ${Buffer.from('user:password').toString('base64')}`,
    `AccountName=a;AccountKey=${KEY};TableEndpoint=x`,
    `SharedAccessSignature=sv=1&sig=${SIGNATURE}`,
    `/${once(KEY)}/Tables`,
    `/account/${KEY}`,
    `a body "${SIGNATURE}" was`,
  ];
  const parts = [KEY, SIGNATURE, TOKEN, once(KEY), once(SIGNATURE), once(once(SIGNATURE))].flatMap(secret => [
    secret,
    secret.slice(0, 12),
    secret.slice(-14, -4),
  ]);
  for (const text of texts) {
    const left = withoutSecrets(text);
    for (const part of parts) assert.ok(!left.includes(part), `${text}\n${left}`);
    assert.ok(left.includes('…'));
  }
  assert.equal(withoutSecrets('sig=short&se=2'), 'sig=…&se=2');
});

test('other texts stay as they are', () => {
  const texts = [
    '/account/People(PartitionKey=%27a%27,RowKey=%27b%27)',
    '/devstoreaccount1/SharedKeys',
    'The bearer token is not valid: "exp" claim timestamp check failed',
    'A bearer token was sent without TLS.',
    'Signature did not match. String to sign used was r\n2020\n/table/account/t',
    '/account/a-long-name-of-a-table-that-has-more-letters-than-a-signature',
    'ENOSPC: no space left on device, write',
  ];
  for (const text of texts) assert.equal(withoutSecrets(text), text);
});
