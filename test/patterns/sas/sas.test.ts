// Shared access signatures from typed keys: each admits the rows of its query, to the key at its edges, and nothing else.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AzureNamedKeyCredential,
  AzureSASCredential,
  RestError,
  TableClient,
  TableServiceClient,
} from '@azure/data-tables';
import { codec, entity, key, open, t } from '#patterns';
import type { SasOptions } from '#patterns/internals';
import { partitions, putPolicy, removePolicy, type SasRows, tableSas } from '#patterns/sas';
import { settingsOf } from '../../support/running-peer.js';
import { collect } from '../support/collect.js';
import { describePeers, fresh } from '../support/peers.js';
import { rejects } from '../support/rejects.js';

const review = (table: string) =>
  entity('Review', {
    version: 1,
    table,
    props: { department: t.string(), id: t.int32(), year: t.int32(), score: t.int32() },
    partition: p => key(p.department),
    row: p => key('rev', p.id.as(codec.int(6)), p.year.as(codec.int(4))),
  });

const HOUR = 3_600_000;
const NOWHERE = 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=AAAA;EndpointSuffix=example.org';

describePeers('signatures', peer => {
  /** Azurite 3.37.0 signs the ends of a range, and then compares no key with them: its TableSASAuthenticator reads spk, srk, epk and erk for the signature alone. */
  const keepsRanges = peer.name !== 'azurite';
  const setting = (name: string): string => settingsOf(peer.connectionString()).get(name) ?? '';
  const credential = () => new AzureNamedKeyCredential(setting('AccountName'), setting('AccountKey'));
  const token = (rows: SasRows, options?: Partial<SasOptions>) => {
    const own = {
      protocol: 'https,http',
      permissions: 'raud',
      expiresOn: new Date(Date.now() + HOUR),
      ...options,
    } as SasOptions;
    return tableSas(credential(), rows, own);
  };
  const clientOf = (table: string, sas: string) =>
    new TableClient(setting('TableEndpoint'), table, new AzureSASCredential(sas), {
      allowInsecureConnection: true,
      retryOptions: { maxRetries: 0 },
    });
  /** Whether the row may be written: a read outside of the range reports no row, as for a missing one. */
  const admits = async (
    table: string,
    sas: string,
    partitionKey: string,
    rowKey: string,
  ): Promise<boolean> => {
    try {
      await clientOf(table, sas).upsertEntity({ partitionKey, rowKey });
      return true;
    } catch (thrown) {
      assert(thrown instanceof RestError && thrown.statusCode === 403, String(thrown));
      return false;
    }
  };
  const world = async () => {
    const { table, db, raw } = await fresh(peer, review('Reviews'));
    const repo = db.repo(review(table));
    return { table, repo, raw, sales: repo.partition({ department: 'Sales' }) };
  };
  type World = Awaited<ReturnType<typeof world>>;

  /** What a token is for, the row keys that it admits, and those that it does not. */
  const RANGES: Readonly<
    Record<string, readonly [(world: World) => SasRows, readonly string[], readonly string[]]>
  > = {
    // `rev!000123!` is the first key of the range, and `rev!000123"` the first one after it.
    'the rows of a range': [
      ({ sales }) => sales.rows({ id: 123 }),
      ['!', '!2012', '! ', '!0', '!~', '!\u00e9', '!\ud7ff', '!\ufffd', '!\uffff'].map(
        each => `rev!000123${each}`,
      ),
      ['rev!000123', 'rev!000122!9999', 'rev!000123"', 'rev!000123"0', 'rev!000123 ', 'rev!000124!0000'],
    ],
    'bounds of a part': [
      ({ sales }) => sales.rows({ id: 123 }, { year: { ge: 2010, lt: 2013 } }),
      ['2010', '2011', '2012', '20129'].map(year => `rev!000123!${year}`),
      ['2009', '20099', '2013', '2014'].map(year => `rev!000123!${year}`),
    ],
    'bounds of a part, the first excluded': [
      ({ sales }) => sales.rows({ id: 123 }, { year: { gt: 2010, le: 2012 } }),
      ['2010 ', '2011', '2012'].map(year => `rev!000123!${year}`),
      ['2010', '20120', '2013'].map(year => `rev!000123!${year}`),
    ],
    'one row': [
      ({ sales }) => sales.row({ id: 123, year: 2012 }),
      ['rev!000123!2012'],
      ['rev!000123!2011', 'rev!000123!20120', 'rev!000123!2013'],
    ],
  };
  for (const [name, [rowsOf, inside, outside]] of Object.entries(RANGES))
    test(`admit ${name} and none beside it, to the key`, async () => {
      const made = await world();
      const sas = token(rowsOf(made));
      for (const each of inside) assert(await admits(made.table, sas, 'Sales', each), each);
      for (const each of outside)
        assert.equal(await admits(made.table, sas, 'Sales', each), !keepsRanges, each);
      for (const each of ['Sale', 'Sales ', 'Salet'])
        assert.equal(await admits(made.table, sas, each, 'rev!000123!2012'), !keepsRanges, each);
    });

  test('admit partitions from one to before another', async () => {
    const { table, repo } = await world();
    const sas = token(partitions(repo, {}, { department: { ge: 'M', lt: 'Sales' } }));
    for (const each of ['M', 'Mz', 'Saler', 'Saler~']) assert(await admits(table, sas, each, 'x'), each);
    for (const each of ['L', 'Lz', 'Sales', 'Sales ', 'T'])
      assert.equal(await admits(table, sas, each, 'x'), !keepsRanges, each);
    const all = token(partitions(repo));
    for (const department of ['', 'L', '~']) assert(await admits(table, all, department, 'x'));
  });

  test('bound what may be written, queried and done', async () => {
    const { table, repo, sales } = await world();
    for (const id of [1, 2]) await repo.create({ department: 'Sales', id, year: 2012, score: 5 });
    const row = (rowKey: string) => ({ partitionKey: 'Sales', rowKey });
    const of = (permissions: string) =>
      clientOf(table, token(sales.rows({ id: 1 }), { permissions } as never));
    const seen = (await collect(of('r').listEntities())).map(({ rowKey }) => rowKey);
    assert.deepEqual(seen, ['rev!000001!2012', 'rev!000002!2012'].slice(0, keepsRanges ? 1 : 2));
    await assert.rejects(of('r').createEntity(row('rev!000001!2013')), { statusCode: 403 });
    await of('a').createEntity(row('rev!000001!2013'));
    const beside = of('a').createEntity(row('rev!000002!2013'));
    await (keepsRanges ? assert.rejects(beside, { statusCode: 403 }) : beside);
  });

  test('are worth nothing with another end, another permission or another time', async () => {
    const { table, sales } = await world();
    const sas = token(sales.rows({ id: 123 }));
    const isAdmitted = (by: string, to = table) => admits(to, by, 'Sales', 'rev!000123!2012');
    assert(await isAdmitted(sas));
    for (const name of ['spk', 'srk', 'epk', 'erk', 'sp', 'st', 'se', 'spr']) {
      const parameters = new URLSearchParams(sas);
      const before = parameters.get(name) ?? '';
      assert.notEqual(before, '', name);
      const other = before.replace(/[0-9a-zA-Z]/, each => (each === '1' ? '2' : '1'));
      parameters.set(name, name === 'sp' ? 'raudx' : name === 'spr' ? 'https' : other);
      assert(!(await isAdmitted(parameters.toString())), name);
    }
    assert(!(await isAdmitted(sas, await peer.newTable())));
    const hours = (count: number) => new Date(Date.now() + count * HOUR);
    for (const [startsOn, expiresOn] of [
      [hours(-2), hours(-1)],
      [hours(1), hours(2)],
    ] as const)
      assert(!(await isAdmitted(token(sales, { startsOn, expiresOn }))));
  });

  test('by a stored policy are revoked with it', async () => {
    const { table, sales, raw } = await world();
    const times = { startsOn: new Date(Date.now() - HOUR), expiresOn: new Date(Date.now() + HOUR) };
    for (let at = 1; at <= 3; at++) await putPolicy(raw, `p${at}`, { permissions: 'r', ...times });
    // Azurite answers 400 to a policy that leaves a time to the token.
    await putPolicy(raw, 'p4', { permissions: 'r', ...(peer.name === 'azurite' && times) });
    await putPolicy(raw, 'writers', { permissions: 'r', ...times });
    await rejects(putPolicy(raw, 'sixth', { permissions: 'r' }), 'ValueInvalid');
    await putPolicy(raw, 'writers', { permissions: 'ua', ...times });
    const policy = { policy: 'writers', protocol: 'https,http' } as const;
    const sas = tableSas(credential(), sales.rows({ id: 1 }), policy);
    assert(await admits(table, sas, 'Sales', 'rev!000001!2012'));
    assert.equal(await admits(table, sas, 'Sales', 'rev!000002!2012'), !keepsRanges);
    for (let n = 0; n < 2; n++) await removePolicy(raw, 'writers');
    assert(!(await admits(table, sas, 'Sales', 'rev!000001!2012')));
    assert.equal((await raw.getAccessPolicy()).length, 4);
  });
});

