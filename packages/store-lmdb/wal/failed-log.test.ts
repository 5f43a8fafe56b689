// A failing log loses nothing: its file is closed, its changes get into the tree, and failed attempts are repeated.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '#base/testing/until';
import { Parts } from '../testing/logged-parts.js';
import { NEEDS_PROC, numbersOf, replaceFile, untilClosed } from '../testing/open-files.js';
import { LOG_NAME } from './log-file.js';

const FULL = '/dev/full';
const HOUR_MS = 3_600_000;

/** Makes the next call of a method fail; returns how often it was called since. */
function failOnce<Name extends string>(
  object: Record<Name, (...args: never[]) => Promise<unknown>>,
  name: Name,
): () => number {
  const method = object[name].bind(object);
  let calls = 0;
  object[name] = (...args) => {
    calls += 1;
    return calls === 1 ? Promise.reject(new Error('once')) : method(...args);
  };
  return () => calls;
}

/** A store whose log has a change that the tree lacks. */
async function openLogged(t: TestContext): Promise<Parts> {
  const parts = await Parts.open(t);
  await parts.put('k', '1');
  assert.deepEqual([parts.isRecent('k'), parts.inTree('k')], [true, undefined]);
  return parts;
}

test(
  'after a failed write the file is closed, and the tree gets what was in it and everything that follows',
  NEEDS_PROC,
  async t => {
    const parts = await openLogged(t);
    replaceFile(join(parts.directory, LOG_NAME), FULL, 'r+');
    assert.equal(numbersOf(FULL).length, 1);
    assert.equal(await parts.add('k', '2'), '12');
    assert.equal(parts.inTree('k'), '12');
    await untilClosed(FULL);
    assert.equal(await parts.add('k', '3'), '123');
    assert.deepEqual([parts.isRecent('k'), parts.inTree('k')], [false, '123']);
    assert.equal(parts.environment.catalog.getLogFence()?.state, 'read', 'Nobody has to read the file.');
  },
);

test('a failed checkpoint is retried, and changes use transactions until then', async t => {
  const parts = await openLogged(t);
  const calls = failOnce(parts.environment.catalog, 'writeIfTick');
  // No caller comes: a timer triggers the retry.
  await parts.empty();
  assert.deepEqual([calls(), parts.inTree('k')], [2, '1']);
  await parts.put('k', '2');
  assert(parts.isRecent('k'), 'The log is in use again.');
});

test('a caller triggers the retry of a failed checkpoint at once', async t => {
  // The timer, which would retry after a second, stands still.
  const { setTimeout } = globalThis;
  t.mock.method(globalThis, 'setTimeout', (run: () => void, milliseconds: number) =>
    setTimeout(run, milliseconds < 1_000 ? milliseconds : HOUR_MS),
  );
  const parts = await openLogged(t);
  const calls = failOnce(parts.environment.catalog, 'writeIfTick');
  await until('a checkpoint has failed', () => calls() > 0);
  await nextTurn();
  assert.equal(await parts.add('k', '2'), '12');
  assert.deepEqual([calls(), parts.inTree('k')], [2, '12']);
});

test('if the replay of a fenced log fails, it is retried before anything is decided', async t => {
  const parts = await openLogged(t);
  const calls = failOnce(parts.environment.log, 'takeBack');
  await parts.fence();
  assert.equal(await parts.add('k', '2'), '12');
  assert.deepEqual([calls(), parts.inTree('k'), parts.isRecent('k')], [2, '12', false]);
});

for (const failures of [1, 2])
  test(`a batch that another process replayed is not decided again after ${failures} failures`, async t => {
    const parts = await openLogged(t);
    const { environment } = parts;
    const takeBack = environment.log.takeBack.bind(environment.log);
    let calls = 0;
    environment.catalog.ownsLog = () => false;
    environment.log.takeBack = async () => {
      calls += 1;
      // The batch is on disk by now.
      if (calls === 1) await parts.fence();
      if (calls <= failures) throw new Error('once more');
      return takeBack();
    };
    const added = parts.add('k', '2');
    if (failures === 1) assert.equal(await added, '12');
    else await assert.rejects(added, { code: 'busy' });
    assert.equal(parts.inTree('k'), '12');
  });
