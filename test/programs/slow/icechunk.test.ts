// Icechunk, versioned arrays whose branches are blobs that are replaced by ETag: of writers that commit at once exactly one wins. Its transport is Rust's
// object_store. Skipped where it can't be installed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BlobServiceClient } from '@azure/storage-blob';
import { pythonWith } from '../install.js';
import { ACCOUNT, KEY, newDirectory, run, startServer } from '../program.js';

/** The newest that Python 3.11 can have. */
const PACKAGES: readonly string[] = ['icechunk==1.1.21', 'zarr==3.1.6'];
const SCRIPT = fileURLToPath(new URL('../../../../test/programs/commit-contest.py', import.meta.url));

test('Icechunk: one of eight commits at once wins, and rebased ones lose nothing', async t => {
  const installed = pythonWith('icechunk', PACKAGES);
  if ('missing' in installed) return t.skip(installed.missing);
  const directory = newDirectory(t);
  const { server, blobs } = await startServer(t, directory);
  await BlobServiceClient.fromConnectionString(server.connectionString).createContainer('ice');

  const env = { ACCOUNT, KEY, BLOB_ENDPOINT: blobs };
  const told = JSON.parse(await run(installed.python, [SCRIPT], { env }));
  assert.deepEqual(told, {
    winners: Array(20).fill(1),
    losers: Array(20).fill(7),
    // The first is the empty repository, the second the array.
    contested: 22,
    rebased: 8 * 5,
    history: 22 + 8 * 5,
  });
});
