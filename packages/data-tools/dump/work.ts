// Reads the tables of a dump into parts in its work directory, in parallel, so that it can be killed at any moment and
// resumed: each part is checkpointed once a second, each cut of a shard is in the journal before one of its rows is
// written. finish.ts installs the parts.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from '../line/row.js';
import type { ToolContext } from '../run/context.js';
import type { Journal } from '../run/journal.js';
import { pairOf } from '../run/shard-state.js';
import { type Shard, Shards } from '../source/shards.js';
import type { TableRows } from '../source/table-rows.js';
import type { DumpEntry, DumpState } from './dump-journal.js';
import { Part } from './part.js';

export const partPath = (work: string, shard: number): string => join(work, `${shard}.jsonl`);

interface DumpWork {
  readonly work: string;
  readonly rows: TableRows;
  readonly state: DumpState;
  readonly journal: Journal<DumpEntry>;
  readonly context: ToolContext;
}

/** Whether the shard's part was completed, and is whole in the work directory or already installed. */
function isComplete(
  { work, state }: DumpWork,
  { id }: Shard,
  installed: (shard: number) => boolean,
): boolean {
  const end = state.ends.get(id);
  if (end === undefined) return false;
  const path = partPath(work, id);
  return installed(id) || (existsSync(path) && statSync(path).size === end.bytes);
}

/** @param installed whether a shard's part has its final place. */
export async function readParts(dump: DumpWork, installed: (shard: number) => boolean): Promise<void> {
  const { state, journal, rows, context } = dump;
  const { reporter } = context;
  const open = [...state.shards.values()].filter(shard => !isComplete(dump, shard, installed));
  for (const shard of state.shards.values()) {
    reporter.range('begins');
    if (open.includes(shard)) state.ends.delete(shard.id);
    else {
      reporter.range('done');
      reporter.rows(state.ends.get(shard.id)?.rows ?? 0);
    }
  }
  const shards = new Shards(open, state.nextId, {
    rows,
    parallel: context.parallel,
    signal: context.source.signal,
    onCut: (cut, behind) => {
      journal.append({ kind: 'cut', shard: cut.id, at: pairOf(behind.from ?? NOWHERE), behind: behind.id });
      state.shards.set(behind.id, behind);
      reporter.range('begins');
    },
    read: (shard, pages) => readPart(dump, shard, pages),
  });
  await shards.run();
}

const NOWHERE = { partitionKey: '', rowKey: '' };

async function readPart(
  { work, state, journal, context }: DumpWork,
  shard: Shard,
  pages: AsyncIterable<readonly Row[]>,
): Promise<void> {
  const { reporter, source } = context;
  const part = await Part.open(partPath(work, shard.id), state.checkpoints.get(shard.id)?.state);
  try {
    shard.position = part.last;
    reporter.rows(part.rows);
    let checkpointedAt = source.surroundings.ticks();
    for await (const page of pages) {
      await part.write(page);
      reporter.rows(page.length);
      const now = source.surroundings.ticks();
      if (now - checkpointedAt < context.checkpointMilliseconds) continue;
      checkpointedAt = now;
      const checkpoint = await part.checkpoint();
      if (checkpoint !== undefined) {
        journal.append({
          kind: 'checkpoint',
          shard: shard.id,
          last: pairOf(checkpoint.last),
          state: checkpoint.state,
        });
      }
    }
  } catch (error) {
    await part.close();
    throw error;
  }
  const end = await part.end();
  state.ends.set(shard.id, end);
  journal.append({ kind: 'done', shard: shard.id, end });
  reporter.range('done');
}
