// Browsers: preflights and actual requests under an account's CORS rules (protocol: cors, service-properties#header-lists).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceClient } from '../support/clients.js';
import { inAccount, type RawResponse, rawRequest } from '../support/raw-client.js';
import { describeTargets } from '../support/targets.js';

describeTargets('CORS', subject => {
  const preflight = (headers: Record<string, string>): Promise<RawResponse> =>
    rawRequest(subject.server, {
      method: 'OPTIONS',
      target: inAccount(subject.server, '/anything'),
      sign: 'none',
      headers,
    });
  const list = (headers: Record<string, string>): Promise<RawResponse> =>
    rawRequest(subject.server, { method: 'GET', target: inAccount(subject.server, '/Tables'), headers });

  test('without rules no preflight is allowed, and requests are answered as usual', async () => {
    const asked = { Origin: 'https://one.example', 'Access-Control-Request-Method': 'GET' };
    const refused = await preflight(asked);
    assert.equal(refused.status, 403);
    assert.match(refused.body, /CorsPreflightFailure/);
    assert.equal((await preflight({ Origin: 'https://one.example' })).status, 400);
    const { status, headers } = await list({ Origin: 'https://one.example' });
    assert.equal(status, 200);
    assert.equal(headers['access-control-allow-origin'], undefined);
    assert.equal(headers.vary, undefined);
  });

  test('with rules the first that matches decides', async () => {
    await serviceClient(subject.server).setProperties({
      cors: [
        {
          allowedOrigins: 'https://one.example',
          allowedMethods: 'GET,MERGE',
          allowedHeaders: 'x-ms-meta-*,authorization',
          exposedHeaders: 'x-ms-request-id,ETag*',
          maxAgeInSeconds: 60,
        },
        {
          allowedOrigins: '*',
          allowedMethods: 'GET',
          allowedHeaders: '',
          exposedHeaders: '*',
          maxAgeInSeconds: 5,
        },
      ],
    });
    const one = { Origin: 'https://one.example', 'Access-Control-Request-Method': 'MERGE' };
    const allowed = await preflight({
      ...one,
      'Access-Control-Request-Headers': 'X-MS-Meta-Mine, Authorization',
    });
    assert.equal(allowed.status, 200);
    assert.equal(allowed.body, '');
    assert.deepEqual(
      ['origin', 'methods', 'headers', 'credentials'].map(
        name => allowed.headers[`access-control-allow-${name}`],
      ),
      ['https://one.example', 'MERGE', 'X-MS-Meta-Mine, Authorization', 'true'],
    );
    assert.equal(allowed.headers['access-control-max-age'], '60');
    assert.equal((await preflight({ ...one, 'Access-Control-Request-Headers': 'x-other' })).status, 403);
    assert.equal((await preflight({ ...one, Origin: 'https://two.example' })).status, 403);
    const anyone = { Origin: 'https://two.example', 'Access-Control-Request-Method': 'GET' };
    assert.equal((await preflight(anyone)).headers['access-control-max-age'], '5');

    const actual = await list({ Origin: 'https://one.example' });
    assert.equal(actual.headers['access-control-allow-origin'], 'https://one.example');
    assert.equal(actual.headers['access-control-allow-credentials'], 'true');
    assert.equal(actual.headers['access-control-expose-headers'], 'x-ms-request-id');
    assert.equal(actual.headers.vary, 'Origin');
    const other = await list({ Origin: 'https://two.example' });
    assert.equal(other.headers['access-control-allow-origin'], '*');
    assert.equal(other.headers.vary, undefined);
    assert.match(String(other.headers['access-control-expose-headers']), /x-ms-request-id,.*x-ms-version/);
  });
});
