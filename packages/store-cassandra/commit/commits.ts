// The partitions that this process is committing to, by space and name.
import type { Decide, Reads } from '#store';
import type { Session } from '../session/session.js';
import { Partition } from './partition.js';
import { type NextTick, PartitionCommits } from './partition-commits.js';

/** Another process has changed the partition meanwhile. */
export type NoteConflict = (sid: bigint, partition: string) => void;

export class Commits {
  readonly #session: Session;
  readonly #noteConflict: NoteConflict;
  readonly #open = new Map<string, PartitionCommits>();

  constructor(session: Session, noteConflict: NoteConflict) {
    this.#session = session;
    this.#noteConflict = noteConflict;
  }

  /** Resolves with the decision's result once its changes are durable. */
  commit<R>(sid: bigint, partition: string, reads: Reads, decide: Decide<R>, nextTick: NextTick): Promise<R> {
    const place = `${sid} ${partition}`;
    const commits = this.#open.get(place) ?? this.#begin(place, sid, partition, nextTick);
    return new Promise<R>((resolve, reject) => {
      // What `decide` gives is what `resolve` is called with.
      commits.add({ reads, decide, resolve: result => resolve(result as R), reject });
    });
  }

  /** Waits for those under way. */
  async end(): Promise<void> {
    while (this.#open.size > 0) await Promise.all([...this.#open.values()].map(({ running }) => running));
  }

  #begin(place: string, sid: bigint, partition: string, nextTick: NextTick): PartitionCommits {
    const commits = new PartitionCommits(partition, new Partition(this.#session, sid, partition), nextTick, {
      conflict: () => this.#noteConflict(sid, partition),
      ended: () => this.#open.delete(place),
    });
    this.#open.set(place, commits);
    return commits;
  }
}
