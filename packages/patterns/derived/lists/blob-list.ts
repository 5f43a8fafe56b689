// Lists of ids in blobs, one blob a list: read with one request, and written as a whole under the ETag that was read. An append blob of added and removed ids would avoid contention between writers, but a
// reader would have to replay it, it may have 50,000 blocks, and compacting it brings the contention back. Workers of a flow write lists in blobs, and they can wait.

import type { CompiledKey } from '../../model/keys/compiled-key.js';
import { Attempts } from '../../repo/optimistic.js';
import type { Page, PageOptions } from '../../repo/read/results.js';
import type { Service } from '../../repo/write/service.js';
import { blobError } from '../../transport/blob-container.js';
import { clientFault } from '../../transport/client-fault.js';
import type { ReadOptions } from '../../transport/table-requests.js';
import { PatternError, type RowAddress, refuseDefinition } from '../../values/pattern-error.js';
import { ContentionCount, type ListContention } from './contention.js';
import { changeIds, type IdChanges, type IdSet, idsOf, joinBytes, NO_IDS, readIds } from './id-set.js';
import { ROWS_ADVICE } from './list.js';
import type { Values } from './list-rows.js';

/** Lists in the blobs of a container. */
export interface BlobList {
  readonly name: string;
  readonly container: string;
  /** Its text is the blob's name. */
  readonly key: CompiledKey;
}

const NAMES_OF_PAGE = 100;
const CONTAINER = /^[a-z0-9](?:-?[a-z0-9]){2,62}$/;

/** Throws DefinitionInvalid. */
export function blobList(name: string, key: CompiledKey, container: string): BlobList {
  if (!CONTAINER.test(container) || container.length > 63)
    refuseDefinition(name, `${container} is not a name that a container may have`);
  return Object.freeze({ name, container, key });
}

type Conditions = { readonly ifMatch: string } | { readonly ifNoneMatch: '*' };

interface BlobOptions {
  readonly abortSignal?: AbortSignal;
  readonly conditions?: Conditions;
}

/** The part of `BlockBlobClient` of `@azure/storage-blob` in use. */
interface BlockBlob {
  /** `readableStreamBody` in Node, `blobBody` in browsers. */
  download(
    offset?: number,
    count?: number,
    options?: BlobOptions,
  ): Promise<{
    readonly etag?: string;
    readonly readableStreamBody?: AsyncIterable<Uint8Array>;
    readonly blobBody?: Promise<{ arrayBuffer(): Promise<ArrayBuffer> }>;
  }>;
  upload(body: Uint8Array, length: number, options: BlobOptions): Promise<unknown>;
  delete(options: BlobOptions): Promise<unknown>;
}

interface Container {
  getBlockBlobClient(name: string): BlockBlob;
  listBlobsFlat(options: { readonly prefix: string; readonly abortSignal?: AbortSignal }): {
    byPage(settings: { readonly maxPageSize: number; readonly continuationToken?: string }): AsyncIterable<{
      readonly segment: { readonly blobItems: readonly { readonly name: string }[] };
      readonly continuationToken?: string;
    }>;
  };
}

interface StoredList {
  readonly ids: IdSet;
  readonly etag: string | undefined;
}

async function bytesOf({
  readableStreamBody,
  blobBody,
}: Awaited<ReturnType<BlockBlob['download']>>): Promise<Uint8Array> {
  if (blobBody !== undefined) return new Uint8Array(await (await blobBody).arrayBuffer());
  const pieces: Uint8Array[] = [];
  for await (const piece of readableStreamBody ?? []) pieces.push(piece);
  return joinBytes(pieces);
}

/** Another writer came first: the blob has changed, exists already, or is gone. */
function isLost(thrown: unknown): boolean {
  const { status, code } = clientFault(thrown);
  return status === 412 || code === 'BlobAlreadyExists' || code === 'BlobNotFound';
}

/** The lists of a definition, in blobs. */
export class BlobLists {
  readonly #list: BlobList;
  readonly #service: Service;
  readonly #container: Container;
  readonly #contention: ContentionCount;

  constructor(
    service: Service,
    list: BlobList,
    { warn }: { readonly warn?: ((found: ListContention) => void) | undefined } = {},
  ) {
    const { blobs } = service.clients;
    if (blobs === undefined)
      refuseDefinition(list.name, 'lists in blobs need a BlobServiceClient: open({ tables, blobs })');
    this.#list = list;
    this.#service = service;
    this.#container = blobs.getContainerClient(list.container) as Container;
    this.#contention = new ContentionCount(warn);
  }

