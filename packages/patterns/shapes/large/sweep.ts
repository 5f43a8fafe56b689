// Takes away blobs of large values that no row names: what programs left that ended between a blob and its row, or rows that were deleted without their blobs. A young blob is never taken, for its row may
// be about to name it.
import type { AnyEntity } from '../../model/definition.js';
import type { PageOptions } from '../../repo/read/results.js';
import type { Service } from '../../repo/write/service.js';
import { BlobContainer, type ListedBlob } from '../../transport/blob-container.js';
import { type RowAddress, refuseValue } from '../../values/pattern-error.js';
import type { WireObject } from '../../values/read-wire.js';
import { ownerOf, prefixOf, SWEPT_AFTER_MILLISECONDS } from './large-blobs.js';

/** Which blobs are looked at, and how old they must be: from the `next` of an earlier page, in pages of 5,000 blobs at most. */
export interface SweepOptions extends PageOptions {
  readonly container: string;
  /** Milliseconds since a blob was written, by the service's clock, from which on it may be taken: a day by default, an hour at least. */
  readonly olderThan?: number | undefined;
  /** Other rows that may name the blobs of a row, such as that which it was moved to. */
  readonly alsoIn?: (row: RowAddress) => readonly RowAddress[];
  /** Only reports the blobs that it would delete. */
  readonly dryRun?: boolean | undefined;
}

/** A page of blobs that were looked at. */
export interface SweepProgress {
  readonly seen: number;
  /** Those that are too young to be looked at. */
  readonly young: number;
  /** The names of blobs that no row names, which are gone now. */
  readonly orphans: readonly string[];
  /** To go on behind this page; undefined behind the last. */
  readonly next: string | undefined;
}

const DAY_MILLISECONDS = 86_400_000;

/** Whether any property of the row has the name of the blob. */
const names = (row: WireObject, blob: string): boolean =>
  Object.values(row).some(value => typeof value === 'string' && value.includes(blob));

/** What is no blob of this library counts as named. */
async function isNamed(
  { requests }: Service,
  { name, metadata }: ListedBlob,
  { signal, alsoIn = () => [] }: SweepOptions,
): Promise<boolean> {
  const owner = ownerOf(metadata);
  if (owner === undefined) return true;
  for (const address of [owner, ...alsoIn(owner)]) {
    const found = await requests.get(address, { signal });
    if (found !== undefined && names(found.row, name)) return true;
  }
  return false;
}

/** Throws ValueInvalid for a bound on the age below an hour. */
export function sweep(
  service: Service,
  entity: AnyEntity,
  options: SweepOptions,
): AsyncGenerator<SweepProgress, void, undefined> {
  const { olderThan = DAY_MILLISECONDS } = options;
  if (!(olderThan >= SWEPT_AFTER_MILLISECONDS))
    refuseValue(
      'olderThan',
      `${SWEPT_AFTER_MILLISECONDS} milliseconds at least`,
      `in ${olderThan} a row may yet be about to name a blob`,
    );
  return sweepOlderThan(service, entity, options, olderThan);
}

/** Of any age: for tests, where no writer is about to name a blob. */
export const sweepOlderThan = (
  service: Service,
  { name }: AnyEntity,
  options: SweepOptions,
  olderThan: number,
): AsyncGenerator<SweepProgress, void, undefined> =>
  swept(service, new BlobContainer(service.clients, name, options.container), name, options, olderThan);

async function* swept(
  service: Service,
  container: BlobContainer,
  entity: string,
  options: SweepOptions,
  olderThan: number,
): AsyncGenerator<SweepProgress, void, undefined> {
  const { signal, size, dryRun = false } = options;
  for (let resume = options.resume; ; ) {
    const { blobs, next, date } = await container.page(prefixOf(entity), { resume, size, signal });
    const now = date?.getTime() ?? service.surroundings.now();
    const old = blobs.filter(({ lastModified }) => now - lastModified.getTime() >= olderThan);
    const orphans: string[] = [];
    for (const blob of old) {
      if (await isNamed(service, blob, options)) continue;
      if (!dryRun) await container.delete(blob.name, { signal });
      orphans.push(blob.name);
    }
    yield { seen: blobs.length, young: blobs.length - old.length, orphans, next };
    if (next === undefined) return;
    resume = next;
  }
}
