// Clients of all three services, with the official clients and their default retries. Each has rows, messages and a blob of its
// own, and remembers what was answered.
import assert from 'node:assert/strict';
import { TableClient, TableServiceClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';

const TABLE = 'rolling';
const QUEUE = 'rolling';
const CONTAINER = 'rolling';
const WRITERS = 4;
const ROWS = 20;
const PARTITIONS = 2;
const GROUP = 5;
const TAKEN = 32;
const OPTIONS = { allowInsecureConnection: true };

export interface Waits {
  readonly requests: number;
  /** Requests that were sent more than once, of the Table service. */
  readonly repeated: number;
  /** Milliseconds that one call took, with its retries. */
  readonly longest: number;
}

export class Clients {
  /** Calls that failed after their retries. */
  readonly failures: string[] = [];
  readonly #address: string;
  readonly #rows = new Map<string, number>();
  readonly #sent: string[] = [];
  readonly #blobs = new Map<number, string>();
  readonly #attempts = new Map<string, number>();
  #requests = 0;
  #longest = 0;
  #sequence = 0;
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(connectionString: string) {
    this.#address = connectionString;
  }

  async begin(): Promise<void> {
    await TableServiceClient.fromConnectionString(this.#address, OPTIONS).createTable(TABLE);
    await this.#queue().create();
    await this.#container().create();
    this.#running = Promise.all([
      ...Array.from({ length: WRITERS }, (_, number) => this.#repeat(number, this.#writeRows(number))),
      this.#repeat(0, this.#sendMessages()),
      this.#repeat(0, this.#uploadBlobs()),
    ]);
    this.#running.catch(() => undefined);
  }

  /** Compares what is there with what was answered. */
  async end(): Promise<Waits> {
    this.#isOver = true;
    await this.#running;
    const rows = new Map<string, number>();
    for await (const { rowKey, n } of this.#table().listEntities<{ n: number }>())
      rows.set(String(rowKey), n);
    for (const [key, n] of this.#rows) assert.equal(rows.get(key), n, `row ${key}`);
    const texts = await this.#takeAll();
    for (const text of this.#sent) assert(texts.has(text), `The message ${text} is lost.`);
    for (const [number, text] of this.#blobs) {
      const blob = this.#container().getBlockBlobClient(`b${number}`);
      assert.equal((await blob.downloadToBuffer()).toString(), text);
    }
    const repeated = [...this.#attempts.values()].filter(count => count > 1).length;
    return { requests: this.#requests, repeated, longest: this.#longest };
  }

  async #repeat(number: number, step: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      const began = performance.now();
      await step().catch(error => this.failures.push(`client ${number}: ${error}`));
      this.#longest = Math.max(this.#longest, performance.now() - began);
      this.#requests += 1;
    }
  }

  /** Each step is one request that is safe to repeat; reads are compared at once. */
  #writeRows(number: number): () => Promise<void> {
    const table = this.#table();
    const partitionKey = `p${number % PARTITIONS}`;
    return async () => {
      const n = ++this.#sequence;
      const rowKey = `${number}-${n % ROWS}`;
      if (n % 3 === 0) {
        const known = this.#rows.get(rowKey);
        if (known !== undefined)
          assert.equal((await table.getEntity<{ n: number }>(partitionKey, rowKey)).n, known);
        return;
      }
      const count = n % 7 === 0 ? GROUP : 1;
      const keys = Array.from({ length: count }, (_, i) => `${number}-${(n + i) % ROWS}`);
      const entities = keys.map(key => ({ partitionKey, rowKey: key, n }));
      if (count === 1) await table.upsertEntity(entities[0] ?? assert.fail(), 'Replace');
      else await table.submitTransaction(entities.map(entity => ['upsert', entity, 'Replace']));
      for (const key of keys) this.#rows.set(key, n);
    };
  }

  #sendMessages(): () => Promise<void> {
    const queue = this.#queue();
    return async () => {
      const text = String(++this.#sequence);
      await queue.sendMessage(text);
      this.#sent.push(text);
    };
  }

  #uploadBlobs(): () => Promise<void> {
    const container = this.#container();
    return async () => {
      const n = ++this.#sequence;
      const text = `text ${n}`;
      await container.getBlockBlobClient(`b${n % ROWS}`).upload(text, text.length);
      this.#blobs.set(n % ROWS, text);
    };
  }

  async #takeAll(): Promise<ReadonlySet<string>> {
    const texts = new Set<string>();
    for (;;) {
      const { receivedMessageItems: messages } = await this.#queue().receiveMessages({
        numberOfMessages: TAKEN,
        visibilityTimeout: 600,
      });
      for (const { messageText } of messages) texts.add(messageText);
      if (messages.length === 0) return texts;
    }
  }

  #table(): TableClient {
    const client = TableClient.fromConnectionString(this.#address, TABLE, OPTIONS);
    client.pipeline.addPolicy(
      {
        name: 'count',
        sendRequest: (request, next) => {
          this.#attempts.set(request.requestId, (this.#attempts.get(request.requestId) ?? 0) + 1);
          return next(request);
        },
      },
      { afterPhase: 'Retry' },
    );
    return client;
  }

  #queue() {
    return QueueServiceClient.fromConnectionString(this.#address).getQueueClient(QUEUE);
  }

  #container() {
    return BlobServiceClient.fromConnectionString(this.#address).getContainerClient(CONTAINER);
  }
}
