// Entities through the official client: each operation on one entity, its ETags and its refusals.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableClient } from '@azure/data-tables';
import { makeTable, refuses } from '../support/clients.js';
import { describeTargets } from '../support/targets.js';

const KEYS = { partitionKey: 'p', rowKey: 'r' };

/** An entity's own properties, in the order in which they were answered. */
async function propertiesOf(table: TableClient, partitionKey = 'p', rowKey = 'r'): Promise<unknown[][]> {
  const system = new Set(['odata.metadata', 'etag', 'partitionKey', 'rowKey', 'timestamp']);
  const entity: object = await table.getEntity(partitionKey, rowKey);
  return Object.entries(entity).filter(([name]) => !system.has(name));
}

describeTargets('entities', subject => {
  test("a new entity can be read, with the ETag of its insert's answer", async () => {
    const table = await makeTable(subject);
    const { etag } = await table.createEntity({ ...KEYS, word: 'a', count: 1 });
    const entity = await table.getEntity<{ word: string; count: number }>('p', 'r');
    assert.equal(entity.etag, etag);
    assert.deepEqual([entity.partitionKey, entity.rowKey, entity.word, entity.count], ['p', 'r', 'a', 1]);
    assert(entity.timestamp);
    assert.equal(etag, `W/"datetime'${entity.timestamp.replaceAll(':', '%3A')}'"`);
  });

  test('inserting it twice conflicts, reading a missing one finds nothing', async () => {
    const table = await makeTable(subject);
    await table.createEntity(KEYS);
    await refuses(table.createEntity(KEYS), 409, 'EntityAlreadyExists');
    await refuses(table.getEntity('p', 'other'), 404, 'ResourceNotFound');
    await refuses(table.getEntity('other', 'r'), 404, 'ResourceNotFound');
  });

  test('upsert creates what is missing', async () => {
    const table = await makeTable(subject);
    await table.upsertEntity({ ...KEYS, a: 1 }, 'Merge');
    await table.upsertEntity({ partitionKey: 'p', rowKey: 's', a: 1 }, 'Replace');
    assert.deepEqual(await propertiesOf(table), [['a', 1]]);
    assert.deepEqual(await propertiesOf(table, 'p', 's'), [['a', 1]]);
  });

  test('merge keeps what it does not name, replace does not', async () => {
    const table = await makeTable(subject);
    await table.createEntity({ ...KEYS, b: 1, a: 1 });
    assert.deepEqual(await propertiesOf(table), [
      ['b', 1],
      ['a', 1],
    ]);
    await table.upsertEntity({ ...KEYS, a: 'changed', c: true }, 'Merge');
    assert.deepEqual(await propertiesOf(table), [
      ['a', 'changed'],
      ['b', 1],
      ['c', true],
    ]);
    await table.upsertEntity({ ...KEYS, d: 2.5 }, 'Replace');
    assert.deepEqual(await propertiesOf(table), [['d', 2.5]]);
    await table.updateEntity({ ...KEYS, e: 1 }, 'Merge');
    await table.updateEntity({ ...KEYS, f: 1 }, 'Replace');
    assert.deepEqual(await propertiesOf(table), [['f', 1]]);
  });

  test('null and undefined are no values: merge leaves, replace removes', async () => {
    const table = await makeTable(subject);
    await table.createEntity({ ...KEYS, a: 1, b: null, c: undefined });
    assert.deepEqual(await propertiesOf(table), [['a', 1]]);
    await table.updateEntity({ ...KEYS, a: null, b: 2 }, 'Merge');
    assert.deepEqual(await propertiesOf(table), [
      ['a', 1],
      ['b', 2],
    ]);
    await table.updateEntity({ ...KEYS, a: null, b: 3 }, 'Replace');
    assert.deepEqual(await propertiesOf(table), [['b', 3]]);
  });

  test('update and delete require that the entity exists', async () => {
    const table = await makeTable(subject);
    await refuses(table.updateEntity(KEYS, 'Merge'), 404, 'ResourceNotFound');
    await refuses(table.updateEntity(KEYS, 'Replace'), 404, 'ResourceNotFound');
    await refuses(table.deleteEntity('p', 'r'), 404, 'ResourceNotFound');
    await table.createEntity(KEYS);
    await table.deleteEntity('p', 'r');
    await refuses(table.getEntity('p', 'r'), 404, 'ResourceNotFound');
  });

  test('with an ETag each write requires that the entity is unchanged', async () => {
    const table = await makeTable(subject);
    const { etag: made } = await table.createEntity({ ...KEYS, n: 0 });
    assert(made);
    const { etag: merged } = await table.updateEntity({ ...KEYS, n: 1 }, 'Merge', { etag: made });
    assert(merged);
    assert.notEqual(merged, made);
    const stale = { etag: made };
    const failed = [412, 'UpdateConditionNotSatisfied'] as const;
    await refuses(table.updateEntity({ ...KEYS, n: 2 }, 'Merge', stale), ...failed);
    await refuses(table.updateEntity({ ...KEYS, n: 2 }, 'Replace', stale), ...failed);
    await refuses(table.deleteEntity('p', 'r', stale), ...failed);
    const { etag: replaced } = await table.updateEntity({ ...KEYS, n: 3 }, 'Replace', { etag: merged });
    assert(replaced);
    assert.deepEqual(await propertiesOf(table), [['n', 3]]);
    await table.deleteEntity('p', 'r', { etag: replaced });
    await refuses(table.deleteEntity('p', 'r', { etag: replaced }), 404, 'ResourceNotFound');
  });

  test('an entity that is deleted and created again has a new ETag', async () => {
    const table = await makeTable(subject);
    const etags = new Set<string | undefined>();
    for (let i = 0; i < 20; i++) {
      etags.add((await table.createEntity(KEYS)).etag);
      await table.deleteEntity('p', 'r');
    }
    assert.equal(etags.size, 20);
  });
});
