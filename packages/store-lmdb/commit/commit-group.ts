// One LMDB transaction for a group of works, with its two waits for the disk. Each work is decided under LMDB's write
// lock, so several processes may do this in one directory. This file knows nothing of spaces and rows.
import type { Environment } from '../environment.js';
import type { Counters } from '../layout/catalog.js';
import type { DiskReserve } from '../lmdb/disk-reserve.js';
import type { Failure } from '../wal/index.js';
import { runIn, type Submission } from './commits.js';

const GROUP_WORKS_MAX = 1000;
const GROUP_BYTES_MAX = 8 * 1024 * 1024;

export interface CommittedGroup {
  /** Works that were in the transaction, the first of those that waited. */
  readonly count: number;
  /** Something was put, perhaps in vain. */
  readonly didGrow: boolean;
  readonly bytes: number;
  /** Why nothing was committed. */
  readonly failure: Failure | undefined;
}

/** What a group needs of the store. */
export interface GroupParts {
  readonly environment: Environment;
  readonly counters: Counters;
  readonly reserve: DiskReserve;
}

/** Runs the works at the head of `waiting`, those too that come until the transaction begins, and leaves them there. */
export async function commitGroup(
  { environment, counters, reserve }: GroupParts,
  waiting: readonly Submission[],
  worksMax = GROUP_WORKS_MAX,
): Promise<CommittedGroup> {
  const group = { counters, bytes: 0, livingSpace: undefined, mayGrow: false, didGrow: false };
  let count = 0;
  let failure: Failure | undefined;
  try {
    await environment.transaction(() => {
      group.mayGrow = reserve.mayGrow();
      counters.load(environment.catalog);
      for (const submission of waiting) {
        if (count >= worksMax || group.bytes >= GROUP_BYTES_MAX) break;
        count += 1;
        runIn(environment, group, submission);
      }
      counters.save(environment.catalog);
    });
  } catch (reason) {
    failure = { reason };
  }
  return { count, didGrow: group.didGrow, bytes: group.bytes, failure };
}
