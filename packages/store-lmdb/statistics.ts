// What the engine reports about its commits, its file and its contents: plain numbers under names that include their
// units.
import { commitStatistics, counter, gauge, type Statistic } from '#store';
import type { CommitStatistics } from './commit/commit-order.js';
import type { ContentCounts } from './content/file-contents.js';

interface Measured {
  readonly commits: CommitStatistics;
  readonly fileBytes: number;
  readonly mapBytes: number;
  readonly contents: Readonly<ContentCounts> & { readonly waitingDrops: number };
}

export const statisticsOf = ({
  commits: { counts, depth },
  fileBytes,
  mapBytes,
  contents,
}: Measured): readonly Statistic[] => [
  ...commitStatistics(counts, 'Time of a commit, from when it is about to be written until it is synced.'),
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