  async ids(key: Values, options: ReadOptions = {}): Promise<readonly string[]> {
    return this.idsIn(this.#list.key.encode(key), options);
  }

  /** Afterwards each id is in the list, or is not. Throws Contention. */
  async change(key: Values, changes: IdChanges, options: ReadOptions = {}): Promise<void> {
    await this.changeIn(this.#list.key.encode(key), changes, options);
  }

  /** Of the blob with this name. */
  async idsIn(name: string, options: ReadOptions): Promise<readonly string[]> {
    const { ids } = await this.#read(name, options);
    try {
      return idsOf(ids);
    } catch {
      throw this.#unreadable(name);
    }
  }

  /** Of the blob with this name. */
  async changeIn(name: string, changes: IdChanges, options: ReadOptions): Promise<void> {
    for (const attempts = new Attempts(this.#service.surroundings, options); ; ) {
      const before = await this.#read(name, options);
      const ids = changeIds(before.ids, changes);
      if (ids === before.ids) return;
      const isDone = await this.#write(name, ids, before.etag, options);
      this.#contention.count(name, !isDone);
      if (isDone) return;
      await attempts.next(this.addressOf(name), before.etag, ROWS_ADVICE);
    }
  }

  /** Names of blobs that may be lists of this definition, by pages. */
  async *names({ size = NAMES_OF_PAGE, resume, signal }: PageOptions): AsyncGenerator<Page<string>> {
    // All names that the key can give begin so.
    const { ge: prefix = '' } = this.#list.key.range({});
    const listing = this.#container.listBlobsFlat({ prefix, ...(signal && { abortSignal: signal }) });
    const from = resume === undefined ? {} : { continuationToken: resume };
    try {
      for await (const { segment, continuationToken } of listing.byPage({ maxPageSize: size, ...from }))
        yield { items: segment.blobItems.map(({ name }) => name), next: continuationToken || undefined };
    } catch (thrown) {
      throw this.#errorOf(thrown, signal);
    }
  }

  /** The list's key from a blob's name; undefined if the name does not determine all of it. */
  keyOf(name: string): Values | undefined {
    try {
      const key = this.#list.key.decode(name);
      return this.#list.key.encode(key) === name ? key : undefined;
    } catch (thrown) {
      if (PatternError.is(thrown)) return undefined;
      throw thrown;
    }
  }

  contention(): readonly ListContention[] {
    return this.#contention.found();
  }

  /** Returns false if another writer came first. */
  async #write(
    name: string,
    ids: IdSet,
    etag: string | undefined,
    { signal }: ReadOptions,
  ): Promise<boolean> {
    const blob = this.#container.getBlockBlobClient(name);
    const conditions: Conditions = etag === undefined ? { ifNoneMatch: '*' } : { ifMatch: etag };
    const options = { conditions, ...(signal && { abortSignal: signal }) };
    try {
      if (ids.count === 0) await blob.delete(options);
      else await blob.upload(ids.bytes, ids.bytes.length, options);
      return true;
    } catch (thrown) {
      if (isLost(thrown)) return false;
      throw this.#errorOf(thrown, signal);
    }
  }

  async #read(name: string, { signal }: ReadOptions): Promise<StoredList> {
    const blob = this.#container.getBlockBlobClient(name);
    try {
      const answer = await blob.download(0, undefined, signal ? { abortSignal: signal } : {});
      const ids = readIds(await bytesOf(answer));
      if (ids === undefined) throw this.#unreadable(name);
      return { ids, etag: answer.etag };
    } catch (thrown) {
      if (PatternError.is(thrown)) throw thrown;
      const { status, code } = clientFault(thrown);
      if (status === 404 && code !== 'ContainerNotFound') return { ids: NO_IDS, etag: undefined };
      throw this.#errorOf(thrown, signal);
    }
  }

  /** Blobs have addresses of their own; errors of lists have those of rows. */
  addressOf(name: string): RowAddress {
    return { table: this.#list.container, partitionKey: '', rowKey: name };
  }

  #errorOf(thrown: unknown, signal: AbortSignal | undefined): unknown {
    return blobError(thrown, this.#list.container, signal);
  }

  #unreadable(name: string): PatternError {
    const reason = 'its bytes are not those of a list';
    return new PatternError('RowUnreadable', { ...this.addressOf(name), entity: this.#list.name, reason });
  }
}
