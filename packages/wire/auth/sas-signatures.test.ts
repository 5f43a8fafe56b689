// Known signatures of every kind of token, in the form of each version (protocol: sas#examples).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { parseBlobSas, type SignedBlob } from './blob-sas.js';
import { parseAccountSas, parseQueueSas } from './sas.js';
import { parseTableSas } from './table-sas.js';

const ACCOUNT = 'devstoreaccount1';
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const DELEGATION_KEY = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
/** Well formed; these tests do not verify it. */
const SIGNATURE = `${'A'.repeat(43)}=`;
const TIMES = 'st=2026-01-01T00:00:00Z&se=2030-01-01T00:00:00Z';

type StringToSign = (query: ReadonlyMap<string, string>) => string;
type Line = readonly [query: string, signature: string];

const ofAccount: StringToSign = query => parseAccountSas(query, ACCOUNT).text;
const ofTable: StringToSign = query => parseTableSas(query, ACCOUNT).text;
const ofQueue: StringToSign = query => parseQueueSas(query, ACCOUNT, 'q1').text;
const ofBlob =
  (at: SignedBlob): StringToSign =>
  query =>
    parseBlobSas(query, ACCOUNT, at).text;

const stringOf = (of: StringToSign, query: string): string =>
  of(new Map(new URLSearchParams(`${query}&sig=${SIGNATURE}`)));

function check(of: StringToSign, lines: readonly Line[], key = KEY): void {
  for (const [query, signature] of lines) {
    const hmac = createHmac('sha256', Buffer.from(key, 'base64')).update(stringOf(of, query));
    assert.equal(hmac.digest('base64'), signature, query);
  }
}

/** The same fields in several versions. */
const ofVersions = (fields: string, signatures: Readonly<Record<string, string>>): Line[] =>
  Object.entries(signatures).map(([version, signature]) => [`sv=${version}&${fields}`, signature]);

test('an account', () => {
  const everything = 'srt=sco&se=2030-07-27T00:00:00Z';
  const fields = `sp=rwdlacup&ss=bq&srt=sco&spr=https,http&${TIMES}`;
  check(ofAccount, [
    [`sv=2019-02-02&ss=t&sp=rwdlacu&${everything}`, 'z8J6vZ+uQUEZqYJ3/HZnt3s+jlpxX8f/dXdj4ZR8cg0='],
    [`sv=2020-12-06&ss=t&sp=rwdlacu&${everything}&spr=https`, '0tgzXY8FaFeAOQUxQz1Z6WbSY0oslKrzJ2LSc9HBIa8='],
    [
      'sv=2018-03-28&ss=bqt&srt=sco&sp=racupwdl&se=2023-03-25T00:01:31Z',
      'qOtRJu9fbheKzKFXdGOFXD7+YZW3xEN8cyQUR9XRPjA=',
    ],
    ...ofVersions(`ss=b&srt=o&sp=r&${TIMES}`, {
      '2015-04-05': 'Hf0iTnIIam/GgI/7w+glIiaLWTaBaol4NK5IMtuDd+M=',
      '2020-12-06': '9m3d0iMzLV552o29Xp2gAxeXWjPoO6q1Edvmo8MdY7w=',
    }),
    ...ofVersions(fields, {
      '2018-11-09': 'GXr/MV+kIgZnB5rvxKlM7qU9Oz0/WCXMo3/9MIrdqOk=',
      '2026-04-06': 'xbRaQ5D8Ea+8CG4bE5vty4d7YUufstjMxKWoSwfZ/us=',
    }),
  ]);
});

