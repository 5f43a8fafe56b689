// A nasty table through dump, load, copy, CSV and diff: the output equals the input, to the byte of each line, on every
// peer. So do access policies.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { TableClient } from '@azure/data-tables';
import {
  Checksum,
  diff,
  Endpoint,
  formatContent,
  MODES,
  type Mode,
  parseAddress,
  type Row,
  TableRows,
} from '../../packages/data-tools/index.js';
import { keptByAzurite, NASTY_ROWS, rowOf } from '../../packages/data-tools/testing/nasty-rows.js';
import { describePeers } from '../patterns/support/peers.js';
import { startFaultyProxy } from './faulty-proxy.js';
import { copyTo, dumpIn, dumpTo, linesOf, loadInto, rowsOf, runTool, verified } from './tool-run.js';

/** Servers in JavaScript keep half surrogate pairs in values. */
const HALVES = rowOf('half', 'values', [
  ['high', 'String', 'a\ud800b'],
  ['low', 'String', '\udc00'],
]);

const contents = (rows: readonly Row[]): readonly string[] => rows.map(formatContent).sort();

function checksumOf(rows: readonly Row[]): string {
  const checksum = new Checksum();
  for (const row of rows) checksum.addContent(formatContent(row));
  return String(checksum);
}

describePeers('a nasty table', peer => {
  const all = [...NASTY_ROWS, HALVES];
  const ROWS = peer.name === 'azurite' ? all.flatMap(row => keptByAzurite(row) ?? []) : all;
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'shelfmark-round-'));
    await writeFile(join(directory, 'rows.jsonl'), linesOf(ROWS));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const here = (): string => peer.connectionString();
  const load = (tables: readonly string[], path: string, mode?: Mode) =>
    loadInto(here(), path, { tables, mode });
  const loadWhole = async (tables: readonly string[], path: string) =>
    assert.deepEqual((await load(tables, path)).told, []);
  const fileOf = async (name: string, rows: readonly Row[]): Promise<string> => {
    const path = join(directory, `${name}.jsonl`);
    await writeFile(path, linesOf(rows));
    return path;
  };
  const differences = (names: readonly string[]) =>
    runTool(context => {
      const rows = new TableRows(new Endpoint(parseAddress(here()), 'table', context.source));
      return diff({ from: rows, to: rows, choice: { all: false, names } }, context);
    });

  test('goes through a file of lines, a directory, a stream, CSV, gzip and a copy', async () => {
    await loadWhole(['nastyrows'], join(directory, 'rows.jsonl'));
    assert.deepEqual(contents(await rowsOf(here(), 'nastyrows')), contents(ROWS));

    const [plain, csv, packed] = ['plain', 'csv', 'packed'].map(name => join(directory, name));
    assert(plain !== undefined && csv !== undefined && packed !== undefined);
    const tables = ['nastyrows'];
    await dumpTo(here(), plain, { tables });
    await dumpTo(here(), csv, { tables, format: 'csv' });
    await dumpTo(here(), packed, { tables, compress: 'gzip' });
    const stream = await dumpTo(here(), '-', { tables });
    const [file] = (await readdir(join(plain, 'nastyrows'))).filter(name => name.startsWith('0'));
    assert.equal(await readFile(join(plain, 'nastyrows', file ?? ''), 'utf8'), stream.written);
    assert.equal((await dumpIn(plain)).table('nastyrows').checksum, checksumOf(ROWS));

    for (const [place, source] of [plain, csv, packed].entries()) {
      const { result, written } = await verified(source);
      assert.equal(result.exit, 'done', written);
      const name = `nastycopy${place}`;
      await load([`nastyrows=${name}`], source);
      assert.equal((await differences([`nastyrows=${name}`])).result.more?.differences, 0);
    }
    const journal = join(directory, 'copy.journal');
    await copyTo(here(), here(), { tables: ['nastyrows=nastyagain'], journal });
    assert.deepEqual(contents(await rowsOf(here(), 'nastyagain')), contents(ROWS));
  });

  test('differs from another after every change of a value', async () => {
    await loadWhole(['difffrom'], join(directory, 'rows.jsonl'));
    const changed = ROWS.filter(({ rowKey }) => rowKey !== 'none').map(row =>
      row.rowKey === 'all'
        ? rowOf('edges', 'all', [
            ['zero', 'Int32', '0'],
            ['minusZero', 'Double', '0'],
            ['whole', 'Int32', '1'],
            ['__proto__', 'String', 'new'],
          ])
        : row,
    );
    await loadWhole(['diffto'], await fileOf('changed', changed));
    const { result, written } = await differences(['difffrom=diffto']);
    assert.equal(result.exit, 'different');
    const lines = written
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ table, PartitionKey, RowKey, kind }) => [table, PartitionKey, RowKey, kind]),
      [
        ['difffrom', 'edges', 'all', 'differs'],
        ['difffrom', 'mixed', 'none', 'only-from'],
      ],
    );
    const { properties } = lines[0];
    assert.deepEqual(properties.whole, { from: ['Double', 1], to: ['Int32', 1] });
    assert.deepEqual(properties.zero, { from: ['Double', 0], to: ['Int32', 0] });
    // Azurite silently drops a property of that name.
    if (peer.name !== 'azurite') {
      assert(written.includes('"minusZero":{"from":["Double",-0.0],"to":["Double",0.0]}'));
      assert(written.includes('"__proto__":{"from":null,"to":["String","new"]}'));
    }
    assert.deepEqual(properties.noFraction, { from: ['DateTime', '2020-01-02T03:04:05Z'], to: null });
  });

  test('is left alone, replaced, merged or skipped, according to the mode', async () => {
    const there = [rowOf('p', '1', [['a', 'Int32', '1']]), rowOf('p', '2', [['a', 'Int32', '2']])];
    const coming = [
      rowOf('p', '1', [['a', 'Int32', '1']]),
      rowOf('p', '2', [['b', 'Int32', '3']]),
      rowOf('p', '3', [['a', 'Int32', '4']]),
    ];
    const [first, second] = [await fileOf('there', there), await fileOf('coming', coming)];
    const expected: Readonly<Record<Mode, string>> = {
      insert: '{"PartitionKey":"p","RowKey":"2","a":2}',
      upsert: '{"PartitionKey":"p","RowKey":"2","b":3}',
      merge: '{"PartitionKey":"p","RowKey":"2","a":2,"b":3}',
      skip: '{"PartitionKey":"p","RowKey":"2","a":2}',
    };
    for (const mode of MODES) {
      const table = `mode${mode}`;
      await load([table], first);
      const { result, told } = await load([table], second, mode);
      assert.deepEqual((await rowsOf(here(), table)).map(formatContent), [
        '{"PartitionKey":"p","RowKey":"1","a":1}',
        expected[mode],
        '{"PartitionKey":"p","RowKey":"3","a":4}',
      ]);
      assert.equal(result.exit, mode === 'insert' ? 'conflict' : 'done');
      const conflicts =
        mode === 'insert' ? [{ event: 'conflict', table, PartitionKey: 'p', RowKey: '2' }] : [];
      assert.deepEqual(told, conflicts);
    }
  });

  test('lists what a server refuses with its reason, and loads the rest', async () => {
    const rows = [
      rowOf('p', 'a', [['x', 'Int32', '1']]),
      rowOf('p', 'b', [['x', 'Binary', Buffer.alloc(70_000).toString('base64')]]),
      rowOf('p', 'c', [['x', 'Int32', '3']]),
    ];
    const { result, told } = await load(['somerefused'], await fileOf('refused', rows));
    assert.equal(result.exit, 'conflict');
    assert.deepEqual(
      told.map(({ event, RowKey }) => [event, RowKey]),
      [['refused', 'b']],
    );
    assert.match(String(told[0]?.reason), /^4\d\d /);
    assert.deepEqual(
      (await rowsOf(here(), 'somerefused')).map(({ rowKey }) => rowKey),
      ['a', 'c'],
    );
  });

  test('becomes the source by a mirror', async () => {
    const old = [rowOf('', '', []), rowOf('edges', 'all', [['x', 'Int32', '1']]), rowOf('zz', 'last', [])];
    await load(['mirrorfrom'], join(directory, 'rows.jsonl'));
    await load(['mirrorto'], await fileOf('mirror', old));
    const journal = join(directory, 'mirror.journal');
    const { result } = await copyTo(here(), here(), {
      tables: ['mirrorfrom=mirrorto'],
      mirror: true,
      journal,
    });
    assert.deepEqual(result.more, { conflicts: 0, refused: 0, deleted: 1 });
    assert.deepEqual(contents(await rowsOf(here(), 'mirrorto')), contents(ROWS));
  });

  test('is dumped without its access policies, with one note for all tables, where the service has none', async () => {
    const tables = ['unread', 'unreadtoo'];
    for (const table of tables) await load([table], join(directory, 'rows.jsonl'));
    const proxy = await startFaultyProxy(here(), { seed: 1, share: 0, unsupported: 'comp=acl' });
    try {
      const out = join(directory, 'unread');
      const { told } = await dumpTo(proxy.connectionString, out, { tables });
      const message = 'The source has no access policies of tables: they are left out.';
      assert.deepEqual(told, [{ event: 'note', message }]);
      const dumped = await dumpIn(out);
      for (const table of tables) assert.equal(dumped.table(table).policies, null);
    } finally {
      await proxy.close();
    }
  });

  // Azurite refuses policies.
  test('takes its access policies through a dump, a load and a copy', {
    skip: peer.name === 'azurite',
  }, async () => {
    const client = (name: string): TableClient =>
      TableClient.fromConnectionString(here(), name, { allowInsecureConnection: true });
    await client('guarded').createTable();
    await client('guarded').setAccessPolicy([
      {
        id: `<a>&"'é\u{1f4d6}`,
        accessPolicy: { permission: 'r', start: new Date('2020-01-01'), expiry: new Date('2040-01-01') },
      },
      { id: 'without dates', accessPolicy: { permission: 'raud' } },
    ]);
    const expected = await client('guarded').getAccessPolicy();
    const out = join(directory, 'guarded');
    await dumpTo(here(), out, { tables: ['guarded'] });
    assert.deepEqual(
      (await dumpIn(out)).table('guarded').policies?.map(({ id, permission }) => [id, permission]),
      expected.map(({ id, accessPolicy }) => [id, accessPolicy?.permission]),
    );
    await load(['guarded=loaded'], out);
    const journal = join(directory, 'policies.journal');
    await copyTo(here(), here(), { tables: ['guarded=copied'], journal });
    for (const name of ['loaded', 'copied'])
      assert.deepEqual(await client(name).getAccessPolicy(), expected, name);
  });
});
