// Blobs of one byte to 256 MiB by the official client, and of 5 GB by npm run verify large-blobs: uploaded at once, in parallel blocks and from
// streams, read whole, in parallel ranges and with checksums. Every byte is compared.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { BlobServiceClient, type BlockBlobClient, type ContainerClient } from '@azure/storage-blob';
import { ROOT, type SpawnedServer, spawnServer } from '../../support/spawned-server.js';
import { assertKnown, knownBytes, knownMd5, knownPieces, knownStream } from './known-bytes.js';

const MEBIBYTE = 1_048_576;
/** Around the maximum content of a row, of one write, and of the clients' blocks. */
const SIZES = [
  ...[1, 1_023, 16_384, 16_385, 65_537, 262_143, MEBIBYTE + 1, 4 * MEBIBYTE, 8 * MEBIBYTE + 3],
  ...[64 * MEBIBYTE + 5, 256 * MEBIBYTE],
];
const LARGEST = Number(process.env.LARGE_BLOB_BYTES ?? 0);
/** This test holds them in memory. */
const BUFFERED_MAX = 64 * MEBIBYTE + 5;
const BLOCK_BYTES = 4 * MEBIBYTE;
const RANGES = 4;
/** The longest range with a checksum. */
const CHECKED_BYTES = 4 * MEBIBYTE;

const PARALLEL = { blockSize: BLOCK_BYTES, concurrency: 4 };

/** All of the blob by parallel readers, each of a range of its own. */
async function assertRanges(blob: BlockBlobClient, size: number): Promise<void> {
  const each = Math.ceil(size / RANGES);
  await Promise.all(
    Array.from({ length: RANGES }, async (_, index) => {
      const from = Math.min(size, index * each);
      const until = Math.min(size, from + each);
      if (from === until) return;
      const { readableStreamBody, contentLength } = await blob.download(from, until - from);
      assert.equal(contentLength, until - from);
      await assertKnown(readableStreamBody as AsyncIterable<Uint8Array> | undefined, from, until);
    }),
  );
}

/** Its last bytes, with the server's checksum. */
async function assertChecked(blob: BlockBlobClient, size: number): Promise<void> {
  const from = Math.max(0, size - CHECKED_BYTES);
  const range = knownBytes(from, size);
  const { contentMD5 } = await blob.download(from, size - from, { rangeGetContentMD5: true });
  assert.deepEqual(Buffer.from(contentMD5 ?? []), createHash('md5').update(range).digest());
}

describe('blobs of all sizes by the official client', () => {
  let directory: string;
  let server: SpawnedServer;
  let container: ContainerClient;
  before(async () => {
    // Next to the build: a system's temporary directory may be memory.
    directory = mkdtempSync(join(ROOT, 'dist', 'large-blobs-'));
    const args = ['serve', '--silent', '--data', join(directory, 'data'), '--table-port', '0'];
    server = await spawnServer([...args, '--queue-port', '0', '--blob-port', '0']);
    const service = BlobServiceClient.fromConnectionString(server.connectionString, {
      retryOptions: { maxTries: 1 },
    });
    container = service.getContainerClient('large');
    await container.create();
  });
  after(async () => {
    await server.stop('SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  });

  for (const size of SIZES.filter(each => each <= BUFFERED_MAX)) {
    test(`${size} bytes: at once and in parallel blocks, read whole and in parallel ranges`, async () => {
      const bytes = knownBytes(0, size);
      const md5 = knownMd5(size);
      const whole = container.getBlockBlobClient(`whole-${size}`);
      await whole.upload(bytes, size, { blobHTTPHeaders: { blobContentMD5: md5 } });
      assert.deepEqual(Buffer.from((await whole.getProperties()).contentMD5 ?? []), md5);
      assert.ok((await whole.downloadToBuffer(0, undefined, PARALLEL)).equals(bytes));

      const blocks = container.getBlockBlobClient(`blocks-${size}`);
      await blocks.uploadData(bytes, { ...PARALLEL, maxSingleShotSize: 0 });
      const { readableStreamBody } = await blocks.download();
      await assertKnown(readableStreamBody as AsyncIterable<Uint8Array> | undefined, 0, size);
      await assertRanges(blocks, size);
      await assertChecked(blocks, size);
      await Promise.all([whole.delete(), blocks.delete()]);
    });
  }

  for (const size of [...SIZES, LARGEST].filter(each => each > 0)) {
    test(`${size} bytes: from a stream, read whole and in parallel ranges`, async () => {
      const blob = container.getBlockBlobClient(`stream-${size}`);
      await blob.uploadStream(knownStream(size), 2 * BLOCK_BYTES, 4);
      assert.equal((await blob.getProperties()).contentLength, size);
      await assertRanges(blob, size);
      await assertChecked(blob, size);
      const copy = container.getBlockBlobClient(`copy-${size}`);
      await (await copy.beginCopyFromURL(blob.url)).pollUntilDone();
      await blob.delete();
      const { readableStreamBody } = await copy.download();
      await assertKnown(readableStreamBody as AsyncIterable<Uint8Array> | undefined, 0, size);
      await copy.delete();
    });
  }

  test('blocks with a wrong checksum are refused one by one; the others make the blob', async () => {
    const size = 10 * BLOCK_BYTES;
    const blob = container.getBlockBlobClient('checked');
    const ids = Array.from({ length: 10 }, (_, index) => Buffer.from(`block-${index}`).toString('base64'));
    await Promise.all(
      ids.map(async (id, index) => {
        const bytes = knownBytes(index * BLOCK_BYTES, (index + 1) * BLOCK_BYTES);
        const other = createHash('md5').update(`${index}`).digest();
        await assert.rejects(
          blob.stageBlock(id, bytes, bytes.length, { transactionalContentMD5: other }),
          (error: Error & { code?: string }) => error.code === 'Md5Mismatch',
        );
        const md5 = createHash('md5').update(bytes).digest();
        await blob.stageBlock(id, bytes, bytes.length, { transactionalContentMD5: md5 });
      }),
    );
    await blob.commitBlockList(ids);
    await assertRanges(blob, size);
  });
});

test('known bytes are the same however they are cut, and other bytes are found', async () => {
  const size = 2 * MEBIBYTE + 7;
  const whole = knownBytes(0, size);
  assert.ok(knownBytes(1000, size - 3).equals(whole.subarray(1000, size - 3)));
  assert.deepEqual(knownMd5(size), createHash('md5').update(whole).digest());
  await assertKnown(knownStream(size) as AsyncIterable<Uint8Array>, 0, size);
  const cut = async function* cut(bytes: Buffer): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += 10_007) yield bytes.subarray(at, at + 10_007);
  };
  const changed = Buffer.from(whole);
  changed[MEBIBYTE + 5] = (changed[MEBIBYTE + 5] ?? 0) ^ 1;
  await assertKnown(cut(whole), 0, size);
  await assert.rejects(assertKnown(cut(changed), 0, size), /other bytes/);
  await assert.rejects(assertKnown(cut(whole.subarray(0, -1)), 0, size));
  assert.equal([...knownPieces(0, size)].length, 3);
});
