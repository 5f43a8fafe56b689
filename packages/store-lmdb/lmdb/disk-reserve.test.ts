// The reserve for deletes: when it is made, released and made again, what may be put meanwhile, and that processes share it. What a
// disk that is really full does is shown in test/overload/disk-full.test.ts.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DiskReserve, spendReserve } from './disk-reserve.js';

const BYTES = 10_000;
/** More than any disk has. */
const TOO_MUCH = 2 ** 60;

interface Opened {
  readonly room: DiskReserve;
  readonly reserve: string;
  /** Milliseconds that have passed. */
  time: number;
  freeBytes: number;
  looks: number;
}

function open(t: TestContext, directory: string, reserveBytes = BYTES): Opened {
  const opened = { time: 0, freeBytes: 0, looks: 0, reserve: join(directory, 'reserve') };
  const room = new DiskReserve({
    path: join(directory, 'data.mdb'),
    reserveBytes,
    freeBytes: () => {
      opened.looks += 1;
      return opened.freeBytes;
    },
    milliseconds: () => opened.time,
  });
  t.after(() => room.close());
  return Object.assign(opened, { room });
}

function newDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'room-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

test('the reserve is made once a store is a fifth of a second old', t => {
  for (const [time, isMade] of [
    [199, false],
    [200, true],
    [201, true],
  ] as const) {
    const opened = open(t, newDirectory(t));
    opened.time = time;
    assert.equal(opened.room.mayGrow(), true);
    assert.equal(existsSync(opened.reserve), isMade);
    if (isMade) assert.equal(statSync(opened.reserve).size, BYTES);
  }
});

test('after a put that found no place none is tried for a second, or until something was deleted', t => {
  const opened = open(t, newDirectory(t));
  const { room } = opened;
  opened.time = 1000;
  assert.equal(room.mayGrow(), true);
  room.refuse();
  assert.deepEqual([room.mayGrow(), room.isShort], [false, true]);
  opened.time = 1999;
  assert.equal(room.mayGrow(), false);
  opened.time = 2000;
  assert.deepEqual([room.mayGrow(), room.isShort], [true, false]);
  room.refuse();
  room.wrote(0, false);
  assert.equal(room.mayGrow(), true);
});

test('the reserve is released once, all processes see it, and it is made again when there is space', t => {
  const directory = newDirectory(t);
  const one = open(t, directory);
  one.time = 1000;
  one.room.mayGrow();
  const other = open(t, directory);
  assert.deepEqual([other.room.isShort, other.room.mayGrow()], [false, true]);
  assert.deepEqual([one.room.release(), one.room.release()], [true, false]);
  assert.equal(statSync(one.reserve).size, 0);
  assert.deepEqual([one.room.mayGrow(), other.room.isShort], [false, true]);
  // The other one has not looked yet.
  assert.equal(other.room.mayGrow(), true);
  assert.equal(statSync(one.reserve).size, BYTES);
  one.time = 2000;
  assert.deepEqual([one.room.mayGrow(), one.room.isShort], [true, false]);
});

test('while there is no space for the reserve, what is free in the file beyond its size may be put', t => {
  const directory = newDirectory(t);
  writeFileSync(join(directory, 'reserve'), '');
  const opened = open(t, directory, TOO_MUCH);
  const { room } = opened;
  for (const [free, may] of [
    [TOO_MUCH - 1000, false],
    [TOO_MUCH, false],
    [TOO_MUCH + 4_000_000, true],
  ] as const) {
    opened.freeBytes = free;
    opened.time += 1000;
    assert.equal(room.mayGrow(), may, String(free));
  }
  // A quarter of it, then it is counted again.
  const { looks } = opened;
  room.wrote(300_000, true);
  assert.deepEqual([room.mayGrow(), opened.looks], [true, looks]);
  room.wrote(300_000, true);
  assert.deepEqual([room.mayGrow(), opened.looks], [true, looks + 1]);
  opened.freeBytes = 0;
  room.wrote(1_000_000, true);
  assert.deepEqual([room.mayGrow(), room.mayGrow(), opened.looks], [false, false, looks + 2]);
});

test('the reserve is spent before an opening only where the disk has less than is needed', t => {
  const directory = mkdtempSync(join(tmpdir(), 'lmdb-room-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const reserve = join(directory, 'reserve');
  const needed = Number.MAX_SAFE_INTEGER;
  spendReserve(directory, needed);
  assert(!existsSync(reserve));
  writeFileSync(reserve, Buffer.alloc(1000));
  spendReserve(directory, 0);
  assert.equal(statSync(reserve).size, 1000);
  spendReserve(directory, needed);
  assert.equal(statSync(reserve).size, 0);
});
