// Bearer tokens of the local issuer and of a tenant: which hold, for which account, and which roles they bring
// (protocol: authentication#bearer-tokens).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { Accounts, ConfigurationError, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from './accounts.js';
import { BearerTokens, bearerDetail, issueToken, LOCAL_ISSUER, STORAGE_AUDIENCE } from './bearer.js';

const OTHER_KEY = Buffer.alloc(64, 7).toString('base64');
const accounts = new Accounts({ [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY, OTHER_KEY], another: [OTHER_KEY] });
const NOW = 17_900_000_000_000_000n;
const SECOND = 10_000_000n;
const request = {
  account: WELL_KNOWN_ACCOUNT,
  roles: ['Storage Table Data Reader'],
  lifetimeSeconds: 60,
} as const;

/** Of the well-known account, for tables. */
const verify = (bearer: BearerTokens, token: string, now = NOW, account: string = WELL_KNOWN_ACCOUNT) =>
  bearer.verify(token, account, now, 'table');

const EXPIRED = { code: 'ERR_JWT_EXPIRED' };
const WRONG_CLAIM = { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' };
const NO_KEY = /^Error: No key of the account \w+ signed the token\.$/;
const WRONG_KEY = { code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' };
const NO_TOKEN = { code: 'ERR_JWT_INVALID' };

describe('the local issuer', () => {
  const bearer = new BearerTokens(accounts);

  test('a token grants its roles on its account until it expires', async () => {
    const token = await issueToken(accounts, request, NOW);
    for (const now of [NOW, NOW + 59n * SECOND])
      assert.deepEqual(await verify(bearer, token, now), request.roles);
    await assert.rejects(verify(bearer, token, NOW + 60n * SECOND), EXPIRED);
    await assert.rejects(verify(bearer, token, NOW - SECOND), { ...WRONG_CLAIM, claim: 'nbf' });
    for (const account of ['another', 'nobody'])
      await assert.rejects(verify(bearer, token, NOW, account), NO_KEY);
    await assert.rejects(issueToken(accounts, { ...request, account: 'nobody' }, NOW), ConfigurationError);
  });

  test('a token is signed with the first key and good with either', async () => {
    const rotated = new Accounts({ [WELL_KNOWN_ACCOUNT]: [OTHER_KEY, WELL_KNOWN_KEY] });
    const token = await issueToken(rotated, request, NOW);
    assert.deepEqual(await verify(bearer, token), request.roles);
    const gone = new Accounts({ [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] });
    await assert.rejects(verify(new BearerTokens(gone), token), NO_KEY);
  });

  test('altered, unsigned and foreign tokens are refused', async () => {
    const token = await issueToken(accounts, request, NOW);
    const [head, body = '', signature] = token.split('.');
    const claims: object = JSON.parse(Buffer.from(body, 'base64url').toString());
    const raised = Buffer.from(JSON.stringify({ ...claims, roles: ['Storage Account Contributor'] }));
    const unsigned = new UnsecuredJWT({ ...claims }).encode();
    const byAccountKey = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(WELL_KNOWN_KEY, 'base64'));
    const forged: readonly (readonly [string, RegExp | object])[] = [
      [`${head}.${raised.toString('base64url')}.${signature}`, NO_KEY],
      [`${head}.${body}.`, NO_KEY],
      [`${head}.${body}`, NO_TOKEN],
      ['', NO_TOKEN],
      ['a.b.c', NO_TOKEN],
      [unsigned, NO_KEY],
      [byAccountKey, NO_KEY],
      [`${token}x`, NO_KEY],
    ];
    for (const [text, reason] of forged) await assert.rejects(verify(bearer, text), reason, text);
  });

  test("a token that the account's own key signed must say all that the issuer says", async () => {
    const secret = createHmac('sha256', Buffer.from(WELL_KNOWN_KEY, 'base64'))
      .update('shelfmark local token issuer')
      .digest();
    const claims = {
      iss: LOCAL_ISSUER,
      sub: WELL_KNOWN_ACCOUNT,
      aud: STORAGE_AUDIENCE,
      exp: Number(NOW / SECOND) + 1,
      roles: request.roles,
    };
    const verified = async (changes: object, alg = 'HS256') => {
      const token = await new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg }).sign(secret);
      return verify(bearer, token);
    };
    assert.deepEqual(await verified({}), request.roles);
    await assert.rejects(verified({ sub: 'another' }), { ...WRONG_CLAIM, claim: 'sub' });
    await assert.rejects(verified({ aud: 'https://another.example' }), { ...WRONG_CLAIM, claim: 'aud' });
    await assert.rejects(verified({ exp: undefined }), { ...WRONG_CLAIM, claim: 'exp' });
    await assert.rejects(verified({ exp: Number(NOW / SECOND) }), EXPIRED);
    await assert.rejects(verified({}, 'HS512'), NO_KEY);
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
    for (const at of [file, url])
      assert.deepEqual(
        await verify(new BearerTokens(accounts, [tenant(at)]), await sign({ roles })),
        roles,
        at,
      );
    for (const at of [join(folder, 'none.json'), 'https://'])
      assert.throws(() => new BearerTokens(accounts, [tenant(at)]), ConfigurationError);
  });

  test('audience with or without a slash, or the account itself', async () => {
    const bearer = new BearerTokens(accounts, [tenant(file)]);
    const own = `https://${WELL_KNOWN_ACCOUNT}.table.core.windows.net`;
    for (const aud of [STORAGE_AUDIENCE, `${STORAGE_AUDIENCE}/`, own])
      assert.deepEqual(await verify(bearer, await sign({ roles, aud })), roles);
    const other = await sign({ roles, aud: 'https://management.azure.com' });
    await assert.rejects(verify(bearer, other), { ...WRONG_CLAIM, claim: 'aud' });
  });

  test('another issuer, another key, no expiry and an expired token are refused', async () => {
    const bearer = new BearerTokens(accounts, [tenant(file)]);
    const tokens = [
      [sign({ roles, iss: 'https://other.example' }), { name: 'UnknownIssuer' }],
      [sign({ roles, iss: undefined }), { name: 'UnknownIssuer' }],
      [sign({ roles }, stranger.privateKey), WRONG_KEY],
      [sign({ roles, exp: undefined }), { ...WRONG_CLAIM, claim: 'exp' }],
      [sign({ roles, exp: Number(NOW / SECOND) }), EXPIRED],
    ] as const;
    for (const [token, reason] of tokens) await assert.rejects(verify(bearer, await token), reason);
    const without = verify(new BearerTokens(accounts), await sign({ roles }));
    await assert.rejects(without, { name: 'UnknownIssuer' });
  });

  test('roles that are not ours grant nothing, unless a role is given to all', async () => {
    const token = await sign({ roles: ['Owner', '__proto__', 5] });
    assert.deepEqual(await verify(new BearerTokens(accounts, [tenant(file)]), token), []);
    const open = new BearerTokens(accounts, [{ ...tenant(file), role: 'Storage Table Data Reader' }]);
    assert.deepEqual(await verify(open, token), request.roles);
  });

  test('several tenants, and several issuers of one', async () => {
    const other = await generateKeyPair('RS256');
    const otherFile = join(folder, 'other.json');
    const otherKey = { ...(await exportJWK(other.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
    writeFileSync(otherFile, JSON.stringify({ keys: [otherKey] }));
    const issuers = ['https://login.microsoftonline.com/other/v2.0', 'https://sts.windows.net/other/'];
    const bearer = new BearerTokens(accounts, [
      tenant(file),
      { tenant: 'other', issuer: issuers, jwks: otherFile },
    ]);
    const verified = async (iss: string, key: typeof privateKey) =>
      verify(bearer, await sign({ roles, iss }, key));
    assert.deepEqual(await verified(issuer, privateKey), roles);
    for (const iss of issuers) {
      assert.deepEqual(await verified(iss, other.privateKey), roles, iss);
      // A tenant's key signs for this tenant alone.
      await assert.rejects(verified(iss, privateKey), WRONG_KEY);
    }
    await assert.rejects(verified(issuer, other.privateKey), WRONG_KEY);
    const bare = verified('https://sts.windows.net/other', other.privateKey);
    await assert.rejects(bare, { name: 'UnknownIssuer' });
    assert.equal(
      bearer.challenge,
      'Bearer authorization_uri=https://login.microsoftonline.com/the-tenant/oauth2/authorize resource_id=https://storage.azure.com',
    );
  });

  test("Azure's words for why a token does not hold", async () => {
    const bearer = new BearerTokens(accounts, [tenant(file)]);
    const detailOf = async (token: Promise<string>): Promise<string | undefined> =>
      bearer.verify(await token, WELL_KNOWN_ACCOUNT, NOW, 'queue').then(
        () => 'holds',
        (error: unknown) => bearerDetail(error),
      );
    const seconds = Number(NOW / SECOND);
    const audience = 'Audience validation failed. Audience did not match.';
    const expired = 'Lifetime validation failed. The token is expired.';
    const early = 'Lifetime validation failed. The token is not yet valid.';
    for (const [token, detail] of [
      [sign({ roles }), 'holds'],
      [sign({ exp: seconds + 1 }), 'holds'],
      [sign({ aud: 'https://graph.microsoft.com' }), audience],
      [sign({ aud: `https://${WELL_KNOWN_ACCOUNT}.table.core.windows.net` }), audience],
      [sign({ exp: seconds }), expired],
      [issueToken(accounts, request, NOW - 60n * SECOND), expired],
      [sign({ nbf: seconds + 1 }), early],
      [sign({ iss: 'https://sts.windows.net/x/' }), 'Issuer validation failed. Issuer did not match.'],
      [sign({}, stranger.privateKey), undefined],
      [sign({ exp: undefined }), undefined],
      [Promise.resolve('a.b.c'), undefined],
    ] as const)
      assert.equal(await detailOf(token), detail);
  });
});
