// Sixteen clients write one name at the same time: each is answered, and none with a server error. A few rounds of each; npm run verify blobs runs
// for a minute.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BlobDownloadResponseParsed,
  BlobServiceClient,
  type ContainerClient,
  RestError,
} from '@azure/storage-blob';
import { queueClient } from '../support/queue-clients.js';
import { describeTargets } from '../support/targets.js';

/** Without retries, so that a refusal surfaces at once. */
const OPTIONS = { retryOptions: { maxTries: 1 } };
const CLIENTS = 16;
const ROUNDS = 6;
const LONG_MS = process.env.SHELFMARK_LONG === undefined ? 0 : 60_000;
const SMALL = 300;
/** Two of them are written as a content, which takes a while. */
const LARGE = 9000;

type Request = () => Promise<unknown>;

/** How often each answer came, as `commit 201`; the requests of a client follow each other. */
class Contest {
  readonly answers = new Map<string, number>();

  async ask(name: string, request: Request): Promise<void> {
    const status = await request().then(
      () => 'done',
      (error: unknown) => {
        if (!(error instanceof RestError)) throw error;
        return `${error.statusCode} ${error.code}`;
      },
    );
    const answer = `${name}: ${status}`;
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
  }

  async run(share: number, round: (client: number) => Promise<void>): Promise<void> {
    const end = performance.now() + LONG_MS * share;
    const life = async (client: number): Promise<void> => {
      for (let rounds = 0; rounds < ROUNDS || performance.now() < end; rounds++) await round(client);
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, client) => life(client)));
  }

  /** No others came, and of the first at least one. */
  assertOnly(needed: readonly string[], others: readonly string[]): void {
    const unknown = [...this.answers.keys()].filter(each => !needed.includes(each) && !others.includes(each));
    assert.deepEqual(unknown, []);
    for (const each of needed) assert.ok(this.answers.has(each), `${each} never came`);
  }
}

const blockId = (number: number): string => Buffer.from(`block ${number}`.padEnd(12)).toString('base64');

async function drained({ readableStreamBody: body }: BlobDownloadResponseParsed): Promise<void> {
  for await (const _ of body ?? []);
}

describeTargets('contests', subject => {
  const makeContainer = async (): Promise<ContainerClient> => {
    const { server, newTableName } = subject;
    const service = BlobServiceClient.fromConnectionString(server.connectionString(), OPTIONS);
    const container = service.getContainerClient(newTableName());
    await container.create();
    return container;
  };

  test('one blob: blocks, lists of them, overwrites, deletions', async () => {
    const container = await makeContainer();
    const blob = container.getBlockBlobClient('one');
    const contest = new Contest();
    await contest.run(0.6, async client => {
      const ids = [blockId(client), blockId(CLIENTS + (client % 3))];
      const bytes = client % 2 === 0 ? SMALL : LARGE;
      for (const id of ids) await contest.ask('block', () => blob.stageBlock(id, 'b'.repeat(bytes), bytes));
      await contest.ask('list', () => blob.commitBlockList(ids));
      await contest.ask('empty list', () => blob.commitBlockList([]));
      if (client % 4 === 0) await contest.ask('overwrite', () => blob.upload('whole', 5));
      if (client % 8 === 1) await contest.ask('delete', () => blob.delete());
      if (client % 8 === 2) await contest.ask('blocks', () => blob.getBlockList('all'));
      if (client % 8 === 3) await contest.ask('read', () => blob.download().then(drained));
    });
    contest.assertOnly(
      ['block: done', 'empty list: done', 'overwrite: done'],
      [
        'list: done',
        'list: 400 InvalidBlockList',
        'delete: done',
        'delete: 404 BlobNotFound',
        'blocks: done',
        'blocks: 404 BlobNotFound',
        'read: done',
        'read: 404 BlobNotFound',
      ],
    );
  });

  test('pages of one blob, and its snapshots', async () => {
    const container = await makeContainer();
    const blob = container.getPageBlobClient('pages');
    await blob.create(65_536);
    const contest = new Contest();
    await contest.run(0.3, async client => {
      if (client % 4 === 0) await contest.ask('snapshot', () => blob.createSnapshot());
      else if (client % 8 === 1)
        await contest.ask('delete snapshots', () => blob.delete({ deleteSnapshots: 'only' }));
      else if (client % 8 === 2) await contest.ask('clear', () => blob.clearPages(0, 1024));
      else await contest.ask('pages', () => blob.uploadPages('p'.repeat(512), client * 512, 512));
    });
    contest.assertOnly(['snapshot: done', 'delete snapshots: done', 'clear: done', 'pages: done'], []);
  });

  test('one queue: made and deleted', async () => {
    const { server, newTableName } = subject;
    const queue = queueClient(server, newTableName());
    const contest = new Contest();
    await contest.run(0.1, async client => {
      if (client % 3 === 0) await contest.ask('delete', () => queue.delete());
      else await contest.ask('create', () => queue.create({ metadata: { of: `${client % 2}` } }));
    });
    contest.assertOnly(
      ['create: done'],
      ['create: 409 QueueAlreadyExists', 'delete: done', 'delete: 404 QueueNotFound'],
    );
  });
});
