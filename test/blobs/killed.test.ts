// A kill at a moment of a sequence with each operation on blobs: at some moments here, at each in `npm run verify
// blobs`, which also asserts that planted faults are found; KILLED_SHARE=4 takes every fourth. KILLED_AT=log:12 node
// --test dist/test/blobs/killed.test.js repeats one.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Setting, stepsOf } from './every-operation.js';
import { judge, type Killed, runUntil } from './killed.js';
import type { PlantedFault } from './killed-process.js';

const LONG = process.env.SHELFMARK_LONG === '1';
const [ONLY_SETTING, ONLY_MOMENT] = process.env.KILLED_AT?.split(':') ?? [];
/** In the long suite: one moment in this many. */
const SHARE = Number(process.env.KILLED_SHARE ?? 1);
const BRIEF_KILLS = 1;
const AT_ONCE = 2;
/** Each setting has at least this many. */
const MOMENTS_MIN = 120;
/** A planted fault must show within this many. */
const MOMENTS_LOOKED_AT = 250;
/** With a log, copies are killed at every third moment: their writes to files are the same as without one. */
const STRIDE = 3;
const SETTINGS: readonly Setting[] = ['log', 'tree', 'log, copies', 'tree, copies'];

interface Planting {
  readonly fault?: PlantedFault;
  readonly isSwept?: boolean;
}

async function kill(
  setting: Setting,
  moment: number,
  { fault, isSwept = true }: Planting = {},
): Promise<Killed> {
  const directory = await mkdtemp(join(tmpdir(), 'blob-killed-'));
  try {
    const killed = await runUntil(directory, setting, moment, fault);
    await judge(directory, killed, { setting, isSwept });
    return killed;
  } catch (error) {
    throw new Error(`KILLED_AT=${setting}:${moment}: ${error}`, { cause: error });
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function killAt(setting: Setting, moments: readonly number[]): Promise<void> {
  const left = [...moments];
  const one = async (): Promise<void> => {
    for (let moment = left.shift(); moment !== undefined; moment = left.shift()) await kill(setting, moment);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** This many, one from each of as many equal parts. */
const someOf = (count: number, among: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => 1 + Math.floor(((at + Math.random()) * among) / count));

for (const setting of SETTINGS)
  test(`a kill leaves each blob as it was or as it will be, and nothing else (${setting})`, {
    skip: process.platform !== 'linux' || (ONLY_SETTING !== undefined && ONLY_SETTING !== setting),
    timeout: 600_000,
  }, async t => {
    if (ONLY_SETTING !== undefined) return killAt(setting, [Number(ONLY_MOMENT)]);
    if (!LONG) {
      const some = someOf(BRIEF_KILLS, MOMENTS_MIN);
      t.diagnostic(`at moments ${some.join(', ')}`);
      return killAt(setting, some);
    }
    const { moments = [], answered } = await kill(setting, 0);
    assert.equal(answered, stepsOf(setting).length);
    assert(moments.length > MOMENTS_MIN, `It has ${moments.length} moments.`);
    t.diagnostic(`at ${moments.length} moments`);
    await killAt(
      setting,
      moments
        .map((_, at) => at + 1)
        .filter(at => at % (setting === 'log, copies' ? STRIDE * SHARE : SHARE) === 0),
    );
  });

/** The fault, and the words in which it must be found, in the tree's moments from one on. */
const PLANTED: readonly (readonly [name: string, planting: Planting, from: number, found: RegExp])[] = [
  ['an old content is dropped before the commit', { fault: 'drops first' }, 1, /the content \w+ is missing/],
  ['a row names a content that is not written', { fault: 'names first' }, 1, /the content \w+ is missing/],
  ['a step is answered before it is done', { fault: 'answers first' }, 1, /after \d+ answers/],
  ['nothing is swept', { isSwept: false }, 1, /no row names the content/],
];

for (const [name, planting, from, found] of PLANTED)
  test(`it is found where ${name}`, { skip: process.platform !== 'linux' || !LONG }, async t => {
    for (let moment = from; moment < from + MOMENTS_LOOKED_AT; moment += 1) {
      const reason: unknown = await kill('tree', moment, planting).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (reason === undefined) continue;
      t.diagnostic(`at moment ${moment}`);
      return assert.match(String(reason), found);
    }
    assert.fail('It was not found.');
  });
