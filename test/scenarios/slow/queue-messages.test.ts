// Messages through the official client: put, got, peeked at, updated, deleted and cleared, with time passing in between.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QueueClient } from '@azure/storage-queue';
import { refuses } from '../../support/clients.js';
import { MovedClock, makeQueue, queueClient } from '../../support/queue-clients.js';
import { describeTargets } from '../../support/targets.js';

const time = new MovedClock();

const textsOf = ({
  receivedMessageItems: items,
}: Awaited<ReturnType<QueueClient['receiveMessages']>>): string[] => items.map(item => item.messageText);

async function receiveOne(queue: QueueClient, visibilityTimeout = 30) {
  const { receivedMessageItems } = await queue.receiveMessages({ visibilityTimeout });
  const [message] = receivedMessageItems;
  assert(message);
  return message;
}

const peekTexts = async (queue: QueueClient): Promise<string[]> =>
  (await queue.peekMessages({ numberOfMessages: 32 })).peekedMessageItems.map(item => item.messageText);

function describeMessages(body: (make: () => Promise<QueueClient>) => void): void {
  describeTargets('messages', subject => body(() => makeQueue(subject)), { clock: time.clock });
}

describeMessages(make => {
  test('a message that is got is hidden, reappears, and is deleted by its last receipt', async () => {
    const queue = await make();
    const sent = await queue.sendMessage('work');
    assert.equal(sent._response.status, 201);
    assert.equal(Number(sent.expiresOn) - Number(sent.insertedOn), 604_800_000);
    assert.deepEqual(sent.nextVisibleOn, sent.insertedOn);
    const first = await receiveOne(queue);
    assert.deepEqual([first.messageId, first.messageText, first.dequeueCount], [sent.messageId, 'work', 1]);
    assert.deepEqual(textsOf(await queue.receiveMessages()), []);
    time.passSeconds(31);
    const second = await receiveOne(queue);
    assert.deepEqual([second.messageId, second.dequeueCount], [sent.messageId, 2]);
    await refuses(queue.deleteMessage(first.messageId, first.popReceipt), 400, 'PopReceiptMismatch');
    assert.equal((await queue.deleteMessage(second.messageId, second.popReceipt))._response.status, 204);
    await refuses(queue.deleteMessage(second.messageId, second.popReceipt), 404, 'MessageNotFound');
    assert.equal((await queue.getProperties()).approximateMessagesCount, 0);
  });

  test('a put may hide it, and returns a receipt that deletes it', async () => {
    const queue = await make();
    const { messageId, popReceipt } = await queue.sendMessage('later', { visibilityTimeout: 60 });
    assert.deepEqual(await peekTexts(queue), []);
    assert.deepEqual(textsOf(await queue.receiveMessages()), []);
    assert.equal((await queue.getProperties()).approximateMessagesCount, 1);
    await queue.deleteMessage(messageId, popReceipt);
    assert.equal((await queue.getProperties()).approximateMessagesCount, 0);
  });

  test('an update sets another text, another time, or both', async () => {
    const queue = await make();
    await queue.sendMessage('old');
    const got = await receiveOne(queue);
    const hidden = await queue.updateMessage(got.messageId, got.popReceipt, 'new', 60);
    assert.equal(hidden._response.status, 204);
    assert(hidden.popReceipt && hidden.nextVisibleOn);
    await refuses(queue.updateMessage(got.messageId, got.popReceipt, 'lost', 0), 400, 'PopReceiptMismatch');
    const shown = await queue.updateMessage(got.messageId, hidden.popReceipt, undefined, 0);
    assert(shown.popReceipt);
    const again = await receiveOne(queue);
    assert.deepEqual([again.messageText, again.dequeueCount], ['new', 2]);
    assert.deepEqual(again.expiresOn, got.expiresOn);
  });

  test('texts come back as they were sent', async () => {
    const queue = await make();
    // Line feeds never leave the client, which removes them from its documents.
    const texts = ['<&>"\'', ' leading and trailing ', 'a\tb', '😀é', '', '&amp;lt;', ']]>'];
    for (const text of texts) {
      const { messageId, popReceipt } = await queue.sendMessage(text);
      assert.deepEqual(await peekTexts(queue), [text]);
      assert.equal((await receiveOne(queue)).messageText, text);
      await refuses(queue.deleteMessage(messageId, popReceipt), 400, 'PopReceiptMismatch');
      await queue.clearMessages();
    }
  });

  test('messages live for their time to live', async () => {
    const queue = await make();
    await queue.sendMessage('short', { messageTimeToLive: 100 });
    const forever = await queue.sendMessage('ever', { messageTimeToLive: -1 });
    assert.equal(forever.expiresOn.toISOString(), '9999-12-31T23:59:59.000Z');
    assert.deepEqual(await peekTexts(queue), ['short', 'ever']);
    time.passSeconds(101);
    assert.deepEqual(await peekTexts(queue), ['ever']);
    await refuses(
      queue.sendMessage('never seen', { messageTimeToLive: 30, visibilityTimeout: 30 }),
      400,
      'InvalidQueryParameterValue',
    );
  });

  test('the oldest come first, up to 32 at once, each once', async () => {
    const queue = await make();
    const texts = Array.from({ length: 40 }, (_, i) => `m${i}`);
    for (const text of texts) await queue.sendMessage(text);
    assert.deepEqual(await peekTexts(queue), texts.slice(0, 32));
    const gets = Array.from({ length: 10 }, () => queue.receiveMessages({ numberOfMessages: 5 }));
    const got = (await Promise.all(gets)).flatMap(textsOf);
    assert.deepEqual(got.sort(), [...texts].sort());
    await refuses(queue.receiveMessages({ numberOfMessages: 33 }), 400, 'OutOfRangeQueryParameterValue');
    await refuses(queue.peekMessages({ numberOfMessages: 0 }), 400, 'OutOfRangeQueryParameterValue');
  });

  test('a clear takes all, hidden ones too', async () => {
    const queue = await make();
    await queue.sendMessage('a');
    await queue.sendMessage('b', { visibilityTimeout: 60 });
    const { messageId, popReceipt } = await receiveOne(queue);
    assert.equal((await queue.clearMessages())._response.status, 204);
    assert.equal((await queue.getProperties()).approximateMessagesCount, 0);
    await refuses(queue.deleteMessage(messageId, popReceipt), 404, 'MessageNotFound');
  });
});

describeTargets('messages of no queue', subject => {
  test('the queue is missed before the message is', async () => {
    const queue = queueClient(subject.server, 'not-there');
    await refuses(queue.sendMessage('a'), 404, 'QueueNotFound');
    // Recorded: invalid XML is found before that.
    await refuses(queue.sendMessage('\u0001'), 400, 'InvalidXmlDocument');
    await refuses(queue.sendMessage('a'.repeat(65_537)), 404, 'QueueNotFound');
    await refuses(queue.receiveMessages(), 404, 'QueueNotFound');
    await refuses(queue.peekMessages(), 404, 'QueueNotFound');
    await refuses(queue.clearMessages(), 404, 'QueueNotFound');
    await refuses(queue.updateMessage('id', 'nonsense', 'a', 0), 404, 'QueueNotFound');
    await refuses(queue.deleteMessage('id', 'nonsense'), 404, 'QueueNotFound');
  });

  test('an invalid receipt is distinguished from an old one', async () => {
    const queue = await makeQueue(subject);
    const { messageId } = await queue.sendMessage('a');
    await refuses(queue.deleteMessage(messageId, 'nonsense'), 400, 'InvalidQueryParameterValue');
  });
});
