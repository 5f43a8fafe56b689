// The operations on settings are one for all services: what is set is read, by each service its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMemoryStore } from '#store';
import { defaultServiceProperties } from './service-properties.js';
import { executeSettings, type ServiceSettings } from './service-settings.js';

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
  assert.deepEqual(await run('table', { kind: 'getServiceStats' }), { kind: 'serviceStats', lastSync: 7n });
});
