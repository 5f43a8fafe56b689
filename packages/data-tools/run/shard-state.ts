// The journal of a tool that reads by shards, and the state of a resumed one: when it began, its tables, its shards
// with their cuts, and the progress of each. The tool adds its own fields to a checkpoint and an end.
import { compareKeys, type Key } from '../line/row.js';
import { Shard } from '../source/shards.js';

/** A key in a journal. */
export type Pair = readonly [partitionKey: string, rowKey: string];

export const pairOf = ({ partitionKey, rowKey }: Key): Pair => [partitionKey, rowKey];
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