test('a table, which is signed in lower case', () => {
  const until = 'se=2030-07-27T00:00:00Z';
  const every = `sp=raud&${until}&sip=10.0.0.1-10.0.0.9&spr=https,http&spk=A&srk=r1&epk=B&erk=r9`;
  const range = 'tn=MyTable&spk=Coho Winery&srk=Auburn&epk=Coho Winery&erk=Seattle';
  check(ofTable, [
    [
      `sv=2019-02-02&tn=MyTable&sp=r&st=2020-07-27T00:00:00Z&${until}`,
      'Lq1EF7bLmz3JYYAohvtmS67l2M2ND/Z6bPV7vStuLv8=',
    ],
    [`sv=2019-02-02&tn=MyTable&${every}`, 'B5ufNxjMGJL8y3qkVJd5taYKFT9byQ8KYTWwleSx1lo='],
    ['sv=2019-02-02&tn=MyTable&si=pol1', 'axYq4ImqDamyfi65Fs65/r9XSVgqfDrgjxTtJMr2hPA='],
    [`sv=2013-08-15&tn=MyTable&sp=r&${until}`, 'cz7cUOSRjSyc5aW0s+aT8wCgPCHfjcUlfhXbg3OYkx0='],
    ...ofVersions(`${range}&sp=r&${TIMES}`, {
      '2012-02-12': 'Y5Fkt09YXIjzsD2I1qpaGHIr4n105oGNdak7D50VjSQ=',
      '2014-02-14': 'h1kZe5n7tiUuC8QH+/oPRO2x4bRLLZHRjnBUJpeDkQg=',
      '2015-02-21': 'b8/3rCq5DkxRdGdK3LMzuk4J5d5lTe0WT2f3yvJRqO8=',
      '2015-04-05': 'Dg0gzYVV4W2G69m6pTiY/gGryUg2mskGrG/KcXOYJ7Q=',
    }),
  ]);
});

test('a queue', () => {
  const signatures = {
    '2012-02-12': 'eHpa9u1qvxR4BUn00L+v0FdgzMxvKiHOgTlfUaejae4=',
    '2014-02-14': 'dYEz1aO56XzMZ4UG3k5iVrMPx3w9dVYi1KtixTIyz6Y=',
    '2015-02-21': 'dwHs5RDleqEL/rs3MpCuwhSMDcfllndjY2DDwrWi904=',
    '2015-04-05': 'fezRxs2dGFeKipNd0ftnc8ojrprFtj+NwHmlma5+p2E=',
    '2020-12-06': 'JQW7i0mtIfGAGUfSWWRtWhDBe3VOtLNGjdEey98tj2Y=',
  };
  check(ofQueue, ofVersions(`sp=raup&${TIMES}`, signatures));
});

const BLOB = { container: 'c1', blob: 'dir/a b.txt' };

test('a blob', () => {
  const signatures = {
    '2013-08-15': 'LZLaYOXydSl6F0vtWKyM09dTOMXNgEV6LA88rt21Eqc=',
    '2014-02-14': 'tCAMYajmKC1G9Fy3wzsfxT4IRyV0KeRaxfvi3bEbV58=',
    '2015-02-21': 'am51rflC9eX+Z1yPXVzZ1VF2BWqGEIY6c19wcct85mc=',
    '2015-04-05': 'xNPcw7AJCjjcg2lwy3BjfUw2Ra5Hk2Jj4K+nTg7K5AQ=',
    '2018-11-09': '3p32X0pkwUkz0k+KWc8XhP4BL5f71lSb01m7Px2EJh8=',
    '2020-12-06': '9pYJXKXKx0Z4le1UdHZ7g3x17Kmz05vJFf1a4EdgvrA=',
    '2026-04-06': 's/uONGBiqrP+LP4LxK8kI14ijkV5yFOxzYI8ZCFErUs=',
  };
  check(ofBlob(BLOB), ofVersions(`sr=b&sp=rw&rsct=text/plain&${TIMES}`, signatures));
});

