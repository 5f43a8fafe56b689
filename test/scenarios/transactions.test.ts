// Entity group transactions through the official client: all or nothing, and the index of what failed (protocol: batches).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TableClient, TableTransaction, type TransactionAction } from '@azure/data-tables';
import { collect, makeTable, refusal } from '../support/clients.js';
import { describeTargets } from '../support/targets.js';

const rowsOf = async (table: TableClient): Promise<string[]> =>
  (await collect(table.listEntities())).map(({ rowKey = '' }) => rowKey);

const creations = (count: number): TransactionAction[] =>
  Array.from({ length: count }, (_, i) => [
    'create',
    { partitionKey: 'p', rowKey: String(i).padStart(3, '0') },
  ]);

/** Asserts that a transaction is refused with the code, and with the index of the action that failed before the text. */
async function fails(
  table: TableClient,
  actions: TransactionAction[],
  status: number,
  code: string,
  index: number,
): Promise<void> {
  const before = await rowsOf(table);
  const refused = await refusal(table.submitTransaction(actions));
  assert.deepEqual([refused.status, refused.code], [status, code]);
  assert.match(refused.message, new RegExp(`^${index}:`));
  assert.deepEqual(await rowsOf(table), before, 'Nothing is applied.');
}

describeTargets('transactions', subject => {
  test('every kind of action, in one transaction', async () => {
    const table = await makeTable(subject);
    for (const rowKey of ['merged', 'replaced', 'deleted', 'put'])
      await table.createEntity({ partitionKey: 'p', rowKey, old: 1 });
    const { etag } = await table.getEntity('p', 'merged');
    const transaction = new TableTransaction();
    transaction.createEntity({ partitionKey: 'p', rowKey: 'made', n: 1 });
    transaction.updateEntity({ partitionKey: 'p', rowKey: 'merged', n: 1 }, 'Merge', { etag });
    transaction.updateEntity({ partitionKey: 'p', rowKey: 'replaced', n: 1 }, 'Replace');
    transaction.deleteEntity('p', 'deleted');
    transaction.upsertEntity({ partitionKey: 'p', rowKey: 'new', n: 1 }, 'Merge');
    transaction.upsertEntity({ partitionKey: 'p', rowKey: 'put', n: 1 }, 'Replace');
    const { status, subResponses, getResponseForEntity } = await table.submitTransaction(transaction.actions);
    assert.equal(status, 202);
    assert.deepEqual(
      subResponses.map(response => response.status),
      [204, 204, 204, 204, 204, 204],
    );
    const entities = await collect(table.listEntities<{ old?: number; n: number }>());
    assert.deepEqual(
      entities.map(({ rowKey, old, n }) => [rowKey, old, n]),
      [
        ['made', undefined, 1],
        ['merged', 1, 1],
        ['new', undefined, 1],
        ['put', undefined, 1],
        ['replaced', undefined, 1],
      ],
    );
    assert.equal(getResponseForEntity('made')?.etag, entities[0]?.etag);
    assert.equal(subResponses[1]?.etag, entities[1]?.etag);
    assert.equal(subResponses[3]?.etag, undefined);
  });

  test('one failing action fails them all, and is named', async () => {
    const table = await makeTable(subject);
    await table.createEntity({ partitionKey: 'p', rowKey: '005' });
    const { etag } = await table.getEntity('p', '005');
    const ten = creations(10);
    await fails(table, ten, 409, 'EntityAlreadyExists', 5);
    const before = creations(3);
    const missing = { partitionKey: 'p', rowKey: 'missing' };
    await fails(table, [...before, ['update', missing, 'Merge']], 404, 'ResourceNotFound', 3);
    await fails(table, [...before, ['update', missing, 'Replace']], 404, 'ResourceNotFound', 3);
    await fails(table, [...before, ['delete', missing]], 404, 'ResourceNotFound', 3);
    await table.updateEntity({ partitionKey: 'p', rowKey: '005', n: 1 });
    const stale: TransactionAction = ['update', { partitionKey: 'p', rowKey: '005' }, 'Merge', { etag }];
    await fails(table, [...before, stale], 412, 'UpdateConditionNotSatisfied', 3);
    const invalid: TransactionAction = ['create', { partitionKey: 'p', rowKey: 'x', 'no-name': 1 }];
    await fails(table, [...before, invalid], 400, 'PropertyNameInvalid', 3);
  });

  test('the first of several that fails is named with 0', async () => {
    const table = await makeTable(subject);
    await table.createEntity({ partitionKey: 'p', rowKey: '000' });
    await fails(table, creations(2), 409, 'EntityAlreadyExists', 0);
  });

  test('an action that fails alone has no index', async () => {
    const table = await makeTable(subject);
    await table.createEntity({ partitionKey: 'p', rowKey: '000' });
    const { status, code, message } = await refusal(table.submitTransaction(creations(1)));
    assert.deepEqual([status, code], [409, 'EntityAlreadyExists']);
    assert.match(message, /^The specified entity already exists\./);
  });

  test('an entity may appear once', async () => {
    const table = await makeTable(subject);
    const twice: TransactionAction[] = [...creations(4), ['upsert', { partitionKey: 'p', rowKey: '001' }]];
    await fails(table, twice, 400, 'InvalidDuplicateRow', 4);
  });

  test('100 actions are the maximum', async () => {
    const table = await makeTable(subject);
    await fails(table, creations(101), 400, 'InvalidInput', 99);
    const { subResponses } = await table.submitTransaction(creations(100));
    assert.equal(subResponses.length, 100);
    assert.deepEqual(
      subResponses.map(({ rowKey }) => rowKey),
      await rowsOf(table),
    );
  });

  test('4 MiB are the maximum', async () => {
    const table = await makeTable(subject);
    const large = (count: number): TransactionAction[] =>
      Array.from({ length: count }, (_, i) => [
        'create',
        {
          partitionKey: 'p',
          rowKey: String(i),
          ...Object.fromEntries(['a', 'b', 'c', 'd'].map(name => [name, 'x'.repeat(32_768)])),
        },
      ]);
    const { status } = await refusal(table.submitTransaction(large(32)));
    assert.equal(status, 413);
    assert.deepEqual(await rowsOf(table), []);
    await table.submitTransaction(large(31));
    assert.equal((await rowsOf(table)).length, 31);
  });

  test('a missing table fails the first action', async () => {
    const table = await makeTable(subject);
    await table.deleteTable();
    const { status, code, message } = await refusal(table.submitTransaction(creations(2)));
    assert.deepEqual([status, code], [404, 'TableNotFound']);
    assert.match(message, /^0:/);
  });
});
