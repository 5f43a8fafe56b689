// V8's flags are no promise of Node's: each version that is tested has to know the one that is set.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { HEAP_FLAG } from './tune-heap.js';

test('this version of Node knows the flag', () => {
  const { status, stderr } = spawnSync(process.execPath, [HEAP_FLAG, '--eval', '0'], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  const wrong = spawnSync(process.execPath, [`${HEAP_FLAG}x`, '--eval', '0'], { encoding: 'utf8' });
  assert.notEqual(wrong.stderr, '');
});
