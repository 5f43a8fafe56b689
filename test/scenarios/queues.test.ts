// Queues and their messages through the official client: each operation, its answers and its refusals, with time passing
// in between.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type QueueClient, QueueServiceClient, type SignedIdentifier } from '@azure/storage-queue';
import { collect, present, refuses } from '../support/clients.js';
import {
  MovedClock,
  makeQueue,
  queueClient,
  queueCredential,
  queueEndpointOf,
  queueServiceClient,
} from '../support/queue-clients.js';
import { describeTargets } from '../support/targets.js';

describeTargets('queues', subject => {
  test('a queue is made once, asked for and deleted', async () => {
    const queue = queueClient(subject.server, subject.newTableName());
    assert.equal(await queue.exists(), false);
    for (const status of [201, 204]) assert.equal((await queue.create())._response.status, status);
    assert.equal(await queue.exists(), true);
    const other = { metadata: { other: '1' } };
    await refuses(queue.create(other), 409, 'QueueAlreadyExists');
    assert.equal((await queue.createIfNotExists(other)).succeeded, false);
    assert.equal((await queue.delete())._response.status, 204);
    await refuses(queue.delete(), 404, 'QueueNotFound');
    assert.equal((await queue.deleteIfExists()).succeeded, false);
    assert.equal((await queue.createIfNotExists()).succeeded, true);
  });

  test('metadata is set as a whole, and messages are counted', async () => {
    const queue = await makeQueue(subject);
    const metadata = { one: '1', a_b: 'x', a1: 'a, b' };
    await queue.setMetadata(metadata);
    await queue.sendMessage('a');
    await queue.sendMessage('b', { visibilityTimeout: 60 });
    const read = await queue.getProperties();
    assert.deepEqual([read.metadata, read.approximateMessagesCount], [metadata, 2]);
    await queue.setMetadata({});
    assert.deepEqual((await queue.getProperties()).metadata, {});
    await refuses(queue.setMetadata({ big: 'x'.repeat(8190) }), 400, 'MetadataTooLarge');
  });

  test('policies', async () => {
    const queue = await makeQueue(subject);
    assert.deepEqual((await queue.getAccessPolicy()).signedIdentifiers, []);
    const [startsOn, expiresOn] = [new Date('2020-01-01'), new Date('2030-01-01')];
    const policy = { startsOn, expiresOn, permissions: 'raup' };
    const identifiers: SignedIdentifier[] = [
      { id: 'all', accessPolicy: policy },
      { id: 'letters', accessPolicy: { permissions: 'r' } as SignedIdentifier['accessPolicy'] },
    ];
    await queue.setAccessPolicy(identifiers);
    assert.deepEqual(present((await queue.getAccessPolicy()).signedIdentifiers), identifiers);
    const six = Array.from({ length: 6 }, (_, i) => ({ id: `${i}`, accessPolicy: policy }));
    await refuses(queue.setAccessPolicy(six), 400, 'InvalidXmlDocument');
  });

  test('lists, by prefix and page by page', async () => {
    const service = queueServiceClient(subject.server);
    const names = ['list-a', 'list-b', 'list-c', 'list-d', 'list-e'];
    for (const name of names)
      await service.createQueue(name, { metadata: name === 'list-c' ? { Color: 'blue' } : {} });
    const namesOf = async (prefix: string) =>
      (await collect(service.listQueues({ prefix }))).map(({ name }) => name);
    assert.deepEqual(await namesOf('list-'), names);
    assert.deepEqual(await namesOf('nothing'), []);
    const pages = await collect(service.listQueues({ prefix: 'list-' }).byPage({ maxPageSize: 2 }));
    assert.deepEqual(
      pages.map(page => page.queueItems?.map(({ name }) => name)),
      [['list-a', 'list-b'], ['list-c', 'list-d'], ['list-e']],
    );
    const withMetadata = await collect(service.listQueues({ prefix: 'list-c', includeMetadata: true }));
    assert.deepEqual(withMetadata, [{ name: 'list-c', metadata: { Color: 'blue' } }]);
  });

  test('the service has settings of its own, and its secondary answers stats', async () => {
    const service = queueServiceClient(subject.server);
    const before = await service.getProperties();
    assert.equal(before.queueAnalyticsLogging?.read, false);
    const origin = { allowedOrigins: 'https://a.example', allowedMethods: 'GET,PUT', allowedHeaders: '' };
    const rule = { ...origin, exposedHeaders: 'x-ms-*', maxAgeInSeconds: 7 };
    assert.equal((await service.setProperties({ cors: [rule] }))._response.status, 202);
    const { cors, hourMetrics } = await service.getProperties();
    assert.equal(cors?.[0]?.allowedOrigins, 'https://a.example');
    assert.deepEqual(hourMetrics, before.hourMetrics);
    await service.setProperties({ cors: [] });
    await refuses(service.getStatistics(), 400, 'InvalidQueryParameterValue');
    const endpoint = `${queueEndpointOf(subject.server)}-secondary`;
    const secondary = new QueueServiceClient(endpoint, queueCredential(subject.server), {
      retryOptions: { maxTries: 1 },
    });
    assert.equal((await secondary.getStatistics()).geoReplication?.status, 'live');
    await refuses(secondary.createQueue('secondary'), 403, 'InsufficientAccountPermissions');
  });

  test('the queue is missed before the message is', async () => {
    const queue = queueClient(subject.server, 'not-there');
    await Promise.all(
      [
        queue.sendMessage('a'),
        queue.sendMessage('a'.repeat(65_537)),
        queue.receiveMessages(),
        queue.peekMessages(),
        queue.clearMessages(),
        queue.updateMessage('id', 'nonsense', 'a', 0),
        queue.deleteMessage('id', 'nonsense'),
        queue.getProperties(),
        queue.setMetadata({}),
        queue.getAccessPolicy(),
      ].map(refused => refuses(refused, 404, 'QueueNotFound')),
    );
    // Recorded: invalid XML is found before that.
    await refuses(queue.sendMessage('\u0001'), 400, 'InvalidXmlDocument');
  });
});

