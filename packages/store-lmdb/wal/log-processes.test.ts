// What takes two processes to test about the log: taking it over from one that lives, or was killed, and copying a
// store while its log is being written and overwritten.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkFile } from '../check/check.js';
import { checkSnapshot, copySnapshot } from '../check/snapshot.js';
import { openLmdbStore } from '../lmdb-store.js';
import { NO_INSPECTION, newDirectory } from '../testing/fixture.js';
import { rowsOf, textsOf } from '../testing/logged-store.js';

const OWNER = fileURLToPath(new URL('../testing/log-owner.js', import.meta.url));

/** The process that uses the log, and its output. */
class Owner {
  answered = -1;
  /** Its final line. */
  end = '';
  readonly #child: ChildProcess;
  readonly #over: Promise<void>;
  #wanted = { round: 0, reach: () => {} };

  constructor(t: TestContext, directory: string, bytes: number) {
    this.#child = spawn(process.execPath, [OWNER, directory, String(bytes)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => this.#child.kill('SIGKILL'));
    this.#over = this.#listen();
  }

  /** Fulfilled when it has answered this many more rounds. */
  async answer(rounds: number): Promise<void> {
    const round = this.answered + rounds;
    await new Promise<void>(reach => {
      this.#wanted = { round, reach };
    });
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#over;
  }

  over(): Promise<void> {
    return this.#over;
  }

  async #listen(): Promise<void> {
    assert(this.#child.stdout !== null);
    const closed = once(this.#child, 'close');
    for await (const line of createInterface({ input: this.#child.stdout })) {
      const round = /^answered (\d+)$/.exec(line)?.[1];
      if (round === undefined) this.end = line;
      else this.answered = Number(round);
      if (this.answered >= this.#wanted.round) this.#wanted.reach();
    }
    await closed;
  }
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
    const owner = new Owner(t, directory, bytes);
    await owner.answer(100);
    const found = await roundsOf(directory);
    await owner.over();
    assert(found >= owner.answered, `${found} rounds are there, ${owner.answered} were answered`);
    const last = owner.answered + 1;
    // While the other process reads, the outcome of the round is still unknown.
    if (owner.end !== `taken ${last}`)
      assert.equal(owner.end, found >= last ? `replayed ${last}` : `not replayed ${last}`);
  }
});

test('a log that a killed process leaves has everything acknowledged, across segments', async t => {
  for (const rounds of [20, 90]) {
    const directory = newDirectory(t);
    const owner = new Owner(t, directory, 60_000);
    await owner.answer(rounds);
    await owner.kill();
    const found = await roundsOf(directory);
    assert(found === owner.answered || found === owner.answered + 1, `${found}, ${owner.answered}`);
  }
});

test('a copy of a store whose log is being written has everything acknowledged before', async t => {
  const directory = newDirectory(t);
  const owner = new Owner(t, directory, 60_000);
  for (let copy = 0; copy < 4; copy += 1) {
    await owner.answer(9);
    const before = owner.answered;
    const to = newDirectory(t);
    await copySnapshot(directory, join(to, 'data.mdb'));
    assert.deepEqual(await readdir(to), ['data.mdb']);
    const report = await checkFile(join(to, 'data.mdb'), NO_INSPECTION);
    assert.deepEqual([report.findings, report.loggedChanges], [[], 0]);
    assert((await roundsOf(to)) >= before);
    assert.deepEqual((await checkSnapshot(directory, NO_INSPECTION)).findings, []);
  }
  await owner.answer(1);
  await owner.kill();
});
