// When a majority read is enough: only if it shows a fence that was known before it, or if it shows the single
// in-flight commit of this process, and that commit succeeds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../session/session.js';
import { Fences } from './fences.js';

const APPLIED: Answer = { kind: 'applied' };

interface Commit {
  answer(answer: Answer): void;
  fail(error: Error): void;
  readonly told: Promise<Answer>;
}

function begin(fences: Fences, from: bigint | undefined, to: bigint): Commit {
  let commit: Omit<Commit, 'told'> | undefined;
  const answered = new Promise<Answer>((answer, fail) => {
    commit = { answer, fail };
  });
  const told = fences.watch('p', from, to, answered);
  assert.ok(commit);
  return { ...commit, told };
}

function knowing(fence: bigint): Fences {
  const fences = new Fences(() => 1);
  fences.note('p', fence);
  return fences;
}

test('a fence that was known, and no other', async () => {
  const fences = knowing(5n);
  assert.equal(fences.get('p'), 5n);
  assert.equal(fences.get('q'), undefined);
  assert.equal(await fences.holds('p', 5n, 5n), true);
  for (const shown of [4n, 6n, undefined]) assert.equal(await fences.holds('p', 5n, shown), false);
});

test('none with other processes present, nor what was known before or during that time', () => {
  let alone: number | undefined = 1;
  const fences = new Fences(() => alone);
  fences.note('p', 5n);
  assert.equal(fences.get('p'), 5n);
  alone = undefined;
  assert.equal(fences.get('p'), undefined);
  fences.note('q', 5n);
  alone = 2;
  for (const place of ['p', 'q']) assert.equal(fences.get(place), undefined);
  fences.note('p', 4n);
  assert.equal(fences.get('p'), 4n);
});

test('a fence that a serial read showed in the meantime is not enough: commits between the two may be missing', async () => {
  const fences = knowing(5n);
  fences.note('p', 6n);
  assert.equal(await fences.holds('p', 5n, 6n), false);
  assert.equal(await fences.holds('p', 6n, 6n), true);
});

test('a commit in flight: the read waits for its answer', async () => {
  const fences = knowing(5n);
  const commit = begin(fences, 5n, 6n);
  let held: boolean | undefined;
  const holds = fences.holds('p', 5n, 6n).then(result => {
    held = result;
  });
  await new Promise(resolve => setImmediate(resolve));
  assert.equal(held, undefined);
  assert.equal(await fences.holds('p', 5n, 5n), true);
  commit.answer(APPLIED);
  await holds;
  assert.equal(held, true);
  assert.deepEqual(await commit.told, APPLIED);
  assert.equal(fences.get('p'), 6n);
  // The answer of the read came after that of the commit.
  assert.equal(await fences.holds('p', 5n, 6n), true);
});

test('two commits since the read began: the first may be missing', async () => {
  const fences = knowing(5n);
  for (const from of [5n, 6n]) {
    const commit = begin(fences, from, from + 1n);
    commit.answer(APPLIED);
    await commit.told;
  }
  assert.equal(await fences.holds('p', 5n, 7n), false);
  const third = begin(fences, 7n, 8n);
  assert.equal(await fences.holds('p', 6n, 8n), false);
  third.answer(APPLIED);
  await third.told;
});

test('after a commit that was refused, has an unknown outcome or fails, nothing is known any more', async () => {
  for (const kind of ['refused', 'unclear', 'failed'] as const) {
    const fences = knowing(5n);
    const commit = begin(fences, 5n, 6n);
    const holds = fences.holds('p', 5n, 6n);
    if (kind === 'failed') commit.fail(new Error('down'));
    else commit.answer(kind === 'refused' ? { kind } : { kind, error: undefined });
    assert.equal(await holds, false, kind);
    if (kind === 'failed') await assert.rejects(commit.told, /down/);
    else assert.equal((await commit.told).kind, kind);
    assert.equal(fences.get('p'), undefined, kind);
    // A read that was answered late.
    fences.note('p', 4n);
    assert.equal(await fences.holds('p', 5n, 6n), false, kind);
  }
});

test('a fence does not fall, and 20,000 partitions are known', () => {
  const fences = knowing(5n);
  fences.note('p', 4n);
  assert.equal(fences.get('p'), 5n);
  for (let count = 1; count < 20_000; count++) fences.note(`${count}`, 1n);
  assert.equal(fences.get('p'), 5n);
  fences.note('one more', 1n);
  assert.equal(fences.get('p'), undefined);
  assert.equal(fences.get('1'), 1n);
});
