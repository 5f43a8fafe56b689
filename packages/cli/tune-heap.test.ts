// V8's flags are no promise of Node's: each version that is tested has to know those that are set.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { HEAP_FLAGS } from './tune-heap.js';

test('this version of Node knows the flags', () => {
  const start = (flags: readonly string[]) =>
    spawnSync(process.execPath, [...flags, '--eval', '0'], { encoding: 'utf8' });
  const { status, stderr } = start(HEAP_FLAGS);
  assert.deepEqual([status, stderr], [0, '']);
  for (const flag of HEAP_FLAGS) assert.notEqual(start([`${flag}x`]).stderr, '');
});
