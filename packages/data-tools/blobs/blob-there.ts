// A blob that a write found at the target: whether it equals the one to be written, or is the beginning of it.
import type { Endpoint } from '../source/endpoint.js';
import { isSameMetadata, metadataIn } from '../source/metadata.js';
import type { Answer } from '../source/transport.js';
import { LIST_VERSION } from '../source/xml-list.js';
import { type BlobState, blobPieces, blobRange, RANGE_BYTES } from './blob-content.js';
import { type Blob, blobPath, contentHeaders, type Texts } from './blob-record.js';

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
