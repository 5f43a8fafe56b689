// The requests of the blob workloads, as texts, with gaps where a generator fills in numbers. All of them use an account SAS.
import type { RequestKind } from '../load/job.js';
import type { Endpoint } from '../load/requests.js';
import { joinParts, type Part, slot } from '../load/template.js';

/** About as long as the entities of the table workloads. */
export const SMALL_BYTES = 1024;
export const SMALL_BODY =
  'a line of a log with a time, a name and a number in it, as long as all the others; '
    .repeat(20)
    .slice(0, SMALL_BYTES);
const VERSION = 'x-ms-version: 2021-08-06';
const BLOCK_BLOB = 'x-ms-blob-type: BlockBlob';
const TYPE = 'Content-Type: application/octet-stream';
const BLOCK_DIGITS = 8;

interface Asked {
  readonly method: 'GET' | 'PUT';
  /** After the account. */
  readonly path: readonly Part[];
  /** Ends with an ampersand unless it is empty. */
  readonly query?: string;
  readonly headers?: readonly string[];
  /** Length of the body, which the caller sends after it. */
  readonly length?: number;
}

function headOf(
  { port, account, signature }: Endpoint,
  { method, path, query = '', headers = [], length }: Asked,
): Part[] {
  const lines = [`Host: 127.0.0.1:${port}`, VERSION, ...headers];
  if (length !== undefined) lines.push(`Content-Length: ${length}`);
  return [
    `${method} /${account}/`,
    ...path,
    `?${query}${signature} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`,
  ];
}

const textOf = (endpoint: Endpoint, asked: Asked): string => headOf(endpoint, asked).join('');

export const createContainer = (endpoint: Endpoint, container: string): string =>
  textOf(endpoint, { method: 'PUT', path: [container], query: 'restype=container&', length: 0 });

/** Name of a preloaded blob: numbers have as many digits as a row's. */
export const smallName = (number: number): string => `b${String(number).padStart(slot('row').digits, '0')}`;

/** A new blob next to an existing one. */
export const putSmall = (endpoint: Endpoint, container: string): RequestKind => ({
  parts: joinParts([
    ...headOf(endpoint, {
      method: 'PUT',
      path: [`${container}/b`, slot('row'), '-', slot('unique')],
      headers: [BLOCK_BLOB, TYPE],
      length: SMALL_BYTES,
    }),
    SMALL_BODY,
  ]),
  check: { kind: 'empty', status: 201 },
});

export const getSmall = (endpoint: Endpoint, container: string): RequestKind => ({
  parts: joinParts(headOf(endpoint, { method: 'GET', path: [`${container}/b`, slot('row')] })),
  check: { kind: 'bytes', body: SMALL_BODY },
});

const blockIdOf = (number: number): string =>
  Buffer.from(String(number).padStart(BLOCK_DIGITS, '0')).toString('base64');

export const putBlobHead = (endpoint: Endpoint, container: string, name: string, length: number): string =>
  textOf(endpoint, {
    method: 'PUT',
    path: [`${container}/${name}`],
    headers: [BLOCK_BLOB, TYPE],
    length,
  });

export const putBlockHead = (
  endpoint: Endpoint,
  container: string,
  name: string,
  block: number,
  length: number,
): string =>
  textOf(endpoint, {
    method: 'PUT',
    path: [`${container}/${name}`],
    query: `comp=block&blockid=${encodeURIComponent(blockIdOf(block))}&`,
    length,
  });

/** Commits the blocks with the numbers from 0 on. */
export function putBlockList(endpoint: Endpoint, container: string, name: string, blocks: number): string {
  const ids = Array.from({ length: blocks }, (_, block) => `<Latest>${blockIdOf(block)}</Latest>`);
  const body = `<?xml version="1.0" encoding="utf-8"?><BlockList>${ids.join('')}</BlockList>`;
  const path = [`${container}/${name}`];
  return textOf(endpoint, { method: 'PUT', path, query: 'comp=blocklist&', length: body.length }) + body;
}

export const getBlob = (endpoint: Endpoint, container: string, name: string): string =>
  textOf(endpoint, { method: 'GET', path: [`${container}/${name}`] });
