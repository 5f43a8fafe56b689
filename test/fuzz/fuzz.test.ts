// Small runs of the fuzz suite's parts, as many as fit into a second; `npm run verify fuzz` makes the others. A failure
// names the command that repeats it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PARTS, type PartName } from './parts.js';
import { makeRuns } from './run/make-runs.js';
import type { Tally } from './run/part.js';

async function run(name: PartName, runs: number): Promise<Tally> {
  const share = { seed: 1, first: 0, runs, place: 0, places: 1 };
  const end = await makeRuns(PARTS[name], share, { onRun: () => undefined, heapBytes: () => 0 });
  if (end.kind === 'done') return end.tally;
  assert.fail(`${end.text}\nRepeat: node dist/test/fuzz/main.js --part ${name} --runs ${end.run + 1}`);
}

test('whatever the request, the answer is one that the protocol has', async () => {
  const statuses = new Set([...(await run('direct', 1_500)).keys()].map(outcome => outcome.slice(0, 3)));
  for (const status of [200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 412, 415, 501])
    assert.ok(statuses.has(String(status)), `No request was answered with ${status}.`);
});

test('only authorized callers are admitted', async () => {
  assert.ok((await run('tokens', 500)).size > 1);
});

test('only authorized callers get at blobs', async () => {
  const tally = await run('blobs', 200);
  assert.ok(PARTS.blobs.isEnough?.(tally, 200));
});

test('streams of requests, cut anywhere, are answered or refused, each in its turn', async () => {
  assert.ok((await run('sockets', 1)).size > 0);
});
