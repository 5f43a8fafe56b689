// The servers that the pattern library is tested against: Shelfmark in this process, which `npm test` takes; and, where SHELFMARK_PEERS names them,
// Shelfmark in a process of its own and Azurite. Each has its tables, its queues and its blobs. One body for all; what a peer does otherwise, a test names.
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import type { HttpClient } from '@azure/core-rest-pipeline';
import { TableClient, TableServiceClient, type TableServiceClientOptions } from '@azure/data-tables';
import type { BlobServiceClient } from '@azure/storage-blob';
import { newPipeline, QueueServiceClient, StorageSharedKeyCredential } from '@azure/storage-queue';
import '../../../packages/patterns/testing/fail-on-warning.js';
import {
  type PeerName,
  type RunningPeer,
  settingsOf,
  startPeer,
  WANTED_PEERS,
} from '../../support/running-peer.js';
import { blobClient } from './blob-client.js';

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
  /** For programs of their own. */
  connectionString(): string;
  /** A new table's name; the table is there. */
  newTable(): Promise<string>;
}

const CLIENT_OPTIONS: TableServiceClientOptions = {
  allowInsecureConnection: true,
  retryOptions: { maxRetries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 2 },
};

function queueClient(connectionString: string, httpClient: HttpClient | undefined): QueueServiceClient {
  const settings = settingsOf(connectionString);
  const credential = new StorageSharedKeyCredential(
    settings.get('AccountName') ?? '',
    settings.get('AccountKey') ?? '',
  );
  const retryOptions = { maxTries: 4, retryDelayInMs: 1, maxRetryDelayInMs: 2 };
  const pipeline = newPipeline(credential, { retryOptions });
  // The client takes HTTP clients of its earlier generation only, and keeps the one of today here.
  if (httpClient) Object.assign(pipeline, { _coreHttpClient: httpClient });
  return new QueueServiceClient(settings.get('QueueEndpoint') ?? '', pipeline);
}

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
      const client = (options: TableServiceClientOptions = {}): TableServiceClient => {
        assert(running, 'The peer runs while tests do.');
        return TableServiceClient.fromConnectionString(running.connectionString, {
          ...CLIENT_OPTIONS,
          ...options,
        });
      };
      body({
        name,
        client,
        table: (name, httpClient) => {
          assert(running, 'The peer runs while tests do.');
          const options = { ...CLIENT_OPTIONS, ...(httpClient && { httpClient }) };
          return TableClient.fromConnectionString(running.connectionString, name, options);
        },
        queues: httpClient => {
          assert(running, 'The peer runs while tests do.');
          return queueClient(running.connectionString, httpClient);
        },
        blobs: httpClient => {
          assert(running, 'The peer runs while tests do.');
          return blobClient(running.connectionString, httpClient);
        },
        connectionString: () => {
          assert(running, 'The peer runs while tests do.');
          return running.connectionString;
        },
        newTable: async () => {
          const table = `patterns${++tables}`;
          await client().createTable(table);
          return table;
        },
      });
    });
  }
}
