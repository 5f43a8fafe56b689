// Messages that are put into a queue, on every peer: killed before and after every line of the journal, and resumed,
// and with lost answers. None is missing, and those that may be there twice are reported.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { QueueServiceClient } from '@azure/storage-queue';
import { type ContentEntry, ContentJournal } from '../../../packages/data-tools/contents/content-journal.js';
import { writeContents } from '../../../packages/data-tools/contents/write-contents.js';
import { Endpoint, parseAddress } from '../../../packages/data-tools/index.js';
import type { Message } from '../../../packages/data-tools/queues/queue-account.js';
import { KilledJournal, kills, wholeJournal } from '../../../packages/data-tools/testing/killed-journal.js';
import { describePeers } from '../../patterns/support/peers.js';
import { startFaultyProxy } from '../faulty-proxy.js';
import { textsOf, visibleIn } from '../queue-texts.js';
import { runTool, type Told } from '../tool-run.js';

describePeers('messages that are put', peer => {
  let service: QueueServiceClient;
  let queues = 0;
  before(() => {
    service = QueueServiceClient.fromConnectionString(peer.connectionString());
  });

  const named = () => service.getQueueClient(`put${queues++}`);

  const put = async (
    name: string,
    count: number,
    { entries, append }: KilledJournal<ContentEntry>,
    connectionString = peer.connectionString(),
  ): Promise<readonly Told[]> => {
    async function* messages(): AsyncGenerator<Message, void> {
      for (let i = 0; i < count; i++) yield { text: `m${i}`, expires: null, visible: null };
    }
    const read = async () => ({ count, all: messages() });
    const queue = { name, metadata: {}, policies: null, count: async () => count, read };
    const { told } = await runTool(async context => {
      const endpoint = new Endpoint(parseAddress(connectionString), 'queue', context.source);
      const journal = new ContentJournal([...entries], append);
      const targets = { blobs: undefined, queues: endpoint };
      await writeContents({ queues: [queue] }, targets, { context, mode: 'insert', journal });
    });
    return told;
  };

  const COUNT = 3;

  test('are all there wherever a run is killed, and one that may be there twice is reported', async () => {
    // The beginning, and each message.
    for (const { nth, isWritten, which } of kills([0, 1, 2, COUNT])) {
      const queue = named();
      const journal = new KilledJournal<ContentEntry>(nth, isWritten);
      await assert.rejects(put(queue.name, COUNT, journal), /killed/);
      const told = await put(queue.name, COUNT, journal);
      const wasPut = !isWritten && nth >= 1;
      const twice = wasPut ? [`m${nth - 1}`] : [];
      assert.deepEqual(await visibleIn(queue, 600), [...textsOf(COUNT), ...twice].sort(), which);
      assert.equal(told.length, wasPut || (isWritten && nth < COUNT) ? 1 : 0, which);
      for (const { message } of told) assert.match(String(message), /up to 1 messages may be there twice/);
    }
  });

  test('are all there where answers are lost, and those that may be there twice are reported', async () => {
    const queue = named();
    const options = { seed: 3, share: 0.3, faults: ['lost', 'half', '500'], service: 'Queue' } as const;
    const proxy = await startFaultyProxy(peer.connectionString(), options);
    try {
      const told = await put(queue.name, 25, wholeJournal(), proxy.connectionString);
      assert((proxy.done.get('lost') ?? 0) > 0);
      const texts = await visibleIn(queue, 600);
      assert.deepEqual([...new Set(texts)], textsOf(25));
      assert(texts.length > 25);
      const [, most] = /up to (\d+) messages may be there twice/.exec(String(told[0]?.message)) ?? [];
      assert(texts.length - 25 <= Number(most), `${texts.length} messages, ${most} reported`);
    } finally {
      await proxy.close();
    }
  });
});
