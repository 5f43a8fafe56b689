// Counts the requests of a program to tables and blobs over the wire, and the rows and blobs that they write. Requests
// to queues are computed from the messages, because a polling worker sends more of them.
import { setTimeout } from 'node:timers/promises';
import { createDefaultHttpClient, type HttpClient, type PipelineRequest } from '@azure/core-rest-pipeline';
import { TableServiceClient } from '@azure/data-tables';
import { BlobServiceClient, newPipeline } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { type Db, open } from '#patterns';
import type { Flow } from '#patterns/flows';

/** The work of a flow's worker after a write. */
export type CountedFlow = Pick<Flow, 'worker' | 'figures' | 'createQueues'>;

/** Counts what passes. */
class CountingClient implements HttpClient {
  requests = 0;
  written = 0;
  readonly #client = createDefaultHttpClient();

  sendRequest(request: PipelineRequest): ReturnType<HttpClient['sendRequest']> {
    this.requests++;
    const isBatch = request.url.includes('$batch');
    const parts = typeof request.body === 'string' ? request.body.match(/ HTTP\/1\.1\r\n/g) : null;
    if (isBatch) this.written += parts?.length ?? 0;
    else if (request.method !== 'GET') this.written++;
    return this.#client.sendRequest(request);
  }
}

/** The official client of blobs, through this HTTP client. */
function blobsThrough(connectionString: string, httpClient: HttpClient): BlobServiceClient {
  const { url, credential } = BlobServiceClient.fromConnectionString(connectionString);
  const pipeline = newPipeline(credential);
  // The client accepts only HTTP clients of its earlier generation, and keeps the current one here.
  Object.assign(pipeline, { _coreHttpClient: httpClient });
  return new BlobServiceClient(url, pipeline);
}

/** A program whose requests to tables and blobs are counted. */
export class Counted {
  readonly db: Db;
  readonly #client = new CountingClient();

  constructor(connectionString: string) {
    const httpClient = this.#client;
    const tables = TableServiceClient.fromConnectionString(connectionString, {
      allowInsecureConnection: true,
    });
    const queues = QueueServiceClient.fromConnectionString(connectionString);
    const blobs = blobsThrough(connectionString, httpClient);
    this.db = open({ tables, queues, blobs }, { httpClient, announceAfter: 0 });
  }

  /** `1/2`: requests, including those to queues that `run` returns, and rows or blobs written. */
  async count(run: () => Promise<number>): Promise<string> {
    const { requests, written } = this.#client;
    const others = await run();
    return `${this.#client.requests - requests + others}/${this.#client.written - written}`;
  }
}

/** Empties the queues of a flow. Returns the requests that the worker needs for its messages: it receives and deletes each. */
export async function drain(db: Db, flow: CountedFlow): Promise<number> {
  const { pending } = await flow.figures(db);
  const worker = flow.worker(db, { concurrency: 1, rest: { base: 5, cap: 20 } });
  while ((await flow.figures(db)).pending > 0) await setTimeout(5);
  await worker.stop();
  return 2 * pending;
}
