// A wide entity whose properties all have one value, so that a mixture of two writes shows in any two of them; and clients that come between the rows of a read or of a write.
import assert from 'node:assert/strict';
import {
  createDefaultHttpClient,
  createHttpHeaders,
  createPipelineRequest,
  type HttpClient,
  type HttpMethods,
  type PipelineRequest,
  type PipelineResponse,
} from '@azure/core-rest-pipeline';
import { key, type NewOf, t } from '#patterns';
import { type WideEntity, wide } from '#patterns/wide';
import { FaultyClient } from '../support/faulty-client.js';
import type { Peer } from '../support/peers.js';

/** Of `count` whole numbers. */
export const wideOf = (table: string, count: number) => {
  const numbers = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`n${String(at).padStart(4, '0')}`, t.int32()] as const),
  );
  return wide('Wide', {
    version: 1,
    table,
    props: { id: t.string(), note: t.string().long().optional(), ...numbers },
    partition: key('wide'),
    row: p => key('wide', p.id),
  });
};

type EntityOf<W> = W extends WideEntity<infer E> ? E : never;
export type Wide = ReturnType<typeof wideOf>;
type WideValue = NewOf<EntityOf<Wide>>;

export const wideValue = (id: string, count: number, number: number, note?: string): WideValue =>
  ({
    id,
    ...(note !== undefined && { note }),
    ...Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`n${String(at).padStart(4, '0')}`, number]),
    ),
  }) as WideValue;

/** The one number of a value. Fails for a mixture. */
export function numberOf(value: object): number {
  const numbers = new Set(
    Object.entries(value).flatMap(([name, is]) => (/^n\d{4}$/.test(name) ? [Number(is)] : [])),
  );
  assert.equal(numbers.size, 1, `a mixture of ${[...numbers].join(' and ')}`);
  return [...numbers][0] as number;
}

const client = createDefaultHttpClient();

/** Each row of a query is a page, and something is done between pages. */
export function tornReads(between: () => Promise<unknown>): FaultyClient {
  let pages = 0;
  return new FaultyClient(async (_, request) => {
    if (request.method !== 'GET' || !request.url.includes('()')) return undefined;
    if (pages++ > 0) await between();
    const url = new URL(request.url);
    url.searchParams.set('$top', '1');
    request.url = url.href;
    return undefined;
  });
}

/** In the body of a batch: method, address, headers and body. */
const OPERATION = /\r\n\r\n([A-Z]+) (\S+) HTTP\/1\.1\r\n(.*?)\r\n\r\n(.*?)\r\n?(?=--changeset_)/gs;

/** A batch is done operation by operation, as a server without transactions would do it, and something is done between them. */
export class TornWrites implements HttpClient {
  readonly #peer: Peer;
  readonly #between: () => Promise<unknown>;

  constructor(peer: Peer, between: () => Promise<unknown>) {
    this.#peer = peer;
    this.#between = between;
  }

  async sendRequest(request: PipelineRequest): Promise<PipelineResponse> {
    if (!request.url.endsWith('$batch')) return client.sendRequest(request);
    const answers: string[] = [];
    for (const [, method = '', url = '', headers = '', body = ''] of String(request.body).matchAll(
      OPERATION,
    )) {
      const own = createPipelineRequest({
        url,
        method: method as HttpMethods,
        allowInsecureConnection: true,
        headers: createHttpHeaders(
          Object.fromEntries(headers.split('\r\n').map(line => line.split(/: (.*)/s).slice(0, 2))),
        ),
        ...(body !== '' && { body }),
      });
      const { status, headers: answered } = await this.#peer.client().pipeline.sendRequest(client, own);
      assert(status < 300, `${method} ${url}: ${status}`);
      const etag = answered.get('etag');
      answers.push(`HTTP/1.1 ${status} Done\r\n${etag === undefined ? '' : `ETag: ${etag}\r\n`}\r\n\r\n`);
      await this.#between();
    }
    const parts = answers.map(
      answer =>
        `--changesetresponse_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n${answer}`,
    );
    const bodyAsText = `--batchresponse_1\r\nContent-Type: multipart/mixed; boundary=changesetresponse_1\r\n\r\n${parts.join('')}--changesetresponse_1--\r\n--batchresponse_1--\r\n`;
    const headers = createHttpHeaders({ 'Content-Type': 'multipart/mixed; boundary=batchresponse_1' });
    return { request, status: 202, headers, bodyAsText };
  }
}
