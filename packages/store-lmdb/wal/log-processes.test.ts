// What takes two processes to test about the log: taking it over from one that lives, or was killed, and copying a
// store while its log is being written and overwritten.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { checkFile } from '../check/check.js';
import { checkSnapshot, copySnapshot } from '../check/snapshot.js';
import { openLmdbStore } from '../lmdb-store.js';
import { NO_INSPECTION, newDirectory } from '../testing/fixture.js';
import { LineProcess } from '../testing/line-process.js';
import { rowsOf, textsOf } from '../testing/logged-store.js';

/** The process that uses the log. */
const openOwner = (t: TestContext, directory: string, bytes: number): LineProcess =>
  new LineProcess(t, './log-owner.js', [directory, bytes]);

/** The last round that it answered: it counts from 0. */
const lastOf = ({ lines }: LineProcess): number =>
  lines.filter(line => line.startsWith('answered')).length - 1;

async function kill(owner: LineProcess): Promise<void> {
  owner.signal('SIGKILL');
  await owner.ended;
}

/** Asserts that a store has every round from the first to the returned one, each whole. */
async function roundsOf(directory: string): Promise<number> {
  const store = await openLmdbStore({ directory });
  try {
    const keys = new Set((await rowsOf(store)).keys());
    const last = Number((await textsOf(store)).last ?? -1);
    for (let round = 0; round <= last; round += 1)
      assert(keys.has(`${round}a`) && keys.has(`${round}b`), `round ${round} of ${last}`);
    assert.equal(keys.size, last < 0 ? 0 : 2 * last + 3);
    return last;
  } finally {
    await store.close();
  }
}

test('taking over a log from a live process loses no acknowledged change, and its user finds out', async t => {
  for (const bytes of [10, 60_000]) {
    const directory = newDirectory(t);
    const owner = openOwner(t, directory, bytes);
    await owner.more(100);
    const found = await roundsOf(directory);
    await owner.ended;
    assert(found >= lastOf(owner), `${found} rounds are there, ${lastOf(owner)} were answered`);
    const last = lastOf(owner) + 1;
    // While the other process reads, the outcome of the round is still unknown.
    if (owner.lines.at(-1) !== `taken ${last}`)
      assert.equal(owner.lines.at(-1), found >= last ? `replayed ${last}` : `not replayed ${last}`);
  }
});

test('a log that a killed process leaves has everything acknowledged, across segments', async t => {
  for (const rounds of [20, 90]) {
    const directory = newDirectory(t);
    const owner = openOwner(t, directory, 60_000);
    await owner.more(rounds);
    await kill(owner);
    const found = await roundsOf(directory);
    assert(found === lastOf(owner) || found === lastOf(owner) + 1, `${found}, ${lastOf(owner)}`);
  }
});

test('a copy of a store whose log is being written has everything acknowledged before', async t => {
  const directory = newDirectory(t);
  const owner = openOwner(t, directory, 60_000);
  for (let copy = 0; copy < 4; copy += 1) {
    await owner.more(9);
    const before = lastOf(owner);
    const to = newDirectory(t);
    await copySnapshot(directory, join(to, 'data.mdb'));
    assert.deepEqual(await readdir(to), ['data.mdb']);
    const report = await checkFile(join(to, 'data.mdb'), NO_INSPECTION);
    assert.deepEqual([report.findings, report.loggedChanges], [[], 0]);
    assert((await roundsOf(to)) >= before);
    assert.deepEqual((await checkSnapshot(directory, NO_INSPECTION)).findings, []);
  }
  await owner.more(1);
  await kill(owner);
});
