// CORS rules: which one applies, and the headers of answers (protocol: cors).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CorsRule } from '#account';
import { corsHeaders, preflight } from './cors.js';

const rule = (fields: Partial<CorsRule>): CorsRule => ({
  allowedOrigins: ['http://a.example'],
  allowedMethods: ['GET'],
  allowedHeaders: [],
  exposedHeaders: [],
  maxAgeSeconds: 200,
  ...fields,
});
const A = 'http://a.example';

test('a preflight that is allowed', () => {
  const rules = [rule({ allowedHeaders: ['X-Exact', 'x-ms-meta-*'] })];
  assert.deepEqual(preflight(rules, A, 'GET', 'x-exact, X-MS-Meta-Name'), [
    ['Access-Control-Allow-Origin', A],
    ['Access-Control-Allow-Methods', 'GET'],
    ['Access-Control-Allow-Headers', 'x-exact, X-MS-Meta-Name'],
    ['Access-Control-Max-Age', '200'],
    ['Access-Control-Allow-Credentials', 'true'],
  ]);
  const names = preflight(rules, A, 'GET', undefined)?.map(([name]) => name);
  assert.ok(names && !names.includes('Access-Control-Allow-Headers'));
});

test('a preflight that no rule allows as a whole', () => {
  const rules = [rule({}), rule({ allowedOrigins: ['http://b.example'], allowedMethods: ['PUT'] })];
  assert.equal(preflight([], A, 'GET', undefined), undefined);
  assert.equal(preflight(rules, 'http://c.example', 'GET', undefined), undefined);
  assert.equal(preflight(rules, A, 'PUT', undefined), undefined);
  assert.equal(preflight(rules, A, 'GET', 'x-other'), undefined);
  // Origins are exact, case and scheme included.
  assert.equal(preflight(rules, 'http://A.example', 'GET', undefined), undefined);
  assert.equal(preflight(rules, 'https://a.example', 'GET', undefined), undefined);
  assert.equal(preflight([rule({ allowedHeaders: ['x-ms-'] })], A, 'GET', 'x-ms-date'), undefined);
});

test('stars, and the first rule that matches', () => {
  const all = rule({ allowedOrigins: ['*'], allowedHeaders: ['*'], maxAgeSeconds: 1 });
  const age = (rules: readonly CorsRule[], method: string, headers?: string) =>
    preflight(rules, A, method, headers)?.find(([name]) => name === 'Access-Control-Max-Age')?.[1];
  assert.equal(age([all, rule({})], 'GET', 'x-any'), '1');
  assert.equal(age([rule({}), all], 'GET'), '200');
  assert.equal(age([rule({}), all], 'GET', 'x-any'), '1');
  assert.equal(age([all, rule({ allowedMethods: ['PUT'] })], 'PUT'), '200');
});

test('an actual request', () => {
  const names = ['Cache-Control', 'ETag', 'x-ms-request-id', 'x-ms-version'];
  const exposing = rule({ exposedHeaders: ['etag', 'x-ms-*', 'x-absent'] });
  assert.deepEqual(corsHeaders([exposing], A, 'GET', names), [
    ['Vary', 'Origin'],
    ['Access-Control-Expose-Headers', 'ETag,x-ms-request-id,x-ms-version'],
    ['Access-Control-Allow-Origin', A],
    ['Access-Control-Allow-Credentials', 'true'],
  ]);
  const open = rule({ allowedOrigins: ['*'], allowedMethods: ['POST'], exposedHeaders: ['*'] });
  assert.deepEqual(corsHeaders([open], A, 'POST', names), [
    ['Access-Control-Expose-Headers', names.join(',')],
    ['Access-Control-Allow-Origin', '*'],
  ]);
  assert.deepEqual(corsHeaders([rule({ allowedMethods: ['POST'] })], A, 'POST', names), [
    ['Access-Control-Allow-Origin', A],
    ['Access-Control-Allow-Credentials', 'true'],
  ]);
});

test('an answer that is the same for all origins does not vary', () => {
  const open = rule({ allowedOrigins: ['*'] });
  const forAll = [['Access-Control-Allow-Origin', '*']];
  for (const method of ['GET', 'HEAD']) {
    const rules = [rule({ allowedOrigins: ['*'], allowedMethods: [method] })];
    assert.deepEqual(corsHeaders(rules, A, method, []), forAll);
    assert.deepEqual(corsHeaders(rules, undefined, method, []), []);
  }
  assert.deepEqual(corsHeaders([open, rule({})], A, 'GET', []), forAll);
  assert.deepEqual(corsHeaders([rule({ allowedOrigins: ['http://b.example', '*'] })], A, 'GET', []), forAll);
  // Rules for one origin are there, and may decide for another request.
  const varies = ['Vary', 'Origin'];
  assert.deepEqual(corsHeaders([open, rule({})], undefined, 'GET', []), [varies]);
  assert.deepEqual(corsHeaders([rule({}), open], A, 'GET', [])[0], varies);
  assert.deepEqual(corsHeaders([rule({}), open], 'http://b.example', 'GET', []), forAll);
  const put = rule({ allowedOrigins: ['*'], allowedMethods: ['PUT'] });
  assert.deepEqual(corsHeaders([put], A, 'GET', []), []);
  assert.deepEqual(corsHeaders([put, rule({ allowedMethods: ['PUT'] })], A, 'GET', []), [varies]);
});

test('an actual request that no rule allows gets Vary: Origin only', () => {
  const rules = [rule({})];
  assert.deepEqual(corsHeaders([], A, 'GET', []), []);
  assert.deepEqual(corsHeaders(rules, undefined, 'GET', []), [['Vary', 'Origin']]);
  assert.deepEqual(corsHeaders(rules, 'http://b.example', 'GET', []), [['Vary', 'Origin']]);
  assert.deepEqual(corsHeaders(rules, A, 'PUT', []), []);
});
