// The judge against worked examples, including two that real clients sent (protocol: authentication#examples, sas#examples), and against mutations of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from '#server';
import type { Ask } from './ask.js';
import { type Known, mayDo, type Presented, timeOf } from './judge.js';
import { POLICIES } from './policies.js';

const known = (now: string): Known => ({
  keys: new Map([[WELL_KNOWN_ACCOUNT, [Buffer.from(WELL_KNOWN_KEY, 'base64')]]]),
  now: Date.parse(now),
  policies: POLICIES,
  issued: new Map(),
});
const ask = (kind: Ask['kind'], table?: string, key?: Ask['key']): Ask => ({
  kind,
  account: WELL_KNOWN_ACCOUNT,
  table,
  key,
  isBatch: false,
  isTunnelled: false,
  isSecondary: false,
});
const caller = (target: string, headers: Presented['headers'] = {}, address = '127.0.0.1'): Presented => ({
  method: 'GET',
  target: `/${WELL_KNOWN_ACCOUNT}/${target}`,
  headers,
  secure: true,
  remoteAddress: address,
});

const DATE = 'Mon, 27 Jul 2020 12:28:53 GMT';
const keyed = (authorization: string, date = DATE): Presented['headers'] => ({
  'x-ms-date': date,
  authorization: `${authorization.split(' ')[0]} ${WELL_KNOWN_ACCOUNT}:${authorization.split(' ')[1]}`,
});

test('shared keys', () => {
  const cases: readonly (readonly [target: string, authorization: string, kind: Ask['kind']])[] = [
    ['Tables', 'SharedKeyLite VbydjldjsQucyO+nic8ZIcZ10VIIm/Q+bScgwEsQGtc=', 'listTables'],
    ['mytable?comp=acl', 'SharedKeyLite Ef17TK7bkZdS0Y5h1QEhVmXCCfnLLoZE+3x4gzNieP0=', 'getPolicies'],
    [
      '?restype=service&comp=properties',
      'SharedKeyLite 5hiFLCNRA6Hnf9VFg9cJKDN689q8BPThxs4gnosI4bo=',
      'getProperties',
    ],
    [
      "mytable(PartitionKey='a%20b',RowKey='c')",
      'SharedKeyLite DXKmSoYj562PGOimVUbyc5CV3vXpD1f8cxHoyQZrw9Y=',
      'get',
    ],
    ['mytable()', 'SharedKey Ym7X9NGjbx1Uwg4nwE6YvcJ7WCC2VizrrAynZTzYxU8=', 'query'],
  ];
  for (const [target, authorization, kind] of cases) {
    const may = (seconds: number, headers = keyed(authorization)): boolean =>
      mayDo(
        ask(kind, 'mytable'),
        caller(target, headers),
        known(new Date(Date.parse(DATE) + seconds * 1000).toISOString()),
      );
    assert.deepEqual(
      [-901, -900, 900, 901].map(seconds => may(seconds)),
      [false, true, true, false],
      target,
    );
    assert.equal(may(0, keyed(authorization.replace(' ', ' A'))), false);
    assert.equal(may(0, { ...keyed(authorization), 'x-ms-date': 'Mon, 27 Jul 2020 12:28:54 GMT' }), false);
    assert.equal(mayDo(ask(kind, 'mytable'), caller(`${target}x`, keyed(authorization)), known(DATE)), false);
  }
});

const signed = (fields: Readonly<Record<string, string>>): string => `?${new URLSearchParams(fields)}`;
const UNTIL = '2030-07-27T00:00:00Z';
const TABLE = { sv: '2019-02-02', tn: 'MyTable', se: UNTIL };

