// Random operations on a few blobs, on each engine, against the plain model; and the same with faults at any step: a
// failure leaves the blob as it was or as it would be, and once all blobs are deleted a sweep leaves nothing.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { type BlobContext, BlobError, execute } from '#blobs';
import { type Engine, openFaultyStore, openMemoryStore, StoreError, type StoreWithContent } from '#store';
import { openLmdbStore } from '#store-lmdb';
import { between, drawFrom, oneOf, several, unit } from '../random/arbitrary.js';
import type { BlobAnswer, BlobCall, BlobHappening } from './blob-call.js';
import { blobFaults } from './blob-judge.js';
import { CONTAINER, EMPTY, type Step, showStore } from './blob-model.js';
import { contextOn, deleteBlobs, makeContainer, operationOf, sweepBlobs } from './blob-operation.js';
import { someSteps } from './some-step.js';

const SIZES = oneOf([1, between(1, 40)], [1, between(16_300, 40_000)]);
const STEPS = several(someSteps({ lone: ['copy'], sizes: SIZES }), 0, 30).map(all => all.flat());

let ids = 0;
const newId = (): string => {
  ids += 1;
  return `00000000-0000-4000-8000-${ids.toString(16).padStart(12, '0')}`;
};

/** Deletes all blobs; asserts that neither rows nor contents are left. */
async function leavesNothing(context: BlobContext): Promise<void> {
  await deleteBlobs(context);
  assert.equal(await sweepBlobs(context), 0);
  const space = await context.store.getSpace({ account: 'account1', service: 'blob', name: CONTAINER });
  assert.ok(space);
  const rows: string[] = [];
  const bound = Number.POSITIVE_INFINITY;
  const budget = { rows: bound, bytes: bound, examined: bound, milliseconds: bound };
  await context.store.scan(space, { from: { partition: '', key: '' } }, budget, row => {
    rows.push(`${row.partition} ${row.key}`);
    return true;
  });
  const contents: string[] = [];
  for await (const { id } of context.content.list(space)) contents.push(id);
  assert.deepEqual([rows, contents], [[], []]);
}

async function drop(context: BlobContext): Promise<void> {
  const conditions = { ifModifiedSince: undefined, ifUnmodifiedSince: undefined, leaseId: undefined };
  await execute({ kind: 'deleteContainer', container: CONTAINER, conditions }, context);
}

/** Undefined if unknown. */
async function answerOf(step: Step, context: BlobContext, mayFail: boolean): Promise<BlobAnswer | undefined> {
  try {
    await execute(operationOf(step), context);
    return { code: undefined };
  } catch (error) {
    if (error instanceof BlobError) return { code: error.code };
    if (mayFail && error instanceof StoreError) return undefined;
    throw error;
  }
}

/** Everything is shown after each step, and must be what the steps left by then. */
async function follow(steps: readonly Step[], context: BlobContext, sound: BlobContext): Promise<void> {
  await makeContainer(sound);
  const history: BlobHappening[] = [];
  const note = (call: BlobCall, answer: BlobAnswer | undefined): void => {
    const at = 2 * history.length;
    history.push({ step: history.length, invoked: at, answered: at + 1, call, answer });
  };
  for (const step of steps) {
    note({ kind: 'write', container: CONTAINER, step }, await answerOf(step, context, context !== sound));
    const text = JSON.stringify(await showStore(sound));
    note({ kind: 'show', container: CONTAINER }, { code: undefined, text });
  }
  const [fault] = blobFaults(history, new Map([[`container ${CONTAINER}`, { states: [EMPTY] }]]));
  if (fault) throw fault;
  await leavesNothing(sound);
  await drop(sound);
}

async function run(store: StoreWithContent, steps: readonly Step[]): Promise<void> {
  const context = contextOn(store, { ids: newId });
  await follow(steps, context, context);
}

async function runWithFaults(store: StoreWithContent, steps: readonly Step[], seed: number): Promise<void> {
  const sound = contextOn(store, { ids: newId });
  const draw = drawFrom(seed);
  const random = (): number => draw(unit);
  const faults = { random, failBefore: 0.08, failAfter: 0.08, delay: 0.1, redecide: 0.1, shortScan: 0.1 };
  await follow(
    steps,
    contextOn(openFaultyStore(store, faults), { ids: newId, background: sound.background }),
    sound,
  );
}

const directories: string[] = [];
const engines: Engine[] = [];
after(async () => {
  for (const engine of engines) await engine.close();
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

async function embedded(): Promise<Engine> {
  const directory = await mkdtemp(join(tmpdir(), 'blob-model-'));
  directories.push(directory);
  const engine = await openLmdbStore({ directory, durability: 'none' });
  engines.push(engine);
  return engine;
}

const LONG = process.env.SHELFMARK_LONG === '1';
/**
 * `SEED:PATH` as a failure prints them: BLOB_MODEL_REPEAT=1:2 node --test dist/test/blobs/blob-model.test.js runs that
 * case first.
 */
const [seed, path] = process.env.BLOB_MODEL_REPEAT?.split(':') ?? [];
const REPEAT = seed !== undefined && path !== undefined ? { seed: Number(seed), path } : {};

for (const [name, open, runs] of [
  ['memory', async () => openMemoryStore(), LONG ? 1000 : 30],
  ['embedded', embedded, LONG ? 200 : 10],
] as const)
  describe(`blobs on the ${name} engine`, () => {
    test('are what the model predicts', { timeout: 600_000 }, async () => {
      const store = await open();
      await fc.assert(
        fc.asyncProperty(STEPS, steps => run(store, steps)),
        { numRuns: runs, endOnFailure: true, includeErrorInReport: true, ...REPEAT },
      );
    });

    test('are whole, and nothing is left behind, whatever fails', { timeout: 600_000 }, async () => {
      const store = await open();
      await fc.assert(
        fc.asyncProperty(STEPS, fc.integer(), (steps, seed) => runWithFaults(store, steps, seed)),
        { numRuns: runs, endOnFailure: true, includeErrorInReport: true, ...REPEAT },
      );
    });
  });
