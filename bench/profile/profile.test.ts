// Self times out of a CPU profile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selfTimes } from './profile.js';

const frame = (functionName: string, url = '', lineNumber = -1) => ({ functionName, url, lineNumber });

test('time belongs to the sample before it, and idle time to none', () => {
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('(root)') },
      { id: 2, callFrame: frame('work', 'file:///x/dist/packages/a/b.js', 9) },
      { id: 3, callFrame: frame('(idle)') },
      { id: 4, callFrame: frame('', 'file:///x/node_modules/lmdb/index.cjs', 0) },
      { id: 5, callFrame: frame('work', 'file:///x/dist/packages/a/b.js', 9) },
    ],
    samples: [2, 3, 4, 5, 2],
    timeDeltas: [500, 1000, 8000, 3000, 4000],
  };
  assert.deepEqual(selfTimes(JSON.stringify(profile)), [
    { name: 'work packages/a/b.js:10', milliseconds: 5 },
    { name: '(anonymous) node_modules/lmdb/index.cjs:1', milliseconds: 3 },
  ]);
});

test('anything else is refused', () => {
  assert.throws(() => selfTimes('{"nodes":[]}'), /Not a CPU profile/);
});
