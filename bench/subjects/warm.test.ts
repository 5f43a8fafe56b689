// What is read of a directory to bring it into memory.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { warm } from './warm.js';

test('every byte of every file is read, and directories are left alone', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'warm-'));
  try {
    await writeFile(join(directory, 'a'), Buffer.alloc(5_000_000));
    await writeFile(join(directory, 'b'), Buffer.alloc(3));
    await mkdir(join(directory, 'c'));
    assert.equal(await warm(directory), 5_000_003);
  } finally {
    await rm(directory, { recursive: true });
  }
});
