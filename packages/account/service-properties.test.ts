// Changing service properties section by section, and their stored form.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  changeServiceProperties,
  decodeServiceProperties,
  defaultServiceProperties,
  encodeServiceProperties,
  type ServiceProperties,
} from './service-properties.js';

const other: ServiceProperties = {
  logging: { version: '1.0', read: true, write: false, delete: true, retentionDays: 5 },
  hourMetrics: { version: '1.0', enabled: false, includeApis: false, retentionDays: undefined },
  minuteMetrics: { version: '1.0', enabled: true, includeApis: true, retentionDays: 365 },
  cors: [
    {
      allowedOrigins: ['*'],
      allowedMethods: ['GET', 'PUT'],
      allowedHeaders: [],
      exposedHeaders: ['x-ms-*'],
      maxAgeSeconds: 500,
    },
  ],
};

test('a change replaces the sections that it names', () => {
  assert.deepEqual(changeServiceProperties(other, {}), other);
  assert.deepEqual(changeServiceProperties(defaultServiceProperties, other), other);
  const withoutRules = changeServiceProperties(other, { cors: [], logging: undefined });
  assert.deepEqual(withoutRules, { ...other, cors: [] });
  const withMetrics = changeServiceProperties(other, { hourMetrics: defaultServiceProperties.hourMetrics });
  assert.deepEqual(withMetrics, { ...other, hourMetrics: defaultServiceProperties.hourMetrics });
});

test('properties read back as they were written', () => {
  for (const properties of [defaultServiceProperties, other]) {
    assert.deepEqual(decodeServiceProperties(encodeServiceProperties(properties)), properties);
  }
});

test('the stored form is what later versions must read', () => {
  const text =
    '{"version":1,"value":{' +
    '"logging":{"version":"1.0","read":false,"write":false,"delete":false},' +
    '"hourMetrics":{"version":"1.0","enabled":true,"includeApis":true,"retentionDays":7},' +
    '"minuteMetrics":{"version":"1.0","enabled":false,"includeApis":false},"cors":[]}}';
  assert.equal(encodeServiceProperties(defaultServiceProperties).toString(), text);
  assert.deepEqual(decodeServiceProperties(Buffer.from(text)), defaultServiceProperties);
});

test('anything but a set of properties is corrupt', () => {
  for (const value of ['1', 'null', '{}', '{"logging":{}}']) {
    const bytes = Buffer.from(`{"version":1,"value":${value}}`);
    assert.throws(() => decodeServiceProperties(bytes), { name: 'StoreError', code: 'corrupt' }, value);
  }
});
