// The numbers that the engine tells of itself, as families of metrics.
import type { EngineFigures } from '#store-lmdb';
import { counter, gauge, histogram, type MetricFamily } from './metric-family.js';

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

export function engineFamilies({ commits, queueDepth, fileBytes, mapBytes }: EngineFigures): MetricFamily[] {
  const { failures, writes, times } = commits;
  return [
    counter({ name: 'shelfmark_commits_total', help: 'Commits that became durable.' }, total(writes.counts)),
    counter({ name: 'shelfmark_commit_failures_total', help: 'Commits that failed.' }, failures),
    histogram({ name: 'shelfmark_commit_writes', help: 'Writes that shared a commit.' }, [['', writes]]),
    histogram(
      {
        name: 'shelfmark_commit_seconds',
        help: 'Time of a commit, from when it is about to be written until it is synced.',
      },
      [['', times]],
    ),
    gauge(
      { name: 'shelfmark_commit_queue_depth', help: 'Writes that wait for a commit or are in one.' },
      queueDepth,
    ),
    gauge(
      { name: 'shelfmark_data_file_bytes', help: 'Length of the data file.', together: 'most' },
      fileBytes,
    ),
    gauge(
      {
        name: 'shelfmark_data_map_bytes',
        help: 'Address space that the data file is mapped to; no memory.',
        together: 'most',
      },
      mapBytes,
    ),
  ];
}
