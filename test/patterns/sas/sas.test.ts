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
import { describePeers } from '../support/peers.js';
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
  /** Whether a row is admitted that is in the range or not. */
  const expected = (isIn: boolean): boolean => isIn || !keepsRanges;
  /** Whether the row may be written: a read outside of the range reports no row, as for a missing one. */
  const admits = async (
    table: string,
    sas: string,
    [partitionKey, rowKey]: readonly [string, string],
  ): Promise<boolean> => {
    try {
      await clientOf(table, sas).upsertEntity({ partitionKey, rowKey });
      return true;
    } catch (thrown) {
      if (!(thrown instanceof RestError)) throw thrown;
      assert.equal(thrown.statusCode, 403, thrown.message);
      return false;
    }
  };
  const world = async () => {
    const table = await peer.newTable();
    const repo = peer.open().repo(review(table));
    return { table, repo };
  };

  test('admit the rows of a range and none beside it, to the key', async () => {
    const { table, repo } = await world();
    const sas = token(repo.partition({ department: 'Sales' }).rows({ id: 123 }));
    // `rev!000123!` is the first key of the range, and `rev!000123"` the first one after it.
    const keys: readonly (readonly [boolean, string, string])[] = [
      [false, 'Sales', 'rev!000123'],
      [false, 'Sales', 'rev!000122!9999'],
      [true, 'Sales', 'rev!000123!'],
      [true, 'Sales', 'rev!000123!2012'],
      [true, 'Sales', 'rev!000123!\ufffd'],
      [true, 'Sales', 'rev!000123!\uffff'],
      [false, 'Sales', 'rev!000123"'],
      [false, 'Sales', 'rev!000123"0'],
      [false, 'Sales', 'rev!000124!0000'],
      [false, 'Sale', 'rev!000123!2012'],
      [false, 'Sales ', 'rev!000123!2012'],
      [false, 'Salet', 'rev!000123!2012'],
    ];
    for (const [isIn, ...each] of keys)
      assert.equal(await admits(table, sas, each), expected(isIn), each.join());
  });

  test('have exact ends, of bounds of a part too', async () => {
    const { table, repo } = await world();
    const years = token(
      repo.partition({ department: 'Sales' }).rows({ id: 123 }, { year: { ge: 2010, lt: 2013 } }),
    );
    for (const [year, isIn] of [
      [2009, false],
      [2010, true],
      [2011, true],
      [2012, true],
      [2013, false],
      [2014, false],
    ] as const)
      assert.equal(await admits(table, years, ['Sales', `rev!000123!${year}`]), expected(isIn), String(year));
    const one = token(repo.partition({ department: 'Sales' }).row({ id: 123, year: 2012 }));
    for (const [row, isIn] of [
      ['rev!000123!2011', false],
      ['rev!000123!2012', true],
      ['rev!000123!20120', false],
      ['rev!000123!2013', false],
    ] as const)
      assert.equal(await admits(table, one, ['Sales', row]), expected(isIn), row);
  });

  test('agree with the typed range for keys near its ends', async () => {
    const { table, repo } = await world();
    const query = repo.partition({ department: 'Sales' }).rows({ id: 7 });
    const sas = token(query);
    const [bounds] = query.explain().bounds;
    const { ge = '', lt = '' } = bounds?.row ?? {};
    assert(ge !== '' && lt !== '');
    const tails = ['', ' ', '!', '0', 'z', '~', '\u00e9', '\ud7ff', '\ufffd'];
    const leads = [ge, lt, ge.slice(0, -1), `${ge.slice(0, -1)} `];
    for (const lead of leads)
      for (const tail of tails) {
        const row = lead + tail;
        const isIn = ge <= row && row < lt;
        assert.equal(await admits(table, sas, ['Sales', row]), expected(isIn), JSON.stringify(row));
      }
  });

  test('admit partitions from one to before another', async () => {
    const { table, repo } = await world();
    const sas = token(partitions(repo, {}, { department: { ge: 'M', lt: 'Sales' } }));
    for (const [department, isIn] of [
      ['L', false],
      ['Lz', false],
      ['M', true],
      ['Mz', true],
      ['Saler', true],
      ['Saler~', true],
      ['Sales', false],
      ['Sales ', false],
      ['T', false],
    ] as const)
      assert.equal(await admits(table, sas, [department, 'anything']), expected(isIn), department);
    const all = token(partitions(repo));
    for (const department of ['', 'L', '~']) assert(await admits(table, all, [department, 'x']));
  });

  test('bound what may be written, queried and done', async () => {
    const { table, repo } = await world();
    await repo.create({ department: 'Sales', id: 1, year: 2012, score: 5 });
    await repo.create({ department: 'Sales', id: 2, year: 2012, score: 5 });
    const client = clientOf(
      table,
      token(repo.partition({ department: 'Sales' }).rows({ id: 1 }), { permissions: 'r' }),
    );
    const seen: unknown[] = [];
    for await (const row of client.listEntities()) seen.push(row.rowKey);
    assert.deepEqual(seen, keepsRanges ? ['rev!000001!2012'] : ['rev!000001!2012', 'rev!000002!2012']);
    await assert.rejects(client.createEntity({ partitionKey: 'Sales', rowKey: 'rev!000001!2013' }), {
      statusCode: 403,
    });
    const adding = clientOf(
      table,
      token(repo.partition({ department: 'Sales' }).rows({ id: 1 }), { permissions: 'a' }),
    );
    await adding.createEntity({ partitionKey: 'Sales', rowKey: 'rev!000001!2013' });
    const beside = adding.createEntity({ partitionKey: 'Sales', rowKey: 'rev!000002!2013' });
    await (keepsRanges ? assert.rejects(beside, { statusCode: 403 }) : beside);
  });

  test('are worth nothing with another end, another permission or another time', async () => {
    const { table, repo } = await world();
    const sas = token(repo.partition({ department: 'Sales' }).rows({ id: 123 }));
    const inside = ['Sales', 'rev!000123!2012'] as const;
    assert(await admits(table, sas, inside));
    for (const name of ['spk', 'srk', 'epk', 'erk', 'sp', 'st', 'se', 'spr']) {
      const parameters = new URLSearchParams(sas);
      const before = parameters.get(name) ?? '';
      assert.notEqual(before, '', name);
      const changed: Readonly<Record<string, string>> = { sp: 'raudx', spr: 'https' };
      parameters.set(
        name,
        changed[name] ?? before.replace(/[0-9a-zA-Z]/, each => (each === '1' ? '2' : '1')),
      );
      assert(!(await admits(table, parameters.toString(), inside)), name);
    }
    assert(!(await admits(await peer.newTable(), sas, inside)));
    const over = token(repo.partition({ department: 'Sales' }), {
      startsOn: new Date(Date.now() - 2 * HOUR),
      expiresOn: new Date(Date.now() - HOUR),
    });
    assert(!(await admits(table, over, inside)));
    const early = token(repo.partition({ department: 'Sales' }), {
      startsOn: new Date(Date.now() + HOUR),
      expiresOn: new Date(Date.now() + 2 * HOUR),
    });
    assert(!(await admits(table, early, inside)));
  });

  test('by a stored policy are revoked with it', async () => {
    const { table, repo } = await world();
    const raw = peer.table(table);
    const times = { startsOn: new Date(Date.now() - HOUR), expiresOn: new Date(Date.now() + HOUR) };
    for (let at = 1; at <= 3; at++) await putPolicy(raw, `p${at}`, { permissions: 'r', ...times });
    // Azurite answers 400 to a policy that leaves a time to the token.
    await putPolicy(raw, 'p4', { permissions: 'r', ...(peer.name === 'azurite' && times) });
    await putPolicy(raw, 'writers', { permissions: 'r', ...times });
    await rejects(putPolicy(raw, 'sixth', { permissions: 'r' }), 'ValueInvalid');
    await putPolicy(raw, 'writers', { permissions: 'ua', ...times });
    const rows = repo.partition({ department: 'Sales' }).rows({ id: 1 });
    const sas = tableSas(credential(), rows, { policy: 'writers', protocol: 'https,http' });
    assert(await admits(table, sas, ['Sales', 'rev!000001!2012']));
    assert.equal(await admits(table, sas, ['Sales', 'rev!000002!2012']), expected(false));
    await removePolicy(raw, 'writers');
    await removePolicy(raw, 'writers');
    assert(!(await admits(table, sas, ['Sales', 'rev!000001!2012'])));
    assert.equal((await raw.getAccessPolicy()).length, 4);
  });
});

test('queries that a signature cannot say are refused, as they would admit more', () => {
  const tables = TableServiceClient.fromConnectionString(NOWHERE);
  const repo = open({ tables }).repo(review('Reviews'));
  const credential = new AzureNamedKeyCredential('a', 'AAAA');
  const options = { permissions: 'r', expiresOn: new Date(Date.now() + HOUR) } as const;
  const sales = repo.partition({ department: 'Sales' });
  const refused = (rows: SasRows, reason: RegExp, own: SasOptions = options) =>
    assert.throws(() => tableSas(credential, rows, own), reason);
  refused(repo.scan(), /ScanRefused.*several partitions/);
  refused(
    sales.where(p => p.score.gt(1)),
    /ScanRefused.*filter/,
  );
  refused(repo.partition({ department: '' }), /KeyInvalid.*empty/);
  refused(sales, /each once/, { ...options, permissions: 'rr' });
  refused(sales, /x is not/, { ...options, permissions: 'rx' });
  refused(sales, /empty/, { ...options, permissions: '' });
  refused(sales, /after startsOn/, { ...options, startsOn: options.expiresOn });
  refused(sales, /no policy/, { permissions: 'r' } as never);
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
