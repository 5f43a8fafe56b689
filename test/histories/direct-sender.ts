// Requests as values, to a server without a socket; so a store that no server has open is read as through one.
import { randomUUID } from 'node:crypto';
import { systemClock } from '#base';
import { openLmdbStore } from '#store-lmdb';
import { answerOf, type DirectServer, directService } from '../support/direct-service.js';
import { type RawRequest, signedHeaders } from '../support/raw-client.js';
import { type Reply, replyOf, type Sender, WELL_KNOWN } from '../support/worker-processes.js';

const HOST = '127.0.0.1:10000';

/** @throws the first of the failures, which are no refusals. */
export async function requestDirectly(
  service: DirectServer['blobs'],
  raw: RawRequest,
  failures?: unknown[],
): Promise<Reply> {
  const signed = Object.entries(signedHeaders({ account: WELL_KNOWN }, raw));
  const named = signed.map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  const request = { ...raw, headers: { host: HOST, ...Object.fromEntries(named) } };
  const { status, headers, body } = await answerOf(service, request, failures);
  const lower = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  return replyOf(status, Object.fromEntries(lower), body);
}

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
  const sender = (service: DirectServer['blobs']): Sender => ({
    port: 0,
    request: raw => requestDirectly(service, raw, failures),
  });
  return {
    table: sender(services.tables),
    queue: sender(services.queues),
    blob: sender(services.blobs),
    close: () => store.close(),
  };
}
