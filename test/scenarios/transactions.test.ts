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
    assert.deepEqual([status, subResponses.map(response => response.status)], [202, Array(6).fill(204)]);
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

  test('one failing action fails them all, and is named unless it is alone', async () => {
    const table = await makeTable(subject);
    const { etag = '' } = await table.createEntity({ partitionKey: 'p', rowKey: '005' });
    await table.updateEntity({ partitionKey: 'p', rowKey: '005', n: 1 });
    const missing = { partitionKey: 'p', rowKey: 'missing' };
    const there = { partitionKey: 'p', rowKey: '005' };
    const three = creations(3);
    const cases: readonly (readonly [
      actions: TransactionAction[],
      status: number,
      code: string,
      at: string,
    ])[] = [
      [creations(10), 409, 'EntityAlreadyExists', '5:'],
      [[['create', there], ...three], 409, 'EntityAlreadyExists', '0:'],
      [[['create', there]], 409, 'EntityAlreadyExists', ''],
      [[...three, ['update', missing, 'Merge']], 404, 'ResourceNotFound', '3:'],
      [[...three, ['update', missing, 'Replace']], 404, 'ResourceNotFound', '3:'],
      [[...three, ['delete', missing]], 404, 'ResourceNotFound', '3:'],
      [[...three, ['update', there, 'Merge', { etag }]], 412, 'UpdateConditionNotSatisfied', '3:'],
      [[...three, ['create', { ...missing, 'no-name': 1 }]], 400, 'PropertyNameInvalid', '3:'],
      [[...three, ['upsert', { partitionKey: 'p', rowKey: '001' }]], 400, 'InvalidDuplicateRow', '3:'],
      [creations(101), 400, 'InvalidInput', '99:'],
    ];
    for (const [actions, status, code, at] of cases) {
      const refused = await refusal(table.submitTransaction(actions));
      assert.deepEqual([refused.status, refused.code], [status, code]);
      assert.equal(/^(?:\d+:)?/.exec(refused.message)?.[0], at);
      assert.deepEqual(await rowsOf(table), ['005'], 'Nothing is applied.');
    }
    await table.deleteTable();
    const { status, code, message } = await refusal(table.submitTransaction(creations(2)));
    assert.deepEqual([status, code, message.slice(0, 2)], [404, 'TableNotFound', '0:']);
  });

  test('100 actions and 4 MiB are the maximum', async () => {
    const table = await makeTable(subject);
    const { subResponses } = await table.submitTransaction(creations(100));
    assert.deepEqual(
      subResponses.map(({ rowKey }) => rowKey),
      await rowsOf(table),
    );
    const text = 'x'.repeat(32_768);
    const large = (count: number): TransactionAction[] =>
      Array.from({ length: count }, (_, i) => [
        'create',
        { partitionKey: 'p', rowKey: `large${i}`, a: text, b: text, c: text, d: text },
      ]);
    assert.equal((await refusal(table.submitTransaction(large(32)))).status, 413);
    assert.equal((await rowsOf(table)).length, 100);
    await table.submitTransaction(large(31));
    assert.equal((await rowsOf(table)).length, 131);
  });
});
