// Where the parts of a batch go: a target without a leading slash means what it means with one, and no part reaches another container or account.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openMemoryStore, StoreError } from '#store';
import { ACCOUNT, DATE, hmac, NOW } from '../../testing/service.js';
import { type Answer, openBlobs, openContainer, signed } from '../../testing/storage-requests.js';

const HOST_STYLE = `${ACCOUNT}.blob.localhost`;
/** Printable ASCII that a request line may begin a target with; a blank ends it. */
const FIRST = Array.from({ length: 0x7f - 0x21 }, (_, index) => String.fromCharCode(0x21 + index));

const ACCOUNT_SAS = ((): string => {
  const fields = { sp: 'rwdlac', ss: 'b', srt: 'sco', se: '2030-01-01T00:00:00Z', sv: '2019-02-02' };
  const lines = [ACCOUNT, fields.sp, fields.ss, fields.srt, '', fields.se, '', '', fields.sv, ''];
  return new URLSearchParams({ ...fields, sig: hmac(lines.join('\n')) }).toString();
})();

/** The headers of a part that is signed for a canonical resource. */
const sharedKey = (resource: string): string => {
  const signature = hmac(`DELETE${'\n'.repeat(12)}x-ms-date:${DATE}\n${resource}`);
  return `x-ms-date: ${DATE}\r\nAuthorization: SharedKey ${ACCOUNT}:${signature}\r\n`;
};

type Container = ReturnType<typeof openBlobs>;

interface Batch {
  readonly host?: string;
  /** Of the part, each with its line break. */
  readonly headers?: string;
  /** What the batch is sent to, below the account. */
  readonly to?: string;
  readonly type?: string;
}

const bodyOf = (target: string, headers = ''): string =>
  `--x\r\nContent-Type: application/http\r\nContent-ID: 0\r\n\r\nDELETE ${target} HTTP/1.1\r\n${headers}\r\n\r\n--x--\r\n`;

async function submitBody({ send }: Container, body: string, batch: Batch = {}): Promise<Answer> {
  const { host, to = '/?comp=batch', type = 'multipart/mixed; boundary=x' } = batch;
  const target = `${to}&${ACCOUNT_SAS}`;
  const request = signed({ method: 'POST', target, headers: { 'content-type': type }, body });
  const { authorization: _, ...rest } = request.headers;
  if (host === undefined) return send({ ...request, headers: rest });
  return send({ ...request, target, headers: { ...rest, host } });
}

/** The answer to a batch of one part that deletes the target; `host` is that of the batch. */
const submit = (container: Container, target: string, batch: Batch = {}): Promise<Answer> =>
  submitBody(container, bodyOf(target, batch.headers), batch);

const statusOf = ({ status, text }: Answer): number =>
  status === 202 ? Number(/HTTP\/1\.1 (\d+)/.exec(text)?.[1]) : status;

const isThere = async ({ ask }: Container): Promise<boolean> =>
  (await ask({ method: 'HEAD', target: '/abc/b' })).status === 200;

test('no first character of a target is lost, in host style and in path style', async () => {
  const container = await openContainer();
  const first = fc.constantFrom(...FIRST.filter(each => each !== '/'));
  const inHostStyle = fc.asyncProperty(first, fc.boolean(), async (character, hasSlash) => {
    const target = `${hasSlash ? '/' : ''}${character}abc/b?${ACCOUNT_SAS}`;
    assert.notEqual(statusOf(await submit(container, target, { host: HOST_STYLE })), 202);
    assert(await isThere(container), target);
  });
  await fc.assert(inHostStyle, { numRuns: 500 });
  const inPathStyle = fc.asyncProperty(first, fc.boolean(), async (character, hasSlash) => {
    const target = `${hasSlash ? '/' : ''}${character}${ACCOUNT}/abc/b?${ACCOUNT_SAS}`;
    assert.notEqual(statusOf(await submit(container, target)), 202);
    assert(await isThere(container), target);
  });
  await fc.assert(inPathStyle, { numRuns: 500 });
});

