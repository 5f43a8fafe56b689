// What this process counts about its commits, as metrics. docs/scale-out.md lists what to alarm on.
import { Histogram, SECONDS_BOUNDS } from '#base';
import type { Statistic } from '#store';

const WRITES_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

const counter = (name: string, help: string, value: number): Statistic => ({
  kind: 'counter',
  name,
  help,
  value,
});

export class CommitCounts {
  readonly #writes = new Histogram(WRITES_BOUNDS);
  readonly #seconds = new Histogram(SECONDS_BOUNDS);
  #commits = 0;
  #failures = 0;
  #conflicts = 0;
  #unclear = 0;

  /** A batch that this many commits share is on a majority of copies. */
  done(writes: number, milliseconds: number): void {
    this.#commits += 1;
    this.#writes.add(writes);
    this.#seconds.add(milliseconds / 1000);
  }

  failed(): void {
    this.#failures += 1;
  }

  /** Another process has moved the fence. */
  conflict(): void {
    this.#conflicts += 1;
  }

  /** The answer of the cluster is lost, or was a time-out. */
  unclear(): void {
    this.#unclear += 1;
  }

  statistics(): readonly Statistic[] {
    return [
      counter('commits_total', 'Commits that became durable.', this.#commits),
      counter('commit_failures_total', 'Commits that failed.', this.#failures),
      counter(
        'cassandra_commit_conflicts_total',
        'Commits that were decided again, because another process had changed the partition.',
        this.#conflicts,
      ),
      counter(
        'cassandra_unclear_commits_total',
        'Commits whose answer was lost, so that their outcome was looked up.',
        this.#unclear,
      ),
      {
        kind: 'histogram',
        name: 'commit_writes',
        help: 'Writes that shared a commit.',
        counts: this.#writes.counts(),
      },
      {
        kind: 'histogram',
        name: 'commit_seconds',
        help: 'Time of a commit, from its reads until it is on a majority of copies, with its repetitions.',
        counts: this.#seconds.counts(),
      },
    ];
  }
}
