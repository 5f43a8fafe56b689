// Invalid bearer tokens, over a socket: queues return the reason, tables do not (protocol: authentication#bearer-tokens).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { before, test } from 'node:test';
import { SignJWT, UnsecuredJWT } from 'jose';
import { queueEndpointOf } from '../support/queue-clients.js';
import { describeTargets } from '../support/targets.js';

const CHALLENGE =
  'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.';
const FAILED =
  'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.';
const CHALLENGED =
  'Bearer authorization_uri=https://login.microsoftonline.com/00000000-0000-0000-0000-000000000000/oauth2/authorize resource_id=https://storage.azure.com';

describeTargets('bearer tokens that do not hold', subject => {
  /** Each with what Azure says of it. */
  let tokens: readonly (readonly [token: string, detail: string | undefined])[] = [];

  before(async () => {
    const { name, key } = subject.server.account;
    const secret = createHmac('sha256', Buffer.from(key, 'base64'))
      .update('shelfmark local token issuer')
      .digest();
    const now = Math.floor(Date.now() / 1000);
    const local = {
      iss: 'https://shelfmark.local',
      sub: name,
      aud: 'https://storage.azure.com',
      exp: now + 600,
      roles: ['Storage Queue Data Contributor'],
    };
    const signed = (changes: object) =>
      new SignJWT({ ...local, ...changes }).setProtectedHeader({ alg: 'HS256' }).sign(secret);
    tokens = [
      [
        await signed({ aud: 'https://graph.microsoft.com' }),
        'Audience validation failed. Audience did not match.',
      ],
      [await signed({ exp: now - 1 }), 'Lifetime validation failed. The token is expired.'],
      [
        new UnsecuredJWT({ ...local, iss: 'https://sts.windows.net/other/' }).encode(),
        'Issuer validation failed. Issuer did not match.',
      ],
      [`${await signed({})}x`, undefined],
    ];
    const held = await ask(queueEndpointOf(subject.server), await signed({}), '2021-02-12', '/?comp=list');
    assert.equal(held.status, 200);
  });

  const ask = (endpoint: string, token: string, version: string, path: string): Promise<Response> =>
    fetch(endpoint + path, {
      headers: {
        Authorization: `Bearer ${token}`,
        'x-ms-version': version,
        'x-ms-client-request-id': 'mine',
      },
    });

  test('queues: a challenge with the reason, in bytes as recorded', async () => {
    for (const [token, detail] of tokens) {
      const answer = await ask(queueEndpointOf(subject.server), token, '2021-02-12', '/some-queue');
      const body = Buffer.from(await answer.arrayBuffer()).toString('utf8');
      assert.equal(answer.status, 401);
      assert.equal(answer.statusText, CHALLENGE);
      const { headers } = answer;
      assert.equal(headers.get('x-ms-error-code'), 'InvalidAuthenticationInfo');
      assert.equal(headers.get('www-authenticate'), CHALLENGED);
      assert.equal(headers.get('content-type'), 'application/xml');
      assert.equal(headers.get('x-ms-version'), null);
      assert.equal(headers.get('x-ms-client-request-id'), null);
      const element =
        detail === undefined ? '' : `<AuthenticationErrorDetail>${detail}</AuthenticationErrorDetail>`;
      const expected = `\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>InvalidAuthenticationInfo</Code><Message>${CHALLENGE}\nRequestId:${headers.get('x-ms-request-id')}\nTime:`;
      assert.ok(body.startsWith(expected), body);
      assert.match(body.slice(expected.length), /^[\d-]{10}T[\d:]{8}\.\d{7}Z<\/Message>/);
      assert.ok(body.endsWith(`</Message>${element}</Error>`), body);
    }
  });

  test('queues, before 2020-12-06: AuthenticationFailed with the reason', async () => {
    for (const [token, detail] of tokens) {
      const answer = await ask(queueEndpointOf(subject.server), token, '2019-12-12', '/some-queue');
      assert.equal(answer.status, 403);
      assert.equal(answer.headers.get('www-authenticate'), null);
      const body = await answer.text();
      assert.match(body, new RegExp(`<Code>AuthenticationFailed</Code><Message>${FAILED}\n`));
      assert.equal(/<AuthenticationErrorDetail>([^<]*)</.exec(body)?.[1], detail);
    }
  });

  test('tables: the challenge alone', async () => {
    for (const [token] of tokens) {
      const answer = await ask(subject.server.tableEndpoint, token, '2021-02-12', '/Tables');
      assert.equal(answer.status, 401);
      assert.equal(answer.headers.get('www-authenticate'), CHALLENGED);
      assert.doesNotMatch(await answer.text(), /AuthenticationErrorDetail/);
    }
  });
});
