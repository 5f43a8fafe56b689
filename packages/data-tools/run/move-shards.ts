// Reads tables by shards, in parallel, each into a sink of its own, so that a run can be killed at any moment and
// resumed: each sink is checkpointed once a second, and each cut of a shard is in the journal before one of its rows is
// written. The tool adds its own fields to a checkpoint and an end.
import { compareKeys, type Key, type Row } from '../line/row.js';
import type { RowSource } from '../source/row-source.js';
import { Shard, Shards } from '../source/shards.js';
import type { ToolContext } from './context.js';

/** A key in a journal. */
type Pair = readonly [partitionKey: string, rowKey: string];

const pairOf = ({ partitionKey, rowKey }: Key): Pair => [partitionKey, rowKey];
const keyOf = ([partitionKey, rowKey]: Pair): Key => ({ partitionKey, rowKey });

export interface Reached<State> {
  /** The last row that is done. */
  readonly last: Key;
  readonly state: State;
}

export type ShardEntry<State, End> =
  | { readonly kind: 'start'; readonly started: string; readonly tables: readonly string[] }
  | { readonly kind: 'cut'; readonly shard: number; readonly at: Pair; readonly behind: number }
  | { readonly kind: 'checkpoint'; readonly shard: number; readonly last: Pair; readonly state: State }
  | { readonly kind: 'done'; readonly shard: number; readonly end: End };

export class ShardState<State, End> {
  started: string | undefined;
  tables: readonly string[] = [];
  /** By id: the id of a table's first shard is the table's index. */
  readonly shards = new Map<number, Shard>();
  readonly checkpoints = new Map<number, Reached<State>>();
  readonly ends = new Map<number, End>();

  get nextId(): number {
    return Math.max(-1, ...this.shards.keys()) + 1;
  }

  begin(started: string, tables: readonly string[]): void {
    this.started = started;
    this.tables = tables;
    for (const [id, table] of tables.entries())
      this.shards.set(id, new Shard(table, id, { from: undefined, until: undefined }));
  }

  /** The shards of a table in the order of keys. */
  shardsOf(table: string): readonly Shard[] {
    return [...this.shards.values()]
      .filter(shard => shard.table === table)
      .sort((one, other) => compareStarts(one.from, other.from));
  }

  take(entry: ShardEntry<State, End>): void {
    switch (entry.kind) {
      case 'start':
        this.begin(entry.started, entry.tables);
        return;
      case 'cut': {
        const cut = this.shards.get(entry.shard);
        if (cut === undefined) return;
        const from = keyOf(entry.at);
        this.shards.set(entry.behind, new Shard(cut.table, entry.behind, { from, until: cut.until }));
        cut.cutAt(from);
        return;
      }
      case 'checkpoint':
        this.checkpoints.set(entry.shard, { last: keyOf(entry.last), state: entry.state });
        return;
      case 'done':
        this.ends.set(entry.shard, entry.end);
    }
  }
}

function compareStarts(one: Key | undefined, other: Key | undefined): number {
  if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? -1 : 1;
  return compareKeys(one, other);
}

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
