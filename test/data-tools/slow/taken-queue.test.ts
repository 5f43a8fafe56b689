// Messages of a queue that are taken and returned, on every peer: killed before and after every step in the journal,
// and resumed. All messages are read, each once, and all are visible again.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type QueueClient, QueueServiceClient } from '@azure/storage-queue';
import { TakenQueue, type TakeStep } from '../../../packages/data-tools/contents/taken-queue.js';
import { Endpoint, parseAddress } from '../../../packages/data-tools/index.js';
import { KilledJournal, kills, wholeJournal } from '../../../packages/data-tools/testing/killed-journal.js';
import { describePeers } from '../../patterns/support/peers.js';
import { startFaultyProxy } from '../faulty-proxy.js';
import { textsOf, visibleIn } from '../queue-texts.js';
import { runTool, type Told } from '../tool-run.js';

/** Instead of 15, which shortens all waits accordingly. A busy machine takes all messages in that time. */
const SECONDS = 4;
const MESSAGES = 40;

describePeers('messages that are taken', peer => {
  let service: QueueServiceClient;
  let queues = 0;
  before(() => {
    service = QueueServiceClient.fromConnectionString(peer.connectionString());
  });

  const fill = async (count: number): Promise<QueueClient> => {
    const queue = service.getQueueClient(`taken${queues++}`);
    await queue.create();
    await Promise.all(Array.from({ length: count }, (_, i) => queue.sendMessage(`m${i}`)));
    return queue;
  };

  interface Run {
    readonly texts: readonly string[];
    readonly told: readonly Told[];
  }

  const take = async (
    queue: string,
    { entries, append }: Pick<KilledJournal<TakeStep>, 'entries' | 'append'>,
    connectionString = peer.connectionString(),
    takenSeconds = SECONDS,
  ): Promise<Run> => {
    const { result, told } = await runTool(async context => {
      const endpoint = new Endpoint(parseAddress(connectionString), 'queue', context.source);
      const options = { endpoint, queue, earlier: [...entries], onStep: append, context, takenSeconds };
      const taken = new TakenQueue(options);
      await taken.take();
      return [...taken.messages].sort((one, other) => (one.text < other.text ? -1 : 1));
    });
    return { texts: result.map(({ text }) => text), told };
  };

  test('are read once each and visible again, wherever a run is killed', async () => {
    // Begun, twice taken, drained, the first ones and a later one back, and the end.
    const steps = [0, 1, 2, 3, 4, 5, 20, 4 + MESSAGES];
    await Promise.all(
      kills(steps).map(async ({ nth, isWritten, which }) => {
        const queue = await fill(MESSAGES);
        const journal = new KilledJournal<TakeStep>(nth, isWritten);
        await assert.rejects(take(queue.name, journal), /killed/);
        const { texts } = await take(queue.name, journal);
        assert.deepEqual(texts, textsOf(MESSAGES), which);
        assert.deepEqual(journal.entries.at(-1), { step: 'returned' });
        assert.deepEqual(await visibleIn(queue, 60), textsOf(MESSAGES), which);
      }),
    );
  });

  test('are awaited only if a run resumes before all were taken', async () => {
    const queue = await fill(2);
    const journal = new KilledJournal<TakeStep>(1, false);
    await assert.rejects(take(queue.name, journal), /killed/);
    const { told } = await take(queue.name, journal);
    assert.match(String(told[0]?.message), /^The run before this one may have hidden messages .* waits 9 s/);
    const append = () => assert.fail('nothing is left to do');
    const again = await take(queue.name, { ...journal, append });
    assert.deepEqual([again.texts, again.told], [['m0', 'm1'], []]);
  });

  test('are taken again for longer, and read once, if taking them takes longer than they are hidden', async () => {
    const queue = await fill(MESSAGES);
    const entries: TakeStep[] = [];
    const append = (step: TakeStep): void => {
      entries.push(step);
      // Nothing else runs in the meantime.
      if (step.step === 'taken') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    };
    const { texts, told } = await take(queue.name, { entries: [], append }, undefined, 1);
    assert.deepEqual(texts, textsOf(MESSAGES));
    const seconds = entries.flatMap(step => (step.step === 'begun' ? step.seconds : []));
    assert.deepEqual(seconds.slice(0, 2), [1, 2]);
    assert.match(String(told[0]?.message), /^40 messages .* 40 are given back/);
    assert.deepEqual(await visibleIn(queue, 60), textsOf(MESSAGES));
  });

  test('are all read where answers are lost on the way', async () => {
    const queue = await fill(MESSAGES);
    const options = { seed: 5, share: 0.2, faults: ['lost', 'cut', 'half'], service: 'Queue' } as const;
    const proxy = await startFaultyProxy(peer.connectionString(), options);
    try {
      const { texts } = await take(queue.name, wholeJournal(), proxy.connectionString);
      assert.deepEqual(texts, textsOf(MESSAGES));
    } finally {
      await proxy.close();
    }
  });
});