const time = new MovedClock();
const NEVER = '9999-12-31T23:59:59.000Z';

async function receiveOne(queue: QueueClient) {
  const [message] = (await queue.receiveMessages({ visibilityTimeout: 30 })).receivedMessageItems;
  assert(message);
  return message;
}

const peekTexts = async (queue: QueueClient): Promise<string[]> =>
  (await queue.peekMessages({ numberOfMessages: 32 })).peekedMessageItems.map(item => item.messageText);

describeTargets(
  'messages',
  subject => {
    test('a message that is got is hidden, reappears, and is deleted by its last receipt', async () => {
      const queue = await makeQueue(subject);
      const sent = await queue.sendMessage('work');
      assert.equal(sent._response.status, 201);
      assert.equal(Number(sent.expiresOn) - Number(sent.insertedOn), 604_800_000);
      assert.deepEqual(sent.nextVisibleOn, sent.insertedOn);
      const first = await receiveOne(queue);
      assert.deepEqual([first.messageId, first.messageText, first.dequeueCount], [sent.messageId, 'work', 1]);
      assert.deepEqual((await queue.receiveMessages()).receivedMessageItems, []);
      time.passSeconds(31);
      const second = await receiveOne(queue);
      assert.deepEqual([second.messageId, second.dequeueCount], [sent.messageId, 2]);
      await refuses(queue.deleteMessage(first.messageId, first.popReceipt), 400, 'PopReceiptMismatch');
      await refuses(queue.deleteMessage(first.messageId, 'nonsense'), 400, 'InvalidQueryParameterValue');
      assert.equal((await queue.deleteMessage(second.messageId, second.popReceipt))._response.status, 204);
      await refuses(queue.deleteMessage(second.messageId, second.popReceipt), 404, 'MessageNotFound');
      const later = await queue.sendMessage('later', { visibilityTimeout: 60 });
      assert.deepEqual(await peekTexts(queue), []);
      await queue.deleteMessage(later.messageId, later.popReceipt);
      assert.equal((await queue.getProperties()).approximateMessagesCount, 0);
    });

    test('an update sets another text, another time, or both', async () => {
      const queue = await makeQueue(subject);
      await queue.sendMessage('old');
      const got = await receiveOne(queue);
      const hidden = await queue.updateMessage(got.messageId, got.popReceipt, 'new', 60);
      assert.equal(hidden._response.status, 204);
      assert(hidden.popReceipt && hidden.nextVisibleOn);
      await refuses(queue.updateMessage(got.messageId, got.popReceipt, 'lost', 0), 400, 'PopReceiptMismatch');
      await queue.updateMessage(got.messageId, hidden.popReceipt, undefined, 0);
      const again = await receiveOne(queue);
      assert.deepEqual([again.messageText, again.dequeueCount], ['new', 2]);
      assert.deepEqual(again.expiresOn, got.expiresOn);
    });

    test('texts come back as they were sent', async () => {
      const queue = await makeQueue(subject);
      // Line feeds never leave the client, which removes them from its documents.
      for (const text of ['<&>"\'', ' leading and trailing ', 'a\tb', '😀é', '', '&amp;lt;', ']]>']) {
        await queue.sendMessage(text);
        assert.deepEqual(await peekTexts(queue), [text]);
        assert.equal((await receiveOne(queue)).messageText, text);
        await queue.clearMessages();
      }
    });

    test('messages live for their time to live, which is any positive number, or for ever', async () => {
      const queue = await makeQueue(subject);
      const put = async (messageTimeToLive: number, text = 'm') =>
        (await queue.sendMessage(text, { messageTimeToLive })).expiresOn.toISOString();
      await put(100, 'short');
      assert.equal(await put(-1, 'ever'), NEVER);
      assert.deepEqual(await peekTexts(queue), ['short', 'ever']);
      time.passSeconds(101);
      assert.deepEqual(await peekTexts(queue), ['ever']);
      const both = { messageTimeToLive: 30, visibilityTimeout: 30 };
      await refuses(queue.sendMessage('never seen', both), 400, 'InvalidQueryParameterValue');
      for (const seconds of [2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31]) {
        const years = Number((await put(seconds)).slice(0, 4)) - new Date().getUTCFullYear();
        assert.ok(years === 68 || years === 69, String(years));
      }
      for (const seconds of [2 ** 38, 2 ** 53, 1e21 - 2 ** 20])
        assert.equal(await put(seconds), NEVER, String(seconds));
      const inTime = Math.floor((Date.parse(NEVER) - Date.now()) / 1000) - 3600;
      assert.notEqual(await put(inTime), NEVER);
      assert.equal(await put(inTime + 7200), NEVER);
    });

    test('the oldest come first, up to 32 at once, each once; a clear takes all, hidden ones too', async () => {
      const queue = await makeQueue(subject);
      const texts = Array.from({ length: 40 }, (_, i) => `m${i}`);
      for (const text of texts) await queue.sendMessage(text);
      assert.deepEqual(await peekTexts(queue), texts.slice(0, 32));
      const gets = Array.from({ length: 7 }, () => queue.receiveMessages({ numberOfMessages: 5 }));
      const got = (await Promise.all(gets)).flatMap(({ receivedMessageItems }) => receivedMessageItems);
      assert.deepEqual(got.map(item => item.messageText).sort(), texts.slice(0, 35).sort());
      await refuses(queue.receiveMessages({ numberOfMessages: 33 }), 400, 'OutOfRangeQueryParameterValue');
      await refuses(queue.peekMessages({ numberOfMessages: 0 }), 400, 'OutOfRangeQueryParameterValue');
      assert.equal((await queue.clearMessages())._response.status, 204);
      assert.equal((await queue.getProperties()).approximateMessagesCount, 0);
      const [hidden] = got;
      assert(hidden);
      await refuses(queue.deleteMessage(hidden.messageId, hidden.popReceipt), 404, 'MessageNotFound');
    });
  },
  { clock: time.clock },
);
