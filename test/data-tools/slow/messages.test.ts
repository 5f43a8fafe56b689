// Messages of a queue that are taken and returned, and those that are put, on every peer: killed before and after every
// step in the journal, and resumed, and with lost answers. All are read, each once, and all are visible again; of those
// that are put none is missing, and those that may be there twice are reported.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type QueueClient, QueueServiceClient } from '@azure/storage-queue';
import { type ContentEntry, ContentJournal } from '../../../packages/data-tools/contents/content-journal.js';
import { TakenQueue, type TakeStep } from '../../../packages/data-tools/contents/taken-queue.js';
import { writeContents } from '../../../packages/data-tools/contents/write-contents.js';
import { Endpoint, parseAddress } from '../../../packages/data-tools/index.js';
import type { Message } from '../../../packages/data-tools/queues/queue-account.js';
import { describePeers } from '../../patterns/support/peers.js';
import { startFaultyProxy } from '../faulty-proxy.js';
import { runTool, type Told } from '../tool-run.js';

/** A journal whose run is killed at one of its entries, before or after the entry is written. A resumed run appends to it. */
class KilledJournal<Entry> {
  readonly entries: Entry[] = [];
  #left: number;
  readonly #isWritten: boolean;

  /** @param nth from 0. */
  constructor(nth: number, isWritten: boolean) {
    this.#left = nth;
    this.#isWritten = isWritten;
  }

  readonly append = (entry: Entry): void => {
    const isKilled = this.#left-- === 0;
    if (!isKilled || this.#isWritten) this.entries.push(entry);
    if (!isKilled) return;
    throw new Error('killed');
  };
}

/** For a run that is not killed. */
const wholeJournal = <Entry>(): KilledJournal<Entry> => new KilledJournal(-1, true);

/** Each of these entries, and both moments. */
const kills = (entries: readonly number[]) =>
  entries.flatMap(nth =>
    [true, false].map(isWritten => ({
      nth,
      isWritten,
      which: `killed at ${nth}, ${isWritten ? 'after' : 'before'} the journal had it`,
    })),
  );

const textsOf = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `m${i}`).sort();

/** All visible ones; they are hidden from then on. */
async function visibleIn(queue: QueueClient, visibilityTimeout: number): Promise<readonly string[]> {
  const texts: string[] = [];
  for (;;) {
    const { receivedMessageItems } = await queue.receiveMessages({ numberOfMessages: 32, visibilityTimeout });
    if (receivedMessageItems.length === 0) return texts.sort();
    texts.push(...receivedMessageItems.map(({ messageText }) => messageText));
  }
}

/** Instead of 15, which shortens all waits accordingly. A busy machine takes all messages in that time. */
const SECONDS = 4;
const MESSAGES = 40;
const COUNT = 3;

describePeers('messages', peer => {
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

  test('that are taken are read once each and visible again, wherever a run is killed', async () => {
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

  test('that are taken are awaited only if a run resumes before all were taken', async () => {
    const queue = await fill(2);
    const journal = new KilledJournal<TakeStep>(1, false);
    await assert.rejects(take(queue.name, journal), /killed/);
    const { told } = await take(queue.name, journal);
    assert.match(String(told[0]?.message), /^The run before this one may have hidden messages .* waits 9 s/);
    const append = () => assert.fail('nothing is left to do');
    const again = await take(queue.name, { ...journal, append });
    assert.deepEqual([again.texts, again.told], [['m0', 'm1'], []]);
  });

  test('that are taken are taken again for longer, and read once, if taking them takes longer than they are hidden', async () => {
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

  test('that are taken are all read where answers are lost on the way', async () => {
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

  test('that are put are all there wherever a run is killed, and one that may be there twice is reported', async () => {
    // The beginning, and each message.
    for (const { nth, isWritten, which } of kills([0, 1, 2, COUNT])) {
      const queue = service.getQueueClient(`put${queues++}`);
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

  test('that are put are all there where answers are lost, and those that may be there twice are reported', async () => {
    const queue = service.getQueueClient(`put${queues++}`);
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
