// Shared access signatures of a table, made by the official client: permissions, key ranges, stored policies (protocol: sas).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateTableSas, type TableClient, type TableSasSignatureValues } from '@azure/data-tables';
import {
  collect,
  keyCredential,
  makeTable,
  refusal,
  refuses,
  sasClient,
  serviceClient,
} from '../support/clients.js';
import { describeTargets } from '../support/targets.js';

const HOUR = 3_600_000;
const EVERYTHING = { query: true, add: true, update: true, delete: true };
const entity = { partitionKey: 'p', rowKey: 'r' };
const inHours = (hours: number): Date => new Date(Date.now() + hours * HOUR);

describeTargets('table SAS', subject => {
  /** A client that has only a signature of the table. */
  const open = (table: string, values: TableSasSignatureValues): TableClient =>
    sasClient(subject.server, table, generateTableSas(table, keyCredential(subject.server), values));
  const authenticationFails = async (promise: Promise<unknown>): Promise<void> => {
    const { status, message } = await refusal(promise);
    assert.equal(status, 403);
    assert.match(message, /AuthenticationFailed/);
  };

  test('it grants the entities of its table, in whatever case, and nothing else', async () => {
    const { tableName } = await makeTable(subject);
    const other = await makeTable(subject);
    const signature = generateTableSas(tableName.toUpperCase(), keyCredential(subject.server), {
      permissions: EVERYTHING,
    });
    const table = sasClient(subject.server, tableName, signature);
    await table.createEntity(entity);
    await table.submitTransaction([['update', { ...entity, n: 1 }]]);
    const elsewhere = sasClient(subject.server, other.tableName, signature);
    const { status } = await refusal(elsewhere.createEntity(entity));
    assert.equal(status, 403);
    await refuses(table.createTable(), 403, 'AuthorizationFailure');
    await refuses(table.deleteTable(), 403, 'AuthorizationFailure');
    const { message } = await refusal(table.setAccessPolicy([]));
    assert.match(message, /AuthorizationFailure/);
  });

  test('a key range filters queries, hides entities and refuses writes', async () => {
    const made = await makeTable(subject);
    const keys = ['a1', 'a5', 'a9', 'b1', 'b5', 'b9', 'c1', 'c5', 'c9'];
    for (const name of keys)
      await made.createEntity({ partitionKey: name.charAt(0), rowKey: name.charAt(1) });
    // From (a, 5) on to (c, 5): rows bound only their own partition.
    const ranged = open(made.tableName, {
      permissions: EVERYTHING,
      startPartitionKey: 'a',
      startRowKey: '5',
      endPartitionKey: 'c',
      endRowKey: '5',
    });
    const seen = async (filter?: string): Promise<string[]> => {
      const options = filter === undefined ? {} : { queryOptions: { filter } };
      const pages = await collect(ranged.listEntities(options).byPage({ maxPageSize: 2 }));
      return pages.flat().map(({ partitionKey = '', rowKey = '' }) => partitionKey + rowKey);
    };
    assert.deepEqual(await seen(), ['a5', 'a9', 'b1', 'b5', 'b9', 'c1', 'c5']);
    assert.deepEqual(await seen("RowKey eq '9'"), ['a9', 'b9']);
    assert.deepEqual(await seen("PartitionKey eq 'd' or RowKey eq '0'"), []);
    await ranged.getEntity('b', '1');
    await refuses(ranged.getEntity('a', '1'), 404, 'ResourceNotFound');
    await refuses(ranged.getEntity('c', '9'), 404, 'ResourceNotFound');
    await ranged.createEntity({ partitionKey: 'b', rowKey: '0' });
    const outside = { partitionKey: 'c', rowKey: '6' };
    await refuses(ranged.createEntity(outside), 403, 'AuthorizationFailure');
    await refuses(ranged.upsertEntity(outside), 403, 'AuthorizationFailure');
    await refuses(ranged.updateEntity({ partitionKey: 'a', rowKey: '1' }), 403, 'AuthorizationFailure');
    await refuses(ranged.deleteEntity('c', '9'), 403, 'AuthorizationFailure');
    const part = await refusal(
      ranged.submitTransaction([
        ['create', { partitionKey: 'c', rowKey: '4' }],
        ['create', outside],
      ]),
    );
    assert.deepEqual([part.status, part.code], [403, 'AuthorizationFailure']);
    await refuses(made.getEntity('c', '4'), 404, 'ResourceNotFound');
  });

  test('a stored policy supplies what the signature leaves open, until it is revoked', async () => {
    const made = await makeTable(subject);
    await made.setAccessPolicy([
      { id: 'whole', accessPolicy: { start: inHours(-1), expiry: inHours(1), permission: 'ra' } },
      { id: 'until', accessPolicy: { expiry: inHours(1) } },
      { id: 'empty', accessPolicy: {} },
    ]);
    const whole = open(made.tableName, { identifier: 'whole' });
    await whole.createEntity(entity);
    await refuses(whole.deleteEntity('p', 'r'), 403, 'AuthorizationPermissionMismatch');
    const until = open(made.tableName, { identifier: 'until', permissions: { query: true } });
    await until.getEntity('p', 'r');
    const expiring = { permissions: { query: true }, expiresOn: inHours(1) };
    await open(made.tableName, { identifier: 'empty', ...expiring }).getEntity('p', 'r');

    await authenticationFails(open(made.tableName, { identifier: 'empty' }).getEntity('p', 'r'));
    await authenticationFails(open(made.tableName, { identifier: 'none' }).getEntity('p', 'r'));
    await authenticationFails(open(made.tableName, { identifier: 'whole', ...expiring }).getEntity('p', 'r'));

    await made.setAccessPolicy([{ id: 'whole', accessPolicy: { expiry: inHours(-1), permission: 'ra' } }]);
    await authenticationFails(whole.getEntity('p', 'r'));
    await made.setAccessPolicy([]);
    await authenticationFails(whole.getEntity('p', 'r'));
    await authenticationFails(until.getEntity('p', 'r'));
  });

  test('the policies of a table are deleted with the table', async () => {
    const made = await makeTable(subject);
    await made.setAccessPolicy([{ id: 'mine', accessPolicy: { expiry: inHours(1), permission: 'ra' } }]);
    const client = open(made.tableName, { identifier: 'mine' });
    await client.createEntity(entity);
    await serviceClient(subject.server).deleteTable(made.tableName);
    await made.createTable();
    await authenticationFails(client.createEntity(entity));
  });
});
