// Requests on blobs, as the kill loop's clients send them.
import { accountSas } from '../../simulation/run/signing.js';
import type { RawRequest } from '../../support/raw-client.js';

const ACCOUNT = '/devstoreaccount1';
/** ETags count from year one. */
const TICKS_BEFORE = 621_355_968_000_000_000n;
const SAS = accountSas('b');

export interface BlobCall {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** `container`, or `container/blob`. */
  readonly path: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function rawBlobRequest({ method, path, query = '', headers = {}, body }: BlobCall): RawRequest {
  const length = method === 'PUT' ? { 'Content-Length': String(body?.length ?? 0) } : {};
  return {
    method,
    target: `${ACCOUNT}/${path}?${query === '' ? '' : `${query}&`}${SAS}`,
    headers: { ...length, ...headers },
    sign: 'none',
    ...(body === undefined ? {} : { body }),
  };
}

/** For `x-ms-copy-source`. */
export const sourceUrl = (port: number, path: string): string =>
  `http://127.0.0.1:${port}${ACCOUNT}/${path}?${SAS}`;

export function tickOfEtag(etag: unknown): bigint {
  const [, hex] = /^"?(0x[0-9A-F]+)"?$/.exec(String(etag)) ?? [];
  if (hex === undefined) throw new RangeError(`${etag} is no ETag of a blob.`);
  return BigInt(hex) - TICKS_BEFORE;
}

export const blockId = (number: number): string =>
  Buffer.from(String(number).padStart(8, '0')).toString('base64');

export const blockListBody = (ids: readonly string[]): string =>
  `<?xml version="1.0"?><BlockList>${ids.map(id => `<Uncommitted>${id}</Uncommitted>`).join('')}</BlockList>`;