for (const slash of ['/', ''])
  test(`a target that begins with "${slash}" is carried out, by a signature and by Shared Key`, async () => {
    const container = await openContainer();
    assert.equal(
      statusOf(await submit(container, `${slash}abc/c?${ACCOUNT_SAS}`, { host: HOST_STYLE })),
      404,
    );
    assert.equal(
      statusOf(await submit(container, `${slash}abc/b?${ACCOUNT_SAS}`, { host: HOST_STYLE })),
      202,
    );
    assert(!(await isThere(container)));

    const other = await openContainer();
    const headers = sharedKey(`/${ACCOUNT}/${ACCOUNT}/abc/b`);
    assert.equal(statusOf(await submit(other, `X${ACCOUNT}/abc/b`, { headers })), 403);
    assert.equal(statusOf(await submit(other, `${slash}${ACCOUNT}/abc/b`, { headers })), 202);
    assert(!(await isThere(other)));
  });

test("a part's own Host header does not route", async () => {
  const container = await openContainer();
  for (const host of ['', 'elsewhere.blob.localhost', '127.0.0.1']) {
    const headers = `Host: ${host}\r\n`;
    const target = `/abc/none?${ACCOUNT_SAS}`;
    assert.equal(statusOf(await submit(container, target, { host: HOST_STYLE, headers })), 404);
  }
});

const BOTH = [`/${ACCOUNT}/abc/b`, `/${ACCOUNT}/${ACCOUNT}/abc/b`];

/** Written in path style: the target, and the canonical resources that may be signed for it. */
const WRITTEN: readonly (readonly [target: string, resources: readonly string[]])[] = [
  ['/abc/b', BOTH],
  ['/abc/b?', BOTH],
  ['abc/b', BOTH],
  [`${ACCOUNT}/abc/b`, BOTH],
  [`/${ACCOUNT}/abc/b`, BOTH.slice(1)],
  [`http://127.0.0.1:10000/${ACCOUNT}/abc/b`, BOTH.slice(1)],
  [`http://${HOST_STYLE}/abc/b`, BOTH],
];
const RESOURCES = [
  ...BOTH,
  '/abc/b',
  `${ACCOUNT}/abc/b`,
  `/${ACCOUNT}abc/b`,
  `/${ACCOUNT}${ACCOUNT}/abc/b`,
  `/${ACCOUNT}/abc/c`,
  `/${ACCOUNT}/${ACCOUNT}/${ACCOUNT}/abc/b`,
];

for (const to of ['/?comp=batch', '/abc?restype=container&comp=batch'])
  test(`clients leave out the account, and sign with it or without it: ${to}`, async () => {
    for (const [target, resources] of WRITTEN)
      for (const resource of RESOURCES) {
        const container = await openContainer();
        const isRight = resources.includes(resource);
        const answer = await submit(container, target, { to, headers: sharedKey(resource) });
        assert.equal(statusOf(answer), isRight ? 202 : 403, `${target} ${resource}`);
        assert.equal(await isThere(container), !isRight);
      }
  });

test('in host style a target has no account', async () => {
  const container = await openContainer();
  const send = (target: string, resource: string) =>
    submit(container, target, { host: HOST_STYLE, headers: sharedKey(resource) });
  assert.equal(statusOf(await send(`/${ACCOUNT}/abc/b`, `/${ACCOUNT}/abc/b`)), 403);
  assert.equal(statusOf(await send(`${ACCOUNT}/abc/b`, `/${ACCOUNT}/abc/b`)), 403);
  assert.equal(statusOf(await send('/abc/b', `/${ACCOUNT}/${ACCOUNT}/abc/b`)), 403);
  assert(await isThere(container));
  assert.equal(statusOf(await send('abc/b', `/${ACCOUNT}/abc/b`)), 202);
});

