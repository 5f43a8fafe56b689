// Delta tables by their own client, whose transport is Rust's object_store, and a file system by adlfs, whose transport
// is the official client's asynchronous one. Each checks what it wrote through the other. Skipped if the packages
// cannot be installed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DATA_PACKAGES, pythonWith } from '../install.js';
import { ACCOUNT, KEY, newDirectory, run, startServer } from '../program.js';

const SCRIPT = fileURLToPath(new URL('../../../../test/programs/data-lake.py', import.meta.url));

test('a Delta table has its versions and rows; a file system has its files', async t => {
  const installed = pythonWith('data-lake', DATA_PACKAGES);
  if ('missing' in installed) return t.skip(installed.missing);
  const directory = newDirectory(t);
  const { server, blobs } = await startServer(t, directory);

  const env = {
    ACCOUNT,
    KEY,
    BLOB_ENDPOINT: blobs,
    CONNECTION_STRING: server.connectionString,
  };
  const told = JSON.parse(await run(installed.python, [SCRIPT], { env }));
  assert.deepEqual(told, {
    appended: [9, 1_000],
    deleted: 950,
    compacted: 950,
    rewritten: 950,
    asOf: 300,
    concurrent: 970,
    conflicting: 'one of them',
    found: ['_delta_log', 'part=0', 'part=1', 'part=2', 'part=w'],
    range: [4, 5],
    sizes: [31_457_280, 31_457_280],
    moved: ['files/moved.bin', 'files/x y+z'],
    removed: ['files/moved.bin'],
  });
});
