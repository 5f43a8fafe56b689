// Tables from creation to deletion, their access policies, and the settings of the service (protocol: tables,
// access-policies, service-properties).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultServiceProperties } from '#account';
import {
  insert,
  keyOf,
  openAccount,
  openTable,
  outcomeOf,
  refusalOf,
  START,
  stored,
  TABLE,
} from '../testing/account.js';

const get = (table: string) => ({ kind: 'getTable', table }) as const;
const create = (table: string) => ({ kind: 'createTable', table }) as const;
const remove = (table: string) => ({ kind: 'deleteTable', table }) as const;

test('a table is created once, compared without case, and keeps its spelling', async () => {
  const { run } = openAccount();
  assert.deepEqual(await run(create('MyTable')), { kind: 'tableCreated', name: 'MyTable' });
  await refusalOf('TableAlreadyExists', run(create('MyTable')));
  await refusalOf('TableAlreadyExists', run(create('mytable')));
  assert.deepEqual(await run(get('MYTABLE')), { kind: 'table', name: 'MyTable' });
});

test('of two concurrent creations of a table one succeeds', async () => {
  const { run } = openAccount();
  const attempts = [run(create('MyTable')), run(create('mytable')), run(create('MYTABLE'))];
  const done = (await Promise.allSettled(attempts)).filter(({ status }) => status === 'fulfilled');
  assert.equal(done.length, 1);
});

test('invalid table names are refused', async () => {
  const { run } = openAccount();
  await refusalOf('OutOfRangeInput:ResourceName', run(create('ab')));
  await refusalOf('InvalidResourceName', run(create('my_table')));
  await refusalOf('InvalidInput', run(create('Tables')));
});

test('a deleted table is gone at once, and its name is free and empty', async () => {
  const account = await openTable();
  await insert(account, keyOf('r'));
  await outcomeOf('tableDeleted', account.run(remove(TABLE.toUpperCase())));
  await refusalOf('ResourceNotFound', account.run(get(TABLE)));
  await refusalOf('ResourceNotFound', account.run(remove(TABLE)));
  assert.equal(await stored(account, keyOf('r')), undefined);
  await account.run(create('people'));
  assert.deepEqual(await account.run(get(TABLE)), { kind: 'table', name: 'people' });
  assert.equal(await stored(account, keyOf('r')), undefined);
});

const IDENTIFIERS = [
  { id: 'a', policy: { start: START, expiry: START + 1n, permission: 'raud' } },
  { id: 'b', policy: undefined },
];

test('access policies are those that were set last, and go with their table', async () => {
  const { run } = await openTable();
  const read = () => run({ kind: 'getTableAcl', table: TABLE.toLowerCase() });
  const set = (identifiers: typeof IDENTIFIERS) => run({ kind: 'setTableAcl', table: TABLE, identifiers });
  assert.deepEqual(await read(), { kind: 'acl', identifiers: [] });
  await outcomeOf('aclSet', set(IDENTIFIERS));
  assert.deepEqual(await read(), { kind: 'acl', identifiers: IDENTIFIERS });
  assert.deepEqual(await run(get(TABLE)), { kind: 'table', name: TABLE });
  await set([]);
  assert.deepEqual(await read(), { kind: 'acl', identifiers: [] });
  await set(IDENTIFIERS);
  await run(remove(TABLE));
  await refusalOf('TableNotFound', read());
  await refusalOf('TableNotFound', set(IDENTIFIERS));
  await run(create(TABLE));
  assert.deepEqual(await read(), { kind: 'acl', identifiers: [] });
});

test('policies and entities of a table are independent', async () => {
  const account = await openTable();
  const version = await insert(account, keyOf('r'));
  await account.run({ kind: 'setTableAcl', table: TABLE, identifiers: IDENTIFIERS });
  assert.equal((await stored(account, keyOf('r')))?.version, version);
});

test('service properties have defaults, and a change keeps what it does not name', async () => {
  const { run } = openAccount();
  const read = () => run({ kind: 'getServiceProperties' });
  const properties = { ...defaultServiceProperties };
  assert.deepEqual(await read(), { kind: 'serviceProperties', properties });
  const logging = { version: '1.0', read: true, write: false, delete: true, retentionDays: 5 };
  await outcomeOf('servicePropertiesSet', run({ kind: 'setServiceProperties', change: { logging } }));
  assert.deepEqual(await read(), { kind: 'serviceProperties', properties: { ...properties, logging } });
  const rule = {
    allowedOrigins: ['*'],
    allowedMethods: ['GET'],
    allowedHeaders: [],
    exposedHeaders: [],
    maxAgeSeconds: 1,
  };
  await run({ kind: 'setServiceProperties', change: { cors: [rule] } });
  const changed = { ...properties, logging, cors: [rule] };
  assert.deepEqual(await read(), { kind: 'serviceProperties', properties: changed });
  await run({ kind: 'setServiceProperties', change: { cors: [] } });
  assert.deepEqual(await read(), { kind: 'serviceProperties', properties: { ...properties, logging } });
});

test('service properties are no table', async () => {
  const { run } = openAccount();
  await run({ kind: 'setServiceProperties', change: {} });
  const query = { kind: 'queryTables', filter: undefined, top: 10, from: undefined } as const;
  assert.deepEqual((await outcomeOf('tables', run(query))).names, []);
});

test('the secondary is in step with now', async () => {
  const { run } = openAccount();
  assert.deepEqual(await run({ kind: 'getServiceStats' }), { kind: 'serviceStats', lastSync: START });
});
