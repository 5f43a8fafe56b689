// Each service checks its own data.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeQueueMetadata } from '#queues';
import { encodeTableMetadata } from '#tables';
import { inspection } from './inspection.js';

const space = (service: string, name: string, metadata: Buffer) => ({
  account: 'a',
  service,
  name,
  id: 1,
  created: 1n,
  metadata,
});
const row = { partition: '00000000', key: 'count', version: 1n, value: Buffer.alloc(8) };

test('blobs are checked as blobs', () => {
  const deleted = space('dropped blob', 'jobs', Buffer.alloc(8));
  assert.equal(inspection.space(deleted), undefined);
  const container = space('blob', 'jobs', Buffer.alloc(8));
  assert.notEqual(inspection.space(container), undefined);
  assert.match(inspection.row(container, { ...row, key: 'B' }) ?? '', /head/);
  assert.deepEqual(inspection.contents?.(container, { ...row, key: 'X' }), []);
});

test('queues are checked as queues, tables as tables, and any other space is a finding', () => {
  const queue = space('queue', 'jobs', encodeQueueMetadata({ generation: 0, metadata: [], identifiers: [] }));
  const table = space('table', 'jobs', encodeTableMetadata({ name: 'jobs', identifiers: [] }));
  for (const sound of [queue, table, space('dropped queue', 'jobs', Buffer.alloc(8))])
    assert.equal(inspection.space(sound), undefined);
  assert.equal(inspection.row(queue, row), undefined);
  assert.notEqual(inspection.row(table, row), undefined);
  for (const fault of [
    { ...queue, service: 'table' },
    { ...table, service: 'queue' },
    space('x', 'y', row.value),
  ])
    assert.notEqual(inspection.space(fault), undefined);
});
