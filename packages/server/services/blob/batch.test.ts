// Where the parts of a batch go: a target without a leading slash means what it means with one, and no part reaches another container or account.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Answer, KEY, openContainer, signed } from '../../testing/blob-requests.js';
import { ACCOUNT, hmac } from '../../testing/service.js';

const HOST_STYLE = `${ACCOUNT}.blob.localhost`;
/** Printable ASCII that a request line may begin a target with; a blank ends it. */
const FIRST = Array.from({ length: 0x7f - 0x21 }, (_, index) => String.fromCharCode(0x21 + index));

const ACCOUNT_SAS = ((): string => {
  const fields = { sp: 'rwdlac', ss: 'b', srt: 'sco', se: '2030-01-01T00:00:00Z', sv: '2019-02-02' };
  const lines = [ACCOUNT, fields.sp, fields.ss, fields.srt, '', fields.se, '', '', fields.sv, ''];
  return new URLSearchParams({ ...fields, sig: hmac(lines.join('\n')) }).toString();
})();

type Container = Awaited<ReturnType<typeof openContainer>>;

/** The answer to a batch of one part that deletes the target; `host` is that of the batch. */
async function submit(
  { send }: Container,
  target: string,
  { host, headers = '' }: { readonly host?: string; readonly headers?: string } = {},
): Promise<Answer> {
  const part = `Content-Type: application/http\r\nContent-ID: 0\r\n\r\nDELETE ${target} HTTP/1.1\r\n${headers}\r\n`;
  const body = `--x\r\n${part}\r\n--x--\r\n`;
  const type = { 'content-type': 'multipart/mixed; boundary=x' };
  const request = signed({ method: 'POST', target: `/?comp=batch&${ACCOUNT_SAS}`, headers: type, body });
  const { authorization: _, ...rest } = request.headers;
  if (host === undefined) return send({ ...request, headers: rest });
  return send({ ...request, target: `/?comp=batch&${ACCOUNT_SAS}`, headers: { ...rest, host } });
}

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
    const date = 'Wed, 01 Jan 2020 01:02:00 GMT';
    const text = `DELETE${'\n'.repeat(12)}x-ms-date:${date}\n/${ACCOUNT}/${ACCOUNT}/abc/b`;
    const signature = createHmac('sha256', KEY).update(text).digest('base64');
    const headers = `x-ms-date: ${date}\r\nAuthorization: SharedKey ${ACCOUNT}:${signature}\r\n`;
    assert.equal(statusOf(await submit(other, `X${ACCOUNT}/abc/b`, { headers })), 400);
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
