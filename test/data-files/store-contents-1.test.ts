// A store with contents of format 1 as it was written when contents were new: every later version opens it, finds it whole, and shows the same blobs.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { systemClock } from '#base';
import { type BlobContext, BlobSweep, execute, Upkeep } from '#blobs';
import { checkFile, openLmdbStore } from '#store-lmdb';
import { inspection } from '../../packages/cli/store-task/inspection.js';
import { afterStep, EMPTY, showModel, showStore } from '../blobs/blob-model.js';
import { operationOf } from '../blobs/blob-operation.js';
import { ROOT } from '../support/spawned-server.js';
import { STEPS } from './store-contents-1.js';

const FIXTURE = join(ROOT, 'test', 'fixtures', 'store-contents-1');
/** Length and MD5 of each blob and its snapshots, and its uncommitted blocks. */
const SHOWN = {
  a: '402000:03ace3b3 7 8 Cool 20000:ba26bfa4 | AAAA=30000 BBBB=10',
  'a/b': '320100:32d2c00c | ',
  c: '32768:12ab85b4 32768:9f91cc7c | ',
};

function copyFixture(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'store-contents-1-'));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const name of readdirSync(FIXTURE, { recursive: true, encoding: 'utf8' })) {
    if (statSync(join(FIXTURE, name)).isDirectory()) continue;
    const path = join(directory, name.replace(/\.gz$/, ''));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, gunzipSync(readFileSync(join(FIXTURE, name))));
  }
  return directory;
}

async function contextOn(t: TestContext, directory: string): Promise<BlobContext> {
  const store = await openLmdbStore({ directory, durability: 'none' });
  t.after(() => store.close());
  const [account, clock, ids, upkeep] = ['account1', systemClock, randomUUID, new Upkeep()];
  return { store, content: store.content, account, clock, ids, upkeep };
}

test('a store with contents of format 1 is whole', async t => {
  const { findings, contents } = await checkFile(join(copyFixture(t), 'data.mdb'), inspection);
  assert.deepEqual(findings, []);
  assert.equal(contents, 9);
});

test('a store with contents of format 1 shows the blobs that were put, and keeps them when it is swept and written to', async t => {
  const context = await contextOn(t, copyFixture(t));
  const model = STEPS.reduce((before, step) => afterStep(before, step) ?? assert.fail(step.kind), EMPTY);
  assert.deepEqual(showModel(model), SHOWN);
  assert.deepEqual(await showStore(context), SHOWN);
  const sweep = new BlobSweep({ ...context, accounts: () => [context.account] });
  while (!(await sweep.step()).isPassOver);
  assert.deepEqual(await showStore(context), SHOWN);
  const more = [
    { kind: 'list', blob: 0, other: 0, size: 1, fill: 0 },
    { kind: 'append', blob: 1, other: 0, size: 20_000, fill: 12 },
    { kind: 'pages', blob: 2, other: 0, size: 39, fill: 3 },
  ] as const;
  let next = model;
  for (const step of more) {
    await execute(operationOf(step), context);
    next = afterStep(next, step) ?? assert.fail(step.kind);
  }
  await context.upkeep.settled();
  assert.deepEqual(await showStore(context), showModel(next));
});