test('a blob before 2013-08-15, and before 2012-02-12, when there was no version', () => {
  const fields = `sr=b&sp=rw&${TIMES}`;
  check(ofBlob(BLOB), [
    [fields, '8dML+JqIBQnqzsnSz4ByLs3dVQIutmylSFk2gwoqiGk='],
    [`sv=&${fields}`, '8dML+JqIBQnqzsnSz4ByLs3dVQIutmylSFk2gwoqiGk='],
    [`sv=2012-02-12&${fields}`, 'd9GEVEGKPs5O7RDrXL4/+w6lNwF4aVgjI9HoYONUACE='],
    [`sv=2012-02-12&rsct=text/plain&${fields}`, 'd9GEVEGKPs5O7RDrXL4/+w6lNwF4aVgjI9HoYONUACE='],
  ]);
  const policy = 'st=2009-02-09&se=2009-02-10&sr=c&sp=r&si=YWJjZGVmZw==';
  const newer = 'st=2013-08-16&se=2013-08-17&sr=c&sp=r&si=YWJjZGVmZw==&rscd=file; attachment&rsct=binary';
  check(ofBlob({ container: 'pictures', blob: 'profile.jpg' }), [
    [policy, 'bS+M9yMv4qdkcpE9EfjxNKj2llQm9/rQpE3xzlqD+4Q='],
    [`sv=2012-02-12&${policy}`, 'Z5SZ5JXxsrfEwD51Eow6pL/F9cEpRmaIQYWaG/vLzc8='],
    [`sv=2013-08-15&${newer}`, '2sGcIvs1E31NRRheR1QiyKK0/FVeU/K0CVXho0AloqQ='],
  ]);
});

test('a container, on itself and on a blob in it', () => {
  const fields = 'sp=rl&se=2030-01-01T00:00:00Z&sip=10.0.0.1-10.0.0.9&spr=https';
  for (const at of [{ container: 'c1', blob: '' }, BLOB])
    check(ofBlob(at), [
      ['sv=2020-12-06&sr=c&si=p1', 'C6+vJ233HB7CKQHocxexn6QBcWG9RA0oDCYrcA5NpDk='],
      [`sv=2020-12-06&sr=c&${fields}`, 'Nyn3OAB5uy/b++uBRHPddJUt/vKqFoJ/RrMLA95LtKM='],
    ]);
});

test('a blob, by a user delegation key', () => {
  const key = 'skoid=oid&sktid=tid&skt=2026-01-01T00:00:00Z&ske=2030-01-01T00:00:00Z&sks=b&skv=2026-04-06';
  const signatures = {
    '2018-11-09': 'MQhzB56LsGG8h1nJGhgmFLrkiS/U4xuQmCOErI3ZACU=',
    '2020-02-10': 'cl1q/iLI8PEKaH7qMSsQ1uNjOJ/XlLqWUqJX6WqPKwQ=',
    '2020-12-06': 'hZsY60ThKsdtV/bMH/ICAs2ao2TisV7emUl+gPsEaj0=',
    '2025-07-05': 'uJm8owPvJ2UpQAe6O3qxBWLjOtmMjwOz65pevieV7FI=',
    '2026-04-06': 'GKbI0vUyEh96ti/QJK9jbVMo7kYDSLD8etZ3IxDsEtw=',
  };
  check(
    ofBlob({ container: 'c1', blob: 'b1' }),
    ofVersions(`sr=b&sp=r&${TIMES}&${key}`, signatures),
    DELEGATION_KEY,
  );
});

test('the version at which a form begins', () => {
  const fields = 'sr=b&tn=t&sp=r&sip=1.1.1.1&se=2030-01-01';
  const changes: readonly (readonly [of: StringToSign, before: string, from: string])[] = [
    [ofTable, '2015-02-20', '2015-02-21'],
    [ofTable, '2015-04-04', '2015-04-05'],
    [ofQueue, '2015-02-20', '2015-02-21'],
    [ofQueue, '2015-04-04', '2015-04-05'],
    [ofBlob(BLOB), '2013-08-14', '2013-08-15'],
    [ofBlob(BLOB), '2015-02-20', '2015-02-21'],
    [ofBlob(BLOB), '2015-04-04', '2015-04-05'],
    [ofBlob(BLOB), '2018-11-08', '2018-11-09'],
    [ofBlob(BLOB), '2020-12-05', '2020-12-06'],
  ];
  for (const [of, before, from] of changes) {
    const form = (version: string): string => stringOf(of, `sv=${version}&${fields}`).replace(version, '');
    assert.notEqual(form(before), form(from), from);
  }
});
