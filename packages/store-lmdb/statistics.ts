// What the engine tells of its commits and its file, as plain numbers under names that say their units.
import type { Statistic } from '#store';
import type { CommitCounts } from './commit/commits.js';

export interface Measured {
  readonly commits: CommitCounts;
  /** Writes that are not answered yet. */
  readonly queueDepth: number;
  readonly fileBytes: number;
  readonly mapBytes: number;
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

export const statisticsOf = ({
  commits,
  queueDepth,
  fileBytes,
  mapBytes,
}: Measured): readonly Statistic[] => [
  {
    kind: 'counter',
    name: 'commits_total',
    help: 'Commits that became durable.',
    value: total(commits.writes.counts),
  },
  { kind: 'counter', name: 'commit_failures_total', help: 'Commits that failed.', value: commits.failures },
  { kind: 'histogram', name: 'commit_writes', help: 'Writes that shared a commit.', counts: commits.writes },
  {
    kind: 'histogram',
    name: 'commit_seconds',
    help: 'Time of a commit, from when it is about to be written until it is synced.',
    counts: commits.times,
  },
  {
    kind: 'gauge',
    name: 'commit_queue_depth',
    help: 'Writes that wait for a commit or are in one.',
    value: queueDepth,
  },
  {
    kind: 'gauge',
    name: 'data_file_bytes',
    help: 'Length of the data file.',
    value: fileBytes,
    aggregate: 'max',
  },
  {
    kind: 'gauge',
    name: 'data_map_bytes',
    help: 'Address space that the data file is mapped to; no memory.',
    value: mapBytes,
    aggregate: 'max',
  },
];