test('a signature in the query covers a target without the account', async () => {
  const container = await openContainer();
  const elsewhere = await submit(container, `/abc/b?${ACCOUNT_SAS}`, {
    to: '/other?restype=container&comp=batch',
  });
  assert.equal(statusOf(elsewhere), 400);
  assert(await isThere(container));
  assert.equal(statusOf(await submit(container, `/abc/b?${ACCOUNT_SAS}`)), 202);
  assert(!(await isThere(container)));
});

test('the batch of a container reaches no blob of its name in $root', async () => {
  const container = await openContainer();
  await container.ask({ method: 'PUT', target: '/$root?restype=container' });
  await container.ask({ method: 'PUT', target: '/abc', headers: { 'x-ms-blob-type': 'BlockBlob' } });
  for (const [to, status] of [
    ['/abc?restype=container&comp=batch', 400],
    ['/$root?restype=container&comp=batch', 202],
  ] as const)
    assert.equal(statusOf(await submit(container, `/${ACCOUNT}/abc?${ACCOUNT_SAS}`, { to })), status, to);
});

test('a part that the store fails is logged with its status, without the signature in its query', async () => {
  const store = openMemoryStore({ clock: () => NOW });
  store.getSpace = () => Promise.reject(new StoreError('busy', 'Try again.'));
  const blobs = openBlobs(store);
  assert.equal(statusOf(await submit(blobs, `/${ACCOUNT}/abc/b?${ACCOUNT_SAS}`)), 503);
  const [entry] = blobs.logged;
  assert.deepEqual([entry?.path, entry?.status, entry?.code], [`/${ACCOUNT}/abc/b`, 503, 'ServerBusy']);
  assert.equal(blobs.failures.length, 1);
});

test('a batch without a boundary is answered with one part that has no id', async () => {
  const container = await openContainer();
  for (const to of ['/?comp=batch', '/abc?restype=container&comp=batch'])
    for (const type of ['multipart/mixed', 'multipart/mixed;', 'multipart/mixed; boundary=']) {
      const { status, headers, text } = await submit(container, `/abc/b?${ACCOUNT_SAS}`, { to, type });
      assert.equal(status, 202);
      assert.match(headers.get('content-type') ?? '', /^multipart\/mixed; boundary=batchresponse_/);
      const [head = '', document = ''] = text.split('<?xml');
      assert.match(
        head,
        /^--batchresponse_\S+\r\nContent-Type: application\/http\r\n\r\nHTTP\/1.1 400 The value for one of the HTTP headers is not in the correct format.\r\nx-ms-error-code: InvalidHeaderValue\r\n/,
      );
      assert(head.includes(`x-ms-request-id: ${headers.get('x-ms-request-id')}\r\n`));
      const value = type.includes('=') ? type : 'multipart/mixed;';
      assert(document.includes(`<HeaderName>Content-Type</HeaderName><HeaderValue>${value}</HeaderValue>`));
      assert(await isThere(container));
    }
});

test('a body of another type is refused as a request', async () => {
  const container = await openContainer();
  const { status } = await submit(container, `/abc/b?${ACCOUNT_SAS}`, { type: 'application/json' });
  assert.equal(status, 400);
});

test('a body that Azure refuses changes nothing, and is answered with one part that has no id', async () => {
  const container = await openContainer();
  const body = bodyOf(`/abc/b?${ACCOUNT_SAS}`);
  for (const wrong of [
    `\r\n${body}`,
    `\n${body}`,
    ` ${body}`,
    body.replace('Content-ID: ', 'Content-ID:'),
    bodyOf(`/abc/b?${ACCOUNT_SAS}`, 'x-ms-delete-snapshots:include\r\n'),
  ]) {
    const { status, text } = await submitBody(container, wrong);
    assert.equal(status, 202);
    assert.match(text, /application\/http\r\n\r\nHTTP\/1.1 400 One of the request inputs is not valid.\r\n/);
    assert(await isThere(container));
  }
  assert.equal(statusOf(await submitBody(container, body)), 202);
});
