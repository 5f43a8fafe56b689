// A store that no server has open, read as through a server on it, by requests as values.
import { randomUUID } from 'node:crypto';
import { type StreamedResponse, systemClock, type WireRequest, type WireResponse } from '#base';
import { openLmdbStore } from '#store-lmdb';
import { collected, directService } from '../support/direct-service.js';
import { signedHeaders } from '../support/raw-client.js';
import { replyOf, type Sender, WELL_KNOWN } from '../support/worker-processes.js';

const HOST = '127.0.0.1:10000';

export interface OpenedStore {
  readonly table: Sender;
  readonly queue: Sender;
  readonly blob: Sender;
  close(): Promise<void>;
}

type Handle = (request: WireRequest) => Promise<WireResponse | StreamedResponse>;

export async function openStore(directory: string): Promise<OpenedStore> {
  const store = await openLmdbStore({ directory, durability: 'none' });
  const failures: unknown[] = [];
  const services = directService(store, systemClock, failures, undefined, randomUUID);
  const sender = (handle: Handle): Sender => ({
    port: 0,
    request: async raw => {
      const signed = Object.entries(signedHeaders({ account: WELL_KNOWN }, raw));
      const named = signed.map(([name, value]): [string, string] => [name.toLowerCase(), value]);
      const response = handle({
        method: raw.method,
        target: raw.target,
        headers: { host: HOST, ...Object.fromEntries(named) },
        body: Buffer.from(raw.body ?? ''),
        bodyTooLarge: false,
        secure: false,
        remoteAddress: '127.0.0.1',
      });
      const { status, headers, body = '' } = await collected(await response);
      const [failure] = failures.splice(0);
      if (failure !== undefined) throw failure;
      const lower = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
      return replyOf(status, Object.fromEntries(lower), Buffer.from(body));
    },
  });
  return {
    table: sender(services.tables.handle),
    queue: sender(services.queues.handle),
    blob: sender(services.blobs.handle),
    close: () => store.close(),
  };
}
