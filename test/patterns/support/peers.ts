// The servers that the pattern library is tested against: Shelfmark in this process, which `npm test` takes; and, where SHELFMARK_PEERS names them,
// Shelfmark in a process of its own and Azurite. Each has its tables, its queues and its blobs. One body for all; what a peer does otherwise, a test names.
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import type { HttpClient } from '@azure/core-rest-pipeline';
import { TableClient, TableServiceClient, type TableServiceClientOptions } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { newPipeline, QueueServiceClient, StorageSharedKeyCredential } from '@azure/storage-queue';
import { type AnyEntity, type Db, open, type ServiceOptions } from '#patterns';
import '../../../packages/patterns/testing/fail-on-warning.js';
import {
  type PeerName,
  type RunningPeer,
  settingsOf,
  startPeer,
  WANTED_PEERS,
} from '../../support/running-peer.js';
import { type FaultPlan, FaultyClient } from './faulty-client.js';

export interface Peer {
  readonly name: PeerName;
  /** The official client. It tries again at once, and as often as it does by itself. */
  client(options?: TableServiceClientOptions): TableServiceClient;
  /** The official client of one table, for what other programs write. */
  table(name: string, httpClient?: HttpClient): TableClient;
  /** The official client of queues. It tries again at once, through this HTTP client if one is given. */
  queues(httpClient?: HttpClient): QueueServiceClient;
  /** The official client of blobs, in the same way. */
  blobs(httpClient?: HttpClient): BlobServiceClient;
  /** A program with all three clients, whose requests go through the HTTP client of its options if there is one. */
  open(options?: ServiceOptions): Db;
  /** For programs of their own. */
  connectionString(): string;
  /** A new table's name; the table is there. */
  newTable(): Promise<string>;
}

const CLIENT_OPTIONS: TableServiceClientOptions = {
  allowInsecureConnection: true,
  retryOptions: { maxRetries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 2 },
};

/** What the official clients of queues and blobs take. They try again at once, through the HTTP client of a test if one is given. */
function partsOf(connectionString: string, service: 'Queue' | 'Blob', httpClient: HttpClient | undefined) {
  const settings = settingsOf(connectionString);
  const setting = (name: string): string => settings.get(name) ?? '';
  const credential = new StorageSharedKeyCredential(setting('AccountName'), setting('AccountKey'));
  const retryOptions = { maxTries: 4, retryDelayInMs: 1, maxRetryDelayInMs: 2 };
  const pipeline = newPipeline(credential, { retryOptions });
  // The clients take HTTP clients of their earlier generation only, and keep the one of today here.
  if (httpClient) Object.assign(pipeline, { _coreHttpClient: httpClient });
  return [setting(`${service}Endpoint`), pipeline] as const;
}

const queueClient = (connectionString: string, httpClient?: HttpClient): QueueServiceClient =>
  new QueueServiceClient(...partsOf(connectionString, 'Queue', httpClient));

const blobClient = (connectionString: string, httpClient?: HttpClient): BlobServiceClient =>
  new BlobServiceClient(...partsOf(connectionString, 'Blob', httpClient));

/** Options of a program, and what becomes of its requests. */
export interface FreshOptions extends ServiceOptions {
  readonly plan?: FaultPlan;
}

/** A new table, a program whose requests are counted, and its repository of an entity there. */
export async function fresh<E extends AnyEntity>(
  peer: Peer,
  entity: E,
  { plan, ...options }: FreshOptions = {},
) {
  const [table, httpClient] = [await peer.newTable(), new FaultyClient(plan)];
  const db = peer.open({ httpClient, ...options });
  return { db, table, repo: db.repo(entity, { table }), httpClient, raw: peer.table(table) };
}

/** Pauses of the library that take no time. */
export const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

let tables = 0;

/** Declares the same tests for every peer that is wanted, each with a server of its own. */
export function describePeers(title: string, body: (peer: Peer) => void): void {
  for (const name of WANTED_PEERS) {
    describe(`${title} (${name})`, () => {
      let running: RunningPeer | undefined;
      before(async () => {
        running = await startPeer(name);
      });
      after(() => running?.close());
      const connectionString = (): string => {
        assert(running, 'The peer runs while tests do.');
        return running.connectionString;
      };
      const client: Peer['client'] = options =>
        TableServiceClient.fromConnectionString(connectionString(), { ...CLIENT_OPTIONS, ...options });
      body({
        name,
        client,
        table: (table, httpClient) =>
          TableClient.fromConnectionString(connectionString(), table, {
            ...CLIENT_OPTIONS,
            ...(httpClient && { httpClient }),
          }),
        queues: httpClient => queueClient(connectionString(), httpClient),
        blobs: httpClient => blobClient(connectionString(), httpClient),
        open: ({ httpClient, ...options } = {}) =>
          open(
            {
              tables: client(httpClient && { httpClient }),
              queues: queueClient(connectionString(), httpClient),
              blobs: blobClient(connectionString(), httpClient),
            },
            { ...options, ...(httpClient && { httpClient }) },
          ),
        connectionString,
        newTable: async () => {
          const table = `patterns${++tables}`;
          await client().createTable(table);
          return table;
        },
      });
    });
  }
}
