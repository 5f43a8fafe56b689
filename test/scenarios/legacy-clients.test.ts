// The predecessor of the official clients, which many programs still use: SharedKey, MERGE, Prefer and LF-only batches on
// tables, and each of its operations on queues.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fails,
  type LegacyEntity,
  type LegacyWrite,
  legacy,
  legacyQueues,
  legacyTables,
} from '../support/legacy-client.js';
import { describeTargets, type Subject } from '../support/targets.js';

const key = (partitionKey: string, rowKey: string): LegacyEntity => ({
  PartitionKey: { _: partitionKey, $: 'Edm.String' },
  RowKey: { _: rowKey, $: 'Edm.String' },
});

const property = (entity: LegacyEntity, name: string): unknown => {
  const found = entity[name];
  return typeof found === 'object' && '_' in found ? found._ : undefined;
};

async function openTable(subject: Subject) {
  const service = legacyTables(subject.server);
  const table = subject.newTableName();
  await service.createTable(table);
  return {
    service,
    table,
    insert: (entity: LegacyEntity) => service.insertEntity(table, entity, {}),
    retrieve: (rowKey: string) => service.retrieveEntity(table, 'p', rowKey),
    all: async () => (await service.queryEntities(table, null, null, {})).entries,
    execute: (writes: readonly (readonly [LegacyWrite, LegacyEntity])[]) => {
      const batch = new legacy.TableBatch();
      for (const [write, entity] of writes) batch[write](entity, { echoContent: false });
      return service.executeBatch(table, batch);
    },
    retrieveInBatch: (rowKey: string) => {
      const batch = new legacy.TableBatch();
      batch.retrieveEntity('p', rowKey);
      return service.executeBatch(table, batch);
    },
  };
}

const EVERY_TYPE: LegacyEntity = {
  ...key('p', 'r'),
  text: { _: "it's ü", $: 'Edm.String' },
  yes: { _: true, $: 'Edm.Boolean' },
  int: { _: 42, $: 'Edm.Int32' },
  long: { _: '9223372036854775807', $: 'Edm.Int64' },
  double: { _: 10.5, $: 'Edm.Double' },
  whole: { _: 10, $: 'Edm.Double' },
  at: { _: new Date('2020-01-01T01:02:03.004Z'), $: 'Edm.DateTime' },
  id: { _: 'c9da6455-213d-42c9-9a79-3e9149a57833', $: 'Edm.Guid' },
  bytes: { _: Buffer.from([1, 2, 3, 255]), $: 'Edm.Binary' },
};

const row = (n: number): LegacyEntity => ({
  ...key('p', String(n).padStart(4, '0')),
  n: { _: n, $: 'Edm.Int32' },
  even: { _: n % 2 === 0, $: 'Edm.Boolean' },
});

