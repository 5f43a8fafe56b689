// One recording, and the power cuts in it.
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { below, type Draw, from } from '../random/arbitrary.js';
import { type Case, isContent } from './cases.js';
import { Disk } from './disk.js';
import type { Mood } from './file-content.js';
import { faultsOfCut } from './judge.js';
import { beginRecording, type Record, readRecording } from './recording.js';
import { Workload } from './workload.js';

/** Share of the cuts that come before the first server is ready. */
const EARLY_SHARE = 0.2;

/** After the first write of a small file, often its only one: about a twentieth of such cuts keep the name and tear the bytes. */
const FIRST_WRITE_CUTS = 10;
const SMALL_BYTES = 512;

export interface Session {
  readonly directory: string;
  readonly root: string;
  readonly workload: Workload;
  readonly records: readonly Record[];
}

export async function record(directory: string, library: string, one: Case, draw: Draw): Promise<Session> {
  const [root, log] = [join(directory, 'root'), join(directory, 'recording')];
  mkdirSync(root, { recursive: true });
  beginRecording(log);
  const workload = new Workload({ ...one, root, log, library, draw });
  await workload.run();
  return { directory, root, workload, records: readRecording(log) };
}

export interface Cuts {
  /** The number of cuts. */
  readonly cuts: number;
  /** The faults of the last cut. */
  readonly faults: readonly string[];
}

/** Ends at the first cut with a fault. */
export async function cutPower(
  { directory, root, workload, records }: Session,
  { isSyncLost }: Case,
  count: number,
  draw: Draw,
): Promise<Cuts> {
  const disk = new Disk(statSync(root, { bigint: true }).ino, isSyncLost);
  const early = records.filter(({ end }) => end <= workload.readyAt).length;
  const counts = new Map<number, number>();
  for (let cut = 0; cut < count; cut += 1) {
    const after = draw(below(cut < count * EARLY_SHARE ? early : records.length));
    counts.set(after, (counts.get(after) ?? 0) + 1);
  }
  for (const first of firstSmallWrites(records))
    counts.set(first, (counts.get(first) ?? 0) + Math.min(count, FIRST_WRITE_CUTS));
  let cuts = 0;
  for (const [index, one] of records.entries()) {
    disk.add(one);
    for (let left = counts.get(index) ?? 0; left > 0; left -= 1) {
      const mood = draw(from<Mood>(['all', 'none', 'some', 'some', 'some']));
      const cut = { image: disk.cut(mood, draw), position: one.end };
      const faults = await faultsOfCut(cut, workload, join(directory, 'cut'), draw);
      cuts += 1;
      if (faults.length > 0)
        return { cuts, faults: [`After record ${index}, ${one.kind}, ${mood} lost:`, ...faults] };
    }
  }
  return { cuts, faults: faultsOfRecording(disk, root, records, draw) };
}

/** The first writes of small files that are created in the recording; contents are many, so random cuts find enough. */
function* firstSmallWrites(records: readonly Record[]): Iterable<number> {
  const made = new Set<bigint>();
  for (const [index, { kind, inode, text, data }] of records.entries()) {
    if (kind === 'created' && !isContent(text)) made.add(inode);
    else if (kind === 'write' && made.delete(inode) && data.length <= SMALL_BYTES) yield index;
  }
}

/**
 * The recording must be complete: without a cut the files are the existing ones. A killed process may have removed a
 * file without recording it; its intent is recorded.
 */
function faultsOfRecording(
  disk: Disk,
  root: string,
  records: readonly Record[],
  draw: Draw,
): readonly string[] {
  const image = disk.cut('none', draw);
  const removed = new Set(records.filter(({ kind }) => kind === 'unlink').map(({ text }) => text));
  const other = [...image].filter(([path, content]) => {
    const file = join(root, path);
    return existsSync(file) ? !readFileSync(file).equals(content) : !removed.has(path);
  });
  return other.map(([path]) => `${path} was written to in a way that the recorder did not see.`);
}
