// Shared access signatures: their fields, and malformed ones. sas-signatures.test.ts has the strings that they sign.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RepeatedParameters } from '../shared/target.js';
import {
  type AccountSas,
  isAccountSas,
  isInIpRange,
  parseAccountSas,
  parseIpRange,
  type ServiceSas,
} from './sas.js';
import { parseTableSas } from './table-sas.js';

const parseSas = (query: ReadonlyMap<string, string>): AccountSas | ServiceSas =>
  isAccountSas(query) ? parseAccountSas(query, 'a') : parseTableSas(query, 'a');
/** Well formed; these tests do not verify it. */
const SIGNATURE = `${'A'.repeat(43)}=`;

const parse = (text: string) => parseSas(new Map(new URLSearchParams(`${text}&sig=${SIGNATURE}`)));

test('the fields of an account', () => {
  const sas = parse(
    'sv=2020-12-06&ss=bt&srt=o&sp=ru&st=2020-01-01&se=2021-01-01T00:00Z&sip=10.0.0.1&spr=https&ses=s',
  );
  assert.equal(sas.kind, 'accountSas');
  const { text, ...fields } = sas;
  assert.equal(text, 'a\nru\nbt\no\n2020-01-01\n2021-01-01T00:00Z\n10.0.0.1\nhttps\n2020-12-06\ns\n');
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
