// What may read the source of a copy: its URL's signature, a token sent for it, the caller's own key in the same account, or public access.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireRequest } from '#base';
import { BlobError, execute, type PublicAccess } from '#blobs';
import type { BlobOperationKind } from '#wire/blob';
import type { Grant } from '../../auth/grant.js';
import { ACCOUNT, HOST, NOW, openService } from '../../testing/service.js';
import { withSas } from '../../testing/storage-requests.js';
import { authenticatorOf, type BlobRequest, blobContextOf } from './blob-request.js';
import { BLOB_SERVICE } from './blob-service.js';
import { readableSource } from './copy-access.js';

const OWNER: Grant = { kind: 'owner' };
const READER: Grant = { kind: 'bearer', roles: ['Storage Blob Data Reader'], version: '2026-04-06' };
const ROOT = `http://${HOST}/${ACCOUNT}`;

const signed = (container: string, blob: string, sp: string): string => {
  const fields = `sv=2020-12-06&sr=b&sp=${sp}&se=2030-01-01T00:00:00Z`;
  return `${ROOT}${withSas(`/${container}/${blob}`, fields, { container, blob })}`;
};

async function openSources() {
  const { service } = openService();
  for (const publicAccess of ['private', 'blob'] satisfies PublicAccess[])
    await execute(
      { kind: 'createContainer', container: `of-${publicAccess}`, metadata: [], publicAccess },
      blobContextOf(service, ACCOUNT),
    );
  /** The source, or the refusal. */
  return async (
    url: string,
    caller: Grant,
    more: {
      readonly headers?: object;
      readonly account?: string;
      readonly kind?: BlobOperationKind;
      readonly version?: string;
    } = {},
  ) => {
    const headers = { host: HOST, 'x-ms-version': '2026-04-06', 'x-ms-copy-source': url, ...more.headers };
    const request: WireRequest = {
      method: 'PUT',
      target: `/${ACCOUNT}/of-private/copy`,
      headers,
      body: Buffer.alloc(0),
      bodyTooLarge: false,
      secure: false,
      remoteAddress: '127.0.0.1',
    };
    const { version = '2026-04-06' } = more;
    const context = { request, server: service, now: NOW, version } as BlobRequest;
    try {
      const source = await readableSource(
        context,
        { kind: more.kind ?? 'copyBlob', account: more.account ?? ACCOUNT },
        caller,
        authenticatorOf(BLOB_SERVICE, service),
      );
      return `${source.container}/${source.blob} ${source.url.includes('sig=')}`;
    } catch (error) {
      assert.ok(error instanceof BlobError, String(error));
      return error.code;
    }
  };
}

const [FORBIDDEN, MISSING] = ['CannotVerifyCopySource:Forbidden', 'CannotVerifyCopySource:Missing'];

test('the key of the account reads its blobs, those of others and signatures do not', async () => {
  const ask = await openSources();
  const url = `${ROOT}/of-private/b`;
  assert.equal(await ask(url, OWNER), 'of-private/b false');
  assert.equal(await ask(url, OWNER, { account: 'another' }), 'CannotVerifyCopySource:Unauthenticated');
  assert.equal(await ask(url, OWNER, { account: 'another', version: '2020-10-02' }), MISSING);
  const sas: Grant = { kind: 'serviceSas', resource: 'of-private', permission: 'rwc', range: undefined };
  assert.equal(await ask(url, sas), MISSING);
  assert.equal(await ask(url, { kind: 'accountSas', resourceTypes: 'sco', permission: 'rwc' }), MISSING);
});

test('a copy that is waited for and a body from a URL ask for authority of their own', async () => {
  const ask = await openSources();
  const url = `${ROOT}/of-private/b`;
  const waiting = { headers: { 'x-ms-requires-sync': 'True' } };
  assert.equal(await ask(url, OWNER, waiting), 'CannotVerifyCopySource:Unauthenticated');
  assert.equal(await ask(url, OWNER, { ...waiting, version: '2020-10-02' }), MISSING);
  for (const kind of [
    'putBlobFromUrl',
    'putBlockFromUrl',
    'appendBlockFromUrl',
    'putPagesFromUrl',
  ] as const) {
    assert.equal(await ask(url, OWNER, { kind }), 'CannotVerifyCopySource:Unauthenticated');
    assert.equal(await ask(signed('of-private', 'b', 'r'), OWNER, { kind }), 'of-private/b false');
  }
});

test("a caller's token reads blobs of the same account that its roles may read, waited for or not", async () => {
  const ask = await openSources();
  const url = `${ROOT}/of-private/b`;
  const waiting = { headers: { 'x-ms-requires-sync': 'True' } };
  assert.equal(await ask(url, READER, waiting), 'of-private/b false');
  assert.equal(
    await ask(url, READER, { ...waiting, account: 'another' }),
    'CannotVerifyCopySource:Unauthenticated',
  );
  for (const kind of ['putBlobFromUrl', 'putBlockFromUrl', 'appendBlockFromUrl', 'putPagesFromUrl'] as const)
    assert.equal(await ask(url, READER, { kind }), 'of-private/b false');
  const nobody: Grant = { ...READER, roles: ['Storage Queue Data Reader'] };
  assert.equal(await ask(url, nobody, waiting), FORBIDDEN);
});

test('a public container is read by all, its tags by none of them', async () => {
  const ask = await openSources();
  const [url, sas] = [
    `${ROOT}/of-blob/b`,
    { kind: 'accountSas', resourceTypes: 'o', permission: 'w' } as const,
  ];
  assert.equal(await ask(url, sas), 'of-blob/b false');
  assert.equal(await ask(url, sas, { headers: { 'x-ms-copy-source-tag-option': 'COPY' } }), MISSING);
  assert.equal(await ask(`${ROOT}/of-nothing/b`, sas), MISSING);
});

test("the URL's signature counts alone, and is not shown", async () => {
  const ask = await openSources();
  const anyone: Grant = { kind: 'accountSas', resourceTypes: 'o', permission: 'w' };
  const url = signed('of-private', 'b', 'r');
  assert.equal(await ask(url, anyone), 'of-private/b false');
  assert.equal(await ask(url.replace('/b?', '/c?'), OWNER), FORBIDDEN);
  assert.equal(await ask(url.replace('sp=r', 'sp=rw'), OWNER), FORBIDDEN);
  assert.equal(await ask(signed('of-private', 'b', 'w'), OWNER), FORBIDDEN);
  const withTags = { headers: { 'x-ms-copy-source-tag-option': 'COPY' } };
  assert.equal(await ask(url, anyone, withTags), FORBIDDEN);
  assert.equal(await ask(signed('of-private', 'b', 'rt'), anyone, withTags), 'of-private/b false');
});

test('a token that does not hold, another server, and what is not a blob', async () => {
  const ask = await openSources();
  const token = { headers: { 'x-ms-copy-source-authorization': 'Bearer x' } };
  assert.equal(await ask(`${ROOT}/of-private/b`, OWNER, token), FORBIDDEN);
  assert.equal(await ask('http://example.org/of-private/b', OWNER), MISSING);
  assert.equal(await ask(`http://${HOST}/stranger/of-private/b`, OWNER), MISSING);
  for (const url of ['x', ROOT, `${ROOT}/of-private?restype=container`])
    assert.equal(await ask(url, OWNER), 'InvalidHeaderValue', url);
});
