// What the engine reports about its commits, its file and its contents: plain numbers under names that include their
// units.
import type { Statistic } from '#store';
import type { CommitCounts } from './commit/commits.js';
import type { ContentCounts } from './content/file-contents.js';

export interface Measured {
  readonly commits: CommitCounts;
  /** Writes that are not answered yet. */
  readonly queueDepth: number;
  readonly fileBytes: number;
  readonly mapBytes: number;
  readonly contents: Readonly<ContentCounts> & { readonly waitingDrops: number };
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

export const statisticsOf = ({
  commits,
  queueDepth,
  fileBytes,
  mapBytes,
  contents,
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
  ...statisticsOfContents(contents),
];

const statisticsOfContents = (contents: Measured['contents']): readonly Statistic[] => [
  {
    kind: 'counter',
    name: 'contents_written_total',
    help: 'Contents, large values beside the rows, that became durable.',
    value: contents.written,
  },
  {
    kind: 'counter',
    name: 'content_written_bytes_total',
    help: 'Bytes of contents that became durable.',
    value: contents.writtenBytes,
  },
  {
    kind: 'counter',
    name: 'content_read_bytes_total',
    help: 'Bytes of contents that were read.',
    value: contents.readBytes,
  },
  {
    kind: 'counter',
    name: 'contents_removed_total',
    help: 'Contents that were dropped and are gone from the disk.',
    value: contents.removed,
  },
  {
    kind: 'gauge',
    name: 'content_drops_waiting',
    help: 'Contents and dropped spaces with contents that are still on the disk.',
    value: contents.waitingDrops,
  },
];
