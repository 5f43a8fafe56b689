// Signatures of old versions on a whole service: what they sign, for how long they hold, and which version their requests speak
// (protocol: sas#blob-string).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { ACCOUNT, DATE } from '../../testing/service.js';
import { type Answer, codeOf, KEY, openContainer, unsigned } from '../../testing/storage-requests.js';

const HOUR = 3_600_000;
const at = (ms: number): string => new Date(Date.parse(DATE) + ms).toISOString();

interface Signed {
  readonly sv?: string;
  readonly sr?: 'b' | 'c';
  readonly st?: string;
  readonly se?: string;
  readonly si?: string;
  /** Behind the signature's own fields. */
  readonly more?: string;
}

/** As the documentation has it for versions before 2013-08-15. */
function targetOf({ sv, sr = 'b', st = '', se = at(HOUR), si = '', more = '' }: Signed): string {
  const resource = `/${ACCOUNT}/abc${sr === 'b' ? '/b' : ''}`;
  const text = ['r', st, se, resource, si, ...(sv === undefined ? [] : [sv])].join('\n');
  const sig = createHmac('sha256', KEY).update(text).digest('base64');
  const fields = { ...(sv !== undefined && { sv }), sr, sp: 'r', st, se, si, sig };
  return `/abc/b?${new URLSearchParams(fields)}${more}`;
}

const ask = (signed: Signed, headers: Record<string, string> = {}) =>
  unsigned({ method: 'GET', target: targetOf(signed), headers });
const withoutVersion = (signed: Signed) => {
  const request = ask(signed);
  return { ...request, headers: { ...request.headers, 'x-ms-version': undefined } };
};
const detailOf = ({ text }: Answer): string | undefined =>
  /<AuthenticationErrorDetail>(.*?)<\/AuthenticationErrorDetail>/s.exec(text)?.[1];

test('before 2013-08-15 a signature ends at its version, of a blob and of its container', async () => {
  const { send } = await openContainer();
  for (const sr of ['b', 'c'] as const) {
    const read = await send(ask({ sv: '2012-02-12', sr, se: at(1000 * HOUR) }));
    assert.equal(codeOf(read), '200', sr);
    assert.equal(read.text, 'hello');
    assert.equal(codeOf(await send(ask({ sr }))), '200', sr);
    assert.equal(codeOf(await send(ask({ sv: '2013-08-15', sr }))), '403 AuthenticationFailed', sr);
    assert.equal(codeOf(await send(ask({ sv: '2012-02-11', sr }))), '403 AuthenticationFailed', sr);
  }
});

test('what a signature does not cover overrides no header', async () => {
  const { send } = await openContainer();
  for (const sv of ['2012-02-12', undefined])
    assert.equal(
      (await send(ask({ ...(sv && { sv }), more: '&rsct=text/html' }))).headers.get('content-type'),
      'application/octet-stream',
    );
});

test('without sv and without a policy a signature holds for an hour at most', async () => {
  const { send, ask: own } = await openContainer();
  const detail = 'Access without signed identifier cannot have time window more than 1 hour';
  const cases: readonly (readonly [start: number | undefined, expiry: number, detail: string | undefined])[] =
    [
      [undefined, HOUR - 1000, undefined],
      [undefined, HOUR, undefined],
      [undefined, HOUR + 1, detail],
      [-1000, HOUR - 1000, undefined],
      [-1000, HOUR - 999, detail],
    ];
  for (const [start, expiry, expected] of cases) {
    const times = { ...(start !== undefined && { st: at(start) }), se: at(expiry) };
    assert.equal(detailOf(await send(ask(times))), expected, JSON.stringify(times));
  }
  const policies = '<SignedIdentifiers><SignedIdentifier><Id>p</Id></SignedIdentifier></SignedIdentifiers>';
  await own({ method: 'PUT', target: '/abc?restype=container&comp=acl', body: policies });
  assert.equal(codeOf(await send(ask({ si: 'p', sr: 'c', se: at(1000 * HOUR) }))), '200');
});

test('without sv the request speaks its own version, else the one of the account, else 2009-09-19', async () => {
  const { send, ask: own } = await openContainer();
  const spoken = async (request: ReturnType<typeof ask>) => (await send(request)).headers.get('x-ms-version');
  assert.equal(await spoken(ask({}, { 'x-ms-version': '2015-12-11' })), '2015-12-11');
  assert.equal(await spoken(withoutVersion({})), '2009-09-19');
  assert.equal(await spoken(withoutVersion({ sv: '2012-02-12' })), '2012-02-12');
  const body =
    '<StorageServiceProperties><DefaultServiceVersion>2011-08-18</DefaultServiceVersion></StorageServiceProperties>';
  assert.equal((await own({ method: 'PUT', target: '/?restype=service&comp=properties', body })).status, 202);
  assert.equal(await spoken(withoutVersion({})), '2011-08-18');
});
