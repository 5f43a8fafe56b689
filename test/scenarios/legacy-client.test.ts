// The predecessor of the official client, which many programs still use: SharedKey, MERGE, Prefer and LF-only batches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fails,
  type LegacyBatchResult,
  type LegacyEntity,
  legacy,
  legacyClient,
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

const etagOf = (entity: LegacyEntity): string | undefined => {
  const metadata = entity['.metadata'];
  return typeof metadata === 'object' && 'etag' in metadata ? metadata.etag : undefined;
};

async function open(subject: Subject) {
  const service = legacyClient(subject.server);
  const table = subject.newTableName();
  await service.createTable(table);
  return {
    service,
    table,
    insert: (entity: LegacyEntity) => service.insertEntity(table, entity, {}),
    retrieve: (partitionKey: string, rowKey: string) => service.retrieveEntity(table, partitionKey, rowKey),
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

describeTargets('legacy client: tables and entities', subject => {
  test('tables are created, found, listed by prefix and deleted', async () => {
    const service = legacyClient(subject.server);
    const prefix = `legacy${subject.newTableName()}x`;
    const names = Array.from({ length: 5 }, (_, i) => `${prefix}${i}`);
    for (const name of names) await service.createTable(name);
    const [first = ''] = names;
    await fails(service.createTable(first), 409, 'TableAlreadyExists');
    assert.equal((await service.createTableIfNotExists(first)).created, false);
    assert.equal((await service.doesTableExist(first)).exists, true);
    const page = await service.listTablesSegmentedWithPrefix(prefix, null, { maxResults: 3 });
    assert.deepEqual(page.entries, names.slice(0, 3));
    const rest = await service.listTablesSegmentedWithPrefix(prefix, page.continuationToken, {
      maxResults: 3,
    });
    assert.deepEqual([rest.entries, rest.continuationToken], [names.slice(3), null]);
    await service.deleteTable(first);
    assert.equal((await service.doesTableExist(first)).exists, false);
    assert.equal(await service.deleteTableIfExists(first), false);
    await fails(service.deleteTable(first), 404, 'ResourceNotFound');
  });

  test('an entity of every type is inserted and retrieved', async () => {
    const { insert, retrieve } = await open(subject);
    const inserted = await insert(EVERY_TYPE);
    const entity = await retrieve('p', 'r');
    assert.equal(etagOf(entity), inserted['.metadata'].etag);
    for (const name of Object.keys(EVERY_TYPE))
      assert.deepEqual(property(entity, name), property(EVERY_TYPE, name), name);
    await fails(insert(EVERY_TYPE), 409, 'EntityAlreadyExists');
    await fails(retrieve('p', 'missing'), 404, 'ResourceNotFound');
  });

  test('whole numbers beyond Int32 without a type are stored as doubles, by every write', async () => {
    const { service, table, insert, retrieve } = await open(subject);
    const numbers = [1_795_740_487_512, 2 ** 31, -(2 ** 31) - 1, -1e15, 2 ** 53, 1e21];
    for (const n of numbers) {
      const entity = { ...key('p', 'r'), n: { _: n } };
      await service.insertOrReplaceEntity(table, entity);
      assert.deepEqual(property(await retrieve('p', 'r'), 'n'), n);
      for (const write of ['mergeEntity', 'replaceEntity', 'insertOrMergeEntity'] as const)
        await service[write](table, entity);
      const batch = new legacy.TableBatch();
      batch.mergeEntity(entity);
      await service.executeBatch(table, batch);
      assert.deepEqual(property(await retrieve('p', 'r'), 'n'), n);
      await service.deleteEntity(table, entity);
      await insert(entity);
      assert.deepEqual(property(await retrieve('p', 'r'), 'n'), n);
      await service.deleteEntity(table, entity);
    }
  });
});

describeTargets('legacy client: queries and batches', subject => {
  const row = (n: number): LegacyEntity => ({
    ...key('p', String(n).padStart(4, '0')),
    n: { _: n, $: 'Edm.Int32' },
    even: { _: n % 2 === 0, $: 'Edm.Boolean' },
  });

  const execute = (
    { service, table }: Awaited<ReturnType<typeof open>>,
    operations: readonly (readonly [
      (
        | 'insertEntity'
        | 'deleteEntity'
        | 'mergeEntity'
        | 'replaceEntity'
        | 'insertOrMergeEntity'
        | 'insertOrReplaceEntity'
      ),
      LegacyEntity,
    ])[],
  ): Promise<readonly LegacyBatchResult[]> => {
    const batch = new legacy.TableBatch();
    for (const [operation, entity] of operations) batch[operation](entity, { echoContent: false });
    return service.executeBatch(table, batch);
  };

  test('a query continues by its continuation token', async () => {
    const opened = await open(subject);
    const { service, table } = opened;
    for (let from = 0; from < 1200; from += 100)
      await execute(
        opened,
        Array.from({ length: 100 }, (_, i) => ['insertEntity', row(from + i)]),
      );
    const first = await service.queryEntities(table, null, null, {});
    assert.equal(first.entries.length, 1000);
    assert(first.continuationToken);
    const second = await service.queryEntities(table, null, first.continuationToken, {});
    assert.equal(second.continuationToken, null);
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

  test('a batch of every kind', async () => {
    const opened = await open(subject);
    for (const n of [1, 2, 3, 4]) await opened.insert(row(n));
    const results = await execute(opened, [
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
    const { entries } = await opened.service.queryEntities(opened.table, null, null, {});
    assert.deepEqual(
      entries.map(entity => ['RowKey', 'n', 'merged', 'replaced'].map(name => property(entity, name))),
      [
        ['0000', 0, undefined, undefined],
        ['0001', 1, 'yes', undefined],
        ['0002', undefined, undefined, 'yes'],
        ['0004', 4, 'yes', undefined],
        ['0005', 5, undefined, undefined],
      ],
    );
  });

  test('a failing batch returns the reason, and changes nothing', async () => {
    const opened = await open(subject);
    await opened.insert(row(2));
    const failing = execute(
      opened,
      [0, 1, 2].map(n => ['insertEntity', row(n)]),
    );
    await fails(failing, 409, 'EntityAlreadyExists');
    await assert.rejects(failing, /2:The specified entity already exists\./);
    const { entries } = await opened.service.queryEntities(opened.table, null, null, {});
    assert.equal(entries.length, 1);
  });

  test('a batch of one retrieval', async () => {
    const { service, table, insert } = await open(subject);
    await insert(row(7));
    const batch = new legacy.TableBatch();
    batch.retrieveEntity('p', '0007');
    const [found] = await service.executeBatch(table, batch);
    assert.equal(found?.response.statusCode, 200);
    assert.deepEqual(found.entity && property(found.entity, 'n'), 7);
    const missing = new legacy.TableBatch();
    missing.retrieveEntity('p', '0008');
    await fails(service.executeBatch(table, missing), 404, 'ResourceNotFound');
  });
});
