// Dump, load, copy and mirror killed at any moment and resumed, again and again: each ends as it would have without.
// 200 kills; a failure prints the seed that repeats them.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Dump, formatContent } from '../../../packages/data-tools/index.js';
import { rowOf } from '../../../packages/data-tools/testing/nasty-rows.js';
import { chanceOf } from '../../patterns/support/seeded.js';
import { type SpawnedServer, spawnServer } from '../../support/spawned-server.js';
import { dumpTo, linesOf, loadInto, rowsOf, verified } from '../tool-run.js';
import type { Work } from './killed-tool.js';
import { untilKilled } from './run-until.js';

const SEED = Number(process.env.SHELFMARK_SEED ?? 5);
const KILLS = Number(process.env.SHELFMARK_KILLS ?? 200);
const ROWS = 15_000;
const REPEAT = `SHELFMARK_SEED=${SEED} SHELFMARK_LONG=1 node dist/tools/run-tests.js data-tools/slow/kills`;

describe('a tool that is killed', () => {
  let server: SpawnedServer;
  let directory = '';
  let expected: readonly string[] = [];
  const chance = chanceOf(SEED);
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'shelfmark-kills-'));
    const ports = ['--table-port', '0', '--queue-port', '0', '--blob-port', '0'];
    server = await spawnServer(['serve', '--data', join(directory, 'data'), ...ports]);
    const rows = Array.from({ length: ROWS }, (_, i) =>
      rowOf(`p${i % 3}`, String(i).padStart(6, '0'), [
        ['n', 'Int64', String(i)],
        ['t', 'String', 'x'.repeat(i % 90)],
      ]),
    );
    const path = join(directory, 'rows.jsonl');
    await writeFile(path, linesOf(rows));
    await loadInto(server.connectionString, path, { tables: ['source'] });
    expected = (await rowsOf(server.connectionString, 'source')).map(formatContent);
    await dumpTo(server.connectionString, join(directory, 'whole'), { tables: ['source'] });
  });
  after(async () => {
    await server.stop('SIGTERM');
    await rm(directory, { recursive: true, force: true });
  });

  const isAsExpected = async (work: Work): Promise<void> => {
    if (work.tool !== 'dump') {
      assert.deepEqual((await rowsOf(server.connectionString, work.to)).map(formatContent), expected, REPEAT);
      return;
    }
    const { result, written } = await verified(work.path);
    assert.equal(result.exit, 'done', `${written}; ${REPEAT}`);
    const { tables } = Dump.open(work.path).manifest;
    const { tables: whole } = Dump.open(join(directory, 'whole')).manifest;
    assert.deepEqual(
      tables.map(({ rows, partitions, checksum }) => [rows, partitions, checksum]),
      whole.map(({ rows, partitions, checksum }) => [rows, partitions, checksum]),
    );
    assert.deepEqual((await readdir(work.path)).sort(), ['SHA256SUMS', 'manifest.json', 'source']);
    const linesIn = async (from: string): Promise<string> => {
      const names = (await readdir(join(from, 'source'))).filter(name => name.startsWith('0')).sort();
      return (await Promise.all(names.map(name => readFile(join(from, 'source', name), 'utf8')))).join('');
    };
    assert.equal(await linesIn(work.path), await linesIn(join(directory, 'whole')), REPEAT);
  };

  const before1 = async (work: Work): Promise<void> => {
    if (work.tool !== 'mirror') return;
    // A target that has other rows, and some that the source lacks.
    const rows = Array.from({ length: 3000 }, (_, i) =>
      rowOf(`p${i % 4}`, String(i * 7).padStart(6, '0'), [['n', 'Int64', '1']]),
    );
    const path = join(directory, 'other.jsonl');
    await writeFile(path, linesOf(rows));
    const journal = join(directory, 'other.journal');
    await loadInto(server.connectionString, path, { tables: [work.to], journal });
  };

  for (const tool of ['dump', 'load', 'copy', 'mirror'] as const)
    test(`${tool} ends as it would have without`, () =>
      untilKilled({ count: KILLS / 4, chance, repeat: REPEAT }, async (run, toEnd) => {
        const name = `${tool}${run}`;
        const work: Work = {
          tool,
          connectionString: server.connectionString,
          table: 'source',
          to: name,
          path: tool === 'dump' ? join(directory, name) : join(directory, 'whole'),
          journal: join(directory, `${name}.journal`),
          resume: true,
        };
        await before1(work);
        await toEnd(work);
        await isAsExpected(work);
        if (tool === 'dump') await rm(work.path, { recursive: true });
      }));
});
