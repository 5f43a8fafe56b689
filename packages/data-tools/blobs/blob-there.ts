// A blob that a write found at the target: whether it equals the one to be written, or is the beginning of it.
import { type Endpoint, failureOf } from '../source/endpoint.js';
import { metadataIn } from '../source/metadata.js';
import { ToolError } from '../source/tool-error.js';
import type { Answer } from '../source/transport.js';
import { LIST_VERSION } from '../source/xml-list.js';
import { RANGE_BYTES } from './blob-account.js';
import { type Blob, blobPath, contentHeaders, isSameMetadata, type Texts } from './blob-record.js';

const textOf = (headers: Answer['headers'], name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join() : value;
};

/** Servers answer this type if none was set. */
const TYPE_DEFAULT = 'application/octet-stream';

const headersForm = (headers: Texts): string => JSON.stringify({ 'content-type': TYPE_DEFAULT, ...headers });

export class BlobThere {
  readonly bytes: number;
  readonly #endpoint: Endpoint;
  readonly #path: string;
  readonly #headers: Answer['headers'];

  private constructor(endpoint: Endpoint, path: string, headers: Answer['headers']) {
    this.#endpoint = endpoint;
    this.#path = path;
    this.#headers = headers;
    this.bytes = Number(headers['content-length'] ?? 0);
  }

  /** Undefined if there is none. @throws ToolError denied, if it may not be read. */
  static async read(endpoint: Endpoint, container: string, name: string): Promise<BlobThere | undefined> {
    const path = blobPath(container, name);
    const { status, headers, value } = await endpoint.send({
      method: 'HEAD',
      path,
      headers: { 'x-ms-version': LIST_VERSION },
      read: answer => failureOf(endpoint, `the properties of blob ${name} of ${container}`, answer),
    });
    if (status === 404) return undefined;
    if (status >= 300) throw value;
    return new BlobThere(endpoint, path, headers);
  }

  /** Its content. @throws ToolError gaveUp, if it changes during the read. */
  async *content(): AsyncGenerator<Buffer, void> {
    for (let from = 0; from < this.bytes; from += RANGE_BYTES) {
      const piece = await this.#range(from, Math.min(RANGE_BYTES, this.bytes - from));
      if (piece === undefined) throw new ToolError('gaveUp', `${this.#path} changed while it was read.`);
      yield piece;
    }
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
        const there = await this.#range(at, length);
        if (there === undefined || !there.equals(piece.subarray(from, from + length))) return false;
        from += length;
        at += length;
      }
      if (at === this.bytes) return true;
    }
    return at === this.bytes;
  }

  /** Undefined if it has changed. */
  async #range(from: number, length: number): Promise<Buffer | undefined> {
    const { value } = await this.#endpoint.send({
      method: 'GET',
      path: this.#path,
      headers: {
        'x-ms-version': LIST_VERSION,
        'x-ms-range': `bytes=${from}-${from + length - 1}`,
        'if-match': textOf(this.#headers, 'etag') ?? '*',
      },
      read: answer => {
        if (answer.status === 401 || answer.status === 403)
          return failureOf(this.#endpoint, `a read of ${this.#path}`, answer);
        return answer.status < 300 && answer.body.length === length ? answer.body : undefined;
      },
    });
    if (value instanceof ToolError) throw value;
    return value;
  }
}
