// Each byte of a small dump, of rows, blobs and messages, in turn with one bit flipped, and every third removed: verify
// finds it, and load writes nothing.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { BlobServiceClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { type RunningServer, serve } from 'shelfmark';
import { verifyFiles } from '../../../packages/data-tools/index.js';
import { rowOf } from '../../../packages/data-tools/testing/nasty-rows.js';
import { dumpTo, exitOf, linesOf, loadInto, rowsOf, verified } from '../tool-run.js';

describe('a damaged dump', () => {
  let server: RunningServer;
  let directory = '';
  const out = (): string => join(directory, 'dump');
  before(async () => {
    server = await serve({ data: undefined });
    directory = await mkdtemp(join(tmpdir(), 'shelfmark-flipped-'));
    const path = join(directory, 'rows.jsonl');
    await writeFile(path, linesOf([rowOf('p', '1', [['a', 'Double', '1']]), rowOf('q', '2', [])]));
    await loadInto(server.connectionString(), path, { tables: ['small'] });
    const box = BlobServiceClient.fromConnectionString(server.connectionString()).getContainerClient('box');
    await box.create({ metadata: { a: 'b' } });
    await box.getBlockBlobClient('a').upload('some content', 12);
    const jobs = QueueServiceClient.fromConnectionString(server.connectionString()).getQueueClient('jobs');
    await jobs.create();
    await jobs.sendMessage('message');
    const choice = { all: true, names: [] };
    const contents = { queues: true, takeMessages: true, blobs: true };
    await dumpTo(server.connectionString(), out(), { choice, ...contents });
  });
  after(async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });

  const files = async (): Promise<readonly string[]> =>
    (await readdir(out(), { recursive: true, withFileTypes: true }))
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name));

  const loadIt = (): Promise<number> =>
    exitOf(loadInto(server.connectionString(), out(), { tables: ['small=other'] }));

  test('is found by every byte of it', async () => {
    const paths = await files();
    assert.equal(paths.length, 7);
    for (const path of paths) {
      const whole = await readFile(path);
      for (let at = 0; at < whole.length; at++) {
        const flipped = Buffer.from(whole);
        flipped[at] = (whole[at] ?? 0) ^ (1 << (at % 8));
        const cut = Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1)]);
        for (const bytes of at % 3 === 0 ? [flipped, cut] : [flipped]) {
          await writeFile(path, bytes);
          const { findings } = await verifyFiles(out());
          assert(findings.length > 0, `${path}, byte ${at}`);
        }
      }
      await writeFile(path, whole);
    }
    assert.deepEqual((await verifyFiles(out())).findings, []);
  });

  test('is not loaded, with 7, and nothing is written', async () => {
    for (const path of await files()) {
      const whole = await readFile(path);
      const flipped = Buffer.from(whole);
      flipped[whole.length >> 1] = (whole[whole.length >> 1] ?? 0) ^ 1;
      await writeFile(path, flipped);
      assert.equal(await loadIt(), 7, path);
      await unlink(path);
      assert.equal(await loadIt(), 7, `${path} is missing`);
      await writeFile(path, whole);
    }
    assert.equal(await exitOf(rowsOf(server.connectionString(), 'other')), 4);
    await writeFile(join(out(), 'more'), 'x');
    assert.equal(await loadIt(), 7);
    await unlink(join(out(), 'more'));
    assert.equal(await loadIt(), 0);
  });

  test('with rows that do not fit its sums is found by reading them', async () => {
    const { result, written } = await verified(out());
    assert.equal(result.exit, 'done');
    assert.match(written, /^\{"table":"small","rows":2,"partitions":2,"checksum":"[0-9a-f]{32}"\}\n/);
  });
});
