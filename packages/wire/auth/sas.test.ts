// Shared access signatures: the strings they sign, with known signatures (protocol: sas#examples), and malformed ones.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '#account';
import { randomRuns } from '#base/testing/random-runs';
import { RepeatedParameters } from '../shared/parse-query.js';
import {
  type AccountSas,
  accountSasStringToSign,
  isAccountSas,
  isInIpRange,
  parseAccountSas,
  parseIpRange,
  type ServiceSas,
} from './sas.js';
import { parseTableSas, tableSasStringToSign } from './table-sas.js';

const KEY = Buffer.from(
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
  'base64',
);
const sign = (text: string) => createHmac('sha256', KEY).update(text).digest('base64');

const parseSas = (query: ReadonlyMap<string, string>): AccountSas | ServiceSas =>
  isAccountSas(query) ? parseAccountSas(query) : parseTableSas(query);
const sasStringToSign = (sas: AccountSas | ServiceSas, account: string): string =>
  sas.kind === 'accountSas' ? accountSasStringToSign(sas, account) : tableSasStringToSign(sas, account);
/** Well formed; these tests do not verify it. */
const SIGNATURE = `${'A'.repeat(43)}=`;

const parse = (text: string) => parseSas(new Map(new URLSearchParams(`${text}&sig=${SIGNATURE}`)));

const VECTORS: readonly (readonly [name: string, query: string, text: string, signature: string])[] = [
  [
    'a table, all rights of reading',
    'sv=2019-02-02&tn=MyTable&sp=r&st=2020-07-27T00:00:00Z&se=2030-07-27T00:00:00Z',
    'r\n2020-07-27T00:00:00Z\n2030-07-27T00:00:00Z\n/table/devstoreaccount1/mytable\n\n\n\n2019-02-02\n\n\n\n',
    'Lq1EF7bLmz3JYYAohvtmS67l2M2ND/Z6bPV7vStuLv8=',
  ],
  [
    'a table, every field',
    'sv=2019-02-02&tn=MyTable&sp=raud&se=2030-07-27T00:00:00Z&sip=10.0.0.1-10.0.0.9&spr=https,http&spk=A&srk=r1&epk=B&erk=r9',
    'raud\n\n2030-07-27T00:00:00Z\n/table/devstoreaccount1/mytable\n\n10.0.0.1-10.0.0.9\nhttps,http\n2019-02-02\nA\nr1\nB\nr9',
    'B5ufNxjMGJL8y3qkVJd5taYKFT9byQ8KYTWwleSx1lo=',
  ],
  [
    'a table by its policy',
    'sv=2019-02-02&tn=MyTable&si=pol1',
    '\n\n\n/table/devstoreaccount1/mytable\npol1\n\n\n2019-02-02\n\n\n\n',
    'axYq4ImqDamyfi65Fs65/r9XSVgqfDrgjxTtJMr2hPA=',
  ],
  [
    'a table, version of 2013',
    'sv=2013-08-15&tn=MyTable&sp=r&se=2030-07-27T00:00:00Z',
    'r\n\n2030-07-27T00:00:00Z\n/devstoreaccount1/mytable\n\n2013-08-15\n\n\n\n',
    'cz7cUOSRjSyc5aW0s+aT8wCgPCHfjcUlfhXbg3OYkx0=',
  ],
  [
    'an account',
    'sv=2019-02-02&ss=t&srt=sco&sp=rwdlacu&se=2030-07-27T00:00:00Z',
    'devstoreaccount1\nrwdlacu\nt\nsco\n\n2030-07-27T00:00:00Z\n\n\n2019-02-02\n',
    'z8J6vZ+uQUEZqYJ3/HZnt3s+jlpxX8f/dXdj4ZR8cg0=',
  ],
  [
    'an account, with the line of the encryption scope',
    'sv=2020-12-06&ss=t&srt=sco&sp=rwdlacu&se=2030-07-27T00:00:00Z&spr=https',
    'devstoreaccount1\nrwdlacu\nt\nsco\n\n2030-07-27T00:00:00Z\n\nhttps\n2020-12-06\n\n',
    '0tgzXY8FaFeAOQUxQz1Z6WbSY0oslKrzJ2LSc9HBIa8=',
  ],
  [
    'an account, out of a real request',
    'sv=2018-03-28&ss=bqt&srt=sco&sp=racupwdl&se=2023-03-25T00:01:31Z',
    'devstoreaccount1\nracupwdl\nbqt\nsco\n\n2023-03-25T00:01:31Z\n\n\n2018-03-28\n',
    'qOtRJu9fbheKzKFXdGOFXD7+YZW3xEN8cyQUR9XRPjA=',
  ],
];

