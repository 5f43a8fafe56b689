// The cache of signatures, and its bounds. authenticate.test.ts tests what each request checks again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTableSas } from '#wire';
import { SignedTokens } from './signed-tokens.js';

const queryOf = (sig: string, sp = 'r'): ReadonlyMap<string, string> =>
  new Map(Object.entries({ sv: '2019-02-02', tn: 'T', sp, se: '2030-01-01', sig }));
const signature = `${'A'.repeat(43)}=`;
const sas = parseTableSas(queryOf(signature), 'account1');
const tokenOf = (i: number): ReadonlyMap<string, string> => queryOf(signature, `${i}`);

test('the thousand newest are kept', () => {
  const known = new SignedTokens();
  for (let i = 0; i <= 1000; i++) known.remember('account1', tokenOf(i), sas);
  assert.equal(known.size, 1000);
  assert.equal(known.find('account1', tokenOf(0)), undefined);
  assert.equal(known.find('account1', tokenOf(1)), sas);
  assert.equal(known.find('account1', tokenOf(1000)), sas);
});

test('none that is huge is kept', () => {
  const withoutLetters = '8:account1 sv=10:2019-02-02;tn=1:T;sp=0000:;se=10:2030-01-01;'.length;
  for (const [length, kept] of [
    [8191, true],
    [8192, true],
    [8193, false],
  ] as const) {
    const known = new SignedTokens();
    const query = queryOf(signature, 'x'.repeat(length - withoutLetters - signature.length));
    known.remember('account1', query, sas);
    assert.equal(known.find('account1', query), kept ? sas : undefined, `${length} characters`);
  }
});

test('a token is found for its account alone, and as it was to the letter', () => {
  const known = new SignedTokens();
  const query = queryOf(signature);
  known.remember('account1', query, sas);
  for (const again of [query, queryOf(signature)]) {
    assert.equal(known.find('account1', again), sas);
    assert.equal(known.find('account2', again), undefined);
    assert.equal(known.find('account1', again), sas);
  }
  for (const wrong of ['eB==', 'fA==', 'eA', 'eA==A', '', 'eA%3D%3D'])
    assert.equal(known.find('account1', queryOf(wrong)), undefined, wrong);
  assert.equal(known.find('account1', new Map([...query, ['st', '2020-01-01']])), undefined);
});

test('nothing is known any more once it is to forget, also of a query that was found before', () => {
  const known = new SignedTokens();
  const query = queryOf(signature);
  known.remember('account1', query, sas);
  assert.equal(known.find('account1', query), sas);
  known.forget();
  assert.equal(known.find('account1', query), undefined);
  assert.equal(known.size, 0);
});
