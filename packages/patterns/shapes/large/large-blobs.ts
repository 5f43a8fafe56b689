// The blobs of large values. A blob has a name that no other ever had, is never written again, and says in its metadata of which row it is: so a blob that no row names can be told from one that is named.

import type { Service } from '../../repo/write/service.js';
import { BlobContainer, type BlobMetadata } from '../../transport/blob-container.js';
import type { ReadOptions } from '../../transport/table-requests.js';
import { fromBase64Url, fromUtf8, toBase64Url, toHex, toUtf8 } from '../../values/bytes.js';
import { type RowAddress, refuseValue } from '../../values/pattern-error.js';
import { type BlobPointer, sha256Of } from './large-value.js';

const ID_BYTES = 16;

/** A blob that was written for a row which does not name it yet. */
export interface Upload extends BlobPointer {
  readonly bytes: Uint8Array;
  /** When it was there at the earliest, by the clock of this program. */
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

/** The row that the blob was written for; undefined if it is none of this library. */
export function ownerOf({ table, pk, rk }: BlobMetadata): RowAddress | undefined {
  const [partition, row] = [fromBase64Url(pk ?? '!'), fromBase64Url(rk ?? '!')];
  if (table === undefined || partition === undefined || row === undefined) return undefined;
  return { table, partitionKey: fromUtf8(partition), rowKey: fromUtf8(row) };
}

export class LargeBlobs {
  readonly container: BlobContainer;
  readonly prefix: string;
  readonly #service: Service;

  constructor(service: Service, entity: string, container: string) {
    this.#service = service;
    this.prefix = `${entity}/`;
    this.container = new BlobContainer(service.clients, entity, container);
  }

  async upload(address: RowAddress, bytes: Uint8Array, options: ReadOptions): Promise<Upload> {
    const { random, now } = this.#service.surroundings;
    const blob = `${this.prefix}${toHex(random(ID_BYTES))}`;
    const sha256 = await sha256Of(bytes);
    const at = now();
    await this.container.upload(blob, bytes, metadataOf(address), options);
    return { blob, length: bytes.length, sha256, bytes, at };
  }

  /** The same under its name, if it is there no longer. */
  async restore(address: RowAddress, { blob, bytes }: Upload, options: ReadOptions): Promise<void> {
    await this.container.upload(blob, bytes, metadataOf(address), options);
  }

  /** Undefined if it is not there, or not what the pointer says. */
  async read({ blob, length, sha256 }: BlobPointer, options: ReadOptions): Promise<Uint8Array | undefined> {
    const bytes = await this.container.read(blob, options);
    if (bytes?.length !== length || (await sha256Of(bytes)) !== sha256) return undefined;
    return bytes;
  }
}
