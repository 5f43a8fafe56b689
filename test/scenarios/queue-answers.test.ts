// Answers of queues whose exact form clients and recordings determine: unlimited lifetimes, and queues that are being deleted.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fails } from '../support/legacy-client.js';
import { legacyQueues } from '../support/legacy-queue-client.js';
import { makeQueue } from '../support/queue-clients.js';
import { describeTargets } from '../support/targets.js';

const NEVER = '9999-12-31T23:59:59.000Z';

describeTargets('answers of queues', subject => {
  test('a time to live of any positive number', async () => {
    const queue = await makeQueue(subject);
    const put = async (messageTimeToLive: number) =>
      (await queue.sendMessage('m', { messageTimeToLive })).expiresOn.toISOString();
    for (const seconds of [2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31]) {
      const years = Number((await put(seconds)).slice(0, 4)) - new Date().getUTCFullYear();
      assert.ok(years === 68 || years === 69, String(years));
    }
    for (const seconds of [-1, 2 ** 38, 2 ** 53, 1e21 - 2 ** 20])
      assert.equal(await put(seconds), NEVER, String(seconds));
    const inTime = Math.floor((Date.parse(NEVER) - Date.now()) / 1000) - 3600;
    assert.notEqual(await put(inTime), NEVER);
    assert.equal(await put(inTime + 7200), NEVER);
  });
});

describeTargets(
  'a queue that is being deleted',
  subject => {
    let queue = '';
    before(() => {
      queue = subject.newTableName();
    });

    test('is not there, and only its create returns the reason', async () => {
      const service = legacyQueues(subject.server);
      await service.createQueue(queue, {});
      await service.createMessage(queue, 'm', {});
      await service.deleteQueue(queue);
      assert.equal((await service.doesQueueExist(queue)).exists, false);
      await fails(service.createQueue(queue, {}), 409, 'QueueBeingDeleted');
      await fails(service.createQueueIfNotExists(queue), 409, 'QueueBeingDeleted');
      assert.equal((await service.doesQueueExist(queue)).exists, false);
      assert.equal(await service.deleteQueueIfExists(queue), false);
      await fails(service.deleteQueue(queue), 404, 'QueueNotFound');
      await fails(service.createMessage(queue, 'm', {}), 404, 'QueueNotFound');
      await fails(service.getMessages(queue, {}), 404, 'QueueNotFound');
      await fails(service.peekMessages(queue, {}), 404, 'QueueNotFound');
      await fails(service.clearMessages(queue), 404, 'QueueNotFound');
      await fails(service.getQueueMetadata(queue), 404, 'QueueNotFound');
      await fails(service.setQueueMetadata(queue, { a: '1' }), 404, 'QueueNotFound');
      await fails(service.getQueueAcl(queue), 404, 'QueueNotFound');
    });
  },
  { tableDeletionSeconds: 600 },
);
