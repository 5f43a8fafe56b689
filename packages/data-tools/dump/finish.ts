// The end of a dump: gives parts their final names in the order of keys, writes the partition sums, the manifest, and
// last of all SHA256SUMS. Each step is repeatable: a dump that is killed here resumes here.
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ContentEntry } from '../contents/content-journal.js';
import { Checksum } from '../line/checksum.js';
import { textLines } from '../line/text-lines.js';
import { install, makeDirectory } from '../run/files.js';
import type { Journal } from '../run/journal.js';
import { type ShardEntry, ShardRun } from '../run/move-shards.js';
import type { Policy } from '../source/policies.js';
import { writePieces } from './dump-files.js';
import { type DumpedFile, type DumpedTable, filePath, partitionsPath, type Sum } from './manifest.js';
import {
  formatPartition,
  joined,
  Part,
  type PartitionSum,
  type PartState,
  parsePartition,
  partPath,
} from './part.js';
import { extensionOf, isPlain, type TableFormat, writingOf } from './table-format.js';

export type DumpEntry =
  | ContentEntry
  | ShardEntry<PartState>
  /** All parts are complete; they may have their final names already. */
  | { readonly kind: 'read' };

/** The shards of a dump: from its journal, and then of the resumed run. */
export class DumpRun extends ShardRun<PartState> {
  isRead = false;

  constructor({ entries }: Pick<Journal<DumpEntry>, 'entries'>) {
    super();
    for (const entry of entries) {
      if (!('kind' in entry)) continue;
      if (entry.kind === 'read') this.isRead = true;
      else this.take(entry);
    }
  }
}

interface Place {
  readonly shard: number;
  readonly end: PartState;
  /** Relative to the dump's directory. */
  readonly path: string;
}

/** The files of a table: parts that have rows, in order; for an empty table one without. */
export function placesOf(run: DumpRun, table: string, extension: string): readonly Place[] {
  const parts = run
    .shardsOf(table)
    .flatMap(({ id, state }) => (state === undefined ? [] : [{ shard: id, end: state }]));
  const full = parts.filter(({ end }) => end.rows > 0);
  return (full.length > 0 ? full : parts.slice(0, 1)).map((part, place) => ({
    ...part,
    path: filePath(table, place, extension),
  }));
}

async function* sumsOf(paths: readonly string[]): AsyncGenerator<PartitionSum, void> {
  for (const path of paths)
    for await (const lines of textLines(createReadStream(path)))
      for (const { text } of lines) yield parsePartition(text);
}

interface Finishing {
  readonly directory: string;
  readonly work: string;
  readonly run: DumpRun;
  readonly format: TableFormat;
  readonly policies: readonly Policy[] | null;
}

/** A table whose parts are all complete, and the sum of its partitions file. */
export async function finishTable(
  { directory, work, run, format, policies }: Finishing,
  table: string,
): Promise<{ table: DumpedTable; sums: readonly Sum[] }> {
  const places = placesOf(run, table, extensionOf(format));
  makeDirectory(join(directory, table));
  const checksum = new Checksum();
  let [partitions, rows] = [0, 0];
  const partSums = places.map(({ shard }) => Part.sumsPath(partPath(work, shard)));
  async function* lines(): AsyncGenerator<string, void> {
    for await (const sum of joined(sumsOf(partSums))) {
      partitions++;
      rows += sum.rows;
      checksum.add(sum.checksum);
      yield formatPartition(sum);
    }
  }
  const sumsWork = join(work, 'partitions');
  const partitionsSum = await writePieces(sumsWork, lines());
  const files: DumpedFile[] = [];
  const all = places.map(({ shard }) => partPath(work, shard));
  const writing = isPlain(format) ? undefined : await writingOf(format, all);
  for (const { shard, end, path } of places) {
    const [part, target] = [partPath(work, shard), join(directory, path)];
    if (writing === undefined) {
      if (existsSync(part)) install(part, target);
      files.push({ path, ...end });
      continue;
    }
    const written = await writePieces(join(work, 'file'), writing([part]));
    install(join(work, 'file'), target);
    files.push({ path, rows: end.rows, ...written });
  }
  install(sumsWork, join(directory, partitionsPath(table)));
  const sorted = files.map(({ path, rows, bytes, sha256 }) => ({ path, rows, bytes, sha256 }));
  return {
    table: {
      name: table,
      rows,
      partitions,
      checksum: String(checksum),
      policies,
      files: sorted,
    },
    sums: [...files, { path: partitionsPath(table), sha256: partitionsSum.sha256 }],
  };
}
