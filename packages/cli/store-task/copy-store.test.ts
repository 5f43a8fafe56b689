// The refusals of backup and restore: one sentence, and no files.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '#base';
import { ENGINES } from '#server/parts';
import { encodeEntity, encodeTableMetadata } from '#tables';
import { copyStore } from './copy-store.js';
import { runStoreTask } from './store-task.js';

function newDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'copy-store-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

const backUp = (from: string, to: string) => copyStore({ kind: 'backup', store: `lmdb:${from}`, to });

/** A store with a table of one entity, closed. */
async function newStore(t: TestContext): Promise<string> {
  const directory = newDirectory(t);
  const options = { clock: systemClock, durability: 'none', exclusive: true } as const;
  const store = await ENGINES.open(`lmdb:${directory}`, options);
  const metadata = encodeTableMetadata({ name: 'Things', identifiers: [] });
  const space = await store.createSpace({ account: 'dev', service: 'table', name: 'things' }, metadata);
  assert(space !== undefined);
  const value = encodeEntity([{ name: 'age', type: 'Edm.Int32', value: 123_456 }]);
  await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts: [{ key: 'k', value }] }));
  await store.close();
  return directory;
}

const withText = (directory: string, content: Buffer | string): void =>
  writeFileSync(join(directory, 'data.mdb'), content);

test('a copy is another whole store, and can be copied again', async t => {
  const from = await newStore(t);
  const to = join(newDirectory(t), 'a', 'b');
  const report = await backUp(from, to);
  const again = await backUp(to, newDirectory(t));
  for (const { findings, spaces } of [report, again]) {
    assert.deepEqual(findings, []);
    assert.deepEqual(spaces, [{ account: 'dev', service: 'table', name: 'things', rows: 1, bytes: 41 }]);
  }
});

test('a damaged store is not copied', async t => {
  const from = await newStore(t);
  const bytes = readFileSync(join(from, 'data.mdb'));
  const at = bytes.indexOf('"age":123456') + 6;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  withText(from, bytes);
  const to = join(newDirectory(t), 'made');
  const message = /^The store in \S+ is damaged and was not copied: 1 fault, the first: .*'age'/;
  await assert.rejects(backUp(from, to), { name: 'StoreError', code: 'corrupt', message });
  assert(!existsSync(to));
});

test('a directory without a store is refused in a sentence, and nothing is created', async t => {
  const [empty, foreign] = [newDirectory(t), newDirectory(t)];
  withText(foreign, 'x'.repeat(20_000));
  const to = join(newDirectory(t), 'a', 'b');
  await assert.rejects(backUp(empty, to), { name: 'StoreError', message: /^\S+ holds no store/ });
  await assert.rejects(backUp(foreign, to), {
    name: 'StoreError',
    message: /^\S+ is not the file of a store/,
  });
  assert(!existsSync(join(to, '..')));
  assert.deepEqual([readdirSync(empty), readdirSync(foreign)], [[], ['data.mdb']]);
});

test('a file that LMDB could not open is refused in a sentence', async t => {
  const from = await newStore(t);
  const bytes = readFileSync(join(from, 'data.mdb'));
  // The flag of an encrypted file, in either meta page.
  bytes[53] = 0x20;
  withText(from, bytes);
  await assert.rejects(runStoreTask({ kind: 'check', store: `lmdb:${from}` }), {
    message: /says that it is encrypted/,
  });
});

test('a directory with anything in it is not written to', async t => {
  const from = await newStore(t);
  const other = newDirectory(t);
  mkdirSync(join(other, 'mine'));
  for (const to of [other, from]) {
    const before = readdirSync(to);
    await assert.rejects(backUp(from, to), { name: 'StoreError', message: /^\S+ is not empty/ });
    assert.deepEqual(readdirSync(to), before);
  }
});

test('a file that kills or hangs the process that reads it is damaged', async t => {
  const directory = await newStore(t);
  const bytes = readFileSync(join(directory, 'data.mdb'));
  // More pages than there are addresses: LMDB cannot map the file, and its package crashes.
  for (const meta of [0, 8192]) bytes.writeBigUInt64LE(2n ** 45n, meta + 144);
  withText(directory, bytes);
  const killed = /^The store in \S+ is damaged: the process that read it ended with SIG\w+\.$/;
  await assert.rejects(runStoreTask({ kind: 'check', store: `lmdb:${directory}` }), {
    name: 'StoreError',
    message: killed,
  });
  const silent = /^The store in \S+ is damaged: the process that read it did nothing for 0\.001 s\.$/;
  await assert.rejects(runStoreTask({ kind: 'check', store: `lmdb:${directory}` }, 1), {
    name: 'StoreError',
    message: silent,
  });
});