for (const [name, query, text, signature] of VECTORS) {
  test(`signs ${name}`, () => {
    assert.equal(sasStringToSign(parse(query), 'devstoreaccount1'), text);
    assert.equal(sign(text), signature);
  });
}

test('a table and an account, in the form of each version', () => {
  const fields = 'sp=r&st=2026-01-01T00:00:00Z&se=2030-01-01T00:00:00Z';
  const range = 'tn=MyTable&spk=Coho Winery&srk=Auburn&epk=Coho Winery&erk=Seattle';
  const cases = [
    [range, '2012-02-12', 'Y5Fkt09YXIjzsD2I1qpaGHIr4n105oGNdak7D50VjSQ='],
    [range, '2014-02-14', 'h1kZe5n7tiUuC8QH+/oPRO2x4bRLLZHRjnBUJpeDkQg='],
    [range, '2015-02-21', 'b8/3rCq5DkxRdGdK3LMzuk4J5d5lTe0WT2f3yvJRqO8='],
    [range, '2015-04-05', 'Dg0gzYVV4W2G69m6pTiY/gGryUg2mskGrG/KcXOYJ7Q='],
    ['ss=b&srt=o', '2015-04-05', 'Hf0iTnIIam/GgI/7w+glIiaLWTaBaol4NK5IMtuDd+M='],
    ['ss=b&srt=o', '2020-12-06', '9m3d0iMzLV552o29Xp2gAxeXWjPoO6q1Edvmo8MdY7w='],
  ] as const;
  for (const [kind, version, signature] of cases) {
    const sas = parse(`sv=${version}&${kind}&${fields}`);
    assert.equal(sign(sasStringToSign(sas, 'devstoreaccount1')), signature, `${kind} ${version}`);
  }
});

test('the string of a table by version', () => {
  const text = (version: string) => sasStringToSign(parse(`sv=${version}&tn=T1t&sp=r&sip=1.1.1.1`), 'acc');
  const older = (version: string) => `r\n\n\n/acc/t1t\n\n${version}\n\n\n\n`;
  assert.equal(text('2012-02-12'), older('2012-02-12'));
  assert.equal(text('2015-02-20'), older('2015-02-20'));
  assert.equal(text('2015-02-21'), 'r\n\n\n/table/acc/t1t\n\n2015-02-21\n\n\n\n');
  assert.equal(text('2015-04-05'), 'r\n\n\n/table/acc/t1t\n\n1.1.1.1\n\n2015-04-05\n\n\n\n');
  assert.equal(text('2026-04-06'), 'r\n\n\n/table/acc/t1t\n\n1.1.1.1\n\n2026-04-06\n\n\n\n');
});

test('the fields of an account', () => {
  const sas = parse(
    'sv=2020-12-06&ss=bt&srt=o&sp=ru&st=2020-01-01&se=2021-01-01T00:00Z&sip=10.0.0.1&spr=https&ses=s',
  );
  assert.equal(sas.kind, 'accountSas');
  const { query, ...fields } = sas;
  assert.equal(query.get('ses'), 's');
  assert.deepEqual(fields, {
    kind: 'accountSas',
    version: '2020-12-06',
    signature: SIGNATURE,
    start: BigInt(Date.UTC(2020, 0, 1)) * 10_000n,
    expiry: BigInt(Date.UTC(2021, 0, 1)) * 10_000n,
    addresses: { first: 0x0a000001, last: 0x0a000001 },
    httpsOnly: true,
    services: 'bt',
    resourceTypes: 'o',
    permission: 'ru',
  });
  assert.match(sasStringToSign(sas, 'acc'), /\n2020-12-06\ns\n$/);
});

