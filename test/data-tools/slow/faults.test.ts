// Load, dump, copy and mirror through a proxy that injects every transient fault: each ends as it would have without,
// doubles no row and reports no conflict.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { formatContent, MODES, type Row } from '../../../packages/data-tools/index.js';
import { rowOf } from '../../../packages/data-tools/testing/nasty-rows.js';
import { describePeers } from '../../patterns/support/peers.js';
import { FAULTS, type FaultyProxy, startFaultyProxy } from '../faulty-proxy.js';
import { copyTo, dumpIn, dumpTo, exitOf, linesOf, loadInto, rowsOf, verified } from '../tool-run.js';

const SEED = Number(process.env.SHELFMARK_SEED ?? 7);
const SHARE = 0.3;
const REPEAT = `SHELFMARK_SEED=${SEED} SHELFMARK_LONG=1 node dist/tools/run-tests.js data-tools/slow/faults`;

const ROWS: readonly Row[] = Array.from({ length: 600 }, (_, i) =>
  rowOf(`p${i % 7}`, String(i).padStart(4, '0'), [
    ['n', 'Int64', String(i)],
    ['text', 'String', 'x'.repeat(i % 50)],
  ]),
).sort((one, other) => (one.partitionKey + one.rowKey < other.partitionKey + other.rowKey ? -1 : 1));

const contents = (rows: readonly Row[]): readonly string[] => rows.map(formatContent);

describePeers('through faults on the way', peer => {
  let directory = '';
  let proxy: FaultyProxy;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'shelfmark-faults-'));
    proxy = await startFaultyProxy(peer.connectionString(), { seed: SEED, share: SHARE });
  });
  after(async () => {
    await proxy.close();
    await rm(directory, { recursive: true, force: true });
  });

  const fileOf = async (name: string, rows: readonly Row[]): Promise<string> => {
    const path = join(directory, `${name}.jsonl`);
    await writeFile(path, linesOf(rows));
    return path;
  };
  const load = async (table: string, rows: readonly Row[]) =>
    loadInto(peer.connectionString(), await fileOf(table, rows), { tables: [table] });

  test('a load writes each row once and reports no conflict, in every mode', async () => {
    const path = await fileOf('rows', ROWS);
    for (const mode of MODES) {
      const table = `faulty${mode}`;
      const { result, told } = await loadInto(proxy.connectionString, path, { tables: [table], mode });
      assert.deepEqual(told, [], REPEAT);
      assert.equal(result.exit, 'done');
      assert.deepEqual(contents(await rowsOf(peer.connectionString(), table)), contents(ROWS), REPEAT);
    }
  });

  test('a dump has each row once, and a copy and a mirror too', async () => {
    await load('source', ROWS);
    const out = join(directory, 'dump');
    const { connectionString } = proxy;
    await dumpTo(connectionString, out, { tables: ['source'] });
    assert.equal((await verified(out)).result.exit, 'done', REPEAT);
    assert.equal((await dumpIn(out)).table('source').rows, ROWS.length, REPEAT);
    const run = (to: string, mirror: boolean) => {
      const journal = join(directory, `${to}.journal`);
      return copyTo(connectionString, connectionString, { tables: [`source=${to}`], mirror, journal });
    };
    const copied = await run('copied', false);
    assert.deepEqual(copied.told, [], REPEAT);
    assert.deepEqual(contents(await rowsOf(peer.connectionString(), 'copied')), contents(ROWS), REPEAT);
    const others = ROWS.filter((_, i) => i % 3 !== 0).map((row, i) =>
      i % 5 === 0 ? rowOf(row.partitionKey, row.rowKey, []) : row,
    );
    await load('mirrored', [rowOf('a', 'gone', []), ...others, rowOf('z', 'gone', [])]);
    await run('mirrored', true);
    assert.deepEqual(contents(await rowsOf(peer.connectionString(), 'mirrored')), contents(ROWS), REPEAT);
  });

  test('all faults occurred', () => {
    assert.deepEqual(
      FAULTS.filter(fault => !proxy.done.has(fault)),
      [],
      REPEAT,
    );
  });

  test('a tool gives up with 6 after this long without success, and continues later', async () => {
    await load('giveup', ROWS.slice(0, 50));
    const dead = await startFaultyProxy(peer.connectionString(), {
      seed: SEED,
      share: 1,
      faults: ['500', '503', 'cut'],
    });
    const out = join(directory, 'giveup');
    const failed = dumpTo(dead.connectionString, out, { tables: ['giveup'] }, { retryForMilliseconds: 300 });
    assert.equal(await exitOf(failed), 6);
    await dead.close();
  });
});
