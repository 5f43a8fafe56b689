// The metadata of a table: what was written reads back, its form is pinned, and what is cut short is corrupt.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeTableMetadata, encodeTableMetadata, tableAddress } from './table-space.js';

const IDENTIFIERS = [
  { id: 'a', policy: { start: 1n, expiry: 2n, permission: 'r' } },
  { id: 'b', policy: undefined },
];

test('a table keeps the spelling of its name and its policies', () => {
  for (const name of ['abc', 'MyTable', 'T'.repeat(63)]) {
    for (const identifiers of [[], IDENTIFIERS])
      assert.deepEqual(decodeTableMetadata(encodeTableMetadata({ name, identifiers })), {
        name,
        identifiers,
      });
  }
});

test('the stored form is what later versions must read', () => {
  const bytes = encodeTableMetadata({ name: 'MyTable', identifiers: [] });
  assert.equal(bytes.toString('latin1'), '\u0007MyTable{"version":1,"value":[]}');
});

test('metadata that is cut short at any byte is corrupt', () => {
  const bytes = encodeTableMetadata({ name: 'MyTable', identifiers: IDENTIFIERS });
  for (let length = 0; length < bytes.length; length++) {
    const cut = bytes.subarray(0, length);
    assert.throws(() => decodeTableMetadata(cut), { name: 'StoreError', code: 'corrupt' }, String(length));
  }
});

test('names are compared without case', () => {
  const address = { account: 'account1', service: 'table', name: 'mytable' };
  assert.deepEqual(tableAddress('account1', 'MyTABLE'), address);
});
