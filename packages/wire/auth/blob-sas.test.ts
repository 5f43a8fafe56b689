// Shared access signatures of containers and blobs: known signatures by version (protocol: sas#examples), and malformed ones.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { ServiceError } from '#account';
import { blobSasStringToSign, parseBlobSas, type SignedBlob } from './blob-sas.js';

const KEY = Buffer.from(
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
  'base64',
);
const DELEGATION_KEY = Buffer.from('AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=', 'base64');
const TIMES = 'st=2026-01-01T00:00:00Z&se=2030-01-01T00:00:00Z';
const CONTAINER: SignedBlob = { container: 'c1', blob: '' };
const BLOB: SignedBlob = { container: 'c1', blob: 'dir/a b.txt' };
/** Well formed; these tests do not verify it. */
const SIGNATURE = `${'A'.repeat(43)}=`;

const parse = (query: string, at: SignedBlob) =>
  parseBlobSas(new Map(new URLSearchParams(`${query}&sig=${SIGNATURE}`)), at);

const signatureOf = (query: string, at: SignedBlob, key = KEY): string =>
  createHmac('sha256', key)
    .update(blobSasStringToSign(parse(query, at), 'devstoreaccount1'))
    .digest('base64');

test('a blob, in the form of each version', () => {
  const expected = {
    '2013-08-15': 'LZLaYOXydSl6F0vtWKyM09dTOMXNgEV6LA88rt21Eqc=',
    '2014-02-14': 'tCAMYajmKC1G9Fy3wzsfxT4IRyV0KeRaxfvi3bEbV58=',
    '2015-02-21': 'am51rflC9eX+Z1yPXVzZ1VF2BWqGEIY6c19wcct85mc=',
    '2015-04-05': 'xNPcw7AJCjjcg2lwy3BjfUw2Ra5Hk2Jj4K+nTg7K5AQ=',
    '2018-11-09': '3p32X0pkwUkz0k+KWc8XhP4BL5f71lSb01m7Px2EJh8=',
    '2020-12-06': '9pYJXKXKx0Z4le1UdHZ7g3x17Kmz05vJFf1a4EdgvrA=',
    '2026-04-06': 's/uONGBiqrP+LP4LxK8kI14ijkV5yFOxzYI8ZCFErUs=',
  };
  for (const [version, signature] of Object.entries(expected))
    assert.equal(signatureOf(`sv=${version}&sr=b&sp=rw&rsct=text/plain&${TIMES}`, BLOB), signature, version);
});

test('before 2013-08-15 a signature ends at its version, before 2012-02-12 at its identifier', () => {
  const policy = 'st=2009-02-09&se=2009-02-10&sr=c&sp=r&si=YWJjZGVmZw==';
  const pictures = { container: 'pictures', blob: 'profile.jpg' };
  const newer = 'st=2013-08-16&se=2013-08-17&sr=c&sp=r&si=YWJjZGVmZw==&rscd=file; attachment&rsct=binary';
  const cases: readonly (readonly [query: string, at: SignedBlob, signature: string])[] = [
    [`sr=b&sp=rw&${TIMES}`, BLOB, '8dML+JqIBQnqzsnSz4ByLs3dVQIutmylSFk2gwoqiGk='],
    [`sv=&sr=b&sp=rw&${TIMES}`, BLOB, '8dML+JqIBQnqzsnSz4ByLs3dVQIutmylSFk2gwoqiGk='],
    [`sv=2012-02-12&sr=b&sp=rw&${TIMES}`, BLOB, 'd9GEVEGKPs5O7RDrXL4/+w6lNwF4aVgjI9HoYONUACE='],
    [
      `sv=2012-02-12&sr=b&sp=rw&rsct=text/plain&${TIMES}`,
      BLOB,
      'd9GEVEGKPs5O7RDrXL4/+w6lNwF4aVgjI9HoYONUACE=',
    ],
    [policy, pictures, 'bS+M9yMv4qdkcpE9EfjxNKj2llQm9/rQpE3xzlqD+4Q='],
    [`sv=2012-02-12&${policy}`, pictures, 'Z5SZ5JXxsrfEwD51Eow6pL/F9cEpRmaIQYWaG/vLzc8='],
    [`sv=2013-08-15&${newer}`, pictures, '2sGcIvs1E31NRRheR1QiyKK0/FVeU/K0CVXho0AloqQ='],
  ];
  for (const [query, at, signature] of cases) assert.equal(signatureOf(query, at), signature, query);
  const text = (sv: string) =>
    blobSasStringToSign(parse(`sv=${sv}&sr=b&sp=r&se=2030-01-01`, BLOB), 'a').split('\n');
  assert.equal(text('2012-02-12').length, 6);
  assert.equal(text('2013-08-14').length, 6);
  assert.equal(text('2013-08-15').length, 11);
});

