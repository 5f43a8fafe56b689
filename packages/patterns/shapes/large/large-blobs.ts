// The blobs of large values. A blob's name is unique, its content never changes, and its metadata holds the address of its row, so that a sweeper can check whether the row names it.

import type { CallOptions } from '../../concurrency/abort.js';
import type { Service } from '../../repo/write/service.js';
import { BlobContainer, type BlobMetadata } from '../../transport/blob-container.js';
import { fromBase64Url, fromUtf8, toBase64Url, toHex, toUtf8 } from '../../values/bytes.js';
import { PatternError, type RowAddress, refuseValue } from '../../values/pattern-error.js';
import { type BlobPointer, sha256Of } from './large-value.js';

const ID_BYTES = 16;

/** A sweeper deletes unnamed blobs only from this age on. */
export const SWEPT_AFTER_MILLISECONDS = 3_600_000;
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
export function ownerOf({ table, pk, rk }: BlobMetadata): RowAddress | undefined {
  const [partition, row] = [fromBase64Url(pk ?? '!'), fromBase64Url(rk ?? '!')];
  if (table === undefined || partition === undefined || row === undefined) return undefined;
  return { table, partitionKey: fromUtf8(partition), rowKey: fromUtf8(row) };
}

/** Of the blobs of an entity. */
export const prefixOf = (entity: string): string => `${entity}/`;

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
