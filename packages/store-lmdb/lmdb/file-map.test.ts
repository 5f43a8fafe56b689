// The map shows what is written to the file, whatever has the file open; after it was closed nothing can be read there.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Environment, openEnvironment } from '../environment.js';
import { newDirectory } from '../testing/fixture.js';
import { PAGE_BYTES } from './file-head.js';
import { FileMap } from './file-map.js';

async function open(t: TestContext): Promise<{ directory: string; environment: Environment }> {
  const directory = join(newDirectory(t), 'file map');
  const environment = openEnvironment({ directory, durability: 'none', exclusive: true });
  await fill(environment, 1);
  return { directory, environment };
}

const fill = (environment: Environment, byte: number): Promise<void> =>
  environment.transaction(() => environment.rows.apply(Buffer.from('key'), Buffer.alloc(100_000, byte)));

function mapOf({ path }: Environment, segmentPages?: number): FileMap {
  const map = FileMap.of(path, segmentPages);
  assert(map !== undefined, 'the file is mapped');
  return map;
}

test('the map has what the file has, also after it was written to', async t => {
  const { environment } = await open(t);
  t.after(() => environment.close());
  const map = mapOf(environment, 4);
  t.after(() => map.close());
  for (const byte of [1, 2, 3]) {
    await fill(environment, byte);
    const file = await readFile(environment.path);
    const pages = Math.floor(file.length / PAGE_BYTES);
    assert(pages > 12);
    assert.deepEqual(map.view(0, pages), file.subarray(0, pages * PAGE_BYTES));
    const { first, bytes, words } = map.segmentOf(6);
    assert.deepEqual([first, bytes.length], [4, 4 * PAGE_BYTES]);
    assert.equal(bytes.readUInt16LE(2 * PAGE_BYTES + 10), words[PAGE_BYTES + 5]);
    assert.equal(bytes.readUInt32LE(2 * PAGE_BYTES), file.readUInt32LE(6 * PAGE_BYTES));
  }
});

test('buffers of a closed map are empty, and the file can be opened and mapped again', async t => {
  const { directory, environment } = await open(t);
  const seen: Buffer[] = [];
  for (let time = 0, opened = environment; time < 5; time += 1) {
    const map = mapOf(opened);
    const view = map.view(0, 2);
    assert.equal(view.readUInt32LE(24), 0xbeefc0de);
    seen.push(view, map.segmentOf(0).bytes);
    map.close();
    await opened.close();
    assert.deepEqual(new Set(seen.map(({ length }) => length)), new Set([0]));
    opened = openEnvironment({ directory, durability: 'none', exclusive: true });
    if (time === 4) await opened.close();
  }
});

test('a file that no process has mapped has no map', () => {
  assert.equal(FileMap.of('/nowhere/data.mdb'), undefined);
});
