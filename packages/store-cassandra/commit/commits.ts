// The partitions that this process is committing to, by space and name.
import { CommitCounts } from '#base';
import { commitStatistics, counter, type Decide, type Reads, type Statistic } from '#store';
import { Partition, type PartitionHost } from './partition.js';
import { PartitionCommits } from './partition-commits.js';

/** Another process has changed the partition in the meantime. */
type NoteConflict = (sid: bigint, partition: string) => void;

/** A tick later than the fence, and not before the clock's, for a partition of the space. */
type NextTick = (sid: bigint, fence: bigint) => Promise<bigint>;

/** docs/scale-out.md lists what to alarm on. */
class ClusterCounts extends CommitCounts {
  /** Another process has moved the fence. */
  conflicts = 0;
  /** The answer of the cluster is lost, or was a time-out. */
  unclear = 0;
}

export class Commits {
  readonly #counts = new ClusterCounts();
  readonly #host: PartitionHost;
  readonly #noteConflict: NoteConflict;
  readonly #nextTick: NextTick;
  readonly #open = new Map<string, PartitionCommits>();

  constructor(host: PartitionHost, noteConflict: NoteConflict, nextTick: NextTick) {
    this.#host = host;
    this.#noteConflict = noteConflict;
    this.#nextTick = nextTick;
  }

  statistics(): readonly Statistic[] {
    const { conflicts, unclear } = this.#counts;
    const time =
      'Time of a commit, from its reads until it is on a majority of copies, with its repetitions.';
    const conflict = 'Commits that were decided again, because another process had changed the partition.';
    return [
      ...commitStatistics(this.#counts, time),
      counter('cassandra_commit_conflicts_total', conflicts, conflict),
      counter(
        'cassandra_unclear_commits_total',
        unclear,
        'Commits whose answer was lost, so that their outcome was looked up.',
      ),
    ];
  }

  /** Resolves with the decision's result once its changes are durable. `created` is before the space's first commit. */
  commit<R>(sid: bigint, partition: string, reads: Reads, decide: Decide<R>, created = 0n): Promise<R> {
    const commits = this.#of(sid, partition, created);
    return new Promise<R>((resolve, reject) => {
      // `resolve` is called with the result of `decide`.
      commits.add({ reads, decide, resolve: result => resolve(result as R), reject });
    });
  }

  /** Makes a gap of the dead rows that begin there, if there are many. */
  vacuum(sid: bigint, partition: string, from: string): void {
    this.#of(sid, partition).vacuum(from);
  }

  /** Waits for those in progress. */
  async end(): Promise<void> {
    while (this.#open.size > 0) await Promise.all([...this.#open.values()].map(({ running }) => running));
  }

  #of(sid: bigint, name: string, created = 0n): PartitionCommits {
    const partition = new Partition(this.#host, sid, name);
    const { place } = partition;
    const open = this.#open.get(place);
    if (open !== undefined) return open;
    const nextTick = (fence = created): Promise<bigint> => this.#nextTick(sid, fence);
    const commits = new PartitionCommits(name, partition, nextTick, {
      counts: this.#counts,
      conflict: () => {
        this.#counts.conflicts += 1;
        this.#noteConflict(sid, name);
      },
      unclear: () => {
        this.#counts.unclear += 1;
      },
      ended: () => this.#open.delete(place),
    });
    this.#open.set(place, commits);
    return commits;
  }
}