describeTargets('legacy client: tables', subject => {
  test('tables are created, found, listed by prefix and deleted', async () => {
    const service = legacyTables(subject.server);
    const prefix = `legacy${subject.newTableName()}x`;
    const names = Array.from({ length: 5 }, (_, i) => `${prefix}${i}`);
    for (const name of names) await service.createTable(name);
    const [first = ''] = names;
    await fails(service.createTable(first), 409, 'TableAlreadyExists');
    assert.equal((await service.createTableIfNotExists(first)).created, false);
    assert.equal((await service.doesTableExist(first)).exists, true);
    const list = (token: object | null) =>
      service.listTablesSegmentedWithPrefix(prefix, token, { maxResults: 3 });
    const page = await list(null);
    const rest = await list(page.continuationToken);
    assert.deepEqual([page.entries, rest.entries], [names.slice(0, 3), names.slice(3)]);
    assert.equal(rest.continuationToken, null);
    await service.deleteTable(first);
    assert.equal((await service.doesTableExist(first)).exists, false);
    assert.equal(await service.deleteTableIfExists(first), false);
    await fails(service.deleteTable(first), 404, 'ResourceNotFound');
  });

  test('an entity of every type is inserted and retrieved', async () => {
    const { insert, retrieve } = await openTable(subject);
    const inserted = await insert(EVERY_TYPE);
    const entity = await retrieve('r');
    assert.deepEqual(entity['.metadata'].etag, inserted['.metadata'].etag);
    for (const name of Object.keys(EVERY_TYPE))
      assert.deepEqual(property(entity, name), property(EVERY_TYPE, name), name);
    await fails(insert(EVERY_TYPE), 409, 'EntityAlreadyExists');
    await fails(retrieve('missing'), 404, 'ResourceNotFound');
  });

  test('whole numbers beyond Int32 without a type are stored as doubles, by every write', async () => {
    const { service, table, insert, retrieve, execute } = await openTable(subject);
    for (const n of [1_795_740_487_512, 2 ** 31, -(2 ** 31) - 1, -1e15, 2 ** 53, 1e21]) {
      const entity = { ...key('p', 'r'), n: { _: n } };
      await insert(entity);
      assert.deepEqual(property(await retrieve('r'), 'n'), n);
      for (const write of ['mergeEntity', 'replaceEntity', 'insertOrMergeEntity'] as const)
        await service[write](table, entity);
      await execute([['mergeEntity', entity]]);
      assert.deepEqual(property(await retrieve('r'), 'n'), n);
      await service.deleteEntity(table, entity);
      await service.insertOrReplaceEntity(table, entity);
      assert.deepEqual(property(await retrieve('r'), 'n'), n);
      await service.deleteEntity(table, entity);
    }
  });

  test('a query continues by its continuation token', async () => {
    const { service, table, execute } = await openTable(subject);
    for (let from = 0; from < 1200; from += 100)
      await execute(Array.from({ length: 100 }, (_, i) => ['insertEntity', row(from + i)]));
    const first = await service.queryEntities(table, null, null, {});
    const second = await service.queryEntities(table, null, first.continuationToken, {});
    assert.deepEqual([first.entries.length, second.continuationToken], [1000, null]);
    assert.deepEqual(
      [...first.entries, ...second.entries].map(entity => property(entity, 'n')),
      Array.from({ length: 1200 }, (_, n) => n),
    );
    const query = new legacy.TableQuery()
      .select('n', 'RowKey')
      .where('PartitionKey eq ?', 'p')
      .and('n ge ?', 10)
      .and('even == ?', true)
      .or('RowKey eq ?', '0001')
      .top(4);
    const found = await service.queryEntities(table, query, null, {});
    assert.deepEqual(
      found.entries.map(entity => [property(entity, 'n'), property(entity, 'even')]),
      [1, 10, 12, 14].map(n => [n, undefined]),
    );
    assert(found.continuationToken);
  });

  test('a batch of every kind, one that fails, and one of a retrieval', async () => {
    const { insert, all, execute, retrieveInBatch } = await openTable(subject);
    for (const n of [1, 2, 3, 4]) await insert(row(n));
    const results = await execute([
      ['insertEntity', row(0)],
      ['mergeEntity', { ...key('p', '0001'), merged: { _: 'yes' } }],
      ['replaceEntity', { ...key('p', '0002'), replaced: { _: 'yes' } }],
      ['deleteEntity', key('p', '0003')],
      ['insertOrMergeEntity', { ...key('p', '0004'), merged: { _: 'yes' } }],
      ['insertOrReplaceEntity', row(5)],
    ]);
    assert.deepEqual(
      results.map(({ response }) => response.statusCode),
      [204, 204, 204, 204, 204, 204],
    );
    const entities = [
      ['0000', 0, undefined, undefined],
      ['0001', 1, 'yes', undefined],
      ['0002', undefined, undefined, 'yes'],
      ['0004', 4, 'yes', undefined],
      ['0005', 5, undefined, undefined],
    ];
    const shown = async () =>
      (await all()).map(entity => ['RowKey', 'n', 'merged', 'replaced'].map(name => property(entity, name)));
    assert.deepEqual(await shown(), entities);
    const failing = execute([8, 7, 5].map(n => ['insertEntity', row(n)]));
    await fails(failing, 409, 'EntityAlreadyExists');
    await assert.rejects(failing, /2:The specified entity already exists\./);
    assert.deepEqual(await shown(), entities);
    const [found] = await retrieveInBatch('0005');
    assert.deepEqual([found?.response.statusCode, found?.entity && property(found.entity, 'n')], [200, 5]);
    await fails(retrieveInBatch('0008'), 404, 'ResourceNotFound');
  });
});

function there<T>(value: T | undefined): T {
  assert(value !== undefined);
  return value;
}

async function openQueue(subject: Subject) {
  const service = legacyQueues(subject.server);
  const queue = subject.newTableName();
  await service.createQueue(queue, {});
  return { service, queue };
}

