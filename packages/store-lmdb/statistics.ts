// What the engine reports about its commits, its file and its contents: plain numbers under names that include their
// units.
import type { HistogramCounts } from '#base';
import type { Statistic } from '#store';
import type { CommitStatistics } from './commit/commit-order.js';
import type { ContentCounts } from './content/file-contents.js';

interface Measured {
  readonly commits: CommitStatistics;
  readonly fileBytes: number;
  readonly mapBytes: number;
  readonly contents: Readonly<ContentCounts> & { readonly waitingDrops: number };
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const counter = (name: string, value: number, help: string): Statistic => {
  return { kind: 'counter', name, help, value };
};
const gauge = (name: string, value: number, help: string, aggregate?: 'max'): Statistic => {
  return { kind: 'gauge', name, help, value, ...(aggregate && { aggregate }) };
};
const histogram = (name: string, counts: HistogramCounts, help: string): Statistic => {
  return { kind: 'histogram', name, help, counts };
};

export const statisticsOf = ({
  commits: { writes, times, failures, depth },
  fileBytes,
  mapBytes,
  contents,
}: Measured): readonly Statistic[] => [
  counter('commits_total', total(writes.counts), 'Commits that became durable.'),
  counter('commit_failures_total', failures, 'Commits that failed.'),
  histogram('commit_writes', writes, 'Writes that shared a commit.'),
  histogram(
    'commit_seconds',
    times,
    'Time of a commit, from when it is about to be written until it is synced.',
  ),
  gauge('commit_queue_depth', depth, 'Writes that wait for a commit or are in one.'),
  gauge('data_file_bytes', fileBytes, 'Length of the data file.', 'max'),
  gauge('data_map_bytes', mapBytes, 'Address space that the data file is mapped to; no memory.', 'max'),
  counter(
    'contents_written_total',
    contents.written,
    'Contents, large values beside the rows, that became durable.',
  ),
  counter('content_written_bytes_total', contents.writtenBytes, 'Bytes of contents that became durable.'),
  counter('content_read_bytes_total', contents.readBytes, 'Bytes of contents that were read.'),
  counter(
    'contents_removed_total',
    contents.removed,
    'Contents that were dropped and are gone from the disk.',
  ),
  gauge(
    'content_drops_waiting',
    contents.waitingDrops,
    'Contents and dropped spaces with contents that are still on the disk.',
  ),
];
