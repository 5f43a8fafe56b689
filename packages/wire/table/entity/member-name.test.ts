// The classes of member names (protocol: json#reading).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MemberName, memberName } from './member-name.js';

test('roles, annotations of a type, and forbidden property names', () => {
  const cases: readonly (readonly [
    string,
    MemberName['role'],
    typeOf: string | undefined,
    isValid: boolean,
  ])[] = [
    ['a', 'custom', undefined, true],
    ['été', 'custom', undefined, true],
    ['a-b', 'custom', undefined, false],
    ['', 'custom', undefined, false],
    ['a@b', 'custom', undefined, false],
    ['PartitionKey', 'partitionKey', undefined, true],
    ['RowKey', 'rowKey', undefined, true],
    ['Timestamp', 'timestamp', undefined, true],
    ['rowkey', 'custom', undefined, true],
    ['odata.type', 'control', undefined, false],
    ['odata.x@odata.type', 'control', undefined, false],
    ['a@odata.type', 'control', 'a', false],
    ['@odata.type', 'control', '', false],
    ['a@odata.type@odata.type', 'control', undefined, false],
    ['a@odata.etag', 'control', undefined, false],
  ];
  for (const [name, role, typeOf, isValid] of cases) {
    const { token, isKept, ...said } = memberName(name);
    assert.deepEqual(said, { name, role, typeOf, isValid });
    assert.equal(token, `${JSON.stringify(name)}:`);
    assert.equal(isKept, true);
  }
  assert.equal(memberName('a'), memberName('a'));
  assert.equal(memberName('a'.repeat(300)).isKept, false);
});
