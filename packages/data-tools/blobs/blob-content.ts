// The bytes of a blob over the wire, in ranges: all of one state that it had.
import { type Endpoint, errorOf, failureOf } from '../source/endpoint.js';
import { ToolError } from '../source/tool-error.js';
import { LIST_VERSION } from '../source/xml-list.js';
import { type Blob, blobPath } from './blob-record.js';

/** Bytes per read. */
export const RANGE_BYTES = 4 * 1_048_576;
/** How often to read a blob again that was replaced during a read. */
const READS_MAX = 10;

/** A blob changed after its read began. */
export class BlobReplaced extends ToolError {
  constructor({ name, container }: Pick<BlobState, 'name' | 'container'>, options?: ErrorOptions) {
    super('gaveUp', `Blob ${name} of ${container} was replaced while it was read.`, options);
  }
}

/** A state of a blob. */
export interface BlobState {
  readonly container: string;
  readonly name: string;
  readonly bytes: number;
  /** Undefined for one that only grows: appending does not change what was there. */
  readonly etag: string | undefined;
}

const quoted = (etag: string): string => (etag.startsWith('"') ? etag : `"${etag}"`);

/** Undefined if it has changed, or is gone. */
export async function blobRange(
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
