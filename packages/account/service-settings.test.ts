// Settings are per account and service: what is set is read, with defaults until then.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMemoryStore } from '#store';
import { defaultServiceProperties } from './service-properties.js';
import {
  executeSettings,
  readStoredProperties,
  type ServiceSettings,
  setStoredProperties,
} from './service-settings.js';

test('properties are set and read by service, and the second region is in sync', async () => {
  const store = openMemoryStore();
  const run = (service: string, operation: ServiceSettings) =>
    executeSettings(operation, { store, account: 'a' }, service, () => 7n);
  const change = { defaultVersion: '2020-10-02' };
  assert.deepEqual(await run('blob', { kind: 'setServiceProperties', change }), {
    kind: 'servicePropertiesSet',
  });
  const read = { kind: 'getServiceProperties' } as const;
  assert.deepEqual(await run('blob', read), {
    kind: 'serviceProperties',
    properties: { ...defaultServiceProperties, ...change },
  });
  assert.deepEqual(await run('queue', read), {
    kind: 'serviceProperties',
    properties: defaultServiceProperties,
  });
  const others = { store, account: 'b', service: 'blob' };
  assert.deepEqual(await readStoredProperties(others), defaultServiceProperties);
  assert.deepEqual(await run('table', { kind: 'getServiceStats' }), { kind: 'serviceStats', lastSync: 7n });
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
