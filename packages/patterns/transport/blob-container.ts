// A container of blobs by the official client, which retries on its own. Refusals become errors of this library.
import type {
  BlobDownloadResponseParsed,
  ContainerClient,
  ContainerListBlobFlatSegmentResponse,
} from '@azure/storage-blob';
import type { CallOptions } from '../concurrency/abort.js';
import { joinBytes } from '../values/bytes.js';
import { PatternError, refuseDefinition } from '../values/pattern-error.js';
import type { Clients } from './clients.js';
import { type ClientFault, clientError, clientFault } from './service-refusal.js';

/** Texts of US-ASCII, as headers are. */
export type BlobMetadata = Readonly<Record<string, string>>;

/** A blob of a listing. */
export interface ListedBlob {
  readonly name: string;
  readonly length: number;
  readonly metadata: BlobMetadata;
  readonly lastModified: Date;
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

/** How a call of the client is ended. */
interface ClientOptions {
  readonly abortSignal?: AbortSignal;
}

const CONTAINER = /^[a-z0-9](?:-?[a-z0-9]){2,62}$/;
/** What the service gives at most. */
const PAGE_MAX = 5_000;

/** Throws DefinitionInvalid. */
export function checkContainer(subject: string, container: string): void {
  if (!CONTAINER.test(container) || container.length > 63)
    refuseDefinition(subject, `${container} is not a name that a container may have`);
}

const optionsOf = ({ signal }: CallOptions): ClientOptions => (signal ? { abortSignal: signal } : {});

async function bytesOf({ readableStreamBody, blobBody }: BlobDownloadResponseParsed): Promise<Uint8Array> {
  if (blobBody !== undefined) return new Uint8Array(await (await blobBody).arrayBuffer());
  const pieces: Uint8Array[] = [];
  for await (const piece of readableStreamBody ?? []) pieces.push(piece as Uint8Array);
  return joinBytes(pieces);
}

export class BlobContainer {
  readonly name: string;
  readonly #client: ContainerClient;

  /** Throws DefinitionInvalid if `open` was given no client of blobs. `subject` needs it. */
  constructor({ blobs }: Clients, subject: string, name: string) {
    checkContainer(subject, name);
    if (blobs === undefined)
      refuseDefinition(subject, 'it needs a BlobServiceClient: open({ tables, blobs })');
    this.name = name;
    this.#client = blobs.getContainerClient(name) as ContainerClient;
  }

  /** A new block blob. If the name exists, an earlier attempt succeeded: no other writer knows the name. */
  async upload(name: string, body: Uint8Array, metadata: BlobMetadata, options: CallOptions): Promise<void> {
    await this.#called(options, async own => {
      const conditions = { ifNoneMatch: '*' };
      const blob = this.#client.getBlockBlobClient(name);
      await unlessThere(blob.upload(body, body.length, { ...own, conditions, metadata }));
    });
  }

  /** A new append blob, with a name that no other writer knows. */
  async createAppendBlob(name: string, metadata: BlobMetadata, options: CallOptions): Promise<void> {
    await this.#called(options, async own => {
      const conditions = { ifNoneMatch: '*' };
      await unlessThere(this.#client.getAppendBlobClient(name).create({ ...own, conditions, metadata }));
    });
  }

  /** Appends if the blob has this length; returns whether it had. */
  async append(name: string, body: Uint8Array, length: number, options: CallOptions): Promise<boolean> {
    return this.#called(options, async own => {
      const conditions = { appendPosition: length };
      const blob = this.#client.getAppendBlobClient(name);
      return isDone(
        blob.appendBlock(body, body.length, { ...own, conditions }),
        ({ status }) => status === 412,
      );
    });
  }

  async setMetadata(name: string, metadata: BlobMetadata, options: CallOptions): Promise<void> {
    await this.#called(options, own => this.#client.getAppendBlobClient(name).setMetadata(metadata, own));
  }

  /** Undefined if there is no such blob. */
  length(name: string, options: CallOptions): Promise<number | undefined> {
    return this.#found(options, async own => {
      const { contentLength = 0 } = await this.#client.getBlockBlobClient(name).getProperties(own);
      return contentLength;
    });
  }

  /** Undefined if there is no such blob, or nothing from there on. */
  read(
    name: string,
    { from = 0, count, ...options }: CallOptions & { readonly from?: number; readonly count?: number } = {},
  ): Promise<Uint8Array | undefined> {
    return this.#found(options, async own =>
      bytesOf(await this.#client.getBlockBlobClient(name).download(from, count, own)),
    );
  }

  /** The whole blob and its ETag; undefined if there is none. */
  stored(
    name: string,
    options: CallOptions,
  ): Promise<{ readonly bytes: Uint8Array; readonly etag: string | undefined } | undefined> {
    return this.#found(options, async own => {
      const answer = await this.#client.getBlockBlobClient(name).download(0, undefined, own);
      return { bytes: await bytesOf(answer), etag: answer.etag };
    });
  }

  /** Replaces the blob with this ETag, creates it (no ETag) or deletes it (no body). Returns false if another writer came first. */
  async exchange(
    name: string,
    body: Uint8Array | undefined,
    etag: string | undefined,
    options: CallOptions,
  ): Promise<boolean> {
    return this.#called(options, async own => {
      const conditions = etag === undefined ? { ifNoneMatch: '*' } : { ifMatch: etag };
      const blob = this.#client.getBlockBlobClient(name);
      const write = body
        ? blob.upload(body, body.length, { ...own, conditions })
        : blob.delete({ ...own, conditions });
      return isDone(
        write,
        ({ status, code }) => status === 412 || code === 'BlobAlreadyExists' || code === 'BlobNotFound',
      );
    });
  }

  /** Deletes the blob if there is one. */
  async delete(name: string, options: CallOptions): Promise<void> {
    await this.#found(options, own => this.#client.getBlockBlobClient(name).delete(own));
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

  async #page(prefix: string, { resume, size, ...options }: BlobPageOptions): Promise<BlobPage> {
    return this.#called(options, async own => {
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

  async #found<T>(options: CallOptions, call: (own: ClientOptions) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#called(options, call);
    } catch (thrown) {
      const isMissing =
        PatternError.is(thrown, 'ServiceRefused') &&
        ((thrown.detail.status === 404 && thrown.detail.code !== 'ContainerNotFound') ||
          thrown.detail.status === 416);
      if (isMissing) return undefined;
      throw thrown;
    }
  }

  async #called<T>({ signal }: CallOptions, call: (own: ClientOptions) => Promise<T>): Promise<T> {
    try {
      return await call(optionsOf({ signal }));
    } catch (thrown) {
      throw blobError(thrown, this.name, signal);
    }
  }
}

/** What is no error of the client stays. Throws the signal's reason. */
function blobError(thrown: unknown, container: string, signal: AbortSignal | undefined): unknown {
  signal?.throwIfAborted();
  if (PatternError.is(thrown)) return thrown;
  const fault = clientFault(thrown);
  if (fault.status === undefined && fault.code === '') return thrown;
  // The service does not name it.
  const isMissing = fault.code === 'ContainerNotFound';
  return clientError(isMissing ? { ...fault, text: `There is no container ${container}.` } : fault, thrown);
}

/** Whether it was done, and not refused in this way. */
async function isDone(call: Promise<unknown>, isRefused: (fault: ClientFault) => boolean): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (thrown) {
    if (isRefused(clientFault(thrown))) return false;
    throw thrown;
  }
}

const unlessThere = (call: Promise<unknown>): Promise<boolean> =>
  isDone(call, ({ code }) => code === 'BlobAlreadyExists');
