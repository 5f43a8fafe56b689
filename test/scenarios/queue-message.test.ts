// One message's life through the official client, over a real socket, with a connection string that opens tables too.
// slow/, which `npm run verify queues` runs, covers everything else of the Queue service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueueServiceClient } from '@azure/storage-queue';
import { describeTargets } from '../support/targets.js';

describeTargets('a message', subject => {
  test('is put, got, changed and deleted', async () => {
    const service = QueueServiceClient.fromConnectionString(subject.server.connectionString());
    const queue = service.getQueueClient('work');
    await queue.create({ metadata: { of: 'a_b', a1: '2', a_b: '3' } });
    const sent = await queue.sendMessage('<&> é');
    const [got] = (await queue.receiveMessages({ visibilityTimeout: 60 })).receivedMessageItems;
    assert.deepEqual([got?.messageId, got?.messageText, got?.dequeueCount], [sent.messageId, '<&> é', 1]);
    assert(got);
    assert.deepEqual((await queue.peekMessages()).peekedMessageItems, []);
    const { popReceipt } = await queue.updateMessage(got.messageId, got.popReceipt, 'done', 0);
    assert.equal((await queue.peekMessages()).peekedMessageItems[0]?.messageText, 'done');
    assert(popReceipt);
    await queue.deleteMessage(got.messageId, popReceipt);
    const { approximateMessagesCount, metadata } = await queue.getProperties();
    assert.deepEqual([approximateMessagesCount, metadata], [0, { of: 'a_b', a1: '2', a_b: '3' }]);
    await assert.rejects(queue.deleteMessage(got.messageId, popReceipt), { code: 'MessageNotFound' });
  });
});
