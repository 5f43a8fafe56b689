// The stored form of queues and messages: what the operations write has no finding, and damage has one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultServiceProperties, encodeServiceProperties } from '#account';
import { collectRows, type Row, type Space } from '#store';
import { inspectQueueRow, inspectQueueSpace, isOfQueueService } from './inspect.js';
import { encodeQueueMetadata } from './queue-space.js';
import { get, openQueue, put } from './testing/account.js';

const metadata = encodeQueueMetadata({ generation: 3, metadata: [], identifiers: [] });
const SPACE: Space = { account: 'a', service: 'queue', name: 'jobs', id: 1, created: 1n, metadata };

async function writtenRows(): Promise<{ readonly space: Space; readonly rows: readonly Row[] }> {
  const account = await openQueue();
  await put(account, 'Köln');
  await put(account, '', 0, 'never');
  await get(account, 1);
  const [space] = await account.store.listSpaces('account1', 'queue', '', 1);
  assert.ok(space);
  const all = Number.POSITIVE_INFINITY;
  const budget = { rows: all, bytes: all, examined: all, milliseconds: all };
  const { rows } = await collectRows(account.store, space, { from: { partition: '', key: '' } }, budget);
  return { space, rows };
}

test('what the operations write has no finding', async () => {
  const { space, rows } = await writtenRows();
  assert.equal(rows.length, 5);
  assert.equal(inspectQueueSpace(space), undefined);
  for (const row of rows) assert.equal(inspectQueueRow(space, row), undefined, row.key);
});

test('rows that are cut, of another form, or under another key are found', async () => {
  const { space, rows } = await writtenRows();
  for (const row of rows) {
    for (let length = 0; length < Math.min(row.value.length, 9); length++)
      assert.notEqual(inspectQueueRow(space, { ...row, value: row.value.subarray(0, length) }), undefined);
    for (const key of [`${row.key}0`, row.key.slice(1), row.key.toUpperCase(), ''])
      assert.notEqual(inspectQueueRow(space, { ...row, key }), undefined, key);
    for (const partition of ['', '00000001', '0000000', 'x0000000'])
      assert.notEqual(inspectQueueRow(space, { ...row, partition }), undefined, partition);
    const other = Buffer.from(row.value);
    other[0] = 9;
    if (row.key !== 'count')
      assert.match(inspectQueueRow(space, { ...row, value: other }) ?? '', /unknown form/);
  }
  const text = rows.find(({ value }) => value.includes('Köln'));
  assert.ok(text);
  const broken = Buffer.from(text.value);
  broken[broken.length - 3] = 0xff;
  assert.match(inspectQueueRow(space, { ...text, value: broken }) ?? '', /text is damaged/);
});

test('metadata of queues, of the service and of reserved names is checked', () => {
  assert.equal(inspectQueueSpace(SPACE), undefined);
  const damaged: readonly (readonly [RegExp, Partial<Space>])[] = [
    [/its name is none/, { name: 'Jobs' }],
    [/cut short/, { metadata: metadata.subarray(0, 3) }],
    [/cannot be read/, { metadata: metadata.subarray(0, -1) }],
    [/metadata is damaged/, { metadata: Buffer.concat([metadata, Buffer.from(' ')]) }],
    [/held name/, { service: 'dropped queue' }],
    [/cannot be read/, { service: 'properties', name: 'queue', metadata: Buffer.from('{}') }],
  ];
  for (const [pattern, change] of damaged)
    assert.match(inspectQueueSpace({ ...SPACE, ...change }) ?? '', pattern);
  const properties = encodeServiceProperties(defaultServiceProperties);
  const space = { ...SPACE, service: 'properties', name: 'queue', metadata: properties };
  assert.equal(inspectQueueSpace(space), undefined);
  for (const change of [{ name: 'table' }, { metadata: Buffer.concat([properties, Buffer.from(' ')]) }])
    assert.match(inspectQueueSpace({ ...space, ...change }) ?? '', /service properties are damaged/);
  const row = { partition: '00000000', key: 'count', version: 1n, value: Buffer.alloc(8) };
  assert.match(inspectQueueRow(space, row) ?? '', /has no rows/);
});

test('the Queue service recognises its spaces', () => {
  for (const [service, name, isOurs] of [
    ['queue', 'table', true],
    ['dropped queue', 'x', true],
    ['properties', 'queue', true],
    ['properties', 'table', false],
    ['table', 'queue', false],
    ['dropped table', 'queue', false],
  ] as const)
    assert.equal(isOfQueueService({ ...SPACE, service, name }), isOurs);
});
