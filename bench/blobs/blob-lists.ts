// Lists: all pages of a container compared with Azurite's, and the blobs of one hour among many.
import type { Endpoint } from '../load/requests.js';
import { ALL_PREFIX, blobsOfHour, HOUR_PREFIX } from './blob-names.js';
import { type BlobsOptions, byTurns, loadBlobs, type Rate, type Subject, sampled } from './ground.js';

export const LIST_CONTAINER = 'lists';
export const LOGS_CONTAINER = 'logs';
/** The number in the goal compared with Azurite. */
export const LISTED_MAX = 100_000;
const FILLING_CLIENTS = 16;

/** Azurite can be filled only over its socket. */
export async function fillAzurite(subject: Subject, count: number, say: BlobsOptions['say']): Promise<void> {
  const common = { endpoint: subject.blobs, container: LIST_CONTAINER, first: 0, rows: 100 };
  await loadBlobs({ ...common, work: 'create', clients: 1, count: 1 });
  const { milliseconds } = await loadBlobs({ ...common, work: 'fill', clients: FILLING_CLIENTS, count });
  say(`azurite: ${count} blobs in ${(milliseconds / 1000).toFixed(1)} s`);
}

interface List {
  readonly endpoint: Endpoint;
  readonly container: string;
  readonly prefix: string;
  readonly blobs: number;
}

const listJob = (list: List, until: { readonly count?: number; readonly milliseconds?: number }) =>
  ({ work: 'list', clients: 1, first: 0, rows: 100, ...list, ...until }) as const;

/** Blobs a second by one client, page after page. */
export function measureLists(
  subjects: readonly Subject[],
  count: number,
  options: BlobsOptions,
): Promise<readonly Rate[]> {
  return byTurns(
    options,
    subjects.map(subject => ({
      name: `list of ${count} blobs, ${subject.name}`,
      run: () => {
        const list = { endpoint: subject.blobs, container: LIST_CONTAINER, prefix: ALL_PREFIX, blobs: count };
        return sampled(
          subject,
          () => loadBlobs(listJob(list, { count: 1 })),
          ({ completed }) => completed * count,
        );
      },
    })),
  );
}

export interface PrefixList {
  /** In the container, and of the prefix. */
  readonly blobs: number;
  readonly found: number;
  readonly rate: Rate;
}

export async function measurePrefix(subject: Subject, options: BlobsOptions): Promise<PrefixList> {
  const { count } = options;
  const found = blobsOfHour(count);
  const list = { endpoint: subject.blobs, container: LOGS_CONTAINER, prefix: HOUR_PREFIX, blobs: found };
  const name = `list of ${HOUR_PREFIX} among ${count}`;
  const [rate] = await byTurns(options, [
    {
      name,
      run: milliseconds =>
        sampled(
          subject,
          () => loadBlobs(listJob(list, { milliseconds })),
          ({ completed }) => completed,
        ),
    },
  ]);
  if (rate === undefined) throw new Error('Nothing was measured.');
  return { blobs: count, found, rate };
}
