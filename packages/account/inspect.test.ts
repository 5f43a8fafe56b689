// Findings in service properties and reserved names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOf, propertiesFault, reservedNameFault } from './inspect.js';
import { defaultServiceProperties, encodeServiceProperties } from './service-properties.js';

const metadata = encodeServiceProperties(defaultServiceProperties);
const SPACE = { account: 'a', service: 'properties', name: 'queue', id: 1, created: 1n, metadata };

test('properties are sound under the name of their service, and byte for byte', () => {
  assert.equal(propertiesFault(SPACE, 'queue'), undefined);
  assert.match(propertiesFault(SPACE, 'table') ?? '', /damaged/);
  const longer = { ...SPACE, metadata: Buffer.concat([metadata, Buffer.from(' ')]) };
  assert.match(propertiesFault(longer, 'queue') ?? '', /damaged/);
  const none = { ...SPACE, metadata: Buffer.from('{}') };
  assert.match(faultOf(() => propertiesFault(none, 'queue')) ?? '', /cannot be read/);
});

test('a reserved name has the 8 bytes of its end', () => {
  for (const length of [0, 7, 9])
    assert.match(reservedNameFault({ ...SPACE, metadata: Buffer.alloc(length) }) ?? '', /held name/);
  assert.equal(reservedNameFault({ ...SPACE, metadata: Buffer.alloc(8) }), undefined);
});
