// Reads tables by shards, in parallel, each into a sink of its own, so that a run can be killed at any moment and
// resumed: each sink is checkpointed once a second, and each cut of a shard is in the journal before one of its rows is
// written.
import type { Key, Row } from '../line/row.js';
import type { RowSource } from '../source/row-source.js';
import { type Shard, Shards } from '../source/shards.js';
import type { ToolContext } from './context.js';
import { pairOf, type Reached, type ShardEntry, type ShardState } from './shard-state.js';

export interface ShardSink<State, End> {
  /** How many rows it has from an earlier run, and the last of them, after which reading continues. */
  readonly rows: number;
  readonly last: Key | undefined;
  /** Returns how many of the rows are done at once; it reports the others itself. */
  write(page: readonly Row[]): Promise<number>;
  /** What is safe so far; undefined before the first row is. */
  checkpoint(): Promise<Reached<State> | undefined>;
  end(): Promise<End>;
  /** After a failure. */
  close(): Promise<void>;
}

interface ShardMove<State, End> {
  readonly state: ShardState<State, End>;
  readonly journal: { append(entry: ShardEntry<State, End>): void } | undefined;
  readonly rows: Pick<RowSource, 'pages' | 'split'>;
  readonly parallel: number;
  readonly context: ToolContext;
  /** Whether the sink of a shard that an earlier run finished is still there. */
  readonly isThere: (shard: Shard, end: End) => boolean;
  readonly open: (shard: Shard, from: Reached<State> | undefined) => Promise<ShardSink<State, End>>;
}

/** @throws ToolError */
export async function moveShards<State, End extends { readonly rows: number }>(
  move: ShardMove<State, End>,
): Promise<void> {
  const { state, journal, context, isThere } = move;
  const { reporter } = context;
  const open: Shard[] = [];
  for (const shard of state.shards.values()) {
    reporter.range('begins');
    const end = state.ends.get(shard.id);
    if (end === undefined || !isThere(shard, end)) {
      state.ends.delete(shard.id);
      open.push(shard);
      continue;
    }
    reporter.range('done');
    reporter.rows(end.rows);
  }
  const shards = new Shards(open, state.nextId, {
    rows: move.rows,
    parallel: move.parallel,
    signal: context.source.signal,
    onCut: (cut, at, behind) => {
      journal?.append({ kind: 'cut', shard: cut.id, at: pairOf(at), behind: behind.id });
      state.shards.set(behind.id, behind);
      reporter.range('begins');
    },
    read: (shard, pages) => moveShard(move, shard, pages),
  });
  await shards.run();
}

async function moveShard<State, End>(
  { state, journal, context, open }: ShardMove<State, End>,
  shard: Shard,
  pages: AsyncIterable<readonly Row[]>,
): Promise<void> {
  const { reporter, checkpointMilliseconds } = context;
  const sink = await open(shard, state.checkpoints.get(shard.id));
  try {
    shard.position = sink.last;
    reporter.rows(sink.rows);
    let checkpointedAt = performance.now();
    for await (const page of pages) {
      reporter.rows(await sink.write(page));
      if (journal === undefined || performance.now() - checkpointedAt < checkpointMilliseconds) continue;
      const reached = await sink.checkpoint();
      if (reached === undefined) continue;
      checkpointedAt = performance.now();
      const last = pairOf(reached.last);
      journal.append({ kind: 'checkpoint', shard: shard.id, last, state: reached.state });
    }
  } catch (error) {
    await sink.close();
    throw error;
  }
  const end = await sink.end();
  state.ends.set(shard.id, end);
  journal?.append({ kind: 'done', shard: shard.id, end });
  reporter.range('done');
}
