// After a map was closed nothing can be read there. pages/page-cursor.test.ts compares what it shows with the file.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Environment, openEnvironment } from '../environment.js';
import { newDirectory } from '../testing/fixture.js';
import { FileMap } from './file-map.js';

async function open(t: TestContext): Promise<{ directory: string; environment: Environment }> {
  const directory = join(newDirectory(t), 'file map');
  const environment = openEnvironment({ directory, durability: 'none', exclusive: true });
  await fill(environment, 1);
  return { directory, environment };
}

const fill = (environment: Environment, byte: number): Promise<void> =>
  environment.transaction(() => environment.rows.apply(Buffer.from('key'), Buffer.alloc(100_000, byte)));

function mapOf({ path }: Environment): FileMap {
  const map = FileMap.of(path);
  assert(map !== undefined, 'the file is mapped');
  return map;
}

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
