// The blobs of large values, and the sweeper of those that no row names: what programs left that ended between a blob and its row, or rows that were deleted without their blobs. A blob's name is unique, its
// content never changes, and its metadata holds the address of its row, so that the sweeper can check whether the row names it.

import type { CallOptions } from '../../concurrency/abort.js';
import type { AnyEntity } from '../../model/definition.js';
import type { PageOptions } from '../../repo/read/results.js';
import type { Service } from '../../repo/write/service.js';
import { BlobContainer, type BlobMetadata, type ListedBlob } from '../../transport/blob-container.js';
import { fromBase64Url, fromUtf8, toBase64Url, toHex, toUtf8 } from '../../values/bytes.js';
import { PatternError, type RowAddress, refuseValue } from '../../values/pattern-error.js';
import { type BlobPointer, sha256Of } from './large-value.js';

const ID_BYTES = 16;

/** The sweeper deletes unnamed blobs only from this age on. */
const SWEPT_AFTER_MILLISECONDS = 3_600_000;
const DAY_MILLISECONDS = 86_400_000;
/** A blob whose row takes longer is uploaded again. */
const NAMED_WITHIN_MILLISECONDS = SWEPT_AFTER_MILLISECONDS / 2;

/** An uploaded blob that its row does not name yet. */
export interface Upload extends BlobPointer {
  readonly bytes: Uint8Array;
  /** Before its upload, by this program's clock. */
  readonly at: number;
}

const coded = (key: string, what: string): string => {
  const bytes = toUtf8(key);
  if (fromUtf8(bytes) !== key) refuseValue(what, 'a text', 'half of a surrogate pair has no UTF-8');
  return toBase64Url(bytes);
};

const metadataOf = ({ table, partitionKey, rowKey }: RowAddress): BlobMetadata => ({
  table,
  pk: coded(partitionKey, 'PartitionKey'),
  rk: coded(rowKey, 'RowKey'),
});

/** The row of the blob; undefined for a blob of another program. */
function ownerOf({ table, pk, rk }: BlobMetadata): RowAddress | undefined {
  const [partition, row] = [fromBase64Url(pk ?? '!'), fromBase64Url(rk ?? '!')];
  if (table === undefined || partition === undefined || row === undefined) return undefined;
  return { table, partitionKey: fromUtf8(partition), rowKey: fromUtf8(row) };
}

/** Of the blobs of an entity. */
const prefixOf = (entity: string): string => `${entity}/`;

export class LargeBlobs {
  readonly #service: Service;
  readonly #entity: string;
  readonly #container: BlobContainer;

  constructor(service: Service, entity: string, container: string) {
    this.#service = service;
    this.#entity = entity;
    this.#container = new BlobContainer(service.clients, entity, container);
  }

  async upload(address: RowAddress, bytes: Uint8Array, options: CallOptions): Promise<Upload> {
    const { random, now } = this.#service.surroundings;
    const blob = `${prefixOf(this.#entity)}${toHex(random(ID_BYTES))}`;
    const sha256 = await sha256Of(bytes);
    const upload = { blob, length: bytes.length, sha256, bytes, at: now() };
    await this.#container.upload(blob, bytes, metadataOf(address), options);
    return upload;
  }

  /** Whether its row may name it too late: a sweeper may have deleted it by then. */
  isLate({ at }: Upload): boolean {
    return this.#service.surroundings.now() - at > NAMED_WITHIN_MILLISECONDS;
  }

  /** Uploads those again that a sweeper may have deleted. */
  async restore(address: RowAddress, uploads: readonly Upload[], options: CallOptions): Promise<void> {
    for (const upload of uploads)
      if (this.isLate(upload))
        await this.#container.upload(upload.blob, upload.bytes, metadataOf(address), options);
  }

  /** Undefined if it is missing or does not match the pointer. */
  async read({ blob, length, sha256 }: BlobPointer, options: CallOptions): Promise<Uint8Array | undefined> {
    const bytes = await this.#container.read(blob, options);
    if (bytes?.length !== length || (await sha256Of(bytes)) !== sha256) return undefined;
    return bytes;
  }

  /** Deletes blobs that no row names. The sweeper finds those that fail. */
  async drop(pointers: readonly BlobPointer[], options: CallOptions): Promise<void> {
    for (const { blob } of pointers) {
      try {
        await this.#container.delete(blob, options);
      } catch (thrown) {
        if (!PatternError.is(thrown)) throw thrown;
      }
    }
  }
}

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

/** What is no blob of this library counts as named; so does one whose name is in any property of its row. */
async function isNamed(
  { requests }: Service,
  { name, metadata }: ListedBlob,
  { signal, alsoIn = () => [] }: SweepOptions,
): Promise<boolean> {
  const owner = ownerOf(metadata);
  if (owner === undefined) return true;
  for (const address of [owner, ...alsoIn(owner)]) {
    const values = Object.values((await requests.get(address, { signal }))?.row ?? {});
    if (values.some(value => typeof value === 'string' && value.includes(name))) return true;
  }
  return false;
}

/** Throws ValueInvalid for a bound on the age below `least`: in tests, no writer is about to name a blob. */
export function sweep(
  service: Service,
  { name }: AnyEntity,
  options: SweepOptions,
  least = SWEPT_AFTER_MILLISECONDS,
): AsyncGenerator<SweepProgress, void, undefined> {
  const { olderThan = DAY_MILLISECONDS } = options;
  if (!(olderThan >= least))
    refuseValue(
      'olderThan',
      `${least} milliseconds at least`,
      `in ${olderThan} a row may yet be about to name a blob`,
    );
  const container = new BlobContainer(service.clients, name, options.container);
  return swept(service, container, name, { ...options, olderThan });
}

async function* swept(
  service: Service,
  container: BlobContainer,
  entity: string,
  options: SweepOptions & { readonly olderThan: number },
): AsyncGenerator<SweepProgress, void, undefined> {
  const { olderThan, resume, size, signal, dryRun = false } = options;
  for await (const { blobs, next, date } of container.pages(prefixOf(entity), { resume, size, signal })) {
    const now = date?.getTime() ?? service.surroundings.now();
    const old = blobs.filter(({ lastModified }) => now - lastModified.getTime() >= olderThan);
    const orphans: string[] = [];
    for (const blob of old) {
      if (await isNamed(service, blob, options)) continue;
      if (!dryRun) await container.delete(blob.name, { signal });
      orphans.push(blob.name);
    }
    yield { seen: blobs.length, young: blobs.length - old.length, orphans, next };
  }
}