test('queries that a signature cannot say are refused, as they would admit more', () => {
  const tables = TableServiceClient.fromConnectionString(NOWHERE);
  const repo = open({ tables }).repo(review('Reviews'));
  const credential = new AzureNamedKeyCredential('a', 'AAAA');
  const options = { permissions: 'r', expiresOn: new Date(Date.now() + HOUR) } as const;
  const sales = repo.partition({ department: 'Sales' });
  for (const [rows, reason, own = {}] of [
    [repo.scan(), /ScanRefused.*several partitions/],
    [sales.where(p => p.score.gt(1)), /ScanRefused.*filter/],
    [repo.partition({ department: '' }), /KeyInvalid.*empty/],
    [sales, /each once/, { permissions: 'rr' }],
    [sales, /x is not/, { permissions: 'rx' }],
    [sales, /empty/, { permissions: '' }],
    [sales, /after startsOn/, { startsOn: options.expiresOn }],
    [sales, /after startsOn/, { expiresOn: new Date('tomorrow') }],
    [sales, /after startsOn/, { startsOn: new Date('today') }],
    [sales, /after startsOn/, { policy: 'writers', expiresOn: new Date('tomorrow') }],
    [sales, /after startsOn/, { policy: 'writers', expiresOn: undefined, startsOn: new Date('today') }],
    [sales, /no policy/, { expiresOn: undefined }],
  ] as const)
    assert.throws(() => tableSas(credential, rows, { ...options, ...own } as never), reason);
  const before = Date.now();
  const parameters = new URLSearchParams(tableSas(credential, sales, options));
  const after = Date.now();
  assert.deepEqual(
    [parameters.get('spr'), parameters.get('spk'), parameters.get('epk')],
    ['https', 'Sales', 'Sales'],
  );
  const start = Date.parse(parameters.get('st') ?? '');
  assert(start > before - 301_000 && start <= after - 300_000, String(start));
});
