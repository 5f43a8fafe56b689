// What becomes of a sink that cannot end.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { rowOf } from '../testing/nasty-rows.js';
import { type ToolContext, toolContext } from './context.js';
import { moveShards, ShardRun, type ShardSink } from './move-shards.js';

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