test('a container, by its policy and by its own fields, on itself and on a blob in it', () => {
  for (const at of [CONTAINER, BLOB]) {
    assert.equal(signatureOf('sv=2020-12-06&sr=c&si=p1', at), 'C6+vJ233HB7CKQHocxexn6QBcWG9RA0oDCYrcA5NpDk=');
    const fields = 'sp=rl&se=2030-01-01T00:00:00Z&sip=10.0.0.1-10.0.0.9&spr=https';
    assert.equal(
      signatureOf(`sv=2020-12-06&sr=c&${fields}`, at),
      'Nyn3OAB5uy/b++uBRHPddJUt/vKqFoJ/RrMLA95LtKM=',
    );
  }
});

test('older forms leave out what their versions have not', () => {
  const text = (query: string) => blobSasStringToSign(parse(query, BLOB), 'a');
  assert.equal(
    text('sv=2014-02-14&sr=b&sp=r&se=2030-01-01&si=p&rscc=x'),
    'r\n\n2030-01-01\n/a/c1/dir/a b.txt\np\n2014-02-14\nx\n\n\n\n',
  );
  assert.equal(
    text('sv=2015-02-21&sr=b&sp=r&se=2030-01-01'),
    'r\n\n2030-01-01\n/blob/a/c1/dir/a b.txt\n\n2015-02-21\n\n\n\n\n',
  );
});

test('a snapshot is signed with its time, and for a container with none', () => {
  const time = '2019-08-14T03:43:53.2866199Z';
  const text = (sr: string) =>
    blobSasStringToSign(parse(`sv=2020-12-06&sr=${sr}&sp=r&se=2030-01-01&snapshot=${time}`, BLOB), 'a');
  assert.match(text('bs'), /\nbs\n2019-08-14T03:43:53\.2866199Z\n/);
  assert.match(text('b'), /\nb\n2019-08-14T03:43:53\.2866199Z\n/);
  assert.match(text('c'), /\nc\n\n\n/);
});

test('a user delegation key signs, in the form of each version', () => {
  const expected = {
    '2018-11-09': 'MQhzB56LsGG8h1nJGhgmFLrkiS/U4xuQmCOErI3ZACU=',
    '2020-02-10': 'cl1q/iLI8PEKaH7qMSsQ1uNjOJ/XlLqWUqJX6WqPKwQ=',
    '2020-12-06': 'hZsY60ThKsdtV/bMH/ICAs2ao2TisV7emUl+gPsEaj0=',
    '2025-07-05': 'uJm8owPvJ2UpQAe6O3qxBWLjOtmMjwOz65pevieV7FI=',
    '2026-04-06': 'GKbI0vUyEh96ti/QJK9jbVMo7kYDSLD8etZ3IxDsEtw=',
  };
  const key = 'skoid=oid&sktid=tid&skt=2026-01-01T00:00:00Z&ske=2030-01-01T00:00:00Z&sks=b&skv=2026-04-06';
  for (const [version, signature] of Object.entries(expected))
    assert.equal(
      signatureOf(`sv=${version}&sr=b&sp=r&${TIMES}&${key}`, { container: 'c1', blob: 'b1' }, DELEGATION_KEY),
      signature,
      version,
    );
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
  const refused: readonly (readonly [query: string, detail: RegExp])[] = [
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
  for (const [query, detail] of refused)
    assert.throws(
      () => parse(query, BLOB),
      (error: unknown) => error instanceof ServiceError && detail.test(String(error.detail.detail)),
      query,
    );
});
