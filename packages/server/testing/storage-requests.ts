// Requests to the Blob and Queue services signed as a client signs them, on a memory store, for tests that go through the frame without a socket.
import { createHmac } from 'node:crypto';
import type { StreamedResponse, WireRequest, WireResponse } from '#base';
import type { Store } from '#store';
import { parseBlobSas, parseTarget, storageStringsToSign } from '#wire';
import { BLOB_GRAMMAR, type BlobAddress } from '#wire/blob';
import { WELL_KNOWN_KEY } from '../auth/accounts.js';
import { Service } from '../frame/handle-request.js';
import { BLOB_SERVICE } from '../services/blob/blob-service.js';
import { ACCOUNT, DATE, HOST, openService } from './service.js';

export const KEY = Buffer.from(WELL_KNOWN_KEY, 'base64');

export type Headers = Readonly<Record<string, string>>;

export interface Asked {
  readonly method: string;
  /** Below the account. */
  readonly target: string;
  readonly headers?: Headers;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

export const unsigned = ({ method, target, headers, body }: Asked): WireRequest => ({
  method,
  target: `/${ACCOUNT}${target}`,
  headers: {
    host: HOST,
    'x-ms-version': '2026-04-06',
    'content-length': String(Buffer.byteLength(body ?? '')),
    ...headers,
  },
  body: Buffer.from(body ?? ''),
  bodyTooLarge: false,
  secure: false,
  remoteAddress: '127.0.0.1',
});

/** Paths and queries of queues are signed by the same rules. */
export const routeOf = (request: WireRequest) => parseTarget(request, new Set(), BLOB_GRAMMAR);

/** Signed as a client signs it, where it is a target that can be signed. */
export function signed(asked: Asked): WireRequest {
  const request = unsigned({ ...asked, headers: { 'x-ms-date': DATE, ...asked.headers } });
  try {
    const [text = ''] = storageStringsToSign('SharedKey', request, routeOf(request));
    const authorization = `SharedKey ${ACCOUNT}:${createHmac('sha256', KEY).update(text).digest('base64')}`;
    return { ...request, headers: { ...request.headers, authorization } };
  } catch {
    return request;
  }
}

/** The target with a signature of the container or the blob by the account's key. */
export function withSas(target: string, fields: string, at: BlobAddress): string {
  const targetOf = (sig: string): string => `${target}?${fields}&sig=${encodeURIComponent(sig)}`;
  const { query } = routeOf(unsigned({ method: 'GET', target: targetOf(`${'A'.repeat(43)}=`) }));
  const { text } = parseBlobSas(query, ACCOUNT, at);
  return targetOf(createHmac('sha256', KEY).update(text).digest('base64'));
}

async function answerOf(response: WireResponse | StreamedResponse): Promise<Answer> {
  const { status, headers, body } = response;
  let text = '';
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) text = body?.toString() ?? '';
  else for await (const piece of body) text += piece.toString('latin1');
  return { status, text, headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])) };
}

export function openBlobs(store?: Store) {
  const { service, logged, failures } = openService(store);
  const blobs = new Service(BLOB_SERVICE, service);
  const send = async (request: WireRequest): Promise<Answer> => answerOf(await blobs.handle(request));
  return { logged, failures, send, ask: (asked: Asked) => send(signed(asked)) };
}

export async function openContainer() {
  const opened = openBlobs();
  await opened.ask({ method: 'PUT', target: '/abc?restype=container' });
  await opened.ask({
    method: 'PUT',
    target: '/abc/b',
    headers: { 'x-ms-blob-type': 'BlockBlob' },
    body: 'hello',
  });
  return opened;
}

export const codeOf = ({ status, headers }: Answer): string =>
  `${status} ${headers.get('x-ms-error-code') ?? ''}`.trim();

/** With requests below the container. */
export async function openAbc() {
  const { ask } = await openContainer();
  const send = (method: string, target: string, headers: Headers = {}, body = '') =>
    ask({ method, target: `/abc${target}`, headers, body });
  const code = async (...sent: Parameters<typeof send>) => codeOf(await send(...sent));
  return { ask, send, code };
}
