// Messages that are put into a queue, on every peer: killed before and after every line of the journal, and resumed,
// and with lost answers. Up to as many as a peek shows are there once each; with more the one in question may be there
// twice, and that is reported.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type QueueClient, QueueServiceClient } from '@azure/storage-queue';
import type { ContentEntry } from '../../../packages/data-tools/contents/content-journal.js';
import { writeContents } from '../../../packages/data-tools/contents/write-contents.js';
import { Endpoint, parseAddress } from '../../../packages/data-tools/index.js';
import type { Message } from '../../../packages/data-tools/queues/queue-record.js';
import { describePeers } from '../../patterns/support/peers.js';
import { startFaultyProxy } from '../faulty-proxy.js';
import { textsOf, visibleIn } from '../queue-texts.js';
import { runTool, type Told } from '../tool-run.js';

/** A peek shows 32. */
const SHOWN = 32;

describePeers('messages that are put', peer => {
  let service: QueueServiceClient;
  let queues = 0;
  before(() => {
    service = QueueServiceClient.fromConnectionString(peer.connectionString());
  });

  interface Put {
    readonly name: string;
    readonly count: number;
    readonly visible?: string;
    readonly mode?: 'insert' | 'upsert';
    readonly connectionString?: string;
  }

  const put = async (
    { name, count, visible, mode = 'insert', connectionString = peer.connectionString() }: Put,
    entries: readonly ContentEntry[],
    append: (entry: ContentEntry) => void,
  ): Promise<readonly Told[]> => {
    async function* messages(): AsyncGenerator<Message, void> {
      for (let i = 0; i < count; i++) yield { text: `m${i}`, expires: null, visible: visible ?? null };
    }
    const read = async () => ({ count, all: messages() });
    const queue = { name, metadata: {}, policies: null, count: async () => count, read };
    const { told } = await runTool(async context => {
      const endpoint = new Endpoint(parseAddress(connectionString), 'queue', context.source);
      const journal = { entries, append };
      await writeContents(
        { queues: [queue] },
        { blobs: undefined, queues: endpoint },
        { context, mode, journal },
      );
    });
    return told;
  };

  /** Killed before the nth line is written, or after. */
  const putTwice = async (what: Put, nth: number, isWritten: boolean): Promise<readonly Told[]> => {
    const journal: ContentEntry[] = [];
    let lines = 0;
    const append = (entry: ContentEntry): void => {
      const isKilled = lines++ === nth;
      if (!isKilled || isWritten) journal.push(entry);
      if (isKilled) throw new Error('killed');
    };
    await assert.rejects(put(what, [], append), /killed/);
    return put(what, [...journal], entry => journal.push(entry));
  };

  const textsIn = (queue: QueueClient) => visibleIn(queue, 600);

  const named = (): QueueClient => service.getQueueClient(`put${queues++}`);

  test('are there once each, wherever a run is killed', async () => {
    for (const nth of [0, 1, 2, SHOWN - 1, SHOWN])
      for (const isWritten of [true, false]) {
        const queue = named();
        const told = await putTwice({ name: queue.name, count: SHOWN + 1 }, nth, isWritten);
        const which = `killed at ${nth}, ${isWritten ? 'after' : 'before'} the journal had it`;
        assert.deepEqual(await textsIn(queue), textsOf(SHOWN + 1), which);
        // What comes after the last known message cannot be known.
        assert.equal(told.length, nth === SHOWN && isWritten ? 1 : 0, which);
      }
  });

  test('may be there twice where the queue has more than it shows, which is reported', async () => {
    const queue = named();
    const told = await putTwice({ name: queue.name, count: SHOWN + 2 }, SHOWN + 1, false);
    assert.match(String(told[0]?.message), /cannot tell .* up to 1 messages may be there twice/);
    assert.deepEqual(await textsIn(queue), [...textsOf(SHOWN + 2), `m${SHOWN}`].sort());
  });

  test('may be there twice where they are hidden, which is reported', async () => {
    const name = named().name;
    const visible = new Date(Date.now() + 3_600_000).toISOString();
    const told = await putTwice({ name, count: 1, visible }, 1, false);
    assert.match(String(told[0]?.message), /up to 1 messages may be there twice/);
  });

  test('are not taken for those that were there, nor for those of other clients', async () => {
    const queue = named();
    await queue.create();
    await queue.sendMessage('m0');
    const what = { name: queue.name, count: 2, mode: 'upsert' } as const;
    // Before the first message was put.
    assert.deepEqual(await putTwice(what, 0, true), []);
    assert.deepEqual(await textsIn(queue), ['m0', 'm0', 'm1']);
  });

  test('are there once each where answers are lost', async () => {
    const queue = named();
    const options = { seed: 3, share: 0.3, faults: ['lost', 'half', '500'], service: 'Queue' } as const;
    const proxy = await startFaultyProxy(peer.connectionString(), options);
    try {
      const { connectionString } = proxy;
      const told = await put({ name: queue.name, count: 25, connectionString }, [], () => {});
      assert((proxy.done.get('lost') ?? 0) > 0);
      assert.deepEqual(await textsIn(queue), textsOf(25));
      assert.deepEqual(told, []);
    } finally {
      await proxy.close();
    }
  });
});