describeTargets('legacy client: queues', subject => {
  test('a queue is made, asked for and deleted; lists continue from page to page', async () => {
    const { service, queue } = await openQueue(subject);
    assert.equal((await service.doesQueueExist(queue)).exists, true);
    assert.equal((await service.createQueueIfNotExists(queue)).created, false);
    await fails(service.createQueue(queue, { metadata: { a: '1' } }), 409, 'QueueAlreadyExists');
    await service.setQueueMetadata(queue, { colour: 'red' });
    await service.createMessage(queue, 'one', {});
    const { metadata, approximateMessageCount } = await service.getQueueMetadata(queue);
    assert.deepEqual([{ ...metadata }, Number(approximateMessageCount)], [{ colour: 'red' }, 1]);
    assert.equal(await service.deleteQueueIfExists(queue), true);
    assert.equal((await service.doesQueueExist(queue)).exists, false);
    await fails(service.deleteQueue(queue), 404, 'QueueNotFound');
    const names = ['a', 'b', 'c'].map(letter => queue + letter);
    for (const name of names) await service.createQueue(name, { metadata: { name } });
    const list = (token: object | null) =>
      service.listQueuesSegmentedWithPrefix(queue, token, { maxResults: 2, include: 'metadata' });
    const page = await list(null);
    const rest = await list(page.continuationToken);
    assert.deepEqual(
      [...page.entries, ...rest.entries].map(entry => [entry.name, entry.metadata?.name]),
      names.map(name => [name, name]),
    );
    assert.deepEqual([page.entries.length, rest.continuationToken], [2, null]);
  });

  test('a message is put, peeked, got, updated and deleted', async () => {
    const { service, queue } = await openQueue(subject);
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
    const other = { messageText: 'other' };
    const updated = await service.updateMessage(queue, got.messageId, got.popReceipt, 0, other);
    const again = there(await service.getMessage(queue));
    assert.deepEqual([again.messageText, again.dequeueCount], ['other', 2]);
    assert.notEqual(again.popReceipt, updated.popReceipt);
    await service.deleteMessage(queue, again.messageId, again.popReceipt);
    await fails(service.deleteMessage(queue, again.messageId, again.popReceipt), 404, 'MessageNotFound');
  });

  test('up to 32 messages come at once, and a queue is cleared', async () => {
    const { service, queue } = await openQueue(subject);
    for (let number = 0; number < 33; number++) await service.createMessage(queue, `${number}`, {});
    assert.equal((await service.peekMessages(queue, { numOfMessages: 32 })).length, 32);
    const got = await service.getMessages(queue, { numOfMessages: 32, visibilityTimeout: 60 });
    assert.deepEqual(
      got.map(({ messageText }) => messageText),
      Array.from({ length: 32 }, (_, number) => `${number}`),
    );
    await service.clearMessages(queue);
    assert.equal(Number((await service.getQueueMetadata(queue)).approximateMessageCount), 0);
    await fails(service.getMessages(queue, { numOfMessages: 33 }), 400, 'OutOfRangeQueryParameterValue');
  });

  test('signatures, with and without a stored policy', async () => {
    const { service, queue } = await openQueue(subject);
    const by = (policy: object) =>
      legacyQueues(subject.server, service.generateSharedAccessSignature(queue, policy));
    const Expiry = new Date(Date.now() + 3_600_000);
    await service.setQueueAcl(queue, { producer: { Permissions: 'a', Expiry } });
    const { signedIdentifiers } = await service.getQueueAcl(queue);
    assert.equal(there(signedIdentifiers).producer?.Permissions, 'a');
    const producer = by({ Id: 'producer' });
    await producer.createMessage(queue, 'one', {});
    await fails(producer.getMessage(queue), 403, 'AuthorizationPermissionMismatch');
    const consumer = by({ AccessPolicy: { Permissions: 'p', Expiry } });
    assert.equal((await consumer.getMessage(queue))?.messageText, 'one');
    await service.setQueueAcl(queue, {});
    await fails(producer.createMessage(queue, 'two', {}), 403, 'AuthenticationFailed');
  });

  test("the service's properties are set and read", async () => {
    const service = legacyQueues(subject.server);
    const origin = { AllowedOrigins: ['https://one.example'], AllowedMethods: ['GET'] };
    const rule = { ...origin, AllowedHeaders: ['x-ms-*'], ExposedHeaders: ['x-ms-*'], MaxAgeInSeconds: 60 };
    await service.setServiceProperties({ Cors: { CorsRule: [rule] } });
    const properties = await service.getServiceProperties();
    assert.equal(properties.Logging.Version, '1.0');
    assert.deepEqual(properties.Cors, { CorsRule: [rule] });
  });
});

describeTargets(
  'legacy client: a queue that is being deleted',
  subject => {
    test('is not there, and only its create returns the reason', async () => {
      const { service, queue } = await openQueue(subject);
      await service.createMessage(queue, 'm', {});
      await service.deleteQueue(queue);
      await Promise.all(
        [service.createQueue(queue, {}), service.createQueueIfNotExists(queue)].map(create =>
          fails(create, 409, 'QueueBeingDeleted'),
        ),
      );
      assert.equal((await service.doesQueueExist(queue)).exists, false);
      assert.equal(await service.deleteQueueIfExists(queue), false);
      await Promise.all(
        [
          service.deleteQueue(queue),
          service.createMessage(queue, 'm', {}),
          service.getMessages(queue, {}),
          service.peekMessages(queue, {}),
          service.clearMessages(queue),
          service.getQueueMetadata(queue),
          service.setQueueMetadata(queue, { a: '1' }),
          service.getQueueAcl(queue),
        ].map(refused => fails(refused, 404, 'QueueNotFound')),
      );
    });
  },
  { tableDeletionSeconds: 600 },
);