test('an empty field is one that is not there, since both sign alike', () => {
  const sas = parse('sv=2019-02-02&tn=t&sp=&se=&st=&si=&sip=&spr=&spk=&srk=&epk=&erk=');
  assert.ok(sas.kind === 'serviceSas');
  assert.equal(sas.range, undefined);
  assert.equal(sas.permission, undefined);
  assert.equal(sas.expiry, undefined);
  assert.equal(sas.identifier, undefined);
  assert.equal(sas.httpsOnly, false);
});

test('the range of keys', () => {
  const range = (text: string) => {
    const sas = parse(`sv=2019-02-02&tn=t&${text}`);
    return sas.kind === 'serviceSas' ? sas.range : undefined;
  };
  assert.deepEqual(range('spk=a&srk=1&epk=b&erk=2'), {
    from: { partition: 'a', key: '1' },
    until: { partition: 'b', key: '2\0' },
  });
  assert.deepEqual(range('epk=b'), {
    from: { partition: '', key: '' },
    until: { partition: 'b\0', key: '' },
  });
});

test('what is malformed is refused with its reason', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['tn=t&sp=r', 'sv is mandatory. Cannot be empty'],
    ['sv=1&tn=t', 'sv is not well formed or not supported.'],
    ['sv=2011-08-18&tn=t', 'sv is not well formed or not supported.'],
    ['sv=2015-02-21&ss=t&srt=o&sp=r&se=2030-01-01', 'sv is not well formed or not supported.'],
    ['sv=2019-02-02&sr=b&sp=r', 'tn is mandatory. Cannot be empty'],
    ['sv=2019-02-02&tn=t&sp=rx', 'sp is not well formed.'],
    ['sv=2019-02-02&tn=t&st=soon', 'st is not well formed.'],
    ['sv=2019-02-02&tn=t&se=2020-02-30', 'se is not well formed.'],
    ['sv=2019-02-02&tn=t&sip=::1', 'sip is not well formed.'],
    ['sv=2019-02-02&tn=t&spr=http', 'spr is not well formed.'],
    ['sv=2019-02-02&tn=t&srk=1', 'srk requires spk.'],
    ['sv=2019-02-02&tn=t&spk=1&erk=1', 'erk requires epk.'],
    ['sv=2019-02-02&ss=t&srt=o&sp=r', 'se is mandatory. Cannot be empty'],
    ['sv=2019-02-02&ss=t&srt=o&se=2030-01-01', 'sp is mandatory. Cannot be empty'],
    ['sv=2019-02-02&ss=t&sp=r&se=2030-01-01', 'srt is mandatory. Cannot be empty'],
    ['sv=2019-02-02&srt=o&sp=r&se=2030-01-01', 'ss is mandatory. Cannot be empty'],
  ];
  for (const [query, detail] of cases) {
    const expected = {
      name: 'ServiceError',
      code: 'AuthenticationFailed:Sas',
      detail: { detail, reason: detail },
    };
    assert.throws(() => parse(query), expected, query);
  }
  assert.throws(() => parseSas(new Map([['sig', '']])), { code: 'AuthenticationFailed:Sas' });
});

test('a signature of another form', () => {
  const refused = (signature: string, detail: string) =>
    assert.throws(
      () =>
        parseSas(
          new Map(Object.entries({ sv: '2019-02-02', tn: 't', sp: 'r', se: '2030-01-01', sig: signature })),
        ),
      { code: 'AuthenticationFailed:Sas', detail: { detail, reason: detail } },
      signature,
    );
  refused('A'.repeat(44), 'Signature size is invalid');
  refused('A'.repeat(43), 'Signature fields not well formed.');
});

