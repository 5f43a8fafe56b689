// Shared access signatures of containers and blobs: snapshots, keys that end, and malformed ones. sas-signatures.test.ts has the strings
// that they sign.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#account';
import { RepeatedParameters } from '../shared/target.js';
import { parseBlobSas, type SignedBlob } from './blob-sas.js';

const TIMES = 'st=2026-01-01T00:00:00Z&se=2030-01-01T00:00:00Z';
const BLOB: SignedBlob = { container: 'c1', blob: 'dir/a b.txt' };
/** Well formed; these tests do not verify it. */
const SIGNATURE = `${'A'.repeat(43)}=`;

const parse = (query: string, at: SignedBlob) =>
  parseBlobSas(new Map(new URLSearchParams(`${query}&sig=${SIGNATURE}`)), 'a', at);

test('a snapshot is signed with its time, and for a container with none', () => {
  const time = '2019-08-14T03:43:53.2866199Z';
  const text = (sr: string) => parse(`sv=2020-12-06&sr=${sr}&sp=r&se=2030-01-01&snapshot=${time}`, BLOB).text;
  assert.match(text('bs'), /\nbs\n2019-08-14T03:43:53\.2866199Z\n/);
  assert.match(text('b'), /\nb\n2019-08-14T03:43:53\.2866199Z\n/);
  assert.match(text('c'), /\nc\n\n\n/);
});

test('a parameter of either kind of signature comes once', () => {
  const query = new URLSearchParams(`sv=2025-07-05&sr=b&sp=r&se=2030-01-01&sig=${SIGNATURE}`);
  for (const name of ['sr', 'snapshot', 'rsct', 'skoid', 'saoid', 'sduoid'])
    assert.throws(
      () => parseBlobSas(new RepeatedParameters(new Map(query), new Set([name])), 'a', BLOB),
      { code: 'AuthenticationFailed:Sas' },
      name,
    );
});

test('a parameter without a name is signed by none', () => {
  const key = 'skoid=o&sktid=t&skt=2027-01-01&ske=2028-01-01&sks=b&skv=2020-12-06';
  const fields = `sv=2026-04-06&sr=b&sp=r&se=2030-01-01&${key}`;
  assert.equal(parse(`${fields}&=x&=y`, BLOB).text, parse(fields, BLOB).text);
});

test('a signature is good for no longer than its user delegation key', () => {
  const key = (times: string) => `skoid=o&sktid=t&sks=b&skv=2020-12-06&${times}`;
  const sas = parse(
    `sv=2020-12-06&sr=b&sp=r&${TIMES}&${key('skt=2027-01-01T00:00:00Z&ske=2028-01-01T00:00:00Z')}`,
    BLOB,
  );
  const ticks = (text: string) => BigInt(Date.parse(text)) * 10_000n;
  assert.deepEqual([sas.start, sas.expiry], [ticks('2027-01-01'), ticks('2028-01-01')]);
});

test('what is malformed is refused with its name', () => {
  const end = 'se=2030-01-01';
  const refused: (readonly [query: string, detail: RegExp])[] = [
    [`sv=2020-12-06&sp=r&${end}`, /^sr is mandatory/],
    [`sv=2020-12-06&sr=d&sp=r&${end}`, /^sr is not well formed/],
    [`sv=2020-12-06&sr=bv&sp=r&${end}`, /^sr is not well formed/],
    [`sv=2012-02-11&sr=b&sp=r&${end}`, /^sv is not well formed or not supported/],
    [`sv=2018-11-08&sr=bs&snapshot=x&sp=r&${end}`, /^sr is not well formed/],
    [`sr=b&sp=r&${end}&skoid=o`, /^sv is not well formed or not supported/],
    [`sv=2020-12-06&sr=bs&sp=r&${end}`, /^snapshot is mandatory/],
    [`sv=2020-12-06&sr=b&sp=q&${end}`, /^sp is not well formed/],
    [`sv=2020-12-06&sr=b&sp=r&${end}&skoid=o`, /^sktid is mandatory/],
  ];
  const key = 'skoid=o&sktid=t&skt=2027-01-01&ske=2028-01-01&sks=b&skv=2020-12-06';
  for (const name of ['skdutid', 'sduoid']) {
    const ofUser = `sr=b&sp=r&${end}&${key}&${name}=u`;
    refused.push([`sv=2025-07-05&${ofUser}`, new RegExp(`^${name} is not supported`)]);
    assert.ok(parse(`sv=2025-07-04&${ofUser}`, BLOB), 'not signed, so without a meaning');
  }
  for (const [query, detail] of refused)
    assert.throws(
      () => parse(query, BLOB),
      (error: unknown) => error instanceof ServiceError && detail.test(String(error.detail.detail)),
      query,
    );
});
