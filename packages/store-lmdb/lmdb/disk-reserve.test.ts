// The reserve for deletes: when it is created, released and created again, what may be put in between, and that
// processes share it. test/overload/disk-full.test.ts covers a disk that is really full.
import assert from 'node:assert/strict';
import type fs from 'node:fs';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { newDirectory } from '../testing/fixture.js';
import { replaceCalls } from '../testing/system-calls.js';
import { DiskReserve, RESERVE_BYTES, spendReserve } from './disk-reserve.js';

const BYTES = 10_000;

interface Opened {
  readonly disk: DiskReserve;
  readonly reserve: string;
  /** Milliseconds that have passed. */
  time: number;
  freeBytes: number;
  looks: number;
}

function open(t: TestContext, directory: string, reserveBytes = BYTES): Opened {
  const opened = { time: 0, freeBytes: 0, looks: 0, reserve: join(directory, 'reserve') };
  const disk = new DiskReserve({
    path: join(directory, 'data.mdb'),
    reserveBytes,
    freeBytes: () => {
      opened.looks += 1;
      return opened.freeBytes;
    },
    milliseconds: () => opened.time,
  });
  t.after(() => disk.close());
  return Object.assign(opened, { disk });
}

test('the reserve is made once a store is a fifth of a second old', t => {
  for (const [time, isMade] of [
    [199, false],
    [200, true],
    [201, true],
  ] as const) {
    const opened = open(t, newDirectory(t));
    opened.time = time;
    assert.equal(opened.disk.mayGrow(), true);
    assert.equal(existsSync(opened.reserve), isMade);
    if (isMade) assert.equal(statSync(opened.reserve).size, BYTES);
  }
});

test('after a put that found no space none is tried for a second, or until something was deleted', t => {
  const opened = open(t, newDirectory(t));
  const { disk } = opened;
  opened.time = 1000;
  assert.equal(disk.mayGrow(), true);
  disk.refuse();
  assert.deepEqual([disk.mayGrow(), disk.isShort], [false, true]);
  opened.time = 1999;
  assert.equal(disk.mayGrow(), false);
  opened.time = 2000;
  assert.deepEqual([disk.mayGrow(), disk.isShort], [true, false]);
  disk.refuse();
  disk.wrote(0, false);
  assert.equal(disk.mayGrow(), true);
});

test('the reserve is released once, all processes see it, and it is made again when there is space', t => {
  const directory = newDirectory(t);
  const one = open(t, directory);
  one.time = 1000;
  one.disk.mayGrow();
  const other = open(t, directory);
  assert.deepEqual([other.disk.isShort, other.disk.mayGrow()], [false, true]);
  assert.deepEqual([one.disk.release(), one.disk.release()], [true, false]);
  assert.equal(statSync(one.reserve).size, 0);
  assert.deepEqual([one.disk.mayGrow(), other.disk.isShort], [false, true]);
  // The other one has not looked yet.
  assert.equal(other.disk.mayGrow(), true);
  assert.equal(statSync(one.reserve).size, BYTES);
  one.time = 2000;
  assert.deepEqual([one.disk.mayGrow(), one.disk.isShort], [true, false]);
});

const MIB = 1024 * 1024;

/** Simulates a disk with this many bytes left; returns a function to change the number. */
function leave(t: TestContext, bytes: number): (bytes: number) => void {
  let left = bytes;
  const statfs: unknown = () => ({ bavail: left, bsize: 1 });
  replaceCalls(t, { statfsSync: statfs as typeof fs.statfsSync });
  return bytes => {
    left = bytes;
  };
}

test('the reserve has 4 MiB, and is made where it leaves one to others', t => {
  assert.equal(RESERVE_BYTES, 4 * MIB);
  const leaves = leave(t, 5 * MIB - 1);
  const opened = open(t, newDirectory(t), RESERVE_BYTES);
  opened.time = 1000;
  assert.equal(opened.disk.mayGrow(), true);
  assert.equal(existsSync(opened.reserve), false);
  leaves(5 * MIB);
  opened.time = 1999;
  assert.equal(opened.disk.mayGrow(), true);
  assert.equal(existsSync(opened.reserve), false, 'It is looked at once a second.');
  opened.time = 2000;
  assert.equal(opened.disk.mayGrow(), true);
  assert.equal(statSync(opened.reserve).size, 4 * MIB);
});

test('a reserve that lacks a byte counts as missing, and is filled up', t => {
  const directory = newDirectory(t);
  writeFileSync(join(directory, 'reserve'), Buffer.alloc(BYTES - 1));
  const { disk, reserve } = open(t, directory);
  assert.equal(disk.isShort, true);
  assert.equal(disk.mayGrow(), true);
  assert.deepEqual([disk.isShort, statSync(reserve).size], [false, BYTES]);
});

test('nothing is put on a disk with less than 1 MiB', t => {
  const leaves = leave(t, MIB);
  const opened = open(t, newDirectory(t));
  assert.equal(opened.disk.mayGrow(), true);
  leaves(MIB - 1);
  assert.deepEqual([opened.disk.mayGrow(), opened.disk.isShort], [false, true]);
});

test('there is headroom for a segment of the log with 64 MiB on the disk', t => {
  const leaves = leave(t, 64 * MIB);
  const directory = newDirectory(t);
  writeFileSync(join(directory, 'data.mdb'), '');
  const { disk } = open(t, directory);
  assert.equal(disk.isAmple(), true);
  leaves(64 * MIB - 1);
  assert.equal(disk.isAmple(), false);
});

test('while there is no space for the reserve, what is free in the file beyond its size may be put', t => {
  const directory = newDirectory(t);
  writeFileSync(join(directory, 'reserve'), '');
  leave(t, MIB + BYTES - 1);
  const opened = open(t, directory);
  const { disk } = opened;
  for (const [free, may] of [
    [BYTES - 1, false],
    [BYTES, false],
    [BYTES + 1, true],
    [BYTES + 4_000_000, true],
  ] as const) {
    disk.wrote(MIB, true);
    opened.freeBytes = free;
    opened.time += 1000;
    assert.equal(disk.mayGrow(), may, String(free));
  }
  // A quarter of it, then it is counted again.
  const { looks } = opened;
  disk.wrote(300_000, true);
  assert.deepEqual([disk.mayGrow(), opened.looks], [true, looks]);
  disk.wrote(300_000, true);
  assert.deepEqual([disk.mayGrow(), opened.looks], [true, looks + 1]);
  opened.freeBytes = 0;
  disk.wrote(1_000_000, true);
  assert.deepEqual([disk.mayGrow(), disk.mayGrow(), opened.looks], [false, false, looks + 2]);
});

test('the reserve is spent before an opening where the disk lacks a byte, and only there', t => {
  const directory = newDirectory(t);
  const reserve = join(directory, 'reserve');
  const leaves = leave(t, 499);
  spendReserve(directory, 500);
  assert(!existsSync(reserve), 'There was none to spend.');
  writeFileSync(reserve, Buffer.alloc(1000));
  for (const [left, size] of [
    [500, 1000],
    [499, 0],
  ] as const) {
    leaves(left);
    spendReserve(directory, 500);
    assert.equal(statSync(reserve).size, size);
  }
});