test('a parameter that is signed comes once', () => {
  const table = { sv: '2019-02-02', tn: 't', sp: 'r', se: '2030-01-01', sig: SIGNATURE };
  const account = { sv: '2019-02-02', ss: 't', srt: 'o', sp: 'r', se: '2030-01-01', sig: SIGNATURE };
  const of = (fields: object, ...names: string[]) =>
    parseSas(new RepeatedParameters(new Map(Object.entries(fields)), new Set(names)));
  for (const name of ['sv', 'sp', 'st', 'se', 'sip', 'spr', 'ses', 'si', 'sig'])
    for (const fields of [table, account]) {
      const detail = `${name} is not well formed: it comes more than once.`;
      assert.throws(() => of(fields, 'other', name), {
        code: 'AuthenticationFailed:Sas',
        detail: { detail, reason: detail },
      });
    }
  for (const name of ['tn', 'spk', 'srk', 'epk', 'erk']) {
    assert.throws(() => of(table, name), { code: 'AuthenticationFailed:Sas' }, name);
    assert.ok(of(account, name), 'an account signs no such parameter');
  }
  for (const name of ['ss', 'srt'])
    assert.throws(() => of(account, name), { code: 'AuthenticationFailed:Sas' }, name);
  for (const fields of [table, account]) assert.ok(of(fields, '$filter', 'timeout'));
});

test('arbitrary queries fail as a ServiceError', () => {
  const name = fc.constantFrom(
    'sv',
    'tn',
    'ss',
    'srt',
    'sp',
    'st',
    'se',
    'sip',
    'spr',
    'spk',
    'srk',
    'epk',
    'erk',
    'sig',
  );
  const value = fc.oneof(
    fc.constantFrom('2019-02-02', '2030-01-01', 't', 'r', '10.0.0.1', 'https', ''),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), pairs => {
      try {
        const sas = parseSas(new Map(pairs));
        assert.ok(sasStringToSign(sas, 'acc').includes(sas.version));
      } catch (error) {
        assert.ok(error instanceof ServiceError && error.code === 'AuthenticationFailed:Sas', String(error));
      }
    }),
    { numRuns: randomRuns(1000) },
  );
});

const isIn = (text: string, address: string): boolean => {
  const range = parseIpRange(text);
  assert.ok(range, text);
  return isInIpRange(range, address);
};

test('one address', () => {
  assert.ok(isIn('10.0.0.1', '10.0.0.1'));
  assert.ok(isIn('10.0.0.1', '::ffff:10.0.0.1'));
  assert.ok(!isIn('10.0.0.1', '10.0.0.2'));
  assert.ok(!isIn('0.0.0.1', '::1'));
  assert.ok(!isIn('0.0.0.0-255.255.255.255', '2001:db8::1'));
});

test('a range has both its ends', () => {
  const range = '10.0.0.250-10.0.1.5';
  for (const address of ['10.0.0.250', '10.0.0.255', '10.0.1.0', '10.0.1.5'])
    assert.ok(isIn(range, address), address);
  for (const address of ['10.0.0.249', '10.0.1.6', '9.0.1.0', '210.0.1.0'])
    assert.ok(!isIn(range, address), address);
  assert.ok(isIn('0.0.0.0-255.255.255.255', '255.255.255.255'));
});

test('malformed ranges', () => {
  const texts = [
    '',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.1-',
    '-10.0.0.1',
    '10.0.0.2-10.0.0.1',
    '::1',
    '10.0.0.1-2',
    'a.b.c.d',
  ];
  for (const text of [...texts, '10.0.0.1-10.0.0.2-10.0.0.3', '10.0.0.1/8', ' 10.0.0.1']) {
    assert.equal(parseIpRange(text), undefined, text);
  }
});
