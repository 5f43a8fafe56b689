// The metadata of a queue's space: everything that can be set reads back as it was.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeGeneration, decodeQueueMetadata, encodeQueueMetadata } from './queue-space.js';

const plain = { noNullPrototype: true } as const;
const queue = fc.record(
  {
    generation: fc.nat({ max: 2 ** 32 - 1 }),
    metadata: fc.array(fc.record({ name: fc.string(), value: fc.string() }, plain)),
    identifiers: fc.array(fc.record({ id: fc.string(), policy: fc.constant(undefined) }, plain)),
  },
  plain,
);

test('metadata reads back as it was written', () => {
  fc.assert(
    fc.property(queue, value => {
      const bytes = encodeQueueMetadata(value);
      assert.deepEqual(decodeQueueMetadata(bytes), value);
      assert.equal(decodeGeneration(bytes), value.generation);
    }),
  );
});

test('the stored form is what later versions must read', () => {
  const text =
    '{"version":1,"value":{"metadata":[["Up","1"]],' +
    '"acl":"{\\"version\\":1,\\"value\\":[{\\"id\\":\\"a\\",\\"policy\\":{\\"permission\\":\\"raup\\"}}]}"}}';
  const policy = { start: undefined, expiry: undefined, permission: 'raup' };
  const value = { generation: 7, metadata: [{ name: 'Up', value: '1' }], identifiers: [{ id: 'a', policy }] };
  const bytes = Buffer.concat([Buffer.of(0, 0, 0, 7), Buffer.from(text)]);
  assert.equal(encodeQueueMetadata(value).toString('latin1'), bytes.toString('latin1'));
  assert.deepEqual(decodeQueueMetadata(bytes), value);
});

test('metadata that is cut short or of another version is refused', () => {
  const bytes = encodeQueueMetadata({ generation: 1, metadata: [], identifiers: [] });
  for (const length of [0, 3, 4, bytes.length - 1])
    assert.throws(() => decodeQueueMetadata(bytes.subarray(0, length)), {
      name: 'StoreError',
      code: 'corrupt',
    });
  const other = Buffer.concat([Buffer.alloc(4), Buffer.from('{"version":2,"value":{}}')]);
  assert.throws(() => decodeQueueMetadata(other), { name: 'StoreError', code: 'unsupported' });
});
