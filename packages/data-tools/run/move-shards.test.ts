// What becomes of a sink that cannot end, and of a part that an earlier run finished and that is gone.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { rowOf } from '../testing/nasty-rows.js';
import { type ToolContext, toolContext } from './context.js';
import { moveShards, type ShardEntry, ShardRun, type ShardSink } from './move-shards.js';

interface State {
  readonly rows: number;
}

const ROW = rowOf('p', '1', []);
const STARTED = '2020-01-01T00:00:00.000Z';

function contextOf(t: TestContext): ToolContext {
  const display = { progress: () => {}, tell: () => {}, close: () => {} };
  const signal = new AbortController().signal;
  const times = { checkpointMilliseconds: 1000, retryForMilliseconds: 1000 };
  const context = toolContext(display, { write: async () => {}, parallel: 1, ...times, signal });
  t.after(() => context.source.transport.close());
  return context;
}

const sinkOf = (own: Partial<ShardSink<State>>): ShardSink<State> => ({
  last: undefined,
  rows: 0,
  write: async page => page.length,
  checkpoint: async () => ({ rows: 1 }),
  end: async () => ({ rows: 1 }),
  close: async () => {},
  ...own,
});

async function* pages() {
  yield [ROW];
}

test('a sink whose end fails is closed', async t => {
  const run = new ShardRun<State>();
  run.begin(STARTED, ['table']);
  let closed = 0;
  const sink = sinkOf({
    end: () => Promise.reject(new Error('the disk is full')),
    close: async () => {
      closed++;
    },
  });
  const move = { run, journal: undefined, rows: { pages }, parallel: 1, context: contextOf(t) };
  await assert.rejects(moveShards({ ...move, isThere: () => true, open: async () => sink }), /disk is full/);
  assert.equal(closed, 1);
  assert.equal(run.shards[0]?.isDone, undefined);
});

test('a finished part that is gone is read again from its start, also after one more kill', async t => {
  const run = new ShardRun<State>();
  run.begin(STARTED, ['table']);
  const [{ partitionKey, rowKey }, entries] = [ROW, [] as ShardEntry<State>[]];
  run.take({
    ...run.entry(),
    shards: [{ table: 'table', id: 0, last: { partitionKey, rowKey }, state: { rows: 1 }, isDone: true }],
  });
  const move = { run, rows: { pages }, parallel: 1, context: contextOf(t), isThere: () => false };
  const killed = moveShards({
    ...move,
    journal: { append: entry => entries.push(structuredClone(entry)) },
    open: async ({ last, state }) => {
      assert.deepEqual([last, state], [undefined, undefined]);
      throw new Error('killed');
    },
  });
  await assert.rejects(killed, /^Error: killed$/);
  const resumed = new ShardRun<State>();
  for (const entry of entries) resumed.take(JSON.parse(JSON.stringify(entry)));
  assert.deepEqual(resumed.shards, [{ table: 'table', id: 0, isDone: false }]);
});
