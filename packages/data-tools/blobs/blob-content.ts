// The bytes of a blob over the wire, in ranges: all of one state that it had. For a blob that a write found at the
// target: whether it equals the one to be written, or is the beginning of it.
import { type Endpoint, errorOf, failureOf } from '../source/endpoint.js';
import { isSameMetadata, metadataIn } from '../source/space.js';
import { ToolError } from '../source/tool-error.js';
import type { Answer } from '../source/transport.js';
import { LIST_VERSION } from '../source/xml-list.js';
import { type Blob, blobPath, contentHeaders, type Texts } from './blob-record.js';

/** Bytes per read. */
const RANGE_BYTES = 4 * 1_048_576;
/** How often to read a blob again that was replaced during a read. */
const READS_MAX = 10;

/** A blob changed after its read began. */
export class BlobReplaced extends ToolError {
  constructor({ name, container }: Pick<BlobState, 'name' | 'container'>, options?: ErrorOptions) {
    super('gaveUp', `Blob ${name} of ${container} was replaced while it was read.`, options);
  }
}

/** A state of a blob. */
interface BlobState {
  readonly container: string;
  readonly name: string;
  readonly bytes: number;
  /** Undefined for one that only grows: appending does not change what was there. */
  readonly etag: string | undefined;
}

const quoted = (etag: string): string => (etag.startsWith('"') ? etag : `"${etag}"`);

/** Undefined if it has changed, or is gone. */
async function blobRange(
  endpoint: Endpoint,
  { container, name, etag }: BlobState,
  from: number,
  length: number,
): Promise<Buffer | undefined> {
  const { value } = await endpoint.send({
    method: 'GET',
    path: blobPath(container, name),
    headers: {
      'x-ms-version': LIST_VERSION,
      'x-ms-range': `bytes=${from}-${from + length - 1}`,
      ...(etag !== undefined && { 'if-match': quoted(etag) }),
    },
    read: answer => {
      const { status, body } = answer;
      if (status === 200 || status === 206) return body.length === length ? body : undefined;
      if (status === 412 || status === 404 || status === 416) return undefined;
      const { code } = errorOf(answer);
      throw failureOf(endpoint, `the content of blob ${name} of ${container}: ${code}`, answer);
    },
  });
  return value;
}

/** @throws BlobReplaced */
export async function* blobPieces(endpoint: Endpoint, state: BlobState): AsyncGenerator<Buffer, void> {
  for (let from = 0; from < state.bytes; from += RANGE_BYTES) {
    const piece = await blobRange(endpoint, state, from, Math.min(RANGE_BYTES, state.bytes - from));
    if (piece === undefined) throw new BlobReplaced(state);
    yield piece;
  }
}

/**
 * Reads a blob for `work`, and once more if it is replaced in the meantime. Undefined if it is gone. @throws
 * BlobReplaced, if that happens again and again.
 */
export async function inOneState<T>(blob: Blob, work: (blob: Blob) => Promise<T>): Promise<T | undefined> {
  let now: Blob | undefined = blob;
  for (let reads = 1; now !== undefined; reads++) {
    try {
      return await work(now);
    } catch (error) {
      if (!(error instanceof BlobReplaced) || now.again === undefined || reads === READS_MAX) throw error;
      now = await now.again();
    }
  }
  return undefined;
}

const textOf = (headers: Answer['headers'], name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join() : value;
};

/** Servers answer this type if none was set. */
const TYPE_DEFAULT = 'application/octet-stream';

const headersForm = (headers: Texts): string => JSON.stringify({ 'content-type': TYPE_DEFAULT, ...headers });

export class BlobThere {
  readonly #endpoint: Endpoint;
  readonly #state: BlobState;
  readonly #headers: Answer['headers'];

  private constructor(endpoint: Endpoint, state: BlobState, headers: Answer['headers']) {
    this.#endpoint = endpoint;
    this.#state = state;
    this.#headers = headers;
  }

  get bytes(): number {
    return this.#state.bytes;
  }

  /** Undefined if there is none. @throws ToolError denied, if it may not be read. */
  static async read(endpoint: Endpoint, container: string, name: string): Promise<BlobThere | undefined> {
    const sent = {
      method: 'HEAD',
      path: blobPath(container, name),
      headers: { 'x-ms-version': LIST_VERSION },
    };
    const what = `the properties of blob ${name} of ${container}`;
    const { status, headers } = await endpoint.expect(what, sent, 404);
    if (status === 404) return undefined;
    const bytes = Number(headers['content-length'] ?? 0);
    return new BlobThere(endpoint, { container, name, bytes, etag: textOf(headers, 'etag') }, headers);
  }

  /** Its content. @throws BlobReplaced, if it changes during the read. */
  content(): AsyncGenerator<Buffer, void> {
    return blobPieces(this.#endpoint, this.#state);
  }

  #hasSameProperties({ type, headers, metadata }: Blob): boolean {
    const there = this.#headers;
    return (
      textOf(there, 'x-ms-blob-type') === type &&
      headersForm(contentHeaders(name => textOf(there, name))) === headersForm(headers) &&
      isSameMetadata(metadataIn(there), metadata)
    );
  }

  /** Compares type, headers, metadata and content; not tags and tier. */
  async isSame(blob: Blob): Promise<boolean> {
    return this.bytes === blob.bytes && this.#hasSameProperties(blob) && (await this.#isStart(blob));
  }

  /** Whether it lacks only the end. */
  async isStartOf(blob: Blob): Promise<boolean> {
    return this.bytes < blob.bytes && this.#hasSameProperties(blob) && (await this.#isStart(blob));
  }

  /** Whether its bytes are a prefix of the other's. */
  async #isStart(blob: Blob): Promise<boolean> {
    let at = 0;
    for await (const piece of blob.content()) {
      for (let from = 0; from < piece.length && at < this.bytes; ) {
        const length = Math.min(RANGE_BYTES, piece.length - from, this.bytes - at);
        const there = await blobRange(this.#endpoint, this.#state, at, length);
        if (there === undefined || !there.equals(piece.subarray(from, from + length))) return false;
        from += length;
        at += length;
      }
      if (at === this.bytes) return true;
    }
    return at === this.bytes;
  }
}
