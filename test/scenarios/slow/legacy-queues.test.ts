// Queues through the predecessor of the official client, which many programs still use: each of its operations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fails } from '../../support/legacy-client.js';
import {
  legacyQueues,
  legacyQueuesBy,
  legacyQueuesOf,
  legacySignature,
} from '../../support/legacy-queue-client.js';
import { describeTargets, type Subject } from '../../support/targets.js';

function there<T>(value: T | undefined): T {
  assert(value !== undefined);
  return value;
}

async function open(subject: Subject) {
  const service = legacyQueues(subject.server);
  const queue = subject.newTableName();
  await service.createQueue(queue, {});
  return { service, queue };
}

describeTargets('legacy client: queues', subject => {
  test('a queue is made, asked for and deleted', async () => {
    const { service, queue } = await open(subject);
    assert.equal((await service.doesQueueExist(queue)).exists, true);
    assert.equal((await service.createQueueIfNotExists(queue)).created, false);
    await fails(service.createQueue(queue, { metadata: { a: '1' } }), 409, 'QueueAlreadyExists');
    await service.deleteQueue(queue);
    assert.equal((await service.doesQueueExist(queue)).exists, false);
    assert.equal(await service.deleteQueueIfExists(queue), false);
    await fails(service.deleteQueue(queue), 404, 'QueueNotFound');
    assert.equal((await service.createQueueIfNotExists(queue)).created, true);
    assert.equal(await service.deleteQueueIfExists(queue), true);
  });

  test('metadata comes back, with the count of messages', async () => {
    const { service, queue } = await open(subject);
    await service.setQueueMetadata(queue, { colour: 'red' });
    await service.createMessage(queue, 'one', {});
    const { metadata, approximateMessageCount } = await service.getQueueMetadata(queue);
    assert.deepEqual({ ...metadata }, { colour: 'red' });
    assert.equal(Number(approximateMessageCount), 1);
  });

  test('lists continue from page to page', async () => {
    const { service } = await open(subject);
    const prefix = subject.newTableName();
    const names = ['a', 'b', 'c'].map(letter => prefix + letter);
    for (const name of names) await service.createQueue(name, { metadata: { name } });
    const found: string[] = [];
    let token: object | null = null;
    do {
      const page = await service.listQueuesSegmentedWithPrefix(prefix, token, {
        maxResults: 2,
        include: 'metadata',
      });
      for (const { name, metadata } of page.entries) {
        assert.equal(metadata?.name, name);
        found.push(name);
      }
      token = page.continuationToken;
    } while (token !== null);
    assert.deepEqual(found, names);
  });

  test('a message is put, peeked, got, updated and deleted', async () => {
    const { service, queue } = await open(subject);
    assert.equal(await service.getMessage(queue), undefined);
    const text = 'a <b> & "c" ü 😀';
    const put = await service.createMessage(queue, text, { messageTimeToLive: 60, visibilityTimeout: 0 });
    assert.match(put.messageId, /^[0-9a-f-]{36}$/);
    const peeked = there(await service.peekMessage(queue));
    assert.deepEqual([peeked.messageId, peeked.messageText], [put.messageId, text]);
    const got = there(await service.getMessage(queue));
    assert.deepEqual([got.messageText, got.dequeueCount], [text, 1]);
    assert.equal(Date.parse(there(got.expirationTime)) - Date.parse(there(got.insertionTime)), 60_000);
    await fails(service.deleteMessage(queue, got.messageId, put.popReceipt), 400, 'PopReceiptMismatch');
    const updated = await service.updateMessage(queue, got.messageId, got.popReceipt, 0, {
      messageText: 'other',
    });
    const again = there(await service.getMessage(queue));
    assert.deepEqual([again.messageText, again.dequeueCount], ['other', 2]);
    assert.notEqual(again.popReceipt, updated.popReceipt);
    await service.deleteMessage(queue, again.messageId, again.popReceipt);
    await fails(service.deleteMessage(queue, again.messageId, again.popReceipt), 404, 'MessageNotFound');
  });

  test('up to 32 messages come at once, and a queue is cleared', async () => {
    const { service, queue } = await open(subject);
    for (let number = 0; number < 33; number++) await service.createMessage(queue, `${number}`, {});
    const peeked = await service.peekMessages(queue, { numOfMessages: 32 });
    assert.equal(peeked.length, 32);
    const got = await service.getMessages(queue, { numOfMessages: 32, visibilityTimeout: 60 });
    assert.deepEqual(
      got.map(({ messageText }) => messageText),
      Array.from({ length: 32 }, (_, number) => `${number}`),
    );
    assert.equal((await service.getMessages(queue, { numOfMessages: 32 })).length, 1);
    await service.clearMessages(queue);
    assert.equal(Number((await service.getQueueMetadata(queue)).approximateMessageCount), 0);
    await fails(service.getMessages(queue, { numOfMessages: 33 }), 400, 'OutOfRangeQueryParameterValue');
  });

  test('signatures, with and without a stored policy', async () => {
    const { service, queue } = await open(subject);
    const Expiry = new Date(Date.now() + 3_600_000);
    await service.setQueueAcl(queue, { producer: { Permissions: 'a', Expiry } });
    const { signedIdentifiers } = await service.getQueueAcl(queue);
    assert.equal(there(signedIdentifiers).producer?.Permissions, 'a');
    const byPolicy = legacyQueuesBy(
      subject.server,
      legacySignature(subject.server, queue, { Id: 'producer' }),
    );
    await byPolicy.createMessage(queue, 'one', {});
    await fails(byPolicy.getMessage(queue), 403, 'AuthorizationPermissionMismatch');
    const AccessPolicy = { Permissions: 'p', Expiry };
    const consumer = legacyQueuesBy(subject.server, legacySignature(subject.server, queue, { AccessPolicy }));
    assert.equal((await consumer.getMessage(queue))?.messageText, 'one');
    await service.setQueueAcl(queue, {});
    await fails(byPolicy.createMessage(queue, 'two', {}), 403, 'AuthenticationFailed');
  });

  test("the service's properties are set and read", async () => {
    const service = legacyQueuesOf(subject.server.connectionString());
    const rule = {
      AllowedOrigins: ['https://one.example'],
      AllowedMethods: ['GET'],
      AllowedHeaders: ['x-ms-*'],
      ExposedHeaders: ['x-ms-*'],
      MaxAgeInSeconds: 60,
    };
    await service.setServiceProperties({ Cors: { CorsRule: [rule] } });
    const properties = await service.getServiceProperties();
    assert.equal(properties.Logging.Version, '1.0');
    assert.deepEqual(properties.Cors, { CorsRule: [rule] });
  });
});
