// A container of blobs by the official client.
import type {
  BlobDownloadResponseParsed,
  ContainerClient,
  ContainerListBlobFlatSegmentResponse,
} from '@azure/storage-blob';
import type { CallOptions } from '../concurrency/abort.js';
import { joinBytes } from '../values/bytes.js';
import { refuseDefinition } from '../values/pattern-error.js';
import { ClientCalls, type ClientFault } from './client-calls.js';
import type { Connected } from './clients.js';

/** Texts of US-ASCII, as headers are. */
export type BlobMetadata = Readonly<Record<string, string>>;

/** A blob of a listing. */
export interface ListedBlob {
  readonly name: string;
  readonly length: number;
  readonly metadata: BlobMetadata;
  readonly lastModified: Date;
}

/** A blob's content, or a part of it. */
interface StoredBlob {
  readonly bytes: Uint8Array;
  readonly etag: string | undefined;
}

export interface BlobPage {
  readonly blobs: readonly ListedBlob[];
  readonly next: string | undefined;
  /** When the service answered, by its own clock. */
  readonly date: Date | undefined;
}

interface BlobPageOptions extends CallOptions {
  readonly resume?: string | undefined;
  readonly size?: number | undefined;
}

const CONTAINER = /^[a-z0-9](?:-?[a-z0-9]){2,62}$/;
/** What the service gives at most. */
const PAGE_MAX = 5_000;

/** Throws DefinitionInvalid. */
export function checkContainer(subject: string, container: string): void {
  if (!CONTAINER.test(container) || container.length > 63)
    refuseDefinition(subject, `${container} is not a name that a container may have`);
}

const isThere = ({ code }: ClientFault): boolean => code === 'BlobAlreadyExists';

/** No such blob, or nothing from there on. */
const isMissing = ({ status, code }: ClientFault): boolean =>
  (status === 404 && code !== 'ContainerNotFound') || status === 416;

const isOutdated = ({ status }: ClientFault): boolean => status === 412;

async function bytesOf({ readableStreamBody, blobBody }: BlobDownloadResponseParsed): Promise<Uint8Array> {
  if (blobBody !== undefined) return new Uint8Array(await (await blobBody).arrayBuffer());
  const pieces: Uint8Array[] = [];
  for await (const piece of readableStreamBody ?? []) pieces.push(piece as Uint8Array);
  return joinBytes(pieces);
}

export class BlobContainer {
  readonly name: string;
  readonly #client: ContainerClient;
  readonly #calls: ClientCalls;

  /** Throws DefinitionInvalid if `open` was given no client of blobs. `subject` needs it. */
  constructor(clients: Connected, subject: string, name: string) {
    checkContainer(subject, name);
    const { blobs } = clients;
    if (blobs === undefined)
      refuseDefinition(subject, 'it needs a BlobServiceClient: open({ tables, blobs })');
    this.name = name;
    this.#client = blobs.getContainerClient(name) as ContainerClient;
    this.#calls = new ClientCalls(name, clients);
  }