test('tokens of tables', () => {
  const plain = {
    ...TABLE,
    sp: 'r',
    st: '2020-07-27T00:00:00Z',
    sig: 'Lq1EF7bLmz3JYYAohvtmS67l2M2ND/Z6bPV7vStuLv8=',
  };
  const query = (
    fields: Readonly<Record<string, string>>,
    now: string,
    kind: Ask['kind'] = 'query',
    table = 'mytable',
  ) => mayDo(ask(kind, table), caller(`mytable()${signed(fields)}`), known(now));
  assert.deepEqual(
    ['2020-07-26T23:59:59Z', '2020-07-27T00:00:00Z', '2030-07-26T23:59:59Z', UNTIL].map(now =>
      query(plain, now),
    ),
    [false, true, true, false],
  );
  assert.equal(query(plain, DATE, 'query', 'other'), false);
  for (const kind of ['insert', 'upsert', 'delete', 'listTables', 'getPolicies', 'getProperties'] as const)
    assert.equal(query(plain, DATE, kind), false, kind);
  assert.equal(query({ ...plain, sp: 'raud' }, DATE), false);
  const old = {
    sv: '2013-08-15',
    tn: 'mytable',
    sp: 'r',
    se: UNTIL,
    sig: 'cz7cUOSRjSyc5aW0s+aT8wCgPCHfjcUlfhXbg3OYkx0=',
  };
  assert.equal(query(old, DATE), true);
  assert.equal(query({ ...old, sv: '2015-02-21' }, DATE), false);
});

test('ranges and addresses', () => {
  const bounds = { spk: 'A', srk: 'r1', epk: 'B', erk: 'r9' };
  const fields = {
    ...TABLE,
    ...bounds,
    sp: 'raud',
    sip: '10.0.0.1-10.0.0.9',
    spr: 'https,http',
    sig: 'B5ufNxjMGJL8y3qkVJd5taYKFT9byQ8KYTWwleSx1lo=',
  };
  const may = (partition: string, row: string, address = '10.0.0.1'): boolean =>
    mayDo(
      ask('get', 'MyTable', { partition, row }),
      caller(`MyTable()${signed(fields)}`, {}, address),
      known(DATE),
    );
  assert.deepEqual(
    [may('A', 'r0'), may('A', 'r1'), may('AA', ''), may('B', 'r9'), may('B', 'r90')],
    [false, true, true, true, false],
  );
  const addresses = ['10.0.0.0', '10.0.0.1', '::ffff:10.0.0.9', '10.0.0.10', '::1'];
  assert.deepEqual(
    addresses.map(address => may('A', 'r1', address)),
    [false, true, true, false, false],
  );
});

test('tokens of accounts, as clients have sent them', () => {
  const sent =
    'sv=2018-03-28&se=2023-03-25T00%3A01%3A31Z&srt=sco&ss=bqt&sp=racupwdl&sig=qOtRJu9fbheKzKFXdGOFXD7%2BYZW3xEN8cyQUR9XRPjA%3D';
  const may = (query: string, now: string): boolean =>
    mayDo(ask('listTables'), caller(`Tables?${query}`), known(now));
  assert.deepEqual(
    ['2023-03-25T00:01:30Z', '2023-03-25T00:01:31Z'].map(now => may(sent, now)),
    [true, false],
  );
  for (const [before, after] of [
    ['sp=racupwdl', 'sp=racupwdlx'],
    ['srt=sco', 'srt=s'],
    ['sv=2018', 'sv=2019'],
    ['sig=qO', 'sig=qP'],
    ['ss=bqt', 'SS=bqt'],
  ] as const)
    assert.equal(may(sent.replace(before, after), DATE), false, after);
  assert.equal(may(`sp=r&${sent}`, DATE), false);
  assert.equal(may(`${sent}&sp=r`, DATE), false);
  assert.equal(may(`${sent}&spr=https&timeout=1&timeout=2`, DATE), false);
  assert.equal(may(`${sent}&timeout=1&timeout=2`, DATE), true);
  for (const changed of [sent.slice(0, -3), `${sent}AAAA`, `${sent}&${sent.slice(sent.indexOf('sig='))}`])
    assert.equal(may(changed, DATE), false, changed);
});

test('times', () => {
  assert.equal(timeOf('2020-07-27'), Date.parse('2020-07-27T00:00:00Z'));
  assert.equal(timeOf('2020-07-27T12:28+02:00'), Date.parse('2020-07-27T10:28:00Z'));
  for (const text of [
    '',
    'x',
    '2020-02-30',
    '2020-13-01',
    '2020-01-01T24:00Z',
    '2020-01-01T00:60Z',
    '20200101',
  ])
    assert.ok(Number.isNaN(timeOf(text)), text);
});
