// The commands' one-line summary of a store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpaceCount, StoreReport } from '#store';
import { describeStore } from './describe-store.js';

const space = (service: string, name: string, rows: number): SpaceCount => ({
  account: 'account1',
  service,
  name,
  rows,
  bytes: 10 * rows,
});

const report = (...spaces: readonly SpaceCount[]): StoreReport => ({
  findings: [],
  findingCount: 0,
  spaces,
  droppedSpaces: 0,
  droppedRows: 0,
  bytes: 8192,
  usage: '',
  notes: [],
});

test('a store is described by its tables and entities, and by whatever else it has', () => {
  assert.equal(describeStore(report()), '0 tables, 0 entities, 8192 bytes');
  const table = space('table', 'people', 1);
  assert.equal(describeStore(report(table)), '1 table, 1 entity, 8192 bytes');
  assert.equal(
    describeStore(
      report(table, space('blob', 'logs', 4), space('blob', 'photos', 2), space('queue', 'jobs', 3)),
    ),
    '1 table, 1 entity, 1 queue, 2 containers, 8192 bytes',
  );
});
