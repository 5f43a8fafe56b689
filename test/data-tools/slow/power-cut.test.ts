// A dump whose machine loses its power at any moment, and that is resumed from what the disk has then: it ends as it
// would have without. A failure prints the seed that repeats it. For Linux.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BlobServiceClient } from '@azure/storage-blob';
import { serve } from 'shelfmark';
import { WORK_PATH } from '../../../packages/data-tools/dump/manifest.js';
import { rowOf } from '../../../packages/data-tools/testing/nasty-rows.js';
import { Disk } from '../../power-cut/disk.js';
import type { Mood } from '../../power-cut/file-content.js';
import { compileRecorder, recordingEnvironment } from '../../power-cut/recorder.js';
import { beginRecording, readRecording } from '../../power-cut/recording.js';
import { below, drawFrom, from } from '../../random/arbitrary.js';
import { dumpTo, linesOf, loadInto, verified } from '../tool-run.js';
import type { Work } from './killed-tool.js';

const SEED = Number(process.env.SHELFMARK_SEED ?? 5);
const CUTS = Number(process.env.SHELFMARK_CUTS ?? 40);
const PROGRAM = fileURLToPath(new URL('killed-tool.js', import.meta.url));
const ROWS = 4000;
const MOODS = from<Mood>(['all', 'all', 'none', 'some', 'some']);

/** All files with their bytes, the rows of all parts as one. */
function filesIn(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  for (const path of entries.map(each => join(each.parentPath, each.name)).sort()) {
    if (statSync(path).isDirectory()) continue;
    const name = path.slice(directory.length + 1);
    // Have the times of the run.
    if (name === 'manifest.json' || name === 'SHA256SUMS') continue;
    const whole = name.replace(/\d{5}\.jsonl$/, 'rows');
    found[whole] = (found[whole] ?? '') + readFileSync(path, 'latin1');
  }
  return found;
}

const fill = {
  'a table': async (connectionString: string, path: string): Promise<void> => {
    const rows = Array.from({ length: ROWS }, (_, i) =>
      rowOf(`p${i % 3}`, String(i).padStart(6, '0'), [['t', 'String', 'x'.repeat(i % 90)]]),
    );
    writeFileSync(path, linesOf(rows));
    await loadInto(connectionString, path, { tables: ['source'] });
  },
  containers: async (connectionString: string): Promise<void> => {
    for (const name of ['box', 'other']) {
      const box = BlobServiceClient.fromConnectionString(connectionString).getContainerClient(name);
      await box.create();
      for (let i = 0; i < 12; i++)
        await box.getBlockBlobClient(`b${i}`).uploadData(Buffer.alloc(i * 3000, `${i};`));
    }
  },
};

for (const what of ['a table', 'containers'] as const)
  test(`a dump of ${what} after a power cut goes on from what is on the disk`, async t => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'shelfmark-cut-dump-')));
    t.after(() => rmSync(directory, { recursive: true }));
    const at = (name: string): string => join(directory, name);
    const missing = compileRecorder(at('recorder.so'));
    if (missing !== undefined) return t.skip(missing);
    const server = await serve({ data: undefined });
    t.after(() => server.close());
    const connectionString = server.connectionString();
    await fill[what](connectionString, at('rows.jsonl'));
    const dumped =
      what === 'a table' ? { tables: ['source'] } : { blobs: true, queues: true, takeMessages: true };
    await dumpTo(connectionString, at('whole'), dumped);
    const expected = filesIn(at('whole'));

    const [root, log] = [at('root'), at('recording')];
    mkdirSync(root);
    beginRecording(log);
    const work: Work = {
      tool: 'dump',
      connectionString,
      table: 'source',
      ...{ to: '', path: join(root, 'dump'), journal: '', resume: true },
      ...(what === 'containers' && { contentsTo: connectionString }),
    };
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(work)], {
      env: recordingEnvironment({ root, log, library: at('recorder.so') }),
      stdio: 'inherit',
    });
    assert.deepEqual(await once(child, 'close'), [0, null]);
    const records = readRecording(log);
    const draw = drawFrom(SEED);
    // Half of the cuts are between files that get their names, when parts are read no more.
    const named = from(records.flatMap(({ kind }, index) => (kind === 'renamed' ? index : [])));
    const anywhere = below(records.length);
    const moments = new Set(Array.from({ length: CUTS }, (_, cut) => draw(cut % 2 ? named : anywhere)));
    moments.add(records.length - 1);
    const disk = new Disk(statSync(root, { bigint: true }).ino);
    for (const [index, record] of records.entries()) {
      disk.add(record);
      if (!moments.has(index)) continue;
      const mood = index === records.length - 1 ? 'all' : draw(MOODS);
      const repeat = `after record ${index} of ${records.length}, ${mood} lost; SHELFMARK_SEED=${SEED}`;
      const image = disk.cut(mood, draw);
      rmSync(at('cut'), { recursive: true, force: true });
      for (const [path, content] of image) {
        mkdirSync(dirname(join(at('cut'), path)), { recursive: true });
        writeFileSync(join(at('cut'), path), content);
      }
      const out = join(at('cut'), 'dump');
      if (index === records.length - 1)
        assert(image.has('dump/SHA256SUMS'), 'A dump that has ended is there.');
      await dumpTo(connectionString, out, { ...dumped, resume: true }).catch(error => {
        throw new Error(repeat, { cause: error });
      });
      const { result, written } = await verified(out);
      assert.equal(result.exit, 'done', `${written}; ${repeat}`);
      assert.deepEqual(filesIn(out), expected, repeat);
    }
  });

test('the journal of a killed dump is synced before its parts get their names', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-cut-resumed-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const server = await serve({ data: undefined });
  t.after(() => server.close());
  const connectionString = server.connectionString();
  await fill['a table'](connectionString, join(directory, 'rows.jsonl'));
  const out = join(directory, 'dump');
  mkdirSync(join(out, WORK_PATH), { recursive: true });
  // It ends the first run once all is read.
  writeFileSync(join(out, 'source'), '');
  const dumped = { tables: ['source'], resume: true };
  await assert.rejects(dumpTo(connectionString, out, dumped), { code: 'EEXIST' });
  rmSync(join(out, 'source'));

  const steps: string[] = [];
  const paths = new Map<number, string>();
  const { openSync, fsyncSync, renameSync } = fs;
  t.after(() => {
    Object.assign(fs, { openSync, fsyncSync, renameSync });
    syncBuiltinESMExports();
  });
  fs.openSync = (path, ...rest) => {
    const fd = openSync(path, ...rest);
    paths.set(fd, String(path));
    return fd;
  };
  fs.fsyncSync = fd => {
    steps.push(`sync ${basename(paths.get(fd) ?? '')}`);
    fsyncSync(fd);
  };
  fs.renameSync = (from, to) => {
    steps.push('rename');
    renameSync(from, to);
  };
  syncBuiltinESMExports();
  await dumpTo(connectionString, out, dumped);
  const synced = steps.indexOf('sync journal.jsonl');
  assert(synced >= 0 && synced < steps.indexOf('rename'), steps.join('\n'));
});
