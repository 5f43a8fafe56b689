// Owners at a clock of the test: which partitions have one, and that all processes with the same view choose the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveMembers } from './live-members.js';
import { HOT_MAX, HOT_MS, Owners } from './owners.js';

const SPACE = 1n;
const IDS = ['a', 'b', 'c'];
const PARTITIONS = Array.from({ length: 300 }, (_, i) => `p${i}`);

function ownersOf(id: string, living: readonly string[], time = { now: 0 }): Owners {
  // No lease ends during the test.
  const live = new LiveMembers(
    () => id,
    () => 0,
  );
  live.url = `http://${id}`;
  const rows = living.map(
    each => [each, { beat: 1n, peer: { id: each, url: `http://${each}`, lease: 'l' } }] as const,
  );
  live.see(new Map(rows));
  return new Owners(live, () => time.now);
}

function namesBy(id: string, living: readonly string[]): readonly string[] {
  const owners = ownersOf(id, living);
  return PARTITIONS.map(partition => {
    owners.noteConflict(SPACE, partition);
    return owners.ownerOf(SPACE, partition)?.id ?? id;
  });
}

test('owners: all processes choose the same, and each has a share', () => {
  const [first = [], ...others] = IDS.map(id => namesBy(id, IDS));
  for (const other of others) assert.deepEqual(other, first);
  for (const id of IDS) assert(first.filter(each => each === id).length > PARTITIONS.length / 6, id);
});

test('owners: when one leaves only its own partitions change hands', () => {
  const before = namesBy('a', IDS);
  const after = namesBy('a', ['a', 'b']);
  for (const [i, owner] of before.entries()) if (owner !== 'c') assert.equal(after[i], owner);
  assert(!after.includes('c'));
});

test('owners: a partition without a conflict has none, and one whose conflict is long ago', () => {
  const time = { now: 0 };
  const owners = ownersOf('a', IDS, time);
  const foreign = PARTITIONS[namesBy('a', IDS).findIndex(id => id !== 'a')] ?? assert.fail();
  assert.equal(owners.ownerOf(SPACE, foreign), undefined);
  owners.noteConflict(SPACE, foreign);
  assert.equal(owners.ownerOf(SPACE + 1n, foreign), undefined);
  time.now = HOT_MS - 1;
  assert.notEqual(owners.ownerOf(SPACE, foreign), undefined);
  time.now = HOT_MS;
  assert.equal(owners.ownerOf(SPACE, foreign), undefined);
});

test('owners: of too many hot partitions the oldest are forgotten', () => {
  const owners = ownersOf('a', IDS);
  const foreign = PARTITIONS[namesBy('a', IDS).findIndex(id => id !== 'a')] ?? assert.fail();
  owners.noteConflict(SPACE, foreign);
  for (let i = 1; i < HOT_MAX; i++) owners.noteConflict(SPACE, `x${i}`);
  assert.notEqual(owners.ownerOf(SPACE, foreign), undefined);
  owners.noteConflict(SPACE, 'one more');
  assert.equal(owners.ownerOf(SPACE, foreign), undefined);
});
