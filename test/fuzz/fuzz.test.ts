// Small runs of the fuzz suite's parts, as many as fit into a second; `npm run verify fuzz` makes the others. A failure
// names the command that repeats it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runBlobTokens, runTokens } from './attempts.js';
import { describeFailure } from './direct/direct-failure.js';
import { makeRuns } from './direct/direct-runs.js';
import { runSockets } from './sockets/socket-part.js';

const SEED = 1;

test('whatever the request, the answer is one that the protocol has', async () => {
  const share = { seed: SEED, first: 0, runs: 1_500, place: 0, places: 1 };
  const end = await makeRuns(share, { onRun: () => undefined, heapBytes: () => 0 });
  if (end.kind === 'failed') assert.fail(await describeFailure(SEED, end.run));
  const statuses = new Set([...end.tally.keys()].map(outcome => outcome.slice(0, 3)));
  for (const status of [
    '200',
    '201',
    '202',
    '204',
    '400',
    '401',
    '403',
    '404',
    '405',
    '409',
    '412',
    '415',
    '501',
  ])
    assert.ok(statuses.has(status), `No request was answered with ${status}.`);
});

test('only authorized callers are admitted', async () => {
  const { isSound, text } = await runTokens({ seed: SEED, first: 0, runs: 500 });
  assert.ok(isSound, text);
});

test('only authorized callers get at blobs', async () => {
  const { isSound, text } = await runBlobTokens({ seed: SEED, first: 0, runs: 200 });
  assert.ok(isSound, text);
});

test('streams of requests, cut anywhere, are answered or refused, each in its turn', async () => {
  const { isSound, text } = await runSockets({ seed: SEED, first: 0, runs: 10 });
  assert.ok(isSound, text);
});
