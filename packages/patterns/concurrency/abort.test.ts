// Steps that wait for one signal, and release each other while it ends them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onAbort } from './abort.js';

test('a step that another one releases while the signal ends them does not run', () => {
  const ending = new AbortController();
  const run: string[] = [];
  onAbort(ending.signal, () => {
    run.push('first');
    release();
  });
  const release = onAbort(ending.signal, () => run.push('second'));
  onAbort(ending.signal, () => run.push('third'));
  ending.abort();
  assert.deepEqual(run, ['first', 'third']);
});