  /** A new block blob. If the name exists, an earlier attempt succeeded: no other writer knows the name. */
  async upload(
    name: string,
    body: Uint8Array,
    metadata: BlobMetadata,
    { signal }: CallOptions,
  ): Promise<void> {
    const conditions = { ifNoneMatch: '*' };
    const blob = this.#client.getBlockBlobClient(name);
    await this.#calls.unless(isThere, { signal, sent: body.length }, own =>
      blob.upload(body, body.length, { ...own, conditions, metadata }),
    );
  }

  /** A new append blob, with a name that no other writer knows. */
  async createAppendBlob(name: string, metadata: BlobMetadata, options: CallOptions): Promise<void> {
    const conditions = { ifNoneMatch: '*' };
    const blob = this.#client.getAppendBlobClient(name);
    await this.#calls.unless(isThere, options, own => blob.create({ ...own, conditions, metadata }));
  }

  /** Appends if the blob is there with this length; returns whether it was. */
  async append(name: string, body: Uint8Array, length: number, { signal }: CallOptions): Promise<boolean> {
    const conditions = { appendPosition: length };
    const blob = this.#client.getAppendBlobClient(name);
    const isOther = (fault: ClientFault): boolean => isOutdated(fault) || fault.code === 'BlobNotFound';
    const appended = await this.#calls.unless(isOther, { signal, sent: body.length }, own =>
      blob.appendBlock(body, body.length, { ...own, conditions }),
    );
    return appended !== undefined;
  }

  async setMetadata(name: string, metadata: BlobMetadata, options: CallOptions): Promise<void> {
    const blob = this.#client.getAppendBlobClient(name);
    await this.#calls.done(options, own => blob.setMetadata(metadata, own));
  }

  /** Undefined if there is no such blob. */
  async length(name: string, options: CallOptions): Promise<number | undefined> {
    const blob = this.#client.getBlockBlobClient(name);
    const found = await this.#calls.unless(isMissing, options, own => blob.getProperties(own));
    return found && (found.contentLength ?? 0);
  }

  /** Undefined if there is no such blob, or nothing from there on. */
  async read(
    name: string,
    { from = 0, count, ...options }: CallOptions & { readonly from?: number; readonly count?: number } = {},
  ): Promise<Uint8Array | undefined> {
    return (await this.#stored(name, from, count, options))?.bytes;
  }

  /** The whole blob and its ETag; undefined if there is none. */
  stored(name: string, options: CallOptions): Promise<StoredBlob | undefined> {
    return this.#stored(name, 0, undefined, options);
  }

  /** Replaces the blob with this ETag, creates it (no ETag) or deletes it (no body). Returns false if another writer came first. */
  async exchange(
    name: string,
    body: Uint8Array | undefined,
    etag: string | undefined,
    { signal }: CallOptions,
  ): Promise<boolean> {
    const conditions = etag === undefined ? { ifNoneMatch: '*' } : { ifMatch: etag };
    const blob = this.#client.getBlockBlobClient(name);
    const isLost = (fault: ClientFault): boolean =>
      isOutdated(fault) || isThere(fault) || fault.code === 'BlobNotFound';
    const done = await this.#calls.unless<unknown>(isLost, { signal, sent: body?.length ?? 0 }, own =>
      body ? blob.upload(body, body.length, { ...own, conditions }) : blob.delete({ ...own, conditions }),
    );
    return done !== undefined;
  }

  /** Deletes the blob if there is one. */
  async delete(name: string, options: CallOptions): Promise<void> {
    const blob = this.#client.getBlockBlobClient(name);
    await this.#calls.unless(isMissing, options, own => blob.delete(own));
  }

  /** The blobs whose names begin so, page by page as the caller consumes them. */
  async *pages(prefix: string, options: BlobPageOptions): AsyncGenerator<BlobPage, void, undefined> {
    let next = options.resume;
    do {
      const page = await this.#page(prefix, { ...options, resume: next });
      yield page;
      next = page.next;
    } while (next !== undefined);
  }

  #page(prefix: string, { resume, size, signal }: BlobPageOptions): Promise<BlobPage> {
    return this.#calls.done({ signal }, async own => {
      const pages = this.#client.listBlobsFlat({ ...own, prefix, includeMetadata: true }).byPage({
        maxPageSize: size ?? PAGE_MAX,
        ...(resume !== undefined && { continuationToken: resume }),
      });
      const { value } = await pages.next();
      const { segment, continuationToken, date } = value as ContainerListBlobFlatSegmentResponse;
      const blobs = segment.blobItems.map(({ name, metadata = {}, properties }) => {
        const { contentLength = 0, lastModified } = properties;
        return { name, metadata, length: contentLength, lastModified };
      });
      return { blobs, next: continuationToken === '' ? undefined : continuationToken, date };
    });
  }

  #stored(
    name: string,
    from: number,
    count: number | undefined,
    options: CallOptions,
  ): Promise<StoredBlob | undefined> {
    const blob = this.#client.getBlockBlobClient(name);
    return this.#calls.unless(isMissing, options, async (own, onProgress) => {
      const answer = await blob.download(from, count, { ...own, onProgress });
      return { bytes: await bytesOf(answer), etag: answer.etag };
    });
  }
}
