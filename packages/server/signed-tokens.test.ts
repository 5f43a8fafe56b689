// What is remembered of signatures, and its bounds. What is asked again at each request is proved in authenticate.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSas } from '#wire';
import { SignedTokens } from './signed-tokens.js';

const queryOf = (sig: string): ReadonlyMap<string, string> =>
  new Map(Object.entries({ sv: '2019-02-02', tn: 'T', sp: 'r', se: '2030-01-01', sig }));
const sas = parseSas(queryOf('eA=='));

test('the thousand newest are kept', () => {
  const known = new SignedTokens();
  for (let i = 0; i <= 1000; i++) known.remember('account1', queryOf(`token ${i}`), sas);
  assert.equal(known.size, 1000);
  assert.equal(known.find('account1', queryOf('token 0')), undefined);
  assert.equal(known.find('account1', queryOf('token 1')), sas);
  assert.equal(known.find('account1', queryOf('token 1000')), sas);
});

test('none that is huge is kept', () => {
  const known = new SignedTokens();
  const withoutSignature = 'account1 sig=0000:;sv=10:2019-02-02;sp=1:r;se=10:2030-01-01;tn=1:T;'.length;
  for (const [length, kept] of [
    [8192, true],
    [8193, false],
  ] as const) {
    const query = queryOf('x'.repeat(length - withoutSignature));
    known.remember('account1', query, sas);
    assert.equal(known.find('account1', query), kept ? sas : undefined, `${length} characters`);
  }
});

test('a token is found for its account alone, and as it was to the letter', () => {
  const known = new SignedTokens();
  const query = queryOf('eA==');
  known.remember('account1', query, sas);
  for (const again of [query, queryOf('eA==')]) {
    assert.equal(known.find('account1', again), sas);
    assert.equal(known.find('account2', again), undefined);
    assert.equal(known.find('account1', again), sas);
  }
  assert.equal(known.find('account1', queryOf('eB==')), undefined);
  assert.equal(known.find('account1', new Map([...query, ['st', '2020-01-01']])), undefined);
});
