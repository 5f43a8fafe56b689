// A dump of blobs on a disk that becomes full: no partial file has a final name, and when there is space it resumes to
// the same end. Needs root for the disk.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { BlobServiceClient } from '@azure/storage-blob';
import { type RunningServer, serve } from 'shelfmark';
import { newDisk } from '../../overload/small-disk.js';
import { runCommand } from '../command-run.js';
import { dumpedBlobs } from './dumped-blobs.js';

const MIB = 1_048_576;
const skip = process.env.SHELFMARK_LONG !== '1';

test('a dump of blobs on a full disk goes on when there is room', { skip }, async t => {
  const disk = newDisk(t, 'tmpfs', 32);
  if (disk === undefined) return;
  const server: RunningServer = await serve({ data: undefined });
  t.after(() => server.close());
  const from = server.connectionString();
  const box = BlobServiceClient.fromConnectionString(from).getContainerClient('box');
  await box.create();
  const contents = Array.from({ length: 30 }, (_, i) =>
    Buffer.alloc(i % 10 === 5 ? 3 * MIB : 70_000, `${i};`),
  );
  for (const [i, content] of contents.entries()) await box.getBlockBlobClient(`b${i}`).uploadData(content);

  const out = join(disk.path, 'dump');
  const args = ['dump', '--blobs', '--out', out];
  // Once in the middle of contents, once with next to nothing more.
  for (const [leave, more] of [
    [4 * MIB, []],
    [3 * MIB, ['--resume']],
  ] as const) {
    const release = disk.fill(leave);
    const full = await runCommand([...args, ...more], { from });
    assert.equal(full.code, 6, full.told);
    assert.match(String(full.events.at(-1)?.message), /ENOSPC.*--resume goes on/);
    assert(!existsSync(join(out, 'SHA256SUMS')));
    for (const path of await readdir(join(out, 'blob-contents'), { recursive: true, withFileTypes: true }))
      if (path.isFile()) {
        const content = await readFile(join(path.parentPath, path.name));
        assert.equal(createHash('sha256').update(content).digest('hex'), basename(path.name));
      }
    assert.equal((await runCommand(['verify', out])).code, 1);
    release();
  }
  const whole = await runCommand([...args, '--resume'], { from });
  assert.equal(whole.code, 0, whole.told);
  assert.equal((await runCommand(['verify', out])).code, 0);
  const found = await dumpedBlobs(out, 'box');
  assert.equal(found.size, contents.length);
  for (const [i, content] of contents.entries()) assert(found.get(`b${i}`)?.equals(content), `b${i}`);
  assert.deepEqual((await readdir(out)).sort(), [
    'SHA256SUMS',
    'blob-containers',
    'blob-contents',
    'manifest.json',
  ]);
});
