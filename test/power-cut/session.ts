// One recording, and the power cuts in it.
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../simulation/plan/random.js';
import { type Case, isContent } from './cases.js';
import { Disk } from './disk.js';
import type { Mood } from './file-content.js';
import { faultsOfCut } from './judge.js';
import { beginRecording, type Record, readRecording } from './recording.js';
import { Workload } from './workload.js';

/** Of the cuts, those before the first server is ready. */
const EARLY_SHARE = 0.2;

/** After the first write of a small file, which often is its only one: some twentieth of such cuts keep the name and tear the bytes. */
const FIRST_WRITE_CUTS = 10;
const SMALL_BYTES = 512;

export interface Session {
  readonly directory: string;
  readonly root: string;
  readonly workload: Workload;
  readonly records: readonly Record[];
}

export async function record(
  directory: string,
  library: string,
  one: Case,
  random: Random,
): Promise<Session> {
  const [root, log] = [join(directory, 'root'), join(directory, 'recording')];
  mkdirSync(root, { recursive: true });
  beginRecording(log);
  const workload = new Workload({ ...one, root, log, library, random });
  await workload.run();
  return { directory, root, workload, records: readRecording(log) };
}

export interface Cuts {
  /** How many were made. */
  readonly cuts: number;
  /** Of the last one. */
  readonly faults: readonly string[];
}

/** Ends at the first cut that has a fault. */
export async function cutPower(
  { directory, root, workload, records }: Session,
  { isSyncLost }: Case,
  count: number,
  random: Random,
): Promise<Cuts> {
  const disk = new Disk(statSync(root, { bigint: true }).ino, isSyncLost);
  const early = records.filter(({ end }) => end <= workload.readyAt).length;
  const counts = new Map<number, number>();
  for (let cut = 0; cut < count; cut += 1) {
    const after = random.below(cut < count * EARLY_SHARE ? early : records.length);
    counts.set(after, (counts.get(after) ?? 0) + 1);
  }
  for (const first of firstSmallWrites(records))
    counts.set(first, (counts.get(first) ?? 0) + Math.min(count, FIRST_WRITE_CUTS));
  let cuts = 0;
  for (const [index, one] of records.entries()) {
    disk.add(one);
    for (let left = counts.get(index) ?? 0; left > 0; left -= 1) {
      const mood = random.pick<Mood>(['all', 'none', 'some', 'some', 'some']);
      const cut = { image: disk.cut(mood, random), position: one.end };
      const faults = await faultsOfCut(cut, workload, join(directory, 'cut'), random);
      cuts += 1;
      if (faults.length > 0)
        return { cuts, faults: [`After record ${index}, ${one.kind}, ${mood} lost:`, ...faults] };
    }
  }
  return { cuts, faults: faultsOfRecording(disk, root, records, random) };
}

/** Those of files that are made in the recording; contents are so many that random sampling finds enough. */
function* firstSmallWrites(records: readonly Record[]): Iterable<number> {
  const made = new Set<bigint>();
  for (const [index, { kind, inode, text, data }] of records.entries()) {
    if (kind === 'created' && !isContent(text)) made.add(inode);
    else if (kind === 'write' && made.delete(inode) && data.length <= SMALL_BYTES) yield index;
  }
}

/**
 * What was recorded must be all that was done: without a cut the files are those that are there. A process that is killed may have removed
 * a file without having said so; that it was about to is recorded.
 */
function faultsOfRecording(
  disk: Disk,
  root: string,
  records: readonly Record[],
  random: Random,
): readonly string[] {
  const image = disk.cut('none', random);
  const removed = new Set(records.filter(({ kind }) => kind === 'unlink').map(({ text }) => text));
  const other = [...image].filter(([path, content]) => {
    const file = join(root, path);
    return existsSync(file) ? !readFileSync(file).equals(content) : !removed.has(path);
  });
  return other.map(([path]) => `${path} was written to in a way that the recorder did not see.`);
}
