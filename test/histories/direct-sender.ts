// Requests as values, to a server without a socket; so a store that no server has open is read as through one.
import { randomUUID } from 'node:crypto';
import { type BodyStream, systemClock } from '#base';
import { openLmdbStore } from '#store-lmdb';
import { answerOf, type DirectServer, directService } from '../support/direct-service.js';
import { type RawRequest, signedHeaders } from '../support/raw-client.js';
import { type Reply, replyOf, type Sender, WELL_KNOWN } from '../support/worker-processes.js';

const PORT = 10_000;

interface Way {
  /** Server errors of the requests. @throws the first of them. */
  readonly failures?: unknown[];
  /** Bodies come in pieces of this length, if they are longer. */
  readonly pieceBytes?: number;
  /** Between two pieces of an answer. */
  readonly pause?: () => Promise<void>;
}

function streamOf(body: Buffer, pieceBytes: number): BodyStream {
  return {
    length: body.length,
    reserve: () => true,
    collect: async () => ({ body, bodyTooLarge: false, isBusy: false }),
    async *[Symbol.asyncIterator]() {
      for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
    },
  };
}

export async function requestDirectly(
  service: DirectServer['blobs'],
  raw: RawRequest,
  { failures, pause, pieceBytes = Number.POSITIVE_INFINITY }: Way = {},
): Promise<Reply> {
  const signed = Object.entries(signedHeaders({ account: WELL_KNOWN }, raw));
  const named = signed.map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  const request = { ...raw, headers: { host: `127.0.0.1:${PORT}`, ...Object.fromEntries(named) } };
  const body = Buffer.from(raw.body ?? '');
  const sent =
    body.length > pieceBytes ? { ...request, body: '', stream: streamOf(body, pieceBytes) } : request;
  const { status, headers, body: bytes } = await answerOf(service, sent, failures, pause);
  const lower = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  return replyOf(status, Object.fromEntries(lower), bytes);
}

export const directSender = (service: DirectServer['blobs'], way: Way = {}): Sender => ({
  port: PORT,
  request: raw => requestDirectly(service, raw, way),
});

export interface OpenedStore {
  readonly table: Sender;
  readonly queue: Sender;
  readonly blob: Sender;
  close(): Promise<void>;
}

export async function openStore(directory: string): Promise<OpenedStore> {
  const store = await openLmdbStore({ directory, durability: 'none' });
  const failures: unknown[] = [];
  const services = directService(store, systemClock, failures, undefined, randomUUID);
  return {
    table: directSender(services.tables, { failures }),
    queue: directSender(services.queues, { failures }),
    blob: directSender(services.blobs, { failures }),
    close: () => store.close(),
  };
}
