// Bearer tokens of the local issuer and of a tenant: which hold, for which account, and which roles they bring
// (protocol: authentication#bearer-tokens).
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { Accounts, ConfigurationError, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from './accounts.js';
import { BearerTokens, issueToken, LOCAL_ISSUER, STORAGE_AUDIENCE } from './bearer.js';

const OTHER_KEY = Buffer.alloc(64, 7).toString('base64');
const accounts = new Accounts({ [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY, OTHER_KEY], another: [OTHER_KEY] });
const NOW = 17_900_000_000_000_000n;
const SECOND = 10_000_000n;
const request = {
  account: WELL_KNOWN_ACCOUNT,
  roles: ['Storage Table Data Reader'],
  lifetimeSeconds: 60,
} as const;

describe('the local issuer', () => {
  const bearer = new BearerTokens(accounts);

  test('a token grants its roles on its account until it expires', async () => {
    const token = await issueToken(accounts, request, NOW);
    assert.deepEqual(await bearer.verify(token, WELL_KNOWN_ACCOUNT, NOW), ['Storage Table Data Reader']);
    assert.deepEqual(await bearer.verify(token, WELL_KNOWN_ACCOUNT, NOW + 59n * SECOND), [
      'Storage Table Data Reader',
    ]);
    await assert.rejects(bearer.verify(token, WELL_KNOWN_ACCOUNT, NOW + 60n * SECOND));
    await assert.rejects(bearer.verify(token, WELL_KNOWN_ACCOUNT, NOW - SECOND), 'it does not hold yet');
    await assert.rejects(bearer.verify(token, 'another', NOW));
    await assert.rejects(bearer.verify(token, 'nobody', NOW));
  });

  test('a token is signed with the first key and good with either', async () => {
    const rotated = new Accounts({ [WELL_KNOWN_ACCOUNT]: [OTHER_KEY, WELL_KNOWN_KEY] });
    const token = await issueToken(rotated, request, NOW);
    assert.deepEqual(await bearer.verify(token, WELL_KNOWN_ACCOUNT, NOW), ['Storage Table Data Reader']);
    const gone = new Accounts({ [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] });
    await assert.rejects(new BearerTokens(gone).verify(token, WELL_KNOWN_ACCOUNT, NOW));
  });

  test('altered, unsigned and foreign tokens are refused', async () => {
    const token = await issueToken(accounts, request, NOW);
    const [head, body, signature] = token.split('.');
    const raised = Buffer.from(
      JSON.stringify({
        ...JSON.parse(Buffer.from(body ?? '', 'base64url').toString()),
        roles: ['Storage Account Contributor'],
      }),
    );
    const unsigned = new UnsecuredJWT({ roles: request.roles })
      .setIssuer(LOCAL_ISSUER)
      .setSubject(WELL_KNOWN_ACCOUNT)
      .setAudience(STORAGE_AUDIENCE)
      .setExpirationTime(4e9)
      .encode();
    const byAccountKey = await new SignJWT({ roles: request.roles })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(LOCAL_ISSUER)
      .setSubject(WELL_KNOWN_ACCOUNT)
      .setAudience(STORAGE_AUDIENCE)
      .setExpirationTime(4e9)
      .sign(Buffer.from(WELL_KNOWN_KEY, 'base64'));
    const forged = [
      `${head}.${raised.toString('base64url')}.${signature}`,
      `${head}.${body}.`,
      `${head}.${body}`,
      '',
      'a.b.c',
      unsigned,
      byAccountKey,
      `${token}x`,
    ];
    for (const text of forged) await assert.rejects(bearer.verify(text, WELL_KNOWN_ACCOUNT, NOW), text);
  });

  test('nobody gets a token for an account that is not there', async () => {
    await assert.rejects(issueToken(accounts, { ...request, account: 'nobody' }, NOW), ConfigurationError);
  });
});

describe('a tenant', async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const stranger = await generateKeyPair('RS256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }] };
  const folder = mkdtempSync(join(tmpdir(), 'shelfmark-jwks-'));
  const file = join(folder, 'jwks.json');
  const issuer = 'https://issuer.example/v2.0';
  const server = http.createServer((_, response) => response.end(JSON.stringify(jwks)));

  before(async () => {
    writeFileSync(file, JSON.stringify(jwks));
    await new Promise<void>(done => {
      server.listen(0, '127.0.0.1', done);
    });
  });
  after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  const tenant = (jwksAt: string) => ({ tenant: 'the-tenant', issuer, jwks: jwksAt });
  const sign = (claims: Record<string, unknown>, key = privateKey) =>
    new SignJWT({ iss: issuer, aud: STORAGE_AUDIENCE, exp: Number(NOW / SECOND) + 60, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(key);
  const roles = ['Storage Table Data Contributor'];

  test('its keys come from a file or a URL', async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
    for (const at of [file, url]) {
      const bearer = new BearerTokens(accounts, tenant(at));
      assert.deepEqual(await bearer.verify(await sign({ roles }), WELL_KNOWN_ACCOUNT, NOW), roles, at);
    }
  });

  test('audience with or without a slash, or the account itself', async () => {
    const bearer = new BearerTokens(accounts, tenant(file));
    for (const aud of [
      STORAGE_AUDIENCE,
      `${STORAGE_AUDIENCE}/`,
      `https://${WELL_KNOWN_ACCOUNT}.table.core.windows.net`,
    ]) {
      assert.deepEqual(await bearer.verify(await sign({ roles, aud }), WELL_KNOWN_ACCOUNT, NOW), roles);
    }
    await assert.rejects(
      bearer.verify(await sign({ roles, aud: 'https://management.azure.com' }), WELL_KNOWN_ACCOUNT, NOW),
    );
  });

  test('another issuer, another key, no expiry and an expired token are refused', async () => {
    const bearer = new BearerTokens(accounts, tenant(file));
    const tokens = [
      sign({ roles, iss: 'https://other.example' }),
      sign({ roles }, stranger.privateKey),
      sign({ roles, exp: undefined }),
      sign({ roles, exp: Number(NOW / SECOND) - 1 }),
    ];
    for (const token of await Promise.all(tokens))
      await assert.rejects(bearer.verify(token, WELL_KNOWN_ACCOUNT, NOW));
    await assert.rejects(
      new BearerTokens(accounts).verify(await sign({ roles }), WELL_KNOWN_ACCOUNT, NOW),
      /no tenant/,
    );
  });

  test('roles that are not ours grant nothing, unless a role is given to all', async () => {
    const token = await sign({ roles: ['Owner', '__proto__', 5] });
    assert.deepEqual(
      await new BearerTokens(accounts, tenant(file)).verify(token, WELL_KNOWN_ACCOUNT, NOW),
      [],
    );
    const open = new BearerTokens(accounts, { ...tenant(file), role: 'Storage Table Data Reader' });
    assert.deepEqual(await open.verify(token, WELL_KNOWN_ACCOUNT, NOW), ['Storage Table Data Reader']);
  });

  test('the challenge names the tenant', () => {
    assert.equal(
      new BearerTokens(accounts, tenant(file)).challenge,
      'Bearer authorization_uri=https://login.microsoftonline.com/the-tenant/oauth2/authorize resource_id=https://storage.azure.com',
    );
    assert.throws(() => new BearerTokens(accounts, tenant(join(folder, 'none.json'))), ConfigurationError);
  });
});
