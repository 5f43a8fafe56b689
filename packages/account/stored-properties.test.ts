// Service properties in the store: each service of each account has its own, with defaults until they are set.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMemoryStore } from '#store';
import { defaultServiceProperties } from './service-properties.js';
import { readStoredProperties, setStoredProperties } from './stored-properties.js';

test('properties are per account and service', async () => {
  const store = openMemoryStore();
  const logging = { version: '1.0', read: true, write: false, delete: false, retentionDays: 7 };
  await setStoredProperties({ store, account: 'a', service: 'queue' }, { logging });
  const changed = { ...defaultServiceProperties, logging };
  assert.deepEqual(await readStoredProperties({ store, account: 'a', service: 'queue' }), changed);
  for (const [account, service] of [
    ['a', 'table'],
    ['b', 'queue'],
  ] as const)
    assert.deepEqual(await readStoredProperties({ store, account, service }), defaultServiceProperties);
});

test('two concurrent first settings are both kept', async () => {
  const address = { store: openMemoryStore(), account: 'a', service: 'table' };
  const logging = { version: '1.0', read: true, write: false, delete: false, retentionDays: 7 };
  await Promise.all([
    setStoredProperties(address, { logging }),
    setStoredProperties(address, {
      cors: [
        {
          allowedOrigins: ['*'],
          allowedMethods: ['GET'],
          allowedHeaders: [],
          exposedHeaders: [],
          maxAgeSeconds: 1,
        },
      ],
    }),
  ]);
  const { logging: kept, cors } = await readStoredProperties(address);
  assert.deepEqual([kept, cors.length], [logging, 1]);
});
