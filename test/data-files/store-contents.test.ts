// A store with contents as it was written when their format was new: every later version opens it, finds it whole, and
// returns the same blobs.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Clock } from '#base';
import { checkFile, openLmdbStore } from '#store-lmdb';
import { inspection } from '../../packages/cli/store-task/inspection.js';
import { backgroundOf } from '../../packages/server/services/blob/blob-request.js';
import { bytesWithin } from '../../packages/store-lmdb/content/content-sums.js';
import { afterStep, CONTAINER, EMPTY, type Step, showModel } from '../blobs/blob-model.js';
import { BLOB_WIRE } from '../blobs/blob-wire.js';
import { sweepBlobs } from '../blobs/content-faults.js';
import { directSender } from '../histories/direct-sender.js';
import { withMembers } from '../planted/members.js';
import { directService } from '../support/direct-service.js';
import { ROOT } from '../support/spawned-server.js';
import { STEPS } from './stored-steps.js';

/** The fixtures' date: a week later the sweep drops their uncommitted blocks. */
const CLOCK: Clock = () => BigInt(Date.parse('2026-11-24T00:00:00Z')) * 10_000n;
/** Length and MD5 of each blob and its snapshots, and its uncommitted blocks. */
const SHOWN = {
  a: '402000:03ace3b3 7 8 Cool 20000:ba26bfa4 | AAAA=30000 BBBB=10',
  'a/b': '320100:32d2c00c | ',
  c: '32768:12ab85b4 32768:9f91cc7c | ',
};

function copyFixture(t: TestContext): string {
  const fixture = join(ROOT, 'test', 'fixtures', 'store-contents-2');
  const directory = mkdtempSync(join(tmpdir(), 'store-contents-'));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const name of readdirSync(fixture, { recursive: true, encoding: 'utf8' })) {
    if (statSync(join(fixture, name)).isDirectory()) continue;
    const path = join(directory, name.replace(/\.gz$/, ''));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, gunzipSync(readFileSync(join(fixture, name))));
  }
  return directory;
}

/** Its blobs are of account1, here of the usual one. */
async function openFixture(t: TestContext, directory: string) {
  const lmdb = await openLmdbStore({ directory, durability: 'none', clock: CLOCK });
  t.after(() => lmdb.close());
  const store = withMembers(lmdb, {
    getSpace: address => lmdb.getSpace({ ...address, account: 'account1' }),
    listSpaces: (_, ...call) => lmdb.listSpaces('account1', ...call),
  });
  const failures: unknown[] = [];
  const server = directService(store, CLOCK, failures, undefined, randomUUID);
  const sender = directSender(server.blobs, { failures });
  const background = backgroundOf(server);
  return {
    show: async (): Promise<unknown> =>
      JSON.parse((await BLOB_WIRE.send(sender, { kind: 'show', container: CONTAINER })).body),
    write: async (step: Step): Promise<void> => {
      const { status } = await BLOB_WIRE.send(sender, { kind: 'write', container: CONTAINER, step });
      assert.equal(status, 201, step.kind);
    },
    sweep: () => sweepBlobs(lmdb, background, { clock: CLOCK, account: 'account1' }),
    settled: () => background.settled(),
  };
}

test('a store with contents of format 2 is whole', async t => {
  const report = await checkFile(join(copyFixture(t), 'data.mdb'), inspection);
  assert.deepEqual(report.findings, []);
  assert.match(report.notes.join(), /^9 contents beside the rows, \d+ bytes$/);
});

test('a store with contents of format 2 returns the blobs that were put, and keeps them when it is swept and written to', async t => {
  const directory = copyFixture(t);
  const { show, write, sweep, settled } = await openFixture(t, directory);
  const model = STEPS.reduce((before, step) => afterStep(before, step) ?? assert.fail(step.kind), EMPTY);
  assert.deepEqual(showModel(model), SHOWN);
  assert.deepEqual(await show(), SHOWN);
  await sweep();
  assert.deepEqual(await show(), SHOWN);
  const more = [
    { kind: 'list', blob: 0, other: 0, size: 1, fill: 0 },
    { kind: 'append', blob: 1, other: 0, size: 20_000, fill: 12 },
    { kind: 'pages', blob: 2, other: 0, size: 39, fill: 3 },
  ] as const;
  let next = model;
  for (const step of more) {
    await write(step);
    next = afterStep(next, step) ?? assert.fail(step.kind);
  }
  await settled();
  assert.deepEqual(await show(), showModel(next));
  const report = await checkFile(join(directory, 'data.mdb'), inspection);
  assert.deepEqual(report.findings, []);
});

/**
 * The report on the contents, each with its middle byte flipped, in the order in which they were written:
 * the row, and the bytes.
 */
const TOLD = [
  [`("a", "A003fc9ae296dde50")`, `0 to 19999, which are the bytes 0 to 19999 of the snapshot`],
  [`("a", "B")`, `0 to 19999, which are the bytes 0 to 19999 of the blob`],
  [`("a", "B")`, `0 to 1999, which are the bytes 20000 to 20099 of the blob`],
  [`("a", "B")`, `0 to 1604, which are part of the list of blocks of the blob`],
  [`("a", "DAAAA")`, `0 to 29999, which are the bytes 0 to 29999 of the uncommitted block 'AAAA'`],
  [`("a/b", "Eb64be0e4cb1fba90000000000064")`, `0 to 19999, which are the bytes 100 to 20099 of the blob`],
  [
    `("a/b", "Eb64be0e4cb1fba90000000004e84")`,
    `0 to 262143, which are the bytes 20100 to 282243 of the blob`,
  ],
  [`("c", "Ec62224aede4d1f13000000000400")`, `0 to 20479, which are the bytes 1024 to 21503 of the blob`],
  [`("c", "Eceda53adc75bcaba000000002800")`, `0 to 20479, which are the bytes 10240 to 30719 of the blob`],
].map(
  ([row, bytes]) => `account1/${CONTAINER}: the row ${row}: the content ID is damaged in its bytes ${bytes}.`,
);

test('a flipped byte in a content of any kind of blob is reported with the blob and the place', async t => {
  const directory = copyFixture(t);
  const contents = join(directory, 'contents', '1');
  const told: string[] = [];
  for (const id of readdirSync(contents).toSorted()) {
    const path = join(contents, id);
    const whole = readFileSync(path);
    const flipped = Buffer.from(whole);
    const middle = bytesWithin(whole.length) >> 1;
    flipped[middle] = (flipped[middle] ?? 0) ^ 16;
    writeFileSync(path, flipped);
    const { findings } = await checkFile(join(directory, 'data.mdb'), inspection);
    told.push(...findings.map(finding => finding.replaceAll(id, 'ID')));
    writeFileSync(path, whole);
  }
  assert.deepEqual(told, TOLD);
});
