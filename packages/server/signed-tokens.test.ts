// The bounds of what is remembered of signatures. What is asked again at each request is proved in authenticate.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSas } from '#wire';
import { SignedTokens } from './signed-tokens.js';

const sas = parseSas(
  new Map(Object.entries({ sv: '2019-02-02', tn: 'T', sp: 'r', se: '2030-01-01', sig: 'eA==' })),
);

test('the thousand newest are kept, and none that is huge', () => {
  const known = new SignedTokens();
  for (let i = 0; i <= 1000; i++) known.set(`token ${i}`, sas);
  assert.equal(known.size, 1000);
  assert.equal(known.get('token 0'), undefined);
  assert.equal(known.get('token 1'), sas);
  assert.equal(known.get('token 1000'), sas);
  known.set('x'.repeat(8193), sas);
  assert.equal(known.get('x'.repeat(8193)), undefined);
  known.set('x'.repeat(8192), sas);
  assert.equal(known.get('x'.repeat(8192)), sas);
});
